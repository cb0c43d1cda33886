//! The routes of approvals.

use std::sync::Arc;

use serde_json::json;

use super::Decision;
use crate::{
    Service,
    errors::Refusal,
    events::Draft,
    http::{Act, Call, Reply, Route},
    publication::reader::Reader,
    tool_calls::of_run,
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::read("/v1/projects/{p}/approvals", |_| vec!["run:read"], Arc::new(list)),
        Route::post(
            "/v1/projects/{p}/approvals/{x}/decision",
            |_| vec!["approval:resolve"],
            Arc::new(decision),
        ),
    ]
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let (page, run) = (service.parts().paging.read(call)?, of_run(call)?);
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let wanted = |id: &str| run.as_deref().is_none_or(|run| run == id);
        let rows = state.approvals.all(call.project()).filter(|approval| wanted(&approval.run_id));
        let rows = rows.map(|approval| (approval.position, approval.to_json())).collect();
        Ok(Reply::json(200, service.parts().paging.page(page, rows)))
    }))
}

fn decision(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    let decision = match reader.one_of("status", &["approved", "denied"])? {
        "approved" => Decision::Approved,
        _ => Decision::Denied,
    };
    reader.optional_text("note", service.parts().approvals.limits.note_units)?;
    Ok(Box::new(move |service, call| {
        let id = call.uuid("x")?;
        let parts = &service.parts().approvals;
        let now = service.clock().rfc3339();
        let approval = {
            let mut state = service.state();
            let found = state.approvals.get_mut(id).filter(|one| one.project_id == call.project());
            let approval = found.ok_or_else(|| Refusal::not_found("approval"))?;
            let late = approval.is_pending() && service.clock().elapsed() >= approval.expires;
            if late || !(parts.open)(approval.status) {
                return Err(Refusal::conflict("the approval is decided already, or has expired"));
            }
            approval.resolve(decision, Some(call.principal_id()), &now);
            approval.clone()
        };
        let draft = Draft {
            id: None,
            organization_id: approval.organization_id.clone(),
            project_id: approval.project_id.clone(),
            aggregate_type: "approval".to_owned(),
            aggregate_id: approval.id.clone(),
            kind: "approval.resolved".to_owned(),
            payload: json!({"status": decision.name()}),
            occurred_at: now,
        };
        service.events().emit(service.ids(), draft);
        Ok(Reply::json(200, approval.to_json()))
    }))
}
