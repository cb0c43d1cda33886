//! Results that callers hand in.

use serde_json::{Value, json};

use super::{Envelope, Stage, lease::fence, store::ToolCall};
use crate::{
    Service,
    errors::{Code, Refusal},
    events::Draft,
    http::{Act, Call, Reply},
    publication::reader::Reader,
};

/// What is kept in the place of a result that does not satisfy the output schema.
pub(super) fn invalid(path: &str) -> Envelope {
    Envelope::failure(
        "invalid_tool_result",
        format!("the result does not satisfy the output schema at {path}"),
    )
}

/// `POST …/result`
pub(super) fn result(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let reader = Reader::new(&call.body, "");
    let fence = fence(&reader)?;
    let sent = reader.need("safeResult")?.clone();
    let envelope = Envelope::read(&sent, &service.parts().tool_calls.limits)?;
    Ok(Box::new(move |service, call| {
        let id = call.uuid("t")?;
        let parts = &service.parts().tool_calls;
        let (row, outcome, path) = {
            let mut state = service.state();
            let found = state.tool_calls.current(call.project(), id, parts, service.clock().elapsed());
            let row = found.ok_or_else(|| Refusal::not_found("tool call"))?;
            if let Some((before, with)) = &row.handed_in {
                if *with != fence {
                    return Err(stale());
                }
                if !(parts.same_result)(before, &sent) {
                    let message = "another result was handed in before";
                    return Err(Refusal::new(Code::IdempotencyConflict, message));
                }
                (row.clone(), "replayed", None)
            } else {
                if row.stage != Stage::CallerClaimed || !(parts.fence_holds)(row.fence, &fence) {
                    return Err(stale());
                }
                let (kept, path) = normalised(service, row, envelope);
                row.result = Some(kept);
                row.handed_in = Some((sent, fence.clone()));
                row.enter(Stage::ResultSubmitted, service.clock().rfc3339());
                (row.clone(), "submitted", path)
            }
        };
        let mut payload = json!({"outcome": outcome, "fence": fence, "normalizedFailure": path.is_some()});
        let mut body = json!({"outcome": outcome});
        if let Some(path) = path {
            payload["path"] = json!(path);
            body["normalizedFailure"] = json!({"code": "invalid_tool_result", "path": path});
        }
        emit(service, &row, "tool_call.result_submitted", payload);
        Ok(Reply::json(202, body))
    }))
}

fn stale() -> Refusal {
    Refusal::conflict("the claim of this fence does not hold")
}

fn normalised(service: &Service, row: &ToolCall, envelope: Envelope) -> (Envelope, Option<String>) {
    let Envelope::Success(value) = &envelope else { return (envelope, None) };
    match (service.parts().tool_calls.output)(&row.output_schema, value) {
        Ok(value) => (Envelope::Success(value), None),
        Err(path) => (invalid(&path), Some(path)),
    }
}

/// An event whose aggregate is the tool call.
pub(super) fn emit(service: &Service, row: &ToolCall, kind: &str, payload: Value) {
    let draft = Draft {
        id: None,
        organization_id: row.organization_id.clone(),
        project_id: row.project_id.clone(),
        aggregate_type: "tool_call".to_owned(),
        aggregate_id: row.id.clone(),
        kind: kind.to_owned(),
        payload,
        occurred_at: service.clock().rfc3339(),
    };
    service.events().emit(service.ids(), draft);
}
