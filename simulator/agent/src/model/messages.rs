//! Anthropic Messages. The blocks of earlier answers go back as they came, signed thoughts included.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use wire::Ids;

use super::{
    Completion, Dialect, ModelError, Usage,
    dialect::{self, Gathering, provider_words, system_text},
};
use crate::{Message, ToolCall, ToolDefinition, message::Verbatim};

/// The wire wants a limit for every answer.
const OUTPUT_TOKENS_MAX: u64 = 32_000;

/// The request.
pub(super) fn body(model: &str, messages: &[Message], tools: &[ToolDefinition]) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": OUTPUT_TOKENS_MAX,
        "messages": turns(messages),
        "stream": true,
    });
    if let Some(system) = system_text(messages) {
        body["system"] = system.into();
    }
    if !tools.is_empty() {
        let tool = |tool: &ToolDefinition| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
        body["tools"] = tools.iter().map(tool).collect();
    }
    body
}

/// The two sides in turns: what one side says in a row is one message. Nobody may say nothing.
fn turns(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = blocks(message);
        match turns.last_mut() {
            Some((last, said)) if *last == role => said.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

fn blocks(message: &Message) -> (&'static str, Vec<Value>) {
    let text = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        // Stands in `system`.
        Message::System(_) => ("user", Vec::new()),
        Message::User(said) => ("user", text(said).into_iter().collect()),
        Message::Assistant { verbatim: Some(said), .. } if said.dialect == Dialect::Messages => {
            ("assistant", said.items.clone())
        }
        Message::Assistant { text: said, calls, .. } => {
            ("assistant", text(said).into_iter().chain(calls.iter().map(call)).collect())
        }
        Message::Tool { call_id, content, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": call_id, "content": content});
            if *is_error {
                result["is_error"] = true.into();
            }
            ("user", vec![result])
        }
    }
}

fn call(call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input(&call.arguments)})
}

/// Arguments as the object that the wire insists on, even where they are none.
fn input(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(object @ Value::Object(_)) => object,
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({"INVALID_JSON": arguments}),
    }
}

/// An answer that is still arriving.
#[derive(Debug, Default)]
pub(super) struct Answer {
    blocks: BTreeMap<u64, Block>,
    stop_reason: Option<String>,
    usage: Usage,
    done: bool,
}

/// A block, and the arguments of a call as text.
#[derive(Debug, Default)]
struct Block {
    value: Value,
    arguments: String,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    index: u64,
    content_block: Option<Value>,
    delta: Option<Delta>,
    message: Option<Begun>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Begun {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

/// What the end says replaces what the beginning said.
#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Answer {
    fn count(&mut self, tokens: Tokens) {
        let usage = &mut self.usage;
        for (count, told) in [
            (&mut usage.input, tokens.input_tokens),
            (&mut usage.output, tokens.output_tokens),
            (&mut usage.cache_read, tokens.cache_read_input_tokens),
            (&mut usage.cache_write, tokens.cache_creation_input_tokens),
        ] {
            *count = told.unwrap_or(*count);
        }
    }

    /// Adds to a block, and gives the text that is new.
    fn add(&mut self, index: u64, delta: Delta) -> Result<String, ModelError> {
        let text = delta.text.clone().unwrap_or_default();
        let block = self.blocks.get_mut(&index);
        let block =
            block.ok_or_else(|| ModelError::Malformed(format!("there is no block {index} to add to")))?;
        for (field, piece) in
            [("text", delta.text), ("thinking", delta.thinking), ("signature", delta.signature)]
        {
            let Some(piece) = piece else { continue };
            let before = block.value[field].as_str().unwrap_or_default();
            block.value[field] = format!("{before}{piece}").into();
        }
        block.arguments.push_str(&delta.partial_json.unwrap_or_default());
        Ok(text)
    }
}

impl Gathering for Answer {
    fn take(&mut self, data: &str) -> Result<String, ModelError> {
        let event: Event = dialect::json(data)?;
        match event.kind.as_str() {
            "error" => {
                let message = provider_words(&event.error.unwrap_or_default());
                return Err(ModelError::Provider { message });
            }
            "message_start" => {
                if let Some(tokens) = event.message.and_then(|message| message.usage) {
                    self.count(tokens);
                }
            }
            "content_block_start" => {
                let value = event.content_block.filter(Value::is_object);
                let value = value.ok_or_else(|| ModelError::Malformed("a block is missing".to_owned()))?;
                self.blocks.insert(event.index, Block { value, arguments: String::new() });
            }
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    return self.add(event.index, delta);
                }
            }
            "message_delta" => {
                self.stop_reason =
                    event.delta.and_then(|delta| delta.stop_reason).or(self.stop_reason.take());
                if let Some(tokens) = event.usage {
                    self.count(tokens);
                }
            }
            "message_stop" => self.done = true,
            _ => {}
        }
        Ok(String::new())
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>, ids: &Ids) -> Result<Completion, ModelError> {
        let finish = self.stop_reason.filter(|_| self.done).ok_or(ModelError::Truncated)?;
        match finish.as_str() {
            "refusal" => return Err(ModelError::Filtered),
            "max_tokens" | "model_context_window_exceeded" => return Err(ModelError::CutOff { finish }),
            _ => {}
        }
        let mut completion = Completion { finish, usage: self.usage, ..Completion::default() };
        let mut items = Vec::new();
        for Block { mut value, arguments } in self.blocks.into_values() {
            match value["type"].as_str().unwrap_or_default() {
                "text" => {
                    let text = value["text"].as_str().unwrap_or_default();
                    completion.text.push_str(text);
                    // The wire takes no empty text back.
                    if text.is_empty() {
                        continue;
                    }
                }
                "tool_use" => completion.calls.push(call_of(&mut value, arguments, ids)),
                _ => {}
            }
            items.push(value);
        }
        completion.verbatim = Some(Verbatim { dialect: Dialect::Messages, items });
        Ok(completion)
    }
}

/// A call, and its block with what was told in pieces. A call without an id gets one: its result has to name it.
fn call_of(block: &mut Value, arguments: String, ids: &Ids) -> ToolCall {
    if block["id"].as_str().is_none_or(str::is_empty) {
        block["id"] = ids.prefixed("toolu_").into();
    }
    let arguments = if arguments.is_empty() { block["input"].to_string() } else { arguments };
    block["input"] = input(&arguments);
    let word = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
    ToolCall { id: word("id"), name: word("name"), arguments }
}
