//! What a picker is made of.

use serde_json::{Value, json};

use crate::choices::{self, Choice, Objection};

/// A base that the picker knows without being told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The base.
    pub base: &'static str,
    /// Whether it is offered although it is not listed.
    pub selectable: bool,
}

/// The parts. The default is a client that is right.
#[derive(Clone)]
pub struct Parts {
    /// How many pages of a list are read at most.
    pub pages_max: usize,
    /// How often a request is repeated that was answered 429 or 503.
    pub repeats_max: usize,
    /// What is taken of the entries that were listed: all of them.
    pub read: fn(Vec<Value>) -> Vec<Value>,
    /// What stands against an entry; the first objection is the reason that is shown.
    pub objections: Vec<(&'static str, Objection)>,
    /// What an agent puts in `harness` for an entry.
    pub value: fn(&Value) -> String,
    /// Bases that are on their way: shown where they are not listed.
    pub coming: Vec<Known>,
    /// What is shown where the list could not be read.
    pub fallback: fn() -> Vec<Choice>,
    /// Path and `authorization` of a request to `path` with `key`.
    pub sign: fn(&str, &str) -> (String, Option<String>),
    /// Whether a pick is started.
    pub starts: fn(&Choice) -> bool,
    /// The body of a new agent, for a `harness` and a model.
    pub agent: fn(&str, &str) -> Value,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            pages_max: 100,
            repeats_max: 3,
            read: |entries| entries,
            objections: vec![
                ("location", choices::is_elsewhere),
                ("runnable", choices::is_dark),
                ("status", choices::is_of_unknown_maturity),
            ],
            value: |entry| choices::text(entry, "base").to_owned(),
            coming: vec![Known { base: "sim-soon", selectable: false }],
            fallback: Vec::new,
            sign: |path, key| (path.to_owned(), Some(format!("Bearer {key}"))),
            starts: |choice| choice.selectable,
            agent: |harness, model| json!({"name": "picked", "model": model, "harness": harness}),
        }
    }
}
