//! The details of a session.

use serde_json::{Value, json};

use super::Session;
use crate::{
    Service, delegates::delegations, publication::config::items, runs::Run, sandbox, service::State,
    tool_calls::Work,
};

/// Everything that is shown of one session.
pub(crate) fn detail(service: &Service, state: &State, session: &Session) -> Value {
    let runs: Vec<&Run> =
        session.runs.iter().filter_map(|id| state.runs.get(&session.project_id, id)).collect();
    let mut body = session.to_json(session.latest_run(state));
    let aggregates: Vec<&str> =
        std::iter::once(session.id.as_str()).chain(session.runs.iter().map(String::as_str)).collect();
    let rows = service.events().of_aggregates(&session.project_id, &aggregates);
    let events: Vec<Value> = rows.iter().map(service.parts().events.detail_row).collect();
    let of_runs = |list: fn(&Run) -> &[Value]| -> Vec<Value> {
        runs.iter().flat_map(|run| list(run)).cloned().collect()
    };
    let transcript: Vec<Value> =
        runs.iter().flat_map(|run| run.messages.iter().map(|(_, message)| message.clone())).collect();
    let work = Work::of(service, state, &session.project_id, |run| session.runs.iter().any(|id| id == run));
    let members = json!({
        "skills": skills(service, state, session),
        "delegations": delegations(state, session),
        "runs": runs.iter().map(|run| run.to_json()).collect::<Vec<_>>(),
        "transcript": transcript,
        "timeline": of_runs(|run| &run.timeline),
        "pendingWork": work.pending,
        "tools": tools(state, session),
        "debug": {
            "productEvents": events,
            "modelInvocations": of_runs(|run| &run.model_invocations),
            "toolCalls": work.tool_calls,
            "approvals": work.approvals,
            "sandboxCommands": of_runs(|run| &run.sandbox_commands),
            "sandboxes": sandboxes(state, session),
            "workspaceBackups": [],
        },
    });
    if let (Some(body), Value::Object(members)) = (body.as_object_mut(), members) {
        body.extend(members);
    }
    body
}

/// The Skills that the session's version mounts, without what is in them.
fn skills(service: &Service, state: &State, session: &Session) -> Vec<Value> {
    let Some(version) = state.versions.get(&session.version_id) else { return Vec::new() };
    let parts = service.parts();
    let mounted = (parts.skills.mounted)(&parts.catalogue, &version);
    mounted
        .iter()
        .map(|skill| {
            json!({"id": skill.id, "name": skill.name, "version": skill.version, "description": skill.description})
        })
        .collect()
}

/// The tools that the session's version lists, and its operations.
fn tools(state: &State, session: &Session) -> Vec<Value> {
    let Some(version) = state.versions.get(&session.version_id) else { return Vec::new() };
    let authored = items(&version.config, "tools").iter().map(|tool| {
        json!({"name": tool["name"], "description": tool["description"], "kind": "tool", "owner": tool["owner"]})
    });
    let operations = version.operations().iter().map(|operation| {
        json!({"name": operation["key"], "description": operation["description"], "kind": "harness_operation"})
    });
    authored.chain(operations).collect()
}

/// The sandboxes of a session whose version has one.
fn sandboxes(state: &State, session: &Session) -> Vec<Value> {
    let version = state.versions.get(&session.version_id);
    if !version.is_some_and(|version| sandbox::is_enabled(&version.config)) {
        return Vec::new();
    }
    session.sandboxes().map(sandbox::Sandbox::to_json).collect()
}
