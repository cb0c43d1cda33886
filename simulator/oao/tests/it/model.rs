//! A model that answers by a function of the request.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response},
};
use serde_json::{Value, json};
use wire::{Clock, Net};

/// What the model is asked, seen from outside.
pub(crate) struct Asked {
    pub(crate) body: Value,
    /// The key of the operation, in a scratch loop.
    pub(crate) operation: Option<String>,
    /// How many turns of this conversation there were before.
    pub(crate) turn: usize,
}

impl Asked {
    fn read(body: Value) -> Self {
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let turn = messages.iter().filter(|message| message["role"] == "assistant").count();
        let prompt =
            messages.iter().find(|message| message["role"] == "user").map(|message| &message["content"]);
        let prompt = prompt.and_then(Value::as_str).unwrap_or_default();
        let operation =
            prompt.strip_prefix("Execute the Harness Operation \"").and_then(|rest| rest.split('"').next());
        Self { operation: operation.map(str::to_owned), turn, body }
    }

    pub(crate) fn prompt(&self) -> &str {
        self.body["messages"][1]["content"].as_str().unwrap_or_default()
    }

    pub(crate) fn tool_names(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
    }

    pub(crate) fn tool_results(&self) -> Vec<(&str, &str)> {
        let messages = self.body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.filter_map(|m| Some((m["tool_call_id"].as_str()?, m["content"].as_str()?))).collect()
    }
}

#[derive(Clone, Default)]
pub(crate) struct Says {
    text: String,
    calls: Vec<(String, String, String)>,
    filtered: bool,
    after_ms: u64,
}

pub(crate) fn text(text: &str) -> Says {
    Says { text: text.into(), ..Says::default() }
}

/// Calls tools: id, name, arguments.
pub(crate) fn call(calls: &[(&str, &str, Value)]) -> Says {
    let calls =
        calls.iter().map(|(id, name, arguments)| ((*id).into(), (*name).into(), arguments.to_string()));
    Says { calls: calls.collect(), ..Says::default() }
}

pub(crate) fn raw_call(id: &str, name: &str, arguments: &str) -> Says {
    Says { calls: vec![(id.into(), name.into(), arguments.into())], ..Says::default() }
}

pub(crate) fn finish(id: &str, answer: &str) -> Says {
    call(&[(id, "finish", json!({"answer": answer}))])
}

pub(crate) fn filtered() -> Says {
    Says { filtered: true, ..Says::default() }
}

impl Says {
    pub(crate) fn after(mut self, ms: u64) -> Self {
        self.after_ms = ms;
        self
    }

    fn stream(&self) -> String {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .enumerate()
            .map(|(index, (id, name, arguments))| {
                json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            })
            .collect();
        let finish = match () {
            () if self.filtered => "content_filter",
            () if calls.is_empty() => "stop",
            () => "tool_calls",
        };
        let chunks = [
            json!({"choices": [{"delta": {"content": self.text, "tool_calls": calls}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": finish}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}),
        ];
        chunks
            .iter()
            .map(|chunk| format!("data: {chunk}\n\n"))
            .chain(["data: [DONE]\n\n".to_owned()])
            .collect()
    }
}

pub(crate) type Script = Box<dyn Fn(&Asked) -> Says + Send + Sync>;

pub(crate) struct Model {
    asked: Mutex<Vec<Arc<Asked>>>,
    times_ms: Mutex<Vec<u64>>,
}

impl Model {
    /// Serves at `authority`; gives the model and where it is.
    pub(crate) async fn serve(
        net: &Net,
        clock: &Clock,
        authority: &str,
        script: Script,
    ) -> (Arc<Self>, String) {
        let model = Arc::new(Self { asked: Mutex::default(), times_ms: Mutex::default() });
        let listener = net.listen(authority).await.unwrap();
        let authority = listener.authority().to_owned();
        let script = Arc::new(script);
        let router = Router::new().fallback({
            let (model, clock) = (model.clone(), clock.clone());
            move |request: Request<Body>| {
                let (model, clock, script) = (model.clone(), clock.clone(), script.clone());
                async move {
                    let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
                    let asked = Arc::new(Asked::read(serde_json::from_slice(&body).unwrap()));
                    model.asked.lock().unwrap().push(asked.clone());
                    model.times_ms.lock().unwrap().push(clock.elapsed_ms());
                    let says = script(&asked);
                    clock.pause(Duration::from_millis(says.after_ms)).await;
                    Response::new(Body::from(says.stream()))
                }
            }
        });
        tokio::spawn(wire::serve::serve(listener, router, None, std::future::pending()));
        (model, authority)
    }

    pub(crate) fn asked(&self) -> Vec<Arc<Asked>> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn inner(&self) -> Vec<Arc<Asked>> {
        self.asked().into_iter().filter(|asked| asked.operation.is_some()).collect()
    }

    pub(crate) fn parent(&self) -> Vec<Arc<Asked>> {
        self.asked().into_iter().filter(|asked| asked.operation.is_none()).collect()
    }

    pub(crate) fn times_ms(&self) -> Vec<u64> {
        self.times_ms.lock().unwrap().clone()
    }
}
