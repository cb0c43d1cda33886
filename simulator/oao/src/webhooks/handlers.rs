//! The routes of event webhooks.

use std::sync::Arc;

use serde_json::json;

use super::{
    batch::pending,
    courier,
    fields::{Fields, secret},
    store::{Last, Webhook},
};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
    publication::reader::Reader,
};

const ALL: &str = "/v1/projects/{p}/event-webhooks";
const ONE: &str = "/v1/projects/{p}/event-webhooks/{w}";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let admin = |_: &Call| vec!["project:admin"];
    vec![
        Route::read(ALL, admin, Arc::new(list)),
        Route::post(ALL, admin, Arc::new(create)),
        Route::read(ONE, admin, Arc::new(|_, _| Ok(Box::new(get)))),
        Route::post(ONE, admin, Arc::new(patch)).method("PATCH"),
        Route::post(ONE, admin, Arc::new(|_, _| Ok(Box::new(delete)))).method("DELETE").bodiless(),
        Route::post("/v1/projects/{p}/event-webhooks/{w}/credential", admin, Arc::new(credential))
            .method("PUT"),
    ]
}

fn missing() -> Refusal {
    Refusal::not_found("webhook")
}

fn show(service: &Service, webhook: &Webhook) -> Reply {
    Reply::json(200, webhook.to_json(pending(service, webhook)))
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let row = |webhook: &Webhook| (webhook.position, webhook.to_json(pending(service, webhook)));
        let rows = state.webhooks.all(call.project()).map(row).collect();
        Ok(Reply::json(200, service.parts().paging.page(page, rows)))
    }))
}

fn get(service: &Service, call: &Call) -> Result<Reply, Refusal> {
    let mut state = service.state();
    let webhook = state.webhooks.get_mut(call.project(), call.param("w")).ok_or_else(missing)?;
    Ok(show(service, webhook))
}

fn create(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    reader.only(&[
        "displayName",
        "endpointUrl",
        "signingSecret",
        "eventKinds",
        "includeMessageContent",
        "deliverFrom",
        "enabled",
    ])?;
    let fields = Fields::read(service, &reader)?;
    let key = secret(service, &reader)?;
    let from_now = match reader.get("deliverFrom") {
        None => true,
        Some(_) => reader.one_of("deliverFrom", &["now", "beginning"])? == "now",
    };
    let (Some(name), Some(endpoint)) = (fields.name, fields.endpoint) else {
        return Err(Refusal::bad_request("`displayName` and `endpointUrl` are needed"));
    };
    let (kinds, with_content) = (fields.kinds.unwrap_or_default(), fields.with_content.unwrap_or(false));
    let disabled = (fields.enabled == Some(false)).then_some("user");
    Ok(Box::new(move |service, call| {
        let mut state = service.state();
        let most = service.parts().webhooks.limits.per_project_max;
        if state.webhooks.all(call.project()).count() as u64 >= most {
            return Err(Refusal::conflict(format!("a project has at most {most} webhooks")));
        }
        let now = service.clock().rfc3339();
        let webhook = Webhook {
            id: service.ids().uuid(),
            organization_id: call.organization_id().to_owned(),
            project_id: call.project().to_owned(),
            name,
            endpoint,
            key,
            key_version: 1,
            kinds,
            with_content,
            disabled,
            delivered: if from_now { service.events().end(call.project()) } else { 0 },
            batch: None,
            failures: 0,
            retry_at: None,
            last: Last::default(),
            created_at: now.clone(),
            updated_at: now,
            position: state.next_position(service.clock()),
            bell: Arc::default(),
        };
        let body = webhook.to_json(pending(service, &webhook));
        let id = webhook.id.clone();
        state.webhooks.insert(webhook);
        drop(state);
        courier::launch(service, &id);
        Ok(Reply::json(201, body))
    }))
}

fn patch(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    reader.only(&["displayName", "endpointUrl", "eventKinds", "includeMessageContent", "enabled"])?;
    let fields = Fields::read(service, &reader)?;
    Ok(Box::new(move |service, call| {
        let now = service.clock().rfc3339();
        let mut state = service.state();
        let webhook = state.webhooks.get_mut(call.project(), call.param("w")).ok_or_else(missing)?;
        webhook.name = fields.name.unwrap_or_else(|| webhook.name.clone());
        webhook.endpoint = fields.endpoint.unwrap_or_else(|| webhook.endpoint.clone());
        webhook.with_content = fields.with_content.unwrap_or(webhook.with_content);
        if let Some(kinds) = fields.kinds {
            webhook.kinds = kinds;
            // What was put together for other kinds is put together anew.
            webhook.batch = None;
        }
        match fields.enabled {
            Some(false) => webhook.disabled = Some("user"),
            Some(true) => {
                webhook.disabled = None;
                webhook.failures = 0;
                webhook.retry_at = None;
            }
            None => {}
        }
        webhook.updated_at = now;
        webhook.ring();
        Ok(show(service, webhook))
    }))
}

fn delete(service: &Service, call: &Call) -> Result<Reply, Refusal> {
    let removed = service.state().webhooks.remove(call.project(), call.param("w"));
    let removed = removed.ok_or_else(missing)?;
    Ok(Reply::json(200, json!({"id": removed.id, "deleted": true})))
}

fn credential(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    reader.only(&["signingSecret"])?;
    let key = secret(service, &reader)?;
    Ok(Box::new(move |service, call| {
        let now = service.clock().rfc3339();
        let mut state = service.state();
        let webhook = state.webhooks.get_mut(call.project(), call.param("w")).ok_or_else(missing)?;
        webhook.key = key;
        webhook.key_version += 1;
        webhook.updated_at = now;
        webhook.ring();
        Ok(show(service, webhook))
    }))
}
