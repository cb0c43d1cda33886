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
    // Whoever tries a simulator listens on this machine, or in memory, and without a certificate.
    parts.webhooks.endpoint.test_hosts = true;
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

/// What only the later generation of the product has, and this service as well.
pub(crate) const CLAIMS: &[&str] = &["approval-expiry", "keepalive", "webhooks"];

/// Checks that a whole run in real time cannot show: they take a day, or a project in which nothing else happens.
pub(crate) const NOT_IN_REAL_TIME: &[&str] = &["OAO-233-a", "OAO-241-b", "OAO-257-a"];

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
        "model_preset_other": "project-model-v2",
        "sandbox_snapshot_other": "snapshot-2",
        "session_placeholder": "{{session.id}}",
        "skill_version": "5b1f7a10-3c52-4a8e-9d01-7be0c1a40101",
        "skill_intake": "5b1f7a10-3c52-4a8e-9d01-7be0c1a40101",
        "skill_intake_next": "5b1f7a10-3c52-4a8e-9d01-7be0c1a40102",
        "skill_tables": "5b1f7a10-3c52-4a8e-9d01-7be0c1a40201",
        "skill_notes": "5b1f7a10-3c52-4a8e-9d01-7be0c1a40301",
        "mcp_toolset": "7c20e5d4-91b6-4f0a-8a3e-2d5f6b770001",
        "mcp_credential_policy": "7c20e5d4-91b6-4f0a-8a3e-2d5f6b770002",
        "mcp_tool": "track_parcel",
        "delegate_arguments": ["key", "task"],
        "message_arguments": ["sessionId", "message"],
        "control": crate::oao_control::FEATURES,
        "console_view": "/_view/projects/{project}/sessions/{session}",
        "console_version_view": "/_view/projects/{project}/agents/{agent}/versions/{version}",
    });
    (credentials, settings)
}
