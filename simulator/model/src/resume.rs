//! Requests that go on from an earlier answer instead of telling the conversation again.

use crate::{
    journal::{Journal, Record},
    rejection::Rejection,
    reply::{Reply, Said},
    request::{Asked, CalledTool, Message, ModelRequest, OfferedTool, ThoughtBefore},
    script::WireName,
    state::Mint,
};

/// What stands before the token in the id of an answer on the Responses wire.
pub(crate) const RESPONSE_ID: &str = "resp_";
/// The same on the Messages wire.
pub(crate) const MESSAGE_ID: &str = "msg_";

/// What is said of an answer that may have been there.
pub(crate) const NOT_KEPT: &str = "the journal does not keep it any more";

/// What a request goes on from.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    messages: Vec<Message>,
    /// System text and tools, on a wire that keeps them with the conversation.
    kept: Option<(String, Vec<OfferedTool>)>,
    /// The id of the answer, when the client had asked not to store it: the real API does not know it then.
    not_stored: Option<String>,
}

/// Puts the conversation before the request that goes on from it, and returns what was put there. The
/// answers of a session are known as long as the journal keeps them.
pub(crate) fn resume(
    asked: &mut Asked,
    session: &str,
    journal: &Journal,
    mint: &Mint,
) -> Result<Option<Box<Before>>, Rejection> {
    let Some(id) = asked.request.previous_response_id.clone() else { return Ok(None) };
    let wire = wire_of(&asked.request);
    let before = find(&id, wire, session, journal, mint).ok_or_else(|| {
        let place = if wire == WireName::Messages { "thread: " } else { "" };
        not_there(wire, &format!("{place}there is no answer `{id}` in session `{session}`, or {NOT_KEPT}"))
    })?;
    go_on(asked, &before);
    Ok(Some(Box::new(before)))
}

/// The wire that a request came on, of those that can go on from an answer.
fn wire_of(request: &ModelRequest) -> WireName {
    if request.wire == WireName::Messages.word() { WireName::Messages } else { WireName::Responses }
}

/// The refusal of a request that goes on from an answer that is not there.
pub(crate) fn not_there(wire: WireName, message: &str) -> Rejection {
    let message = message.to_owned();
    match wire {
        WireName::Messages => {
            Rejection::not_found("thread.previous_message_id", "thread_not_found", 404, message)
        }
        _ => Rejection::not_found("previous_response_id", "previous_response_not_found", 400, message),
    }
}

/// Puts a conversation before a request, and complains about what does not fit together then.
pub(crate) fn go_on(asked: &mut Asked, before: &Before) {
    let request = &mut asked.request;
    request.messages.splice(0..0, before.messages.iter().cloned());
    if let Some((system, tools)) = &before.kept {
        // What the system said since then stands in the request.
        let texts = [system.as_str(), request.system.as_str()];
        request.system = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        request.tools.splice(0..0, tools.iter().cloned());
    }
    let not_stored = before.not_stored.as_ref().map(|id| {
        let message = format!("there is no answer `{id}`: it was asked for with `store: false`");
        not_there(WireName::Responses, &message)
    });
    let orphan = orphan(&request.messages).map(|id| match wire_of(request) {
        WireName::Messages => {
            let why = format!("there is a `tool_result` for `{id}`, and no such `tool_use` in the thread");
            Rejection::invalid("messages", None, format!("messages: {why}"))
        }
        _ => Rejection::invalid(
            "input",
            None,
            format!("there is no tool call for the output of the call `{id}`"),
        ),
    });
    let unanswered =
        unanswered(&before.messages, &request.messages).into_iter().map(|id| match wire_of(request) {
            WireName::Messages => {
                let why = format!("the `tool_use` `{id}` of the thread's last message has no `tool_result`");
                Rejection::invalid("messages", None, format!("messages: {why}"))
            }
            _ => Rejection::invalid("input", None, format!("No tool output found for function call {id}.")),
        });
    let complaints: Vec<Rejection> = not_stored.into_iter().chain(orphan).chain(unanswered).collect();
    asked.complaints.extend(complaints);
}

/// The conversation up to and including the answer `id`.
fn find(id: &str, wire: WireName, session: &str, journal: &Journal, mint: &Mint) -> Option<Before> {
    let record = given(id, wire, session, journal, mint)?;
    let asked = record.asked()?;
    // The Messages wire keeps a conversation only when it was asked to.
    if wire == WireName::Messages && !asked.body["thread"].is_object() {
        return None;
    }
    let reply = record.reply(&asked, mint)?;
    let ModelRequest { mut messages, system, tools, .. } = asked.request;
    messages.push(said(&reply, wire));
    let not_stored = (wire == WireName::Responses && asked.body["store"] == false).then(|| id.to_owned());
    Some(Before { messages, kept: (wire == WireName::Messages).then_some((system, tools)), not_stored })
}

/// The last request of a session that the answer `id` was given to.
pub(crate) fn given<'a>(
    id: &str,
    wire: WireName,
    session: &str,
    journal: &'a Journal,
    mint: &Mint,
) -> Option<&'a Record> {
    let token = id.strip_prefix(if wire == WireName::Messages { MESSAGE_ID } else { RESPONSE_ID })?;
    let gave = |record: &&Record| {
        let answered = record.script.as_ref().zip(record.answered.as_ref());
        record.wire.is_some_and(|spoken| spoken.name() == wire)
            && answered.is_some_and(|(script, answered)| {
                mint.token(script, answered.place, record.identity) == token
            })
    };
    journal.of(session).rev().find(gave)
}

/// An answer as a message of the conversation.
fn said(reply: &Reply, wire: WireName) -> Message {
    let texts = reply.blocks.iter().filter_map(|block| match block {
        // The Messages wire has no block for an empty text.
        Said::Text(text) | Said::Refusal(text) if text.is_empty() && wire == WireName::Messages => None,
        Said::Text(text) | Said::Refusal(text) => Some(text.as_str()),
        _ => None,
    });
    let thoughts = reply.blocks.iter().filter_map(|block| match block {
        Said::Thinking(thought) => {
            let proof = if wire == WireName::Messages { &thought.signature } else { &thought.encrypted };
            Some(ThoughtBefore { text: thought.text.clone(), proof: proof.clone() })
        }
        _ => None,
    });
    let calls = reply.tool_calls().map(|call| CalledTool {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    Message {
        role: "assistant".into(),
        text: texts.collect::<Vec<_>>().join("\n"),
        thinking: thoughts.collect(),
        tool_calls: calls.collect(),
        ..Message::default()
    }
}

/// The first tool result whose call was not made.
fn orphan(messages: &[Message]) -> Option<&str> {
    let made = |id: &str| messages.iter().flat_map(|message| &message.tool_calls).any(|call| call.id == id);
    messages.iter().filter_map(|message| message.tool_call_id.as_deref()).find(|id| !made(id))
}

/// The calls of the answer that is gone on from whose results are nowhere.
fn unanswered<'a>(before: &'a [Message], messages: &[Message]) -> Vec<&'a str> {
    let is_answered = |id: &str| messages.iter().any(|message| message.tool_call_id.as_deref() == Some(id));
    let calls = before.last().into_iter().flat_map(|answer| &answer.tool_calls);
    calls.map(|call| call.id.as_str()).filter(|id| !is_answered(id)).collect()
}
