//! The least that an axum server does for the answers that the bench asks for: `anchor PORT`.
//!
//! Every request is parsed and every answer is built anew, as a fake model must. Nothing is chosen, held,
//! checked or noted, so what another server costs above this is the price of what it does besides.

use std::{convert::Infallible, process::ExitCode, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
    serve::ListenerExt,
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

const WORKERS: usize = 2;
/// 31 characters: eight events of four, the last one a letter short.
const SHORT: &str = "It is done, and nothing is left";
const LONG_EVENTS: usize = 200;
const PIECE: usize = 4;
/// Between the events of the route `/paced`.
const GAP_MS: u64 = 10;

fn main() -> ExitCode {
    let Some(port) = std::env::args().nth(1).and_then(|port| port.parse().ok()) else {
        eprintln!("usage: anchor PORT");
        return ExitCode::from(2);
    };
    match serve(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn serve(port: u16) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        // Left on, Nagle's algorithm makes each small event wait for the acknowledgement of the one before.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                eprintln!("cannot set TCP_NODELAY: {error}");
            }
        });
        let chat = |headers: HeaderMap, body: Bytes| async move { answer(gap_of(&headers, 0), &body) };
        let paced = |headers: HeaderMap, body: Bytes| async move { answer(gap_of(&headers, GAP_MS), &body) };
        let router = Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/paced/v1/chat/completions", post(paced));
        axum::serve(listener, router).await
    })
}

/// The header `x-gap-ms`, or what the route says.
fn gap_of(headers: &HeaderMap, of_route: u64) -> u64 {
    headers.get("x-gap-ms").and_then(|gap| gap.to_str().ok()?.parse().ok()).unwrap_or(of_route)
}

fn answer(gap_ms: u64, body: &[u8]) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return (StatusCode::BAD_REQUEST, "no JSON").into_response();
    };
    let said = request["messages"][0]["content"].as_str().unwrap_or_default();
    let text =
        if matches!(said, "long" | "paced" | "held") { "abc ".repeat(LONG_EVENTS) } else { SHORT.into() };
    let model = request["model"].as_str().unwrap_or_default().to_owned();
    if request["stream"] == true { streamed(gap_ms, model, text) } else { whole(&model, &text) }
}

fn whole(model: &str, text: &str) -> Response {
    let answer = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": null},
            "logprobs": null,
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    });
    ([(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the plainest pace there is: the measure for what paces by deadline"
)]
/// Every event is built when it is due and is a body frame of its own, so that it is flushed on its own.
fn streamed(gap_ms: u64, model: String, text: String) -> Response {
    let pieces = text.len().div_ceil(PIECE);
    let event = move |number: usize| match number {
        0 => chunk(&model, &json!({"role": "assistant", "content": "", "refusal": null}), None),
        _ if number <= pieces => {
            let start = (number - 1) * PIECE;
            chunk(&model, &json!({"content": text[start..text.len().min(start + PIECE)]}), None)
        }
        _ if number == pieces + 1 => chunk(&model, &json!({}), Some("stop")),
        _ => Bytes::from_static(b"data: [DONE]\n\n"),
    };
    let events = stream::iter(0..pieces + 3).map(event);
    let body = match gap_ms {
        0 => Body::from_stream(events.map(Ok::<_, Infallible>)),
        _ => Body::from_stream(events.then(move |event| async move {
            tokio::time::sleep(Duration::from_millis(gap_ms)).await;
            Ok::<_, Infallible>(event)
        })),
    };
    ([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")], body).into_response()
}

fn chunk(model: &str, delta: &Value, finish: Option<&str>) -> Bytes {
    let chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model,
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
    });
    format!("data: {chunk}\n\n").into()
}
