//! Operations as tools of the parent (OAO-01, OAO-02).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, Seen, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::need_version,
    runs::{
        BEGIN, asked, at, events_of, load, must_ask, need_operations, operation, readable, results, settle,
        start, tools,
    },
};
use crate::table::checks;

checks! { Oao:
    "OAO-01-a" => a_version_with_two_is_run, both_are_offered;
    "OAO-01-b" => the_next_version_has_none, none_is_offered;
    "OAO-02-a" => a_version_with_two_is_run, the_argument_is_task;
    "OAO-02-b" => bad_arguments_are_sent, bad_arguments_are_tool_errors;
}

const KEYS: [&str; 2] = ["gather_facts", "weigh_facts"];
const LIMIT_MS: u64 = 20_000;

fn two() -> Value {
    KEYS.iter().map(|key| operation(key, LIMIT_MS)).collect()
}

/// The parent says one thing and is done.
fn words_only() -> Result<Script, model::ScriptError> {
    let parent = Conditions::new().user_contains(BEGIN);
    Script::new("words only", [Turn::new("parent", Answer::new().text("Done.")).when(parent)])
}

async fn a_version_with_two_is_run(driver: &Driver<'_>) -> Drove {
    load(driver, words_only())?;
    let agent = need_operations(driver, &two()).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn both_are_offered(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation of the version is not offered to its model";
    let (seen, turn) = must_ask(recording, "parent", "the run did not ask the model")?;
    for key in KEYS {
        let wanted = operation(key, LIMIT_MS)["description"].clone();
        let offered =
            tools(turn).into_iter().find(|(name, _)| *name == key).map(|(_, tool)| &tool["description"]);
        if offered != Some(&wanted) {
            let got = format!("tools {:?}", tools(turn).iter().map(|(name, _)| *name).collect::<Vec<_>>());
            return Err(at(&seen, message, format!("a tool `{key}` described as {wanted}"), got).into());
        }
    }
    Ok(seen.witness())
}

/// Whether all operations are offered is OAO-01's business; one at least has to be, to be looked at.
fn the_argument_is_task(recording: &Recording, _: &Spec) -> Judged {
    let message = "the tool of an operation does not take one string called task";
    let (seen, turn) = must_ask(recording, "parent", "the run did not ask the model")?;
    let offered: Vec<(&str, &Value)> =
        tools(turn).into_iter().filter(|(name, _)| KEYS.contains(name)).collect();
    let takes_task = |schema: &Value| {
        let required = schema["required"].as_array();
        schema["type"] == "object"
            && schema.pointer("/properties/task/type") == Some(&json!("string"))
            && required.is_some_and(|names| names == &[json!("task")])
    };
    match offered.iter().find(|(_, tool)| !takes_task(&tool["parameters"])) {
        None if !offered.is_empty() => Ok(seen.witness()),
        wrong => {
            let got = wrong.map_or_else(
                || "no operation is offered".to_owned(),
                |(_, tool)| tool["parameters"].to_string(),
            );
            Err(at(&seen, message, "an object that requires the string `task` and nothing else", got).into())
        }
    }
}

/// The session is started on the version without operations, of an agent whose first version had two.
async fn the_next_version_has_none(driver: &Driver<'_>) -> Drove {
    load(driver, words_only())?;
    let agent = need_operations(driver, &two()).await?;
    let none = readable(driver, &json!([]));
    need_version(driver, "publish-none", &agent.id, &none, "publish a version without operations").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn none_is_offered(recording: &Recording, _: &Spec) -> Judged {
    let (seen, turn) = must_ask(recording, "parent", "the run did not ask the model")?;
    let ghosts: Vec<&str> =
        tools(turn).into_iter().map(|(name, _)| name).filter(|name| KEYS.contains(name)).collect();
    if ghosts.is_empty() {
        return Ok(seen.witness());
    }
    let message = "a version without operations offers one";
    Err(at(&seen, message, "no operation among the tools", format!("{ghosts:?}")).into())
}

/// Call ids and arguments that break the rule of the argument.
fn bad_calls() -> [(&'static str, Value); 4] {
    [
        ("bad_missing", json!({})),
        ("bad_null", json!({"task": null})),
        ("bad_array", json!({"task": ["a", "b"]})),
        ("bad_object", json!({"task": {"text": "a"}})),
    ]
}

async fn bad_arguments_are_sent(driver: &Driver<'_>) -> Drove {
    let key = KEYS[0];
    let parent = || Conditions::new().user_contains(BEGIN);
    let bad = bad_calls()
        .into_iter()
        .fold(Answer::new(), |answer, (id, arguments)| answer.call(ToolCall::new(id, key, arguments)));
    let after_bad = bad_calls().into_iter().fold(parent(), |when, (id, _)| when.tool_result_for(id));
    let good = Answer::new().call(ToolCall::new("good", key, json!({"task": "the-good-task"})));
    let finish = Answer::new().call(ToolCall::new("f1", "finish", json!({"answer": "fine"})));
    let script = Script::new(
        "bad arguments",
        [
            Turn::new("parent-bad", bad).when(parent().no_tool_results()),
            Turn::new("parent-good", good).when(after_bad),
            Turn::new("parent-end", Answer::new().text("Done.")).when(parent().tool_result_for("good")),
            Turn::new("scratch-good", finish.clone()).when(Conditions::new().user_contains("the-good-task")),
            // Whoever runs a bad task gets an answer too, so that it shows.
            Turn::new("scratch-bad", finish).when(Conditions::new().tool_offered("finish")).repeat(),
        ],
    );
    load(driver, script)?;
    let agent = need_operations(driver, &two()).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn bad_arguments_are_tool_errors(recording: &Recording, _: &Spec) -> Judged {
    let message = "a call whose task is no string ran";
    if let Some((seen, _)) = asked(recording, "scratch-bad") {
        return Err(seen.finding(message, "no scratch conversation for a bad task").into());
    }
    let (after_bad, told) = must_ask(recording, "parent-good", "the parent was not told of its bad calls")?;
    for (id, _) in bad_calls() {
        let texts = results(told, id);
        let runs = |text: &&str| {
            serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("answer").is_some())
        };
        let is_error = !texts.is_empty() && !texts.iter().any(runs);
        if !is_error {
            return Err(
                at(&after_bad, message, format!("one tool error for `{id}`"), format!("{texts:?}")).into()
            );
        }
    }
    let completed = events_of(recording, "harness.operation_completed");
    let ids: Vec<&Value> = completed.iter().map(|(_, event)| &event["publicPayload"]["toolCallId"]).collect();
    let (good, told) = must_ask(recording, "parent-end", "a call with a good task did not run")?;
    if ids != [&json!("good")] || super::runs::value(told, "good") != Some(json!({"answer": "fine"})) {
        return Err(good
            .finding(
                "a call with a good task did not run",
                "the result {\"answer\":\"fine\"} and one completed event",
            )
            .into());
    }
    let evidence = completed.iter().map(|(seen, _)| Seen::witness(seen));
    Ok(evidence.fold(after_bad.witness().and(good.witness()), Witness::and))
}
