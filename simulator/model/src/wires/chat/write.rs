//! Answers in the words of Chat Completions.

use serde_json::{Value, json};
use wire::sse::Frame;

use crate::{reply::Reply, script::Usage, wires::pieces::pieces_of};

/// The answer in one piece.
pub(super) fn whole(reply: &Reply) -> Value {
    let mut message = json!({
        "role": "assistant",
        "content": reply.text,
        "refusal": reply.refusal,
        "annotations": [],
    });
    if !reply.tool_calls.is_empty() {
        let calls = reply.tool_calls.iter().map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })
        });
        message["tool_calls"] = calls.collect();
    }
    let choice = json!({
        "index": 0,
        "message": message,
        "logprobs": null,
        "finish_reason": reply.finish_reason.word(),
    });
    let mut body = envelope(reply, "chat.completion");
    body["choices"] = json!([choice]);
    body["usage"] = usage(reply.usage);
    body
}

/// The answer as events: the role once, then text, refusal and calls in fragments, the reason for the
/// end alone, the usage when it was asked for, and `[DONE]`.
pub(super) fn events(reply: &Reply, include_usage: bool) -> Vec<String> {
    let mut chunks: Vec<Value> = deltas(reply).into_iter().map(|delta| chunk(reply, delta, None)).collect();
    chunks.push(chunk(reply, json!({}), Some(reply.finish_reason.word())));
    if include_usage {
        for chunk in &mut chunks {
            chunk["usage"] = Value::Null;
        }
        let mut last = envelope(reply, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(reply.usage);
        chunks.push(last);
    }
    let done = std::iter::once("[DONE]".to_owned());
    chunks.iter().map(Value::to_string).chain(done).map(event).collect()
}

fn event(data: String) -> String {
    Frame { data: Some(data), ..Frame::default() }.encode()
}

/// What each event adds to the message. Clients join the fragments of a field, so nothing that is said
/// once may be repeated: the role, and the id, type and name of a call.
fn deltas(reply: &Reply) -> Vec<Value> {
    let opening = reply.text.as_ref().map(|_| "");
    let mut deltas = vec![json!({"role": "assistant", "content": opening, "refusal": null})];
    let text = reply.text.as_deref().unwrap_or_default();
    deltas.extend(pieces_of(text).into_iter().map(|piece| json!({"content": piece})));
    let refusal = reply.refusal.as_deref().unwrap_or_default();
    deltas.extend(pieces_of(refusal).into_iter().map(|piece| json!({"refusal": piece})));
    for (index, call) in reply.tool_calls.iter().enumerate() {
        deltas.push(json!({"tool_calls": [{
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }]}));
        deltas.extend(
            pieces_of(&call.arguments)
                .into_iter()
                .map(|piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})),
        );
    }
    deltas
}

fn chunk(reply: &Reply, delta: Value, finish_reason: Option<&str>) -> Value {
    let mut chunk = envelope(reply, "chat.completion.chunk");
    chunk["choices"] =
        json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason}]);
    chunk
}

fn envelope(reply: &Reply, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-{}", reply.token),
        "object": object,
        "created": reply.created,
        "model": reply.model,
        "service_tier": "default",
        "system_fingerprint": null,
    })
}

fn usage(usage: Usage) -> Value {
    let Usage { input_tokens, output_tokens } = usage;
    json!({
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens.saturating_add(output_tokens),
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}
