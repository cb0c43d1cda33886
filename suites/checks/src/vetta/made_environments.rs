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

/// Makes an environment as a step before the one under test, recorded as `label`, and gives its key.
pub(crate) async fn make_key(driver: &Driver<'_>, label: &str, made: &Made) -> Result<String, Halt> {
    driver.control(FEATURE)?;
    let road_of = |row: &Value, road: &str| match text(row, "location") {
        "local" => Value::Null,
        _ => json!(road),
    };
    let whole = |(row, road): &(Value, &str)| json!({"harness": row, "facts": {"road": road_of(row, road), "can_submit": text(row, "base") != "vetta"}});
    let rows: Vec<Value> = made.rows.iter().map(whole).collect();
    let model = driver.facts().text("model").unwrap_or("model-1");
    let body = json!({
        "name": driver.fresh(),
        "rows": rows,
        "reserved": made.reserved,
        "models": [{"id": model, "label": model}],
    });
    let call = Call::control("POST", "/environments").json(&body);
    let (reply, key) = driver.send_for_secret(label, call, ("/key", "made_key")).await;
    key.filter(|_| reply.is_success()).ok_or_else(|| {
        driver.setup_failed(&reply, "make an environment", "a 2xx answer with a string at `/key`")
    })
}

/// As [`make_key`], and gives the place at which that environment is the only one there is.
pub(crate) async fn make(driver: &Driver<'_>, label: &str, made: Made) -> Result<Place, Halt> {
    let key = make_key(driver, label, &made).await?;
    let bases: Vec<&str> = made.rows.iter().map(|(row, _)| text(row, "base")).collect();
    let mut place = driver.place();
    let description = &mut place.description;
    description.credentials = [("primary".to_owned(), Credential::Value(key))].into();
    description.settings.insert("expected_bases".to_owned(), json!(bases));
    description.settings.insert("reserved_ids".to_owned(), json!(made.reserved));
    description.settings.remove("control");
    for road in ["first", "second"] {
        let on_it = made.rows.iter().filter(|(_, of_row)| *of_row == road);
        let bases: Vec<&str> = on_it.map(|(row, _)| text(row, "base")).collect();
        description.settings.insert(format!("{road}_road"), json!(bases));
    }
    Ok(place)
}
