//! A model that answers from a list.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response},
};
use serde_json::{Value, json};
use wire::{Clock, Net};

/// One answer: text, or calls, or a refusal; after a wait.
#[derive(Clone, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<(&'static str, &'static str, &'static str)>,
    pub(crate) status: u16,
    pub(crate) after_ms: u64,
}

pub(crate) fn says(text: &str) -> Answer {
    Answer { text: text.into(), ..Answer::default() }
}

pub(crate) fn calls(calls: &[(&'static str, &'static str, &'static str)]) -> Answer {
    Answer { calls: calls.to_vec(), ..Answer::default() }
}

/// Serves `answers` in order at `model:80` and keeps the bodies of the requests.
pub(crate) async fn serve(net: &Net, clock: &Clock, answers: Vec<Answer>) -> Arc<Mutex<Vec<Value>>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let listener = net.listen("model:80").await.unwrap();
    let answers = Arc::new(Mutex::new(answers.into_iter()));
    let router = Router::new().fallback({
        let (seen, clock) = (seen.clone(), clock.clone());
        move |request: Request<Body>| {
            let (seen, clock, answers) = (seen.clone(), clock.clone(), answers.clone());
            async move {
                let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
                seen.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                let answer = answers.lock().unwrap().next().unwrap_or_default();
                clock.pause(std::time::Duration::from_millis(answer.after_ms)).await;
                if answer.status != 0 {
                    let error = json!({"error": {"message": "no"}}).to_string();
                    return Response::builder().status(answer.status).body(Body::from(error)).unwrap();
                }
                Response::new(Body::from(stream(&answer)))
            }
        }
    });
    tokio::spawn(wire::serve::serve(listener, router, None, std::future::pending()));
    seen
}

fn stream(answer: &Answer) -> String {
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .enumerate()
        .map(|(index, (id, name, arguments))| {
            json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let delta = json!({"content": answer.text, "tool_calls": calls});
    let chunks = [
        json!({"choices": [{"delta": delta, "finish_reason": null}]}),
        json!({"choices": [{"delta": {}, "finish_reason": finish}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3}}),
    ];
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).chain(["data: [DONE]\n\n".to_owned()]).collect()
}
