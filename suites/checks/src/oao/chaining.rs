//! Operations one after the other, the second with facts from the first (OAO-12).

use engine::{Driver, Drove};
use model::{Answer, Script, Turn};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    operations::documented,
    runs::{at, must_ask, value},
    scripted::{calling, parent, play, scratch, terminal},
};
use crate::table::checks;

checks! { Oao:
    "OAO-12-a" => extract_then_verify, the_second_knows_its_task_only;
}

/// Words of the first task that are in no other text.
const PRIVATE: &str = "whatever-lies-in-the-inbox";
/// Facts that the first finds and the second is told of.
const REFERENCE: &str = "SHP-4831";
/// Words of the second task.
const SECOND: &str = "compare-these-facts";
/// What the first loop says to itself.
const THOUGHT: &str = "a-note-of-the-first-loop";

fn shipment() -> Value {
    json!({
        "shipmentReference": REFERENCE, "pickupCountry": "NL", "deliveryCountry": "PL",
        "sourceFiles": ["order-4831.txt"],
    })
}

fn verdict() -> Value {
    json!({"valid": true, "issues": []})
}

async fn extract_then_verify(driver: &Driver<'_>) -> Drove {
    let facts = format!("{SECOND}: {}", shipment());
    let read = Answer::new().text(THOUGHT).call(model::ToolCall::new(
        "read_1",
        "read",
        json!({"path": "order-4831.txt"}),
    ));
    let turns = [
        Turn::new("parent-1", calling("extract", "extract_shipment", json!({"task": PRIVATE})))
            .when(parent().no_tool_results()),
        Turn::new("parent-2", calling("verify", "verify_shipment", json!({"task": facts})))
            .when(parent().tool_result_for("extract")),
        Turn::new("parent-3", Answer::new().text("Done.")).when(parent().tool_result_for("verify")),
        // The second loop is known by its own task, whatever else it was told.
        Turn::new("verifies", calling("finish_2", "finish", verdict())).when(scratch(SECOND)),
        Turn::new("reads", read).when(scratch(PRIVATE).no_tool_results()),
        Turn::new("extracts", calling("finish_1", "finish", shipment()))
            .when(scratch(PRIVATE).tool_result_for("read_1")),
    ];
    play(driver, &Value::Array(documented()), Script::new("extract, then verify", turns)).await
}

fn the_second_knows_its_task_only(recording: &Recording, _: &Spec) -> Judged {
    let message = "a chain of two operations did not run to its end";
    let (first, told_first) = must_ask(recording, "parent-2", message)?;
    let (last, told_last) = must_ask(recording, "parent-3", message)?;
    for (seen, turn, call, wanted) in
        [(&first, told_first, "extract", shipment()), (&last, told_last, "verify", verdict())]
    {
        let got = value(turn, call);
        if got.as_ref() != Some(&wanted) {
            return Err(at(seen, message, wanted.to_string(), format!("{got:?}")).into());
        }
    }
    let mut witness = first.witness().and(last.witness());
    for call in ["extract", "verify"] {
        match terminal(recording, call) {
            Some(("completed", seen, _)) => witness = witness.and(seen.witness()),
            _ => {
                let expected = format!("a completed event for `{call}`");
                return Err(recording.one("run")?.finding(message, expected).into());
            }
        }
    }
    let (seen, turn) = must_ask(recording, "verifies", message)?;
    let conversation = turn.request["messages"].to_string();
    let expected = "a conversation with its own task and nothing of the first operation's";
    if let Some(known) = [PRIVATE, THOUGHT].into_iter().find(|known| conversation.contains(known)) {
        let message = "the second operation knows the conversation of the first";
        return Err(at(&seen, message, expected, format!("it holds `{known}`")).into());
    }
    Ok(witness.and(seen.witness()))
}
