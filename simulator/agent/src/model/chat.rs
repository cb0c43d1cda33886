//! OpenAI Chat Completions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use wire::Ids;

use super::{
    Completion, ModelError, Usage,
    dialect::{self, Gathering, provider_words},
};
use crate::{Message, ToolCall, ToolDefinition};

/// The request. Thoughts are not sent back: this wire has no place for them.
pub(super) fn body(model: &str, messages: &[Message], tools: &[ToolDefinition]) -> Value {
    let mut body = json!({
        "model": model,
        "messages": messages.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if !tools.is_empty() {
        body["tools"] = tools.iter().map(tool).collect();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls, .. } => {
            let content = if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
            let calls: Vec<Value> = calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Tool { call_id, content, .. } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": content})
        }
    }
}

fn call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call.id, "type": "function", "function": function})
}

fn tool(tool: &ToolDefinition) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    json!({"type": "function", "function": function})
}

/// An answer that is still arriving.
#[derive(Debug, Default)]
pub(super) struct Answer {
    text: String,
    calls: BTreeMap<u64, ToolCall>,
    finish: Option<String>,
    usage: Usage,
    done: bool,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptTokens>,
}

#[derive(Deserialize)]
struct PromptTokens {
    #[serde(default)]
    cached_tokens: u64,
}

impl Answer {
    /// Takes a choice, and gives the text that it adds.
    fn take_choice(&mut self, choice: Choice) -> String {
        if let Some(finish) = choice.finish_reason {
            self.finish = Some(finish);
        }
        let Some(delta) = choice.delta else { return String::new() };
        // A refusal is what the model says.
        let piece: String = [delta.content, delta.refusal].into_iter().flatten().collect();
        self.text.push_str(&piece);
        for piece in delta.tool_calls.unwrap_or_default() {
            // Some servers leave the index out when there is one call only.
            let call = self.calls.entry(piece.index.unwrap_or(0)).or_default();
            if let Some(id) = piece.id.filter(|id| !id.is_empty()) {
                call.id = id;
            }
            if let Some(function) = piece.function {
                call.name.push_str(&function.name.unwrap_or_default());
                call.arguments.push_str(&function.arguments.unwrap_or_default());
            }
        }
        piece
    }
}

impl Gathering for Answer {
    fn take(&mut self, data: &str) -> Result<String, ModelError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(String::new());
        }
        let chunk: Chunk = dialect::json(data)?;
        if let Some(error) = chunk.error.filter(|error| !error.is_null()) {
            return Err(ModelError::Provider { message: provider_words(&error) });
        }
        if let Some(usage) = chunk.usage {
            let cached = usage.prompt_tokens_details.map_or(0, |details| details.cached_tokens);
            self.usage = Usage {
                input: usage.prompt_tokens.saturating_sub(cached),
                output: usage.completion_tokens,
                cache_read: cached,
                cache_write: 0,
            };
        }
        Ok(chunk.choices.into_iter().map(|choice| self.take_choice(choice)).collect())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>, ids: &Ids) -> Result<Completion, ModelError> {
        let finish = self.finish.ok_or(ModelError::Truncated)?;
        match finish.as_str() {
            "content_filter" => return Err(ModelError::Filtered),
            "length" => return Err(ModelError::CutOff { finish }),
            _ => {}
        }
        let mut calls: Vec<ToolCall> = self.calls.into_values().collect();
        for call in &mut calls {
            if call.id.is_empty() {
                call.id = ids.prefixed("call_");
            }
        }
        Ok(Completion { text: self.text, calls, verbatim: None, finish, usage: self.usage })
    }
}

#[cfg(test)]
mod tests {
    use wire::Seed;

    use super::*;

    fn gather(frames: &[&str]) -> Result<Completion, ModelError> {
        let mut answer = Box::<Answer>::default();
        for frame in frames {
            answer.take(frame)?;
        }
        answer.finish(&Ids::new(Seed::of_run(1)))
    }

    #[test]
    fn interleaved_tool_calls_are_put_together_by_index() {
        let answer = gather(&[
            r#"{"choices":[{"delta":{"role":"assistant","content":"so"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"two","arguments":"{\"x\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":":1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2}}}"#,
            "[DONE]",
        ])
        .unwrap();
        assert_eq!(answer.text, "so");
        let calls: Vec<_> =
            answer.calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
        assert_eq!(calls, [("a", "one", "{}"), ("b", "two", r#"{"x":1}"#)]);
        assert_eq!(answer.usage, Usage { input: 7, output: 4, cache_read: 2, cache_write: 0 });
        assert_eq!(answer.finish_reason(), "toolUse");
    }

    #[test]
    fn streams_that_are_no_answer_say_why() {
        assert_eq!(gather(&[r#"{"choices":[{"delta":{"content":"a"}}]}"#]), Err(ModelError::Truncated));
        assert_eq!(
            gather(&[r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#]),
            Err(ModelError::Filtered)
        );
        let cut = gather(&[r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}"#]);
        assert_eq!(cut, Err(ModelError::CutOff { finish: "length".into() }));
        assert!(matches!(gather(&["{"]), Err(ModelError::Malformed(_))));
        let broken = gather(&[r#"{"error":{"message":"overloaded"}}"#]);
        assert_eq!(broken, Err(ModelError::Provider { message: "overloaded".into() }));
    }

    #[test]
    fn a_call_without_an_id_gets_one() {
        let answer = gather(&[
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"one"}}]},"finish_reason":"tool_calls"}]}"#,
        ])
        .unwrap();
        assert!(answer.calls[0].id.starts_with("call_"));
    }
}
