//! What the model says when nobody has given it a script.

use model::Script;

use crate::failure::Failure;

const DEMO: &str = include_str!("../../../fixtures/scripts/demo.yaml");

pub(crate) fn script() -> Result<Script, Failure> {
    Script::from_yaml("fixtures/scripts/demo.yaml", DEMO).map_err(|error| Failure(error.to_string()))
}
