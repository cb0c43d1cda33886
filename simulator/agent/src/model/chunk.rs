//! Putting the chunks of a stream together.

use std::collections::BTreeMap;

use serde::Deserialize;
use wire::Ids;

use super::ModelError;
use crate::ToolCall;

/// Tokens that a turn cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens that were not read from a cache.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
    /// Prompt tokens that were read from a cache.
    pub cache_read: u64,
    /// Prompt tokens that were written to a cache.
    pub cache_write: u64,
}

/// What the model answered in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Its text, possibly empty.
    pub text: String,
    /// The tools that it asked for, in order.
    pub calls: Vec<ToolCall>,
    /// The provider's finish token: `stop`, `tool_calls`, `length`.
    pub finish: String,
    /// What it cost; zero where the provider says nothing.
    pub usage: Usage,
}

impl Completion {
    /// The finish reason in the words of the runtime: `toolUse`, `stop` or `length`.
    pub fn finish_reason(&self) -> &'static str {
        match self.finish.as_str() {
            _ if !self.calls.is_empty() => "toolUse",
            "length" => "length",
            _ => "stop",
        }
    }
}

/// An answer that is still arriving.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
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
    usage: Option<RawUsage>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
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
struct RawUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: u64,
}

impl Gathering {
    /// Takes the data of one frame.
    pub(crate) fn take(&mut self, data: &str) -> Result<(), ModelError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Chunk =
            serde_json::from_str(data).map_err(|why| ModelError::Malformed(why.to_string()))?;
        if let Some(error) = chunk.error {
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
        for choice in chunk.choices {
            self.take_choice(choice);
        }
        Ok(())
    }

    fn take_choice(&mut self, choice: Choice) {
        if let Some(finish) = choice.finish_reason {
            self.finish = Some(finish);
        }
        let Some(delta) = choice.delta else { return };
        self.text.push_str(&delta.content.unwrap_or_default());
        for piece in delta.tool_calls.unwrap_or_default() {
            // Some servers leave the index out when there is one call only.
            let call = self.calls.entry(piece.index.unwrap_or(0)).or_insert_with(|| ToolCall {
                id: String::new(),
                name: String::new(),
                arguments: String::new(),
            });
            if let Some(id) = piece.id.filter(|id| !id.is_empty()) {
                call.id = id;
            }
            if let Some(function) = piece.function {
                call.name.push_str(&function.name.unwrap_or_default());
                call.arguments.push_str(&function.arguments.unwrap_or_default());
            }
        }
    }

    /// Whether nothing more is to be read.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// The whole answer, once the stream has ended. Calls without an id get one.
    pub(crate) fn finish(self, ids: &Ids) -> Result<Completion, ModelError> {
        let finish = self.finish.ok_or(ModelError::Truncated)?;
        if finish == "content_filter" {
            return Err(ModelError::Filtered);
        }
        let mut calls: Vec<ToolCall> = self.calls.into_values().collect();
        for call in &mut calls {
            if call.id.is_empty() {
                call.id = ids.prefixed("call_");
            }
        }
        Ok(Completion { text: self.text, calls, finish, usage: self.usage })
    }
}

/// The provider's own words in an error object, whatever its exact form.
pub(crate) fn provider_words(error: &serde_json::Value) -> String {
    let message = error.get("message").or_else(|| error.pointer("/error/message"));
    message.and_then(serde_json::Value::as_str).map_or_else(|| error.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use wire::Seed;

    use super::*;

    fn gather(frames: &[&str]) -> Result<Completion, ModelError> {
        let mut gathering = Gathering::default();
        for frame in frames {
            gathering.take(frame)?;
        }
        gathering.finish(&Ids::new(Seed::of_run(1)))
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
