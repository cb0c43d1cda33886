//! The shape of every message: answers held against the schema of their route, stream events against the
//! schema of an event.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::{messages, schemas};

use crate::{Recording, What};

/// The schema of what a frame of an event stream carries, in either contract.
const EVENT: &str = "event";

/// A message that does not have the shape of its schema. It decides no check by itself: the checks whose
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
    /// JSON pointer into the body of an answer, or into the data of an event.
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

/// The answers and stream events in `recording` that do not have their shape. Refusals are looked at only
/// when `with_refusals` says so: their envelope is the reference's own choice in one contract. What the target
/// asked of the model is no message of the contract, so it has no shape.
pub fn shape_violations(recording: &Recording, with_refusals: bool) -> Result<Vec<ShapeViolation>, String> {
    let contract = recording.target.contract;
    let mut found = Vec::new();
    for entry in 0..recording.entries.len() {
        let Some((schema, message)) = message_at(recording, entry, with_refusals)? else { continue };
        let violations =
            schemas::violations(contract, schema, &message).map_err(|error| error.to_string())?;
        found.extend(violations.into_iter().map(|violation| ShapeViolation {
            check: recording.check.clone(),
            entry,
            whose: Whose::Target,
            schema: schema.to_owned(),
            at: violation.at,
            reason: violation.reason,
        }));
    }
    Ok(found)
}

/// The message of the target in an entry, with the name of its schema; `None` where there is no message, or
/// none that has a schema.
fn message_at(
    recording: &Recording,
    entry: usize,
    with_refusals: bool,
) -> Result<Option<(&'static str, Value)>, String> {
    let exchange = match &recording.entries[entry].what {
        What::Exchange(exchange) => exchange,
        What::Event { data, .. } => return Ok(Some((EVENT, data.clone()))),
        What::Model(_) | What::Fact(_) | What::Case(_) | What::Stop(_) | What::End { .. } => return Ok(None),
    };
    let seen = recording.at(entry);
    let (Some(status), Some(body)) = (seen.status(), seen.body()) else { return Ok(None) };
    if status >= 400 && !with_refusals {
        return Ok(None);
    }
    let path = exchange.question.path.split('?').next().unwrap_or_default();
    let schema = messages::schema_of(recording.target.contract, &exchange.question.method, path, status)
        .map_err(|error| error.to_string())?;
    Ok(schema.map(|schema| (schema, body)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spec::Contract;

    use super::*;
    use crate::{Bodies, Entry, Lane, ModelTurn, TargetFacts};

    fn recording(contract: Contract, what: Vec<What>) -> Recording {
        let entry = |what| Entry { at_ms: 0, label: "seen".to_owned(), case: None, what };
        let target = TargetFacts {
            name: "t".to_owned(),
            version: "1".to_owned(),
            contract,
            lane: Lane::Virtual,
            claims: Default::default(),
            credentials: Default::default(),
            settings: Default::default(),
        };
        Recording {
            check: "X-1".to_owned(),
            token: "t".to_owned(),
            target,
            entries: what.into_iter().map(entry).collect(),
            bodies: Bodies::default(),
        }
    }

    fn event(data: Value) -> What {
        What::Event { id: Some("1".to_owned()), event: None, data }
    }

    fn well_formed(contract: Contract) -> Value {
        match contract {
            Contract::Oao => json!({
                "id": "e", "organizationId": "o", "projectId": "p", "aggregateType": "run", "aggregateId": "r",
                "aggregateSequence": 1, "projectPosition": "1", "kind": "kind.of_tomorrow", "publicPayload": {},
                "occurredAt": "2026-01-05T09:00:00.000Z",
            }),
            Contract::Vetta => json!({
                "id": "e", "type": "kind.of_tomorrow", "session_id": "s", "created_at": "2026-01-05T09:00:00.000Z",
            }),
        }
    }

    #[test]
    fn a_stream_event_is_held_against_the_schema_of_its_contract() {
        for contract in Contract::ALL {
            let good = recording(contract, vec![event(well_formed(contract))]);
            assert_eq!(shape_violations(&good, true).unwrap(), [], "{contract}");
            let mut bare = well_formed(contract);
            bare["id"] = json!(7);
            for (data, at) in [(bare, "/id"), (json!("no JSON"), ""), (json!(null), "")] {
                let bad = recording(contract, vec![event(well_formed(contract)), event(data)]);
                let found = shape_violations(&bad, false).unwrap();
                assert_eq!(found.len(), 1, "{contract}: {found:?}");
                let violation = &found[0];
                assert_eq!(
                    (violation.entry, violation.schema.as_str(), violation.whose),
                    (1, "event", Whose::Target)
                );
                assert_eq!(violation.at, at, "{contract}");
            }
        }
    }

    #[test]
    fn what_the_model_was_asked_and_what_the_drive_noted_have_no_shape() {
        let turn = ModelTurn {
            sequence: 0,
            arrived_ms: 0,
            answered_ms: None,
            turn: None,
            request: json!("nonsense"),
            journal: json!(null),
        };
        for contract in Contract::ALL {
            let what = vec![What::Model(Box::new(turn.clone())), What::Fact(json!({"id": 7}))];
            assert_eq!(shape_violations(&recording(contract, what), true).unwrap(), [], "{contract}");
        }
    }
}
