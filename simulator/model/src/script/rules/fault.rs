//! Rules about what is broken on purpose.

use http::{
    HeaderName, HeaderValue,
    header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE},
};

use super::{Findings, HEADER_NAME_RULE, conditions::conditions, token};
use crate::script::{Fault, Wrong, fault::WRONGS, suggest};

/// The largest oversized comment, in bytes.
const OVERSIZED_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// What a header value looks like.
const HEADER_VALUE_RULE: &str = "use printable characters in one line";
/// Headers that the server sets itself; others would contradict what it sends.
const FRAMING: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE];

pub(super) fn fault(fault: &Fault, at: &str, findings: &mut Findings) {
    conditions(&fault.when, &format!("{at}/when"), findings);
    if fault.first == Some(0) {
        findings.add(format!("{at}/first"), "the first 0 answers are none", "give 1 or more");
    }
    if fault.chance.is_some_and(|chance| !(0.0..=1.0).contains(&chance)) {
        findings.add(format!("{at}/chance"), "a chance lies between 0 and 1", "0.5 hits every other answer");
    }
    let wrongs = fault.wrongs();
    match wrongs.as_slice() {
        [] => {
            let fix = format!("give one of {}", WRONGS.map(|name| format!("`{name}`")).join(", "));
            findings.add(at.to_owned(), "the fault does not say what goes wrong", &fix);
        }
        [(name, wrong)] => details(wrong, &format!("{at}/{name}"), findings),
        [(first, _), (second, _), ..] => {
            let message = format!("`{second}` stands beside `{first}`");
            findings.add(format!("{at}/{second}"), message, "a fault is one thing; make two of them");
        }
    }
}

fn details(wrong: &Wrong, at: &str, findings: &mut Findings) {
    match wrong {
        Wrong::Status(status) => {
            if !(400..600).contains(&status.code) {
                let message = format!("{} is no error status", status.code);
                findings.add(at.to_owned(), message, "give one from 400 to 599");
            }
            for (name, value) in &status.headers {
                header(name, value, &format!("{at}/headers/{}", token(name)), findings);
            }
        }
        Wrong::SwapEvents(left, right) if left == right => {
            findings.add(at.to_owned(), "an event changes places with itself", "name two");
        }
        Wrong::DropEvents(names) => {
            for name in names.iter().filter(|name| !EVENTS.contains(&name.as_str())) {
                findings.add(at.to_owned(), format!("no wire has an event `{name}`"), &suggest(name, EVENTS));
            }
        }
        Wrong::ContentType(value) if HeaderValue::from_str(value).is_err() => {
            findings.add(at.to_owned(), format!("{value:?} is no header value"), HEADER_VALUE_RULE);
        }
        Wrong::Oversized(oversized) if oversized.bytes > OVERSIZED_BYTES_MAX => {
            let fix = format!("give {OVERSIZED_BYTES_MAX} at most");
            findings.add(format!("{at}/bytes"), "that is more than fits into memory", &fix);
        }
        Wrong::UnknownTool(name) if name.is_empty() => {
            findings.add(at.to_owned(), "the tool has no name", "give one");
        }
        _ => {}
    }
}

/// A header of an error answer.
fn header(name: &str, value: &str, at: &str, findings: &mut Findings) {
    match HeaderName::from_bytes(name.as_bytes()) {
        Err(_) => findings.add(at.to_owned(), format!("{name:?} is no header name"), HEADER_NAME_RULE),
        Ok(name) if FRAMING.contains(&name) => {
            let message =
                format!("`{name}` says how the answer is cut into bytes, which is not for a script");
            findings.add(
                at.to_owned(),
                message,
                "leave it out; `cut_inside` and `end_after` break an answer",
            );
        }
        Ok(_) if HeaderValue::from_str(value).is_err() => {
            findings.add(at.to_owned(), format!("{value:?} is no header value"), HEADER_VALUE_RULE);
        }
        Ok(_) => {}
    }
}

/// Every event that a wire may send: those of Chat Completions by what they carry, the others by type.
#[rustfmt::skip]
pub(crate) const EVENTS: &[&str] = &[
    "role", "content", "reasoning", "refusal", "tool_calls", "finish", "usage", "done",
    "response.created", "response.in_progress", "response.completed", "response.incomplete",
    "response.failed", "response.output_item.added", "response.output_item.done",
    "response.content_part.added", "response.content_part.done", "response.output_text.delta",
    "response.output_text.done", "response.refusal.delta", "response.refusal.done",
    "response.function_call_arguments.delta", "response.function_call_arguments.done",
    "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
    "message_start", "content_block_start", "content_block_delta", "content_block_stop",
    "message_delta", "message_stop", "ping",
];
