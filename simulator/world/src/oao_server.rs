//! Putting the OAO server together.

use oao::{
    Parts, Service, Wiring,
    keys::{DEMO_KEY, DEMO_OTHER_KEY, DEMO_PROJECT, DEMO_READER_KEY, Keyring},
};
use serde_json::{Value, json};

use crate::{ModelAddress, Plan, StartError, running::Assembled};

/// Builds the service of `plan`.
pub(crate) fn assemble(plan: &Plan, model: &ModelAddress) -> Result<Assembled, StartError> {
    let mut parts = Parts::default();
    crate::defects::oao::edit(&mut parts, &plan.defects)?;
    let ids = wire::Ids::new(plan.seed);
    let wiring = Wiring { net: plan.net.clone(), model_url: model.shared(), keyring: Keyring::demo() };
    let service = Service::new(parts, plan.clock.clone(), ids, wiring);
    Ok(Assembled {
        router: service.router(),
        head_filter: None,
        control: crate::oao_control::routes(&service),
    })
}

/// Credentials and settings of the demo project.
pub(crate) fn described() -> (Value, Value) {
    let credentials = json!({
        "primary": {"value": DEMO_KEY},
        "reader": {"value": DEMO_READER_KEY},
        "other_project": {"value": DEMO_OTHER_KEY},
    });
    let settings = json!({
        "project": DEMO_PROJECT,
        "model_preset": "project-model-v1",
        "sandbox_provider": "simulated",
        "sandbox_snapshot": "snapshot-1",
        "unsupported_keyword": "pattern",
        "schema_measure": "compact",
        "control": crate::oao_control::FEATURES,
        "console_view": "/_view/projects/{project}/sessions/{session}",
        "console_version_view": "/_view/projects/{project}/agents/{agent}/versions/{version}",
    });
    (credentials, settings)
}
