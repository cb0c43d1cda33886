//! What a caller is asked and what it answers is its own affair (OAO-300).

use std::time::Duration;

use engine::{Call, Driver, Drove, Received};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, View, What, Witness};
use serde_json::{Map, Value, json};
use spec::Spec;

use super::{
    NOT_THERE, Public, none_of, planted, public,
    run::{KEEPS, MEMBERS, Planted, operation, read_public},
    shown, went_through,
};
use crate::{
    oao::{
        agents::{need_agent, project},
        callers::{LONG_LEASE_MS, need_call, need_claim, submit, success},
        console::view::{Console, look},
        runs::{BEGIN, at, load, must_ask, readable, results, settle, start},
    },
    table::checks,
};

checks! { Oao:
    "OAO-300-d" => a_caller_is_asked_and_answers, neither_question_nor_answer;
}

/// What is planted: in the arguments of both calls, in the result of one and the failure of the other.
const CHANNELS: [&str; 3] = ["caller-arguments", "caller-result", "caller-failure"];
const TOOL: &str = "look_up_remark";
const OUTER: &str = "c_keep";
const TASK: &str = "ask-the-caller-twice";
/// The model's ids of the two calls.
const CALLS: [&str; 2] = ["look_1", "look_2"];
/// Until the events of the calls have come.
const SHOWN: Duration = Duration::from_secs(5);

/// A tool without names in its arguments that a summary of a step may quote.
fn tool() -> Value {
    let of = |name: &str| {
        json!({
            "type": "object",
            "properties": {name: {"type": "string"}},
            "required": [name],
            "additionalProperties": false,
        })
    };
    json!({
        "schemaVersion": 1,
        "name": TOOL,
        "description": "Look up the remark on an order.",
        "owner": "caller",
        "approval": "never",
        "inputSchema": of("order"),
        "outputSchema": of("remark"),
    })
}

/// The loop asks its caller twice and finishes.
fn script(planted: &Planted<'_>) -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let scratch = || Conditions::new().user_contains(TASK);
    let asks = |id: &str| {
        Answer::new().call(ToolCall::new(id, TOOL, json!({"order": planted.text("caller-arguments")})))
    };
    let result: Map<String, Value> = MEMBERS.iter().map(|name| ((*name).to_owned(), json!("done"))).collect();
    Script::new(
        "a loop asks its caller twice",
        [
            Turn::new("parent-calls", Answer::new().call(ToolCall::new(OUTER, KEEPS, json!({"task": TASK}))))
                .when(parent().no_tool_results()),
            Turn::new("parent-ends", Answer::new().text("Done.")).when(parent().tool_result_for(OUTER)),
            Turn::new("asks", asks(CALLS[0])).when(scratch().no_tool_results()),
            Turn::new("asks-again", asks(CALLS[1])).when(scratch().tool_result_for(CALLS[0])),
            Turn::new("ends", Answer::new().call(ToolCall::new("k_end", "finish", Value::Object(result))))
                .when(scratch().tool_result_for(CALLS[1])),
        ],
    )
}

async fn a_caller_is_asked_and_answers(driver: &Driver<'_>) -> Drove {
    let planted = Planted(driver);
    planted.say(&CHANNELS);
    load(driver, script(&planted))?;
    let mut config = readable(driver, &json!([operation(KEEPS, "Ask for the remarks.")]));
    config["tools"] = json!([tool()]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a caller's tool").await?;
    let started = start(driver, "start", &agent).await?;
    let answers = [
        success(json!({"remark": planted.text("caller-result")})),
        json!({
            "version": 1, "status": "failure",
            "error": {"code": "tool_failed", "message": planted.text("caller-failure")},
        }),
    ];
    let mut calls = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        let call = need_call(driver, &format!("call {at}"), &started, at + 1).await?;
        let fence = need_claim(driver, &format!("claim {at}"), &call, LONG_LEASE_MS).await?;
        let handed_in = submit(driver, &format!("result {at}"), &call, &fence, answer).await;
        driver.need(&handed_in, "hand a result in")?;
        calls.push(call);
    }
    settle(driver, &started).await?;
    read_public(driver, &started).await;
    let about = |event: &Received| calls.iter().any(|call| event.data["aggregateId"] == call.as_str());
    let stream = Call::get(format!("{}/events", project(driver)));
    if let Some(mut feed) = driver.listen_for("call events", stream, about).await {
        let mut handed_in = 0;
        let both = |event: &Received| {
            handed_in += usize::from(event.data["kind"] == "tool_call.result_submitted");
            handed_in == calls.len()
        };
        // What did not come could not leak.
        let _ = feed.until(SHOWN, both).await;
    }
    if driver.facts().text("console_view").is_some() {
        look(driver, "view", &started.session, &[OUTER]).await;
    }
    Ok(())
}

/// What is public of the run, all events that were read of it and of its tool calls, and what a console shows of
/// the invocation.
fn texts(recording: &Recording) -> Result<Vec<Public<'_>>, Verdict> {
    let mut texts = public(recording);
    for seen in recording.all() {
        if let What::Event { data, .. } = &seen.entry().what
            && seen.label() != "events"
        {
            texts.push((seen, data.to_string()));
        }
    }
    let has_view = recording
        .entries
        .iter()
        .any(|entry| entry.label == "view" && matches!(entry.what, What::Exchange(_)));
    if has_view {
        texts.extend(shown::texts(&Console::read(recording, "view")?));
    }
    Ok(texts)
}

fn neither_question_nor_answer(recording: &Recording, _: &Spec) -> Judged {
    let message = "what a caller was asked or answered is in something public";
    let ends = [(OUTER, "harness.operation_completed")];
    let witness = went_through(recording, &["asks", "asks-again", "ends", "parent-ends"], &ends)?;
    let witness = witness.and(it_was_told(recording)?);
    none_of(texts(recording)?, message, &planted(recording, |_| true)?)?;
    Ok(witness)
}

/// The loop got what the caller answered: else nothing could have leaked.
fn it_was_told(recording: &Recording) -> Result<Witness, Verdict> {
    let (seen, asked) = must_ask(recording, "ends", NOT_THERE)?;
    for (call, channel) in CALLS.iter().zip(["caller-result", "caller-failure"]) {
        let given = results(asked, call);
        let canaries = planted(recording, |planted| planted == channel)?;
        if !canaries.iter().all(|canary| given.iter().any(|text| text.contains(&canary.text))) {
            let expected = format!("what was planted in {channel} as the result of `{call}`");
            return Err(at(&seen, NOT_THERE, expected, format!("{given:?}")).into());
        }
    }
    Ok(seen.witness())
}
