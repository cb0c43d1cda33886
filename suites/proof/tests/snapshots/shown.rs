//! What was seen, as lines that read well in a diff.

use recording::ModelTurn;
use serde_json::{Value, json};

use crate::names::Names;

/// A request and its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) body: Option<&'a Value>,
    pub(crate) status: u16,
    pub(crate) answer: &'a Value,
}

/// The exchange: the line of the request, its body, the status and the answer.
pub(crate) fn exchange(names: &mut Names, exchange: &Exchange<'_>) -> String {
    let kind = if exchange.path.contains("/tool-calls") {
        "toolCall"
    } else if exchange.path.contains("/approvals") {
        "approval"
    } else if exchange.path.contains("/runs") {
        "run"
    } else if exchange.path.contains("/sessions") {
        "session"
    } else if exchange.path.ends_with("/versions") {
        "version"
    } else {
        "agent"
    };
    let mut text = format!("{} {}\n", exchange.method, names.text(kind, exchange.path));
    if let Some(body) = exchange.body {
        text.push_str(&format!("{:#}\n", names.value(kind, body)));
    }
    text.push_str(&format!("=> {}\n{:#}\n\n", exchange.status, names.value(kind, exchange.answer)));
    text
}

/// One line per event: time, position, aggregate and sequence, kind, payload.
pub(crate) fn events(names: &mut Names, events: &[Value]) -> String {
    let line = |event: &Value| {
        let event = names.value("event", event);
        let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        format!(
            "{:>10} {:>3} {} #{} {} {} {}\n",
            word("occurredAt"),
            word("projectPosition"),
            word("aggregateId"),
            event["aggregateSequence"],
            word("id"),
            word("kind"),
            event["publicPayload"],
        )
    };
    events.iter().map(line).collect()
}

/// The requests that the model got. A conversation that goes on from an earlier request shows only what is new.
pub(crate) fn model(names: &mut Names, journal: &[ModelTurn]) -> String {
    let mut earlier: Vec<(usize, Vec<Value>)> = Vec::new();
    let mut text = String::new();
    for (number, turn) in journal.iter().enumerate() {
        let messages = turn.request["messages"].as_array().cloned().unwrap_or_default();
        let begun = earlier.iter().rev().find(|(_, before)| messages.starts_with(before));
        let (after, known) = begun.map_or((None, 0), |(number, before)| (Some(*number), before.len()));
        let tools = turn.request["tools"].as_array().into_iter().flatten();
        let tools: Vec<&Value> = tools.map(|tool| &tool["name"]).collect();
        let shown = json!({
            "outcome": turn.journal["outcome"],
            "model": turn.request["model"],
            "system": if known == 0 { turn.request["system"].clone() } else { json!("as before") },
            "tools": tools,
            "messages": messages[known..],
        });
        let goes_on = after.map_or_else(String::new, |after| format!(", goes on from request {after}"));
        let answered = turn.turn.as_deref().unwrap_or("nothing");
        text.push_str(&format!(
            "request {number} at {} ms, answered by {answered}{goes_on}\n",
            turn.arrived_ms
        ));
        text.push_str(&format!("{:#}\n\n", names.value("id", &shown)));
        earlier.push((number, messages));
    }
    text
}
