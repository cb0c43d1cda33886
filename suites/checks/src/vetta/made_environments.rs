//! Environments that a check makes for itself, through the control port.
//!
//! `POST /_control/environments` gives a key for a new environment. The environments that are there already stay
//! as they are.

use engine::{Call, Driver, Halt, Place, target::Credential};
use serde_json::{Value, json};

use super::rows::text;

/// The feature of the control port.
pub(crate) const FEATURE: &str = "environments";

/// What an environment is made of.
pub(crate) struct Made {
    /// The rows, each with the road of its loop.
    pub(crate) rows: Vec<(Value, &'static str)>,
    /// Ids that are kept for choosers.
    pub(crate) reserved: Vec<String>,
}

/// Makes an environment as a step before the one under test, recorded as `label`, and gives the place at which
/// it is the only one there is.
pub(crate) async fn make(driver: &Driver<'_>, label: &str, made: Made) -> Result<Place, Halt> {
    driver.control(FEATURE)?;
    let bases: Vec<&str> = made.rows.iter().map(|(row, _)| text(row, "base")).collect();
    let mut place = driver.place();
    let rows: Vec<Value> = made.rows.iter().map(|(row, road)| {
        let road = if text(row, "location") == "local" { Value::Null } else { json!(road) };
        json!({"harness": row, "facts": {"road": road, "can_submit": text(row, "base") != "vetta"}})
    }).collect();
    let model = driver.facts().text("model").unwrap_or("model-1").to_owned();
    let body = json!({
        "name": driver.fresh(),
        "rows": rows,
        "reserved": made.reserved,
        "models": [{"id": model, "label": model}],
    });
    let reply = driver.send(label, Call::control("POST", "/environments").json(&body)).await;
    let key = driver.need_text(&reply, "/key", "make an environment")?;
    let description = &mut place.description;
    description.credentials = [("primary".to_owned(), Credential::Value(key))].into();
    description.settings.insert("expected_bases".to_owned(), json!(bases));
    description.settings.insert("reserved_ids".to_owned(), json!(made.reserved));
    description.settings.remove("control");
    Ok(place)
}
