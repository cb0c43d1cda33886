//! Claims: a caller takes a call for a while, and a fence tells one claim from the next.

use std::time::Duration;

use serde_json::json;

use super::{Stage, store::ToolCall, submit::emit};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply},
    publication::reader::Reader,
};

/// What is done with a claim.
#[derive(Clone, Copy)]
enum Action {
    Renew,
    Release,
}

/// How long a lease is to be.
fn lease_ms(service: &Service, reader: &Reader<'_, '_>) -> Result<u64, Refusal> {
    let limits = &service.parts().tool_calls.limits;
    match reader.get("leaseMs") {
        None => Ok(limits.lease_default_ms),
        Some(_) => reader.integer("leaseMs", limits.lease_ms),
    }
}

/// Reads `fence`: a positive number as text.
pub(super) fn fence(reader: &Reader<'_, '_>) -> Result<String, Refusal> {
    let sound = |text: &&str| {
        !text.starts_with('0') && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let text = reader.need("fence")?.as_str().filter(sound).map(str::to_owned);
    text.ok_or_else(|| reader.refuse("fence", "a positive whole number as text is needed"))
}

fn lease(service: &Service, call: &mut ToolCall, ms: u64) {
    let length = Duration::from_millis(ms);
    let now = service.clock().now();
    let until = now.checked_add(length).unwrap_or(now);
    call.lease = Some((service.clock().elapsed() + length, format!("{until:.3}")));
}

/// `POST …/claim`
pub(super) fn claim(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    let ms = lease_ms(service, &reader)?;
    Ok(Box::new(move |service, call| {
        let id = call.uuid("t")?;
        let parts = &service.parts().tool_calls;
        let (claimed, fence) = {
            let mut state = service.state();
            let found = state.tool_calls.current(call.project(), id, parts, service.clock().elapsed());
            let row = found.ok_or_else(|| Refusal::not_found("tool call"))?;
            if row.owner != "caller" || row.gated || !(parts.claimable)(row.stage) {
                return Err(Refusal::conflict("the tool call cannot be claimed"));
            }
            row.fence += 1;
            row.enter(Stage::CallerClaimed, service.clock().rfc3339());
            lease(service, row, ms);
            (row.clone(), row.fence.to_string())
        };
        emit(service, &claimed, "tool_call.claimed", json!({"action": "claim", "fence": fence}));
        Ok(Reply::json(200, json!({"fence": fence})))
    }))
}

/// `POST …/renew`
pub(super) fn renew(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    let (fence, ms) = (fence(&reader)?, lease_ms(service, &reader)?);
    Ok(held(fence, ms, Action::Renew))
}

/// `POST …/release`
pub(super) fn release(_: &Service, call: &Call) -> Result<Act, Refusal> {
    let fence = fence(&Reader::new(&call.body, ""))?;
    Ok(held(fence, 0, Action::Release))
}

/// Does something with a claim that has to hold still.
fn held(fence: String, ms: u64, action: Action) -> Act {
    Box::new(move |service, call| {
        let id = call.uuid("t")?;
        let parts = &service.parts().tool_calls;
        let row = {
            let mut state = service.state();
            let found = state.tool_calls.current(call.project(), id, parts, service.clock().elapsed());
            let row = found.ok_or_else(|| Refusal::not_found("tool call"))?;
            if row.stage != Stage::CallerClaimed || !(parts.fence_holds)(row.fence, &fence) {
                return Err(Refusal::conflict("the claim of this fence does not hold"));
            }
            match action {
                Action::Renew => lease(service, row, ms),
                Action::Release => row.enter(Stage::CallerPending, service.clock().rfc3339()),
            }
            row.clone()
        };
        let action = match action {
            Action::Renew => "renew",
            Action::Release => "release",
        };
        emit(service, &row, "tool_call.claimed", json!({"action": action, "fence": fence}));
        Ok(Reply::json(200, json!({"fence": fence})))
    })
}
