//! The shape of every message: what was answered, held against the schema of its route.

use serde::{Deserialize, Serialize};
use spec::{messages, schemas};

use crate::{Recording, What};

/// An answer that does not have the shape of its schema. It decides no check by itself: the checks whose
/// business it is judge it, and a report lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeViolation {
    /// The check in whose recording it is.
    pub check: String,
    /// Position of the entry.
    pub entry: usize,
    /// Whose message it is.
    pub whose: Whose,
    /// The schema.
    pub schema: String,
    /// JSON pointer into the body.
    pub at: String,
    /// What is wrong there.
    pub reason: String,
}

/// Whose message has the wrong shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// The target's.
    Target,
    /// Ours: the suite's, or that of the model it hosts.
    Suite,
}

/// The answers in `recording` that do not have their shape. Refusals are looked at only when
/// `with_refusals` says so: their envelope is the reference's own choice in one contract.
pub fn shape_violations(recording: &Recording, with_refusals: bool) -> Result<Vec<ShapeViolation>, String> {
    let contract = recording.target.contract;
    let mut found = Vec::new();
    for (entry, each) in recording.entries.iter().enumerate() {
        let What::Exchange(exchange) = &each.what else { continue };
        let seen = recording.at(entry);
        let (Some(status), Some(body)) = (seen.status(), seen.body()) else { continue };
        if status >= 400 && !with_refusals {
            continue;
        }
        let path = exchange.question.path.split('?').next().unwrap_or_default();
        let schema = messages::schema_of(contract, &exchange.question.method, path, status)
            .map_err(|error| error.to_string())?;
        let Some(schema) = schema else { continue };
        for violation in schemas::violations(contract, schema, &body).map_err(|error| error.to_string())? {
            found.push(ShapeViolation {
                check: recording.check.clone(),
                entry,
                whose: Whose::Target,
                schema: schema.to_owned(),
                at: violation.at,
                reason: violation.reason,
            });
        }
    }
    Ok(found)
}
