//! A client that talks on each wire: it sends back what it was answered and says the next thing.

use model::script::WireName;
use serde_json::{Value, json};

/// A conversation on one wire.
pub(crate) struct Talk {
    wire: WireName,
    messages: Vec<Value>,
    tools: Vec<&'static str>,
}

impl Talk {
    pub(crate) fn new(wire: WireName, tools: &[&'static str]) -> Self {
        Self { wire, messages: Vec::new(), tools: tools.to_vec() }
    }

    pub(crate) fn path(&self) -> &'static str {
        match self.wire {
            WireName::Chat => "/v1/chat/completions",
            WireName::Responses => "/v1/responses",
            WireName::Messages => "/v1/messages",
        }
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.messages.push(json!({"role": "user", "content": text}));
    }

    pub(crate) fn request(&self, stream: bool) -> Value {
        let schema = json!({"type": "object"});
        let messages = &self.messages;
        let tools: Vec<Value> = self
            .tools
            .iter()
            .map(|name| match self.wire {
                WireName::Chat => {
                    json!({"type": "function", "function": {"name": name, "parameters": schema}})
                }
                WireName::Responses => {
                    json!({"type": "function", "name": name, "parameters": schema, "strict": false})
                }
                WireName::Messages => json!({"name": name, "input_schema": schema}),
            })
            .collect();
        let mut request = match self.wire {
            WireName::Chat if stream => json!({
                "model": "m", "messages": messages, "tools": tools,
                "stream": true, "stream_options": {"include_usage": true},
            }),
            WireName::Chat => json!({"model": "m", "messages": messages, "tools": tools}),
            WireName::Responses => json!({"model": "m", "input": messages, "tools": tools, "stream": stream}),
            WireName::Messages => {
                json!({"model": "m", "max_tokens": 999, "messages": messages, "tools": tools, "stream": stream})
            }
        };
        if let Some(fields) = request.as_object_mut().filter(|_| self.tools.is_empty()) {
            // Chat Completions refuses an empty list.
            fields.remove("tools");
        }
        request
    }

    /// Takes an answer in one piece into the conversation, with a result for each of its calls. Says whether
    /// there were some.
    pub(crate) fn take(&mut self, answer: &Value) -> bool {
        match self.wire {
            WireName::Chat => {
                let message = answer["choices"][0]["message"].clone();
                let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
                self.messages.push(message);
                self.messages.extend(calls.iter().map(
                    |call| json!({"role": "tool", "tool_call_id": call["id"], "content": result(&call["id"])}),
                ));
                !calls.is_empty()
            }
            WireName::Responses => {
                let output = answer["output"].as_array().unwrap().clone();
                let calls: Vec<Value> =
                    output.iter().filter(|item| item["type"] == "function_call").cloned().collect();
                self.messages.extend(output);
                self.messages.extend(calls.iter().map(|call| {
                    json!({"type": "function_call_output", "call_id": call["call_id"], "output": result(&call["call_id"])})
                }));
                !calls.is_empty()
            }
            WireName::Messages => {
                let content = answer["content"].as_array().unwrap().clone();
                let calls = content.iter().filter(|block| block["type"] == "tool_use");
                let results: Vec<Value> = calls
                    .map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": result(&call["id"])}))
                    .collect();
                let calls = !results.is_empty();
                self.messages.push(json!({"role": "assistant", "content": content}));
                if calls {
                    self.messages.push(json!({"role": "user", "content": results}));
                }
                calls
            }
        }
    }
}

fn result(id: &Value) -> String {
    format!("the result of {id}")
}

/// An answer without what follows from the names of script and turn.
pub(crate) fn meaning(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let made_up = ["id", "created", "created_at", "completed_at"];
    for field in made_up {
        answer.as_object_mut().unwrap().remove(field);
    }
    for item in answer.get_mut("output").and_then(Value::as_array_mut).into_iter().flatten() {
        item.as_object_mut().unwrap().remove("id");
    }
    answer
}
