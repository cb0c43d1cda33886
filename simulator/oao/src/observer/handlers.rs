//! The routes of the views. They are the simulator's own: the contract has no path for them.

use std::sync::Arc;

use super::{event::of_detail, project, versions::show};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
    sessions::detail,
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::read("/_view/projects/{p}/sessions/{s}", |_| vec!["session:read"], Arc::new(session)),
        Route::read("/_view/projects/{p}/agents/{a}/versions/{v}", |_| vec!["agent:read"], Arc::new(version)),
    ]
}

fn session(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let id = call.uuid("s")?;
        let detail = {
            let state = service.state();
            let session =
                state.sessions.get(call.project(), id).ok_or_else(|| Refusal::not_found("session"))?;
            detail(service, &state, session)
        };
        let parts = &service.parts().observer;
        let mut view = serde_json::to_value(project(parts, &detail))
            .map_err(|why| Refusal::new(crate::errors::Code::InternalError, why.to_string()))?;
        let events = of_detail(&detail);
        parts.dress.iter().for_each(|dress| dress(&events, &mut view));
        Ok(Reply::json(200, view))
    }))
}

fn version(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let (agent_id, id) = (call.uuid("a")?, call.uuid("v")?);
        let state = service.state();
        let versions = state.versions.of_agent(agent_id);
        let named = versions.iter().find(|version| version.id == id && version.project_id == call.project());
        let named = named.ok_or_else(|| Refusal::not_found("agent version"))?;
        Ok(Reply::json(200, show(&service.parts().observer, named, &versions)))
    }))
}
