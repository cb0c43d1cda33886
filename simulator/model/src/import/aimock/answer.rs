//! `response`: what is answered.

use serde_json::Value;

use crate::{
    arguments::written,
    import::{
        rule::Rule,
        source::{At, Source},
    },
    naming::CallIds,
    script::{Answer, Block, ErrorStatus, Fault, FinishReason, Thinking, ToolCall, Usage, suggest},
};

/// What an error says that says no status.
const STATUS: u16 = 500;
/// What a rate limit says that does not say how long to wait, in seconds.
const RETRY_AFTER: &str = "1";

pub(super) fn read(response: &At<'_>, rule: &mut Rule, ids: &mut CallIds, source: &mut Source) {
    if response.mapping(source).is_none() {
        return;
    }
    if let Some(error) = response.get("error") {
        rule.answer = Answer::new().text("");
        rule.faults.extend(status(response, &error, source));
        return;
    }
    let problems = source.problems();
    let mut calls = Calls { ids, seen: Vec::new() };
    let mut answer = Answer::new();
    for (field, at) in response.fields(source) {
        answer = match field {
            "content" => answer.text(content(&at)),
            "toolCalls" => {
                at.items(source).iter().filter_map(|call| calls.read(call, source)).fold(answer, Answer::call)
            }
            "blocks" => at
                .items(source)
                .iter()
                .filter_map(|one| block(one, &mut calls, source))
                .fold(answer, Answer::block),
            "reasoning" => thinking(answer, response, &at, source),
            "reasoningSignature" => answer,
            "finishReason" => finish(answer, &at, source),
            "usage" => Answer { usage: usage(&at, source), ..answer },
            _ => {
                source.note(at.pointer, format!("`{field}` of an answer has no equivalent"));
                answer
            }
        };
    }
    rule.answer = said_once(answer);
    if rule.answer.said().is_empty() && source.problems() == problems {
        source.wrong(
            &response.pointer,
            "the answer says nothing",
            "give `content`, `toolCalls`, `blocks` or `error`",
        );
    }
}

/// Blocks are all that is said when there are some; reasoning comes before them.
fn said_once(mut answer: Answer) -> Answer {
    if !answer.blocks.is_empty() {
        answer.text = None;
        answer.tool_calls.clear();
        if let Some(thinking) = answer.thinking.take() {
            answer.blocks.insert(0, Block::Thinking(thinking));
        }
    }
    answer
}

/// What is no text is sent as JSON.
fn content(at: &At<'_>) -> String {
    at.value.as_str().map_or_else(|| at.value.to_string(), str::to_owned)
}

fn thinking(answer: Answer, response: &At<'_>, at: &At<'_>, source: &mut Source) -> Answer {
    let Some(text) = at.text(source) else { return answer };
    let signature = response.get("reasoningSignature").and_then(|at| at.text(source).map(str::to_owned));
    answer.thinking(Thinking { text: text.to_owned(), signature, encrypted: None })
}

fn block(at: &At<'_>, calls: &mut Calls<'_>, source: &mut Source) -> Option<Block> {
    at.mapping(source)?;
    match at.get("type").and_then(|kind| kind.value.as_str()) {
        Some("text") => {
            let Some(text) = at.get("text") else {
                source.wrong(&at.pointer, "field `text` is missing", "");
                return None;
            };
            Some(Block::Text(text.text(source)?.to_owned()))
        }
        Some("toolCall") => calls.read(at, source).map(Block::ToolCall),
        _ => {
            source.wrong(&at.pointer, "the block has no known `type`", "there is `text` and `toolCall`");
            None
        }
    }
}

/// The tool calls of one answer.
struct Calls<'a> {
    ids: &'a mut CallIds,
    seen: Vec<String>,
}

impl Calls<'_> {
    fn read(&mut self, at: &At<'_>, source: &mut Source) -> Option<ToolCall> {
        at.mapping(source)?;
        let Some(name) = at.get("name") else {
            source.wrong(&at.pointer, "field `name` is missing", "");
            return None;
        };
        let name = name.text(source)?.to_owned();
        if name.is_empty() {
            source.wrong(&at.pointer, "the tool has no name", "");
        }
        let id = at.get("id").and_then(|id| id.text(source)).filter(|id| !id.is_empty());
        let id = id.map(|id| self.id(id, at, source));
        let (arguments, arguments_text) = match at.get("arguments").map(|at| at.value) {
            None => (None, None),
            Some(Value::String(text)) => written(text),
            Some(value @ Value::Object(_)) => (Some(value.clone()), None),
            Some(other) => (None, Some(other.to_string())),
        };
        Some(ToolCall { id, name, arguments, arguments_text })
    }

    fn id(&mut self, id: &str, at: &At<'_>, source: &mut Source) -> String {
        let mut valid = self.ids.of(id);
        if self.seen.contains(&valid) {
            valid = self.ids.another(id);
            let message =
                format!("another call of this answer has the id `{id}`; this one is `{valid}` here");
            source.note(&at.pointer, message);
        } else if valid != id {
            source.note(&at.pointer, format!("`{id}` cannot be the id of a call; it is `{valid}` here"));
        }
        self.seen.push(valid.clone());
        valid
    }
}

fn finish(mut answer: Answer, at: &At<'_>, source: &mut Source) -> Answer {
    answer.finish_reason = match at.value.as_str() {
        Some("stop" | "end_turn" | "stop_sequence") => Some(FinishReason::Stop),
        Some("tool_calls" | "tool_use" | "function_call") => Some(FinishReason::ToolCalls),
        Some("length" | "max_tokens") => Some(FinishReason::Length),
        Some("content_filter") => Some(FinishReason::ContentFilter),
        other => {
            let known = ["stop", "tool_calls", "length", "content_filter"];
            let fix = suggest(other.unwrap_or_default(), &known);
            source
                .note(&at.pointer, format!("no answer ends for such a reason here ({fix}); it is left out"));
            None
        }
    };
    answer
}

/// The field of each count, in the words of each provider.
const INPUT: [&str; 3] = ["prompt_tokens", "input_tokens", "promptTokenCount"];
const OUTPUT: [&str; 3] = ["completion_tokens", "output_tokens", "candidatesTokenCount"];
/// Fields that are sums of others, or that hold some of those that are read.
const OTHERS: [&str; 6] = [
    "total_tokens",
    "totalTokenCount",
    "prompt_tokens_details",
    "input_tokens_details",
    "completion_tokens_details",
    "output_tokens_details",
];
const DETAILS: [&str; 2] = ["cache_read_input_tokens", "cache_creation_input_tokens"];

fn usage(at: &At<'_>, source: &mut Source) -> Option<Usage> {
    at.mapping(source)?;
    let count = |names: &[&str]| names.iter().find_map(|name| at.value.pointer(name)?.as_u64());
    let first =
        |names: [&str; 3]| count(&names.map(|name| format!("/{name}")).each_ref().map(String::as_str));
    let usage = Usage::default();
    let known = |field: &str| {
        INPUT.contains(&field)
            || OUTPUT.contains(&field)
            || OTHERS.contains(&field)
            || DETAILS.contains(&field)
    };
    let unknown: Vec<_> = at.fields(source).into_iter().filter(|(field, _)| !known(field)).collect();
    for (field, at) in unknown {
        source.note(at.pointer, format!("`{field}` is no count that is told here"));
    }
    Some(Usage {
        input_tokens: first(INPUT).unwrap_or(usage.input_tokens),
        output_tokens: first(OUTPUT).unwrap_or(usage.output_tokens),
        cached_tokens: count(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/cache_read_input_tokens",
        ])
        .unwrap_or(0),
        cache_write_tokens: count(&[
            "/prompt_tokens_details/cache_write_tokens",
            "/cache_creation_input_tokens",
        ])
        .unwrap_or(0),
        reasoning_tokens: count(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ])
        .unwrap_or(0),
    })
}

/// An error answer.
fn status(response: &At<'_>, error: &At<'_>, source: &mut Source) -> Option<Fault> {
    error.mapping(source)?;
    let code = response.get("status").map_or(Some(u32::from(STATUS)), |at| at.count(source))?;
    let code = u16::try_from(code).ok().filter(|code| (400..600).contains(code));
    let Some(code) = code else {
        source.wrong(&response.pointer, "the `status` is none of an error", "give one from 400 to 599");
        return None;
    };
    let mut status = ErrorStatus::from(code);
    for (field, at) in error.fields(source) {
        match field {
            "message" => status.message = at.as_text(source),
            "type" => status.kind = at.as_text(source),
            "code" => status.error_code = at.as_text(source),
            _ => source.note(at.pointer, format!("`{field}` of an error has no equivalent")),
        }
    }
    let wait = response.get("retryAfter").and_then(|at| at.as_text(source));
    let wait = wait.or_else(|| (code == 429).then(|| RETRY_AFTER.to_owned()));
    if let Some(seconds) = wait {
        status.headers.insert("retry-after".to_owned(), seconds);
    }
    for (field, at) in response.fields(source) {
        if !["error", "status", "retryAfter"].contains(&field) {
            source.note(at.pointer, format!("`{field}` beside `error` has no equivalent"));
        }
    }
    Some(Fault { status: Some(status), ..Fault::default() })
}
