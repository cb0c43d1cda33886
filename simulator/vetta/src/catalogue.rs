//! The harness catalogue: a constant of the environment.

use std::sync::Arc;

use serde_json::Value;

use crate::{Caller, Environment, Refusal, environment::Row, http::Query};

/// From where a row is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In the listing.
    Listed,
    /// Read by its id.
    Read,
}

/// What the catalogue endpoints show.
#[derive(Clone)]
pub struct Catalogue {
    /// The rows of the listing, in order, for a caller and a query. All of them, for everybody: the
    /// table fits one page, so `limit` and `cursor` are taken and change nothing (open point U32).
    pub list: Arc<dyn Fn(&Caller, &Query) -> Vec<Row> + Send + Sync>,
    /// The row that a read by id shows: byte for byte, published only (open point U38).
    pub find: Arc<dyn Fn(&Environment, &str) -> Option<Row> + Send + Sync>,
    /// One row as a wire object.
    pub render: Arc<dyn Fn(&Row, View) -> Value + Send + Sync>,
    /// What is answered for an id that [`Catalogue::find`] does not find (open point U07).
    pub missing: Arc<dyn Fn(&Environment, &str) -> Refusal + Send + Sync>,
    /// How long a private cache may keep an answer, in seconds (open point U37).
    pub max_age_s: u32,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self {
            list: Arc::new(|caller, _| caller.environment.rows.clone()),
            find: Arc::new(|environment, id| environment.row(id).cloned()),
            render: Arc::new(|row, _| serde_json::to_value(&row.harness).unwrap_or_default()),
            missing: Arc::new(|_, id| {
                Refusal::not_found(
                    "harness_not_found",
                    Some("id"),
                    format!("no harness is published as `{id}`"),
                )
            }),
            max_age_s: 60,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paging;

    #[test]
    fn the_row_of_pi_is_the_documented_sample() {
        let sample = include_str!("../../../fixtures/vetta/documents/harness-list.json");
        let sample: Value = serde_json::from_str(sample).unwrap();
        for environment in Environment::shipped().unwrap() {
            let row = environment.row("pi").unwrap();
            let entry = (Catalogue::default().render)(row, View::Listed);
            assert_eq!(entry, sample["data"][0]);
            assert_eq!(paging::envelope(vec![entry], None), sample);
        }
    }

    #[test]
    fn ids_match_byte_for_byte() {
        let default = Environment::shipped().unwrap().remove(0);
        let find = Catalogue::default().find;
        assert!(find(&default, "sim-cli").is_some());
        for id in ["Pi", "PI", "Sim CLI", "sim-soon", "sim-mute", "", "pi "] {
            assert!(find(&default, id).is_none(), "{id}");
        }
    }
}
