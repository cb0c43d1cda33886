//! Responses: the shapes that clients insist on.

mod fold;
mod reading;
mod refusals;
mod stored;
mod whole_and_stream;

use serde_json::{Value, json};
use wire::{http::Response, sse::Parser};

const PATH: &str = "/v1/responses";

/// A request of one user message, with a tool offered.
fn user(text: &str) -> Value {
    let tool = json!({"type": "function", "name": "get_weather", "parameters": {"type": "object"}});
    json!({"model": "gpt-x", "input": text, "tools": [tool]})
}

fn streamed(mut body: Value) -> Value {
    body["stream"] = json!(true);
    body
}

/// The events of a stream: what the `event:` line says, and the data.
fn events(response: &Response) -> Vec<(String, Value)> {
    let frames = Parser::default().push(&response.body);
    frames
        .into_iter()
        .map(|frame| {
            let data = frame.data.unwrap();
            (frame.event.unwrap(), serde_json::from_str(&data).unwrap_or_else(|_| panic!("no JSON: {data}")))
        })
        .collect()
}
