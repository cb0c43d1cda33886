//! Putting the OAO server together.

use serde_json::{Value, json};

use crate::{ModelAddress, Plan, StartError, running::Assembled};

pub(crate) fn assemble(_: &Plan, _: &ModelAddress) -> Result<Assembled, StartError> {
    Err(StartError::Fixture("the OAO server is not wired yet".to_owned()))
}

pub(crate) fn described() -> (Value, Value) {
    (json!({}), json!({}))
}
