//! What survives the death of a worker (OAO-37, OAO-38).

use engine::{Call, Driver, Drove};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::runs::{
    BEGIN, Started, at, events_of, load, must_ask, need_operations, operation, results, settle, start, value,
};
use crate::table::checks;

checks! { Oao:
    "OAO-37-a" => killed_after_the_commit, the_work_is_not_prompted_again;
    "OAO-37-b" => killed_after_the_commit, one_lifecycle;
    "OAO-38-a" => killed_before_the_commit, one_result_on_record;
    "OAO-38-b" => killed_before_the_commit, one_tool_result;
}

const KEY: &str = "survivor";
const TASK: &str = "task-of-the-survivor";
/// Generous: the worker's lease has to run out within it.
const LIMIT_MS: u64 = 120_000;

/// The id of the call, which the point of death is tied to: other runs of the target live on.
fn call_id(driver: &Driver<'_>) -> String {
    format!("call_{}", driver.token())
}

async fn killed_after_the_commit(driver: &Driver<'_>) -> Drove {
    killed_at(driver, "call.after_record").await
}

async fn killed_before_the_commit(driver: &Driver<'_>) -> Drove {
    killed_at(driver, "call.before_record").await
}

async fn killed_at(driver: &Driver<'_>, point: &str) -> Drove {
    for feature in ["crash", "steps"] {
        driver.control(feature)?;
    }
    let call = call_id(driver);
    let parent = || Conditions::new().user_contains(BEGIN);
    let asks = Answer::new().call(ToolCall::new(&call, KEY, json!({"task": TASK})));
    // Every attempt gets the same answer: a second prompt shows in the journal of the model, not in the result.
    let finish = Answer::new().call(ToolCall::new("finish_1", "finish", json!({"answer": "kept"})));
    let script = Script::new(
        "a worker dies",
        [
            Turn::new("parent-1", asks).when(parent().no_tool_results()).repeat(),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for(&call)).repeat(),
            Turn::new("scratch", finish).when(Conditions::new().user_contains(TASK)).repeat(),
        ],
    );
    load(driver, script)?;
    let agent = need_operations(driver, &json!([operation(KEY, LIMIT_MS)])).await?;
    let order = Call::control("POST", "/crash").json(&json!({"point": point, "call": call}));
    let armed = driver.send("arm", order).await;
    if !armed.is_success() {
        return Err(driver.setup_failed(&armed, "order the death of the worker", "a 2xx answer"));
    }
    let started = start(driver, "start", &agent).await?;
    driver.fact("call", json!(call));
    settle(driver, &started).await?;
    steps(driver, &started).await;
    Ok(())
}

async fn steps(driver: &Driver<'_>, started: &Started) {
    driver.send("steps", Call::control("GET", &format!("/steps/{}", started.run))).await;
}

fn call_of(recording: &Recording) -> Result<(Seen<'_>, &str), recording::Verdict> {
    let seen = recording.one("call")?;
    let call = seen.value().and_then(Value::as_str).unwrap_or_default();
    Ok((seen, call))
}

/// The number of model requests of the scratch loop, and the result that reached the parent.
fn the_work_is_not_prompted_again(recording: &Recording, _: &Spec) -> Judged {
    let (_, call) = call_of(recording)?;
    let prompts: Vec<Seen<'_>> = recording
        .model_turns()
        .into_iter()
        .filter(|(_, asked)| asked.turn.as_deref() == Some("scratch"))
        .map(|(seen, _)| seen)
        .collect();
    let again = "finished work was prompted a second time after a crash";
    let (told, asked) = must_ask(recording, "parent-2", "the run did not go on after a crash")?;
    if let [_, .., last] = prompts.as_slice() {
        return Err(at(last, again, "one request of the scratch loop", prompts.len().to_string()).into());
    }
    if value(asked, call) != Some(json!({"answer": "kept"})) {
        let got = format!("{:?}", results(asked, call));
        return Err(at(&told, "a committed result was lost", "{\"answer\":\"kept\"}", got).into());
    }
    let evidence = Witness::all(prompts.iter().map(Seen::witness));
    Ok(evidence.map_or(told.witness(), |prompts| prompts.and(told.witness())))
}

/// One started event and at most one completed event: the product leaves the latter out after recovery.
fn one_lifecycle(recording: &Recording, _: &Spec) -> Judged {
    let (_, call) = call_of(recording)?;
    must_ask(recording, "parent-2", "the run did not go on after a crash")?;
    let message = "an event of a call's lifecycle was published twice";
    let of = |kind: &str| -> Vec<Seen<'_>> {
        let all = events_of(recording, kind).into_iter();
        all.filter(|(_, event)| event["publicPayload"]["toolCallId"] == call).map(|(seen, _)| seen).collect()
    };
    let started = of("harness.operation_started");
    let Some(first) = started.first() else {
        return Err(recording.one("run")?.finding("a call has no started event", "one started event").into());
    };
    for (kind, list) in [("started", started.clone()), ("completed", of("harness.operation_completed"))] {
        if let [_, .., last] = list.as_slice() {
            return Err(at(last, message, format!("one {kind} event at most"), list.len().to_string()).into());
        }
    }
    Ok(first.witness())
}

fn one_result_on_record(recording: &Recording, _: &Spec) -> Judged {
    let (_, call) = call_of(recording)?;
    let (told, asked) = must_ask(recording, "parent-2", "the run did not go on after a crash")?;
    let seen = recording.one("steps")?;
    let data = seen.json()?["data"].as_array().cloned().unwrap_or_default();
    let ends: Vec<&Value> =
        data.iter().filter(|step| step["toolCallId"] == call).map(|step| &step["ends"]).collect();
    if ends != [&json!(1)] {
        let message = "a call does not have one result on record";
        return Err(at(&seen, message, "one end of the call", format!("{ends:?}")).into());
    }
    if value(asked, call) != Some(json!({"answer": "kept"})) {
        return Err(told.finding("an interrupted call did not complete", "{\"answer\":\"kept\"}").into());
    }
    Ok(seen.witness().and(told.witness()))
}

fn one_tool_result(recording: &Recording, _: &Spec) -> Judged {
    let (_, call) = call_of(recording)?;
    let (told, asked) = must_ask(recording, "parent-2", "the run did not go on after a crash")?;
    match results(asked, call).as_slice() {
        [_] => Ok(told.witness()),
        several => {
            let message = "a call does not have one result in the conversation";
            Err(at(&told, message, "one tool result", format!("{several:?}")).into())
        }
    }
}
