//! What was seen, as lines that read well in a diff.

use recording::ModelTurn;
use serde_json::{Value, json};

use crate::names::Names;

/// The exchange: the line of the request, its body, the status and the answer.
pub(crate) fn exchange(
    names: &mut Names,
    (method, path, body): (&str, &str, Option<&Value>),
    (status, answer): (u16, &Value),
) -> String {
    let mut text = format!("{method} {}\n", names.text("id", path));
    if let Some(body) = body {
        text.push_str(&format!("{:#}\n", names.value("id", body)));
    }
    text.push_str(&format!("=> {status}\n{:#}\n\n", names.value("id", answer)));
    text
}

/// One line per event: time, id, turn, type, and the members beyond those of every event.
pub(crate) fn events(names: &mut Names, events: &[Value]) -> String {
    let mut text = String::new();
    for event in events {
        let mut event = names.value("id", event);
        let members = event.as_object_mut().unwrap();
        let mut word = |name: &str| {
            members.remove(name).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        };
        let (at, id, turn, kind) = (word("created_at"), word("id"), word("turn_id"), word("type"));
        word("session_id");
        text.push_str(&format!("{at:>10} {id:<9} {turn:<9} {kind} {}\n", Value::Object(members.clone())));
    }
    text
}

/// The requests that the model got. A conversation that goes on from an earlier request shows only what is new.
pub(crate) fn model(names: &mut Names, journal: &[ModelTurn]) -> String {
    let mut earlier: Vec<(usize, Value, Vec<Value>)> = Vec::new();
    let mut text = String::new();
    for (number, turn) in journal.iter().enumerate() {
        let system = turn.request["system"].clone();
        let messages = turn.request["messages"].as_array().cloned().unwrap_or_default();
        let goes_on = |before: &&(usize, Value, Vec<Value>)| {
            before.1 == system && !before.2.is_empty() && messages.starts_with(&before.2)
        };
        let begun = earlier.iter().rev().find(goes_on);
        let (after, known) = begun.map_or((None, 0), |(number, _, before)| (Some(*number), before.len()));
        let tools = turn.request["tools"].as_array().into_iter().flatten();
        let tools: Vec<&Value> = tools.map(|tool| &tool["name"]).collect();
        let shown = json!({
            "outcome": turn.journal["outcome"],
            "system": if known == 0 { system.clone() } else { json!("as before") },
            "tools": tools,
            "messages": messages[known..],
        });
        let after = after.map_or_else(String::new, |after| format!(", goes on from request {after}"));
        let answered = turn.turn.as_deref().unwrap_or("nothing");
        text.push_str(&format!("request {number}, answered by {answered}{after}\n"));
        text.push_str(&format!("{:#}\n\n", names.value("id", &shown)));
        earlier.push((number, system, messages));
    }
    text
}
