//! Putting the Vetta server together.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use vetta::{Environment, Parts, Service, environment::Road, turns::Looped};

use crate::{ModelAddress, Plan, StartError, running::Assembled};

/// Builds the service of `plan`.
pub(crate) fn assemble(plan: &Plan, model: &ModelAddress) -> Result<Assembled, StartError> {
    let mut parts = Parts::shipped().map_err(|error| StartError::Fixture(error.to_string()))?;
    parts.tools.contributors = vetta::contributions::all(plan.net.clone())
        .map_err(|error| StartError::Fixture(error.to_string()))?;
    crate::defects::vetta::edit(&mut parts, &plan.defects)?;
    let ids = wire::Ids::new(plan.seed);
    let turns = Looped::new(plan.net.clone(), plan.clock.clone(), ids.clone(), model.shared());
    let service = Service::new(parts, plan.clock.clone(), ids, Arc::new(turns));
    Ok(Assembled {
        router: service.router(),
        head_filter: service.head_filter(),
        control: crate::vetta_control::routes(&service),
    })
}

/// Credentials and settings of the shipped environments.
pub(crate) fn described() -> (Value, Value) {
    let Ok(keyring) = vetta::Keyring::shipped() else { return (json!({}), json!({})) };
    let mut credentials = BTreeMap::new();
    for (key, caller) in keyring.iter() {
        // The first key of the first account is the primary one; the others are named for what they add.
        let name = match (caller.account.as_str(), caller.environment.name.as_str()) {
            ("acct_ada", "default") => "primary",
            (_, "default") => "second_account",
            (_, "staging") => "other_environment",
            (_, environment) => environment,
        };
        credentials.insert(name.to_owned(), json!({"value": key}));
    }
    let environment =
        keyring.iter().map(|(_, caller)| &caller.environment).find(|each| each.name == "default");
    let settings = environment.map_or_else(|| json!({}), |environment| settings(environment));
    (json!(credentials), settings)
}

fn settings(environment: &Environment) -> Value {
    let bases: Vec<&str> = environment.rows.iter().map(|row| row.harness.base.as_str()).collect();
    let on = |road: Road| -> Vec<&str> {
        let rows = environment.rows.iter().filter(|row| row.facts.road == Some(road) && row.harness.runnable);
        rows.map(|row| row.harness.base.as_str()).collect()
    };
    json!({
        "model": "sim-1",
        "connection": "conn_1",
        "connection_tool": "contacts_find",
        "first_road": on(Road::First),
        "second_road": on(Road::Second),
        "reserved_ids": environment.reserved,
        "expected_bases": bases,
        "control": crate::vetta_control::FEATURES,
    })
}
