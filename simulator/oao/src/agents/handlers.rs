//! The routes of agents and versions.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Agent, Version};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
    publication::{Verdict, View, config, reader::Reader},
    service::State,
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let read = |_: &Call| vec!["agent:read"];
    vec![
        Route::read("/v1/projects/{p}/agents", read, Arc::new(list)),
        Route::post("/v1/projects/{p}/agents", write_scopes, Arc::new(create)),
        Route::read("/v1/projects/{p}/agents/{a}", read, Arc::new(get)),
        Route::post("/v1/projects/{p}/agents/{a}", |_| vec!["agent:write"], Arc::new(archive))
            .method("DELETE")
            .bodiless(),
        Route::read("/v1/projects/{p}/agents/{a}/versions", read, Arc::new(list_versions)),
        Route::post("/v1/projects/{p}/agents/{a}/versions", write_scopes, Arc::new(publish)),
        Route::read("/v1/projects/{p}/agents/{a}/versions/{v}", read, Arc::new(get_version)),
    ]
}

/// Binding skills or toolsets needs scopes of their own.
fn write_scopes(call: &Call) -> Vec<&'static str> {
    let config = submitted_config(call).cloned().unwrap_or_default();
    let mut scopes = vec!["agent:write"];
    for (list, scope) in [("skillVersionIds", "skill:bind"), ("mcpBindings", "mcp:bind")] {
        if !config::items(&config, list).is_empty() {
            scopes.push(scope);
        }
    }
    scopes
}

/// `initialConfig` wins over `config`; on publication the body itself may be the configuration.
fn submitted_config(call: &Call) -> Option<&Map<String, Value>> {
    let named = ["initialConfig", "config"].into_iter().find_map(|name| call.body.get(name));
    match named {
        Some(value) => value.as_object(),
        None => Some(&call.body),
    }
}

fn decide(service: &Service, project: &str, config: Map<String, Value>) -> Result<Verdict, Refusal> {
    let parts = service.parts();
    let version_exists =
        |id: &str| service.state().versions.get(id).is_some_and(|version| version.project_id == project);
    let view = View {
        definition: &parts.definition,
        limits: &parts.config_limits,
        catalogue: &parts.catalogue,
        version_exists: &version_exists,
    };
    let mut verdict = parts.publication.decide(&view, config);
    match (verdict.publish.is_some(), verdict.refuse.take()) {
        (false, Some(refusal)) => Err(refusal),
        (_, refuse) => Ok(Verdict { refuse, ..verdict }),
    }
}

fn create(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let limits = &service.parts().agent_limits;
    let reader = Reader::new(&call.body, "");
    let name = reader.text("name", limits.name_units)?.to_owned();
    let key = reader.optional_text("key", limits.key_units)?.map(str::to_owned);
    let description =
        reader.optional_text("description", limits.description_units)?.unwrap_or_default().to_owned();
    let config = ["initialConfig", "config"].into_iter().find_map(|name| call.body.get(name));
    let config = config.ok_or_else(|| reader.refuse("config", "is missing"))?;
    let config = config.as_object().ok_or_else(|| reader.refuse("config", "an object is needed"))?;
    let verdict = decide(service, call.project(), config.clone())?;
    Ok(Box::new(move |service, call| {
        let now = service.clock().rfc3339();
        let mut state = service.state();
        let key = key.unwrap_or_else(|| service.ids().prefixed("agent-"));
        if state.agents.has_key(call.project(), &key) {
            return Err(Refusal::conflict(format!("there is an agent with the key `{key}` already")));
        }
        let agent = Agent {
            id: service.ids().uuid(),
            organization_id: call.organization_id().to_owned(),
            project_id: call.project().to_owned(),
            key,
            name,
            description,
            created_at: now.clone(),
            updated_at: now,
            archived: false,
            position: state.next_position(service.clock()),
        };
        let version = commit(service, call, &mut state, &agent.id, verdict.publish.unwrap_or_default())?;
        state.agents.insert(agent.clone());
        match verdict.refuse {
            Some(refusal) => Err(refusal),
            None => Ok(Reply::json(201, agent.to_json(Some(&version)))),
        }
    }))
}

fn publish(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let config = match call.body.get("config") {
        Some(config) => {
            config.as_object().ok_or_else(|| Refusal::bad_request("config: an object is needed"))?
        }
        None => &call.body,
    };
    let verdict = decide(service, call.project(), config.clone())?;
    Ok(Box::new(move |service, call| {
        let agent_id = call.uuid("a")?;
        let mut state = service.state();
        if state.agents.live(call.project(), agent_id).is_none() {
            return Err(Refusal::not_found("agent"));
        }
        let version = commit(service, call, &mut state, agent_id, verdict.publish.unwrap_or_default())?;
        if let Some(agent) = state.agents.live_mut(call.project(), agent_id) {
            agent.updated_at = service.clock().rfc3339();
        }
        match verdict.refuse {
            Some(refusal) => Err(refusal),
            None => Ok(Reply::json(201, version.to_json())),
        }
    }))
}

fn commit(
    service: &Service,
    call: &Call,
    state: &mut State,
    agent_id: &str,
    config: Map<String, Value>,
) -> Result<Version, Refusal> {
    let position = state.next_position(service.clock());
    state.versions.publish(Version {
        id: service.ids().uuid(),
        organization_id: call.organization_id().to_owned(),
        project_id: call.project().to_owned(),
        agent_id: agent_id.to_owned(),
        number: 0,
        config,
        created_by: call.principal_id().to_owned(),
        created_at: service.clock().rfc3339(),
        position,
    })
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let items = state
            .agents
            .all_live(call.project())
            .map(|agent| (agent.position, agent.to_json(state.versions.of_agent(&agent.id).last())));
        Ok(Reply::json(200, service.parts().paging.page(page, items.collect())))
    }))
}

fn get(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let id = call.uuid("a")?;
        let state = service.state();
        let agent = state.agents.live(call.project(), id).ok_or_else(|| Refusal::not_found("agent"))?;
        let versions = state.versions.of_agent(id);
        let mut body = agent.to_json(versions.last());
        body["versions"] = versions.iter().rev().map(Version::to_json).collect();
        Ok(Reply::json(200, body))
    }))
}

/// Archives; the versions stay for the sessions that are pinned to them.
fn archive(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let id = call.uuid("a")?;
        let mut state = service.state();
        let agent = state.agents.live_mut(call.project(), id).ok_or_else(|| Refusal::not_found("agent"))?;
        agent.archived = true;
        agent.updated_at = service.clock().rfc3339();
        Ok(Reply::json(200, json!({"id": id, "deleted": true})))
    }))
}

fn list_versions(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let id = call.uuid("a")?;
        let state = service.state();
        if state.agents.live(call.project(), id).is_none() {
            return Err(Refusal::not_found("agent"));
        }
        let versions = state.versions.of_agent(id);
        let items = versions.iter().map(|version| (version.position, version.to_json())).collect();
        Ok(Reply::json(200, service.parts().paging.page(page, items)))
    }))
}

fn get_version(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let (agent_id, id) = (call.uuid("a")?, call.uuid("v")?);
        let version = service.state().versions.get(id);
        let found =
            version.filter(|version| version.project_id == call.project() && version.agent_id == agent_id);
        let version = found.ok_or_else(|| Refusal::not_found("agent version"))?;
        Ok(Reply::json(200, version.to_json()))
    }))
}
