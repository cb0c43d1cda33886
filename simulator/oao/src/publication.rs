//! Publication: from what was sent to what is stored.

pub mod canonical;
pub mod config;
mod definition;
pub mod names;
#[cfg(test)]
mod properties;
pub mod reader;
pub mod schema;
pub mod sensitive;
pub mod steps;

use std::sync::Arc;

pub use definition::{Definition, NumberRule, TextRule};
use serde_json::{Map, Value};
pub use steps::{Step, View};

use crate::{errors::Refusal, sequence::Sequence};

/// What becomes of a configuration. In the contract exactly one of the two is there.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The configuration that is stored.
    pub publish: Option<Map<String, Value>>,
    /// The answer, when the request is refused.
    pub refuse: Option<Refusal>,
}

/// Decides on a configuration.
pub type Judge = Arc<dyn Fn(&Publication, &View<'_>, Map<String, Value>) -> Verdict + Send + Sync>;

/// How a configuration is published.
#[derive(Clone)]
pub struct Publication {
    /// What is looked at and done, in order.
    pub steps: Sequence<Step>,
    /// Runs the steps: all or nothing.
    pub judge: Judge,
}

impl Default for Publication {
    fn default() -> Self {
        Self { steps: steps::all(), judge: Arc::new(all_or_nothing) }
    }
}

impl Publication {
    /// Decides on `config`.
    pub fn decide(&self, view: &View<'_>, config: Map<String, Value>) -> Verdict {
        (self.judge)(self, view, config)
    }

    /// Runs every step on `config`.
    pub fn run_steps(&self, view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
        self.steps.iter().try_for_each(|step| step(view, config))
    }
}

fn all_or_nothing(publication: &Publication, view: &View<'_>, mut config: Map<String, Value>) -> Verdict {
    match publication.run_steps(view, &mut config) {
        Ok(()) => Verdict { publish: Some(config), refuse: None },
        Err(refusal) => Verdict { publish: None, refuse: Some(refusal) },
    }
}

impl std::fmt::Debug for Publication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Publication").field("steps", &self.steps).finish_non_exhaustive()
    }
}
