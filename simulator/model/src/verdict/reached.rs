//! What of a spoiled answer came to the client.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use wire::sse::Parser;

use crate::{
    fault::{self, Frame},
    reply::Reply,
    request::Asked,
    script::{WireName, Wrong},
    wires::Wire,
};

/// The last event of a chat completion.
const DONE: &str = "[DONE]";

/// What a patient reader makes of the bytes that were sent: one that skips what it cannot read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// The text of the answer.
    pub(super) text: String,
    /// Ids of the calls that were begun.
    pub(super) calls: BTreeSet<String>,
    /// Whether the answer says that it is over, and how it went.
    pub(super) finished: bool,
    /// Whether some of it could not be read.
    pub(super) torn: bool,
}

impl Reached {
    /// What came of an answer. `None` when it is no answer at all, or a sound one.
    pub(super) fn of(
        wire: &dyn Wire,
        reply: &Arc<Reply>,
        asked: &Asked,
        wrong: &Wrong,
        pieces_sent: u32,
    ) -> Option<Self> {
        let no_answer =
            matches!(wrong, Wrong::Status(_) | Wrong::ResetBeforeHeaders | Wrong::StallBeforeHeaders);
        if no_answer || wrong.is_an_answer() {
            return None;
        }
        let sent = usize::try_from(pieces_sent).unwrap_or(usize::MAX);
        if !asked.request.stream {
            let lost = matches!(
                wrong,
                Wrong::EndAfter(_)
                    | Wrong::EmptyStream
                    | Wrong::MalformedJson(_)
                    | Wrong::CutInside(_)
                    | Wrong::ResetAfter(_)
                    | Wrong::StallAfter(_)
            );
            let text = if lost { String::new() } else { reply.text().unwrap_or_default() };
            let calls = reply.tool_calls().filter(|_| !lost).map(|call| call.id.clone()).collect();
            return Some(Self { text, calls, finished: !lost, torn: false });
        }
        let mut reached = Self::default();
        let (mut failed, mut over) = (false, false);
        let mut parser = Parser::default();
        let frames = fault::frames(wire, reply, asked, Some(wrong));
        let data = frames.filter_map(|frame| match frame {
            Frame::Data(bytes) => Some(bytes),
            _ => None,
        });
        for bytes in data.take(sent) {
            for event in parser.push(&bytes).into_iter().filter_map(|frame| frame.data) {
                if over {
                    continue;
                }
                // Readers stop here, and no server sends anything after it.
                over |= event == DONE;
                let Ok(event) = serde_json::from_str::<Value>(&event) else {
                    reached.torn |= !over && !reached.finished;
                    continue;
                };
                failed |= reached.take(wire.name(), &event);
            }
        }
        reached.finished &= !failed;
        Some(reached)
    }

    /// Takes an event in. Says whether it is an error.
    fn take(&mut self, wire: WireName, event: &Value) -> bool {
        match wire {
            WireName::Chat => {
                let mut choices = event["choices"].as_array().into_iter().flatten();
                // Of several choices the first one stands for all: they say the same.
                let first = choices.find(|choice| choice["index"] == 0);
                let choice = first.unwrap_or(&Value::Null);
                self.text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
                self.text.push_str(choice["delta"]["refusal"].as_str().unwrap_or_default());
                let calls = choice["delta"]["tool_calls"].as_array().into_iter().flatten();
                self.calls.extend(calls.filter_map(|call| call["id"].as_str()).map(str::to_owned));
                self.finished |= choice["finish_reason"].is_string();
                event["error"].is_object()
            }
            WireName::Responses => {
                match event["type"].as_str().unwrap_or_default() {
                    "response.output_text.delta" | "response.refusal.delta" => {
                        self.text.push_str(event["delta"].as_str().unwrap_or_default());
                    }
                    "response.output_item.added" | "response.output_item.done" => {
                        self.calls.extend(event["item"]["call_id"].as_str().map(str::to_owned));
                    }
                    "response.completed" | "response.incomplete" => self.finished = true,
                    "error" | "response.failed" => return true,
                    _ => {}
                }
                false
            }
            WireName::Messages => {
                match event["type"].as_str().unwrap_or_default() {
                    "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                        self.calls.extend(event["content_block"]["id"].as_str().map(str::to_owned));
                    }
                    "content_block_delta" => {
                        self.text.push_str(event["delta"]["text"].as_str().unwrap_or_default());
                    }
                    "message_delta" => self.finished |= event["delta"]["stop_reason"].is_string(),
                    "message_stop" => self.finished = true,
                    "error" => return true,
                    _ => {}
                }
                false
            }
        }
    }
}
