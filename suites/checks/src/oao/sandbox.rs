//! What a run may do in its sandbox, inside an operation as well, and what is told of it (OAO-18, OAO-205,
//! OAO-206).

use std::collections::BTreeSet;

use engine::{Driver, Drove};
use model::{Answer, Script, ToolCall, Turn};
use recording::{Finding, Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::need_agent,
    runs::{BEGIN, at, events_of, load, must_ask, operation, settle, start, tools},
    sandboxed::{call, finish, granted, need_granted, need_session, parent, scratch, told},
};
use crate::table::checks;

checks! { Oao:
    "OAO-18-a" => what_is_admitted_and_what_is_not_is_called_inside, only_what_is_admitted_works;
    "OAO-18-c" => the_network_is_tried_outside_and_inside, it_is_refused_in_both;
    "OAO-205-a" => each_capability_alone, the_tools_are_those_of_the_capability;
    "OAO-206-a" => one_command_is_run, the_command_is_told_by_its_ids;
}

const KEY: &str = "try_the_powers";
const TASK: &str = "the-task-that-tries";
const LIMIT_MS: u64 = 20_000;
/// A line of which the call that searches for it knows the beginning only.
const LINE: &str = "needle-here and 8153 behind it";
const NEEDLE: &str = "needle-here";
const BEHIND: &str = "8153 behind it";

fn outer() -> Answer {
    call("outer", KEY, json!({"task": TASK}))
}

fn done() -> Answer {
    Answer::new().text("Done.")
}

async fn run(
    driver: &Driver<'_>,
    capabilities: &[&str],
    script: Result<Script, model::ScriptError>,
) -> Drove {
    load(driver, script)?;
    let agent = need_granted(driver, &json!([operation(KEY, LIMIT_MS)]), capabilities).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

async fn what_is_admitted_and_what_is_not_is_called_inside(driver: &Driver<'_>) -> Drove {
    let both = Answer::new()
        .call(ToolCall::new("r1", "read", json!({"path": "hay.txt"})))
        .call(ToolCall::new("g1", "grep", json!({"pattern": NEEDLE})));
    let write = call("w1", "write", json!({"path": "hay.txt", "content": format!("{LINE}\n")}));
    let script = Script::new(
        "admitted and not",
        [
            Turn::new("parent-1", outer()).when(parent().no_tool_results()),
            Turn::new("parent-2", done()).when(parent().tool_result_for("outer")),
            Turn::new("scratch-1", write).when(scratch(TASK).no_tool_results()),
            Turn::new("scratch-2", both).when(scratch(TASK).tool_result_for("w1")),
            Turn::new("scratch-3", finish("tried")).when(scratch(TASK).tool_result_for("r1")),
        ],
    );
    run(driver, &["filesystem_read", "filesystem_write"], script).await
}

fn only_what_is_admitted_works(recording: &Recording, _: &Spec) -> Judged {
    let lost = "a tool that was granted does not work inside an operation";
    let (seen, text) = told(recording, "scratch-3", "r1", lost)?;
    if !text.contains(LINE) {
        return Err(at(&seen, lost, format!("`{LINE}`"), text).into());
    }
    let message = "a tool that was not granted works inside an operation";
    let (seen, found) = told(recording, "scratch-3", "g1", message)?;
    if found.contains(BEHIND) {
        return Err(at(&seen, message, "`grep` is not available", found).into());
    }
    Ok(seen.witness())
}

/// What a page says that is there for everybody to try whether they reach it.
const PAGE: &str = "Example Domain";

async fn the_network_is_tried_outside_and_inside(driver: &Driver<'_>) -> Drove {
    let fetch = |id: &str| call(id, "bash", json!({"command": "curl -sS -m 2 https://example.com/"}));
    let script = Script::new(
        "try the network",
        [
            Turn::new("parent-1", fetch("out_1")).when(parent().no_tool_results()),
            Turn::new("parent-2", outer()).when(parent().tool_result_for("out_1")),
            Turn::new("parent-3", done()).when(parent().tool_result_for("outer")),
            Turn::new("scratch-1", fetch("in_1")).when(scratch(TASK).no_tool_results()),
            Turn::new("scratch-2", finish("tried")).when(scratch(TASK).tool_result_for("in_1")),
        ],
    );
    run(driver, &["filesystem_read", "shell"], script).await
}

fn it_is_refused_in_both(recording: &Recording, _: &Spec) -> Judged {
    let mut witnesses = Vec::new();
    for (turn, call, message) in [
        ("parent-2", "out_1", "a run reaches a network that it was not granted"),
        ("scratch-2", "in_1", "an operation reaches a network that its run was not granted"),
    ] {
        let (seen, text) = told(recording, turn, call, message)?;
        if text.is_empty() || text.contains(PAGE) {
            return Err(at(&seen, message, "the attempt is refused, in words", text).into());
        }
        witnesses.push(seen.witness());
    }
    let run = recording.one("run")?.witness();
    Ok(witnesses.into_iter().fold(run, Witness::and))
}

const CAPABILITIES: [(&str, &[&str]); 3] = [
    ("filesystem_read", &["read"]),
    ("filesystem_write", &["write", "edit"]),
    ("shell", &["bash", "grep", "glob"]),
];

/// One run after the other; each says which capability its sandbox has.
async fn each_capability_alone(driver: &Driver<'_>) -> Drove {
    let says = |capability: &str| format!("{BEGIN} with {capability}");
    let turns = CAPABILITIES
        .iter()
        .map(|(capability, _)| Turn::new(*capability, done()).when(parent().user_contains(says(capability))));
    load(driver, Script::new("one capability each", turns))?;
    for (at, (capability, _)) in CAPABILITIES.iter().enumerate() {
        let config = granted(driver, &json!([operation(KEY, LIMIT_MS)]), &[capability]);
        let agent = need_agent(driver, capability, &config, "publish an agent with a sandbox").await?;
        let label = format!("start {capability}");
        let started = need_session(driver, &label, &agent, &says(capability), &Value::Null).await?;
        if at + 1 < CAPABILITIES.len() {
            super::runs::need_end(driver, &format!("events of {capability}"), &started).await;
        } else {
            settle(driver, &started).await?;
        }
    }
    Ok(())
}

fn the_tools_are_those_of_the_capability(recording: &Recording, _: &Spec) -> Judged {
    let message = "the tools that are offered are not those of the capabilities";
    let of_the_sandbox: BTreeSet<&str> =
        CAPABILITIES.iter().flat_map(|(_, tools)| tools.iter().copied()).collect();
    let mut witness = recording.one("run")?.witness();
    for (capability, expected) in CAPABILITIES {
        let (seen, turn) = must_ask(recording, capability, message)?;
        let offered: BTreeSet<&str> = tools(turn)
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| of_the_sandbox.contains(name))
            .collect();
        if offered != expected.iter().copied().collect() {
            return Err(at(
                &seen,
                message,
                format!("{expected:?} for `{capability}`"),
                format!("{offered:?}"),
            )
            .into());
        }
        witness = witness.and(seen.witness());
    }
    Ok(witness)
}

const WORDS: &str = "planted-words-6620";

async fn one_command_is_run(driver: &Driver<'_>) -> Drove {
    let command = call("c1", "bash", json!({"command": format!("echo {WORDS}")}));
    let script = Script::new(
        "one command",
        [
            Turn::new("parent-1", command).when(parent().no_tool_results()),
            Turn::new("parent-2", done()).when(parent().tool_result_for("c1")),
        ],
    );
    run(driver, &["shell"], script).await
}

const STARTED: &str = "sandbox.command_started";
const ENDS: [(&str, &[&str]); 2] = [
    ("sandbox.command_completed", &["sandboxId", "commandId", "exitCode"]),
    ("sandbox.command_failed", &["sandboxId", "commandId"]),
];
const NOT_EXACTLY: &str = "the events of a command are not exactly those of the contract";

/// A platform may run commands of its own; each one has to be told like that.
fn the_command_is_told_by_its_ids(recording: &Recording, _: &Spec) -> Judged {
    let unrun = "a command did not run in the sandbox";
    let (seen, text) = told(recording, "parent-2", "c1", unrun)?;
    if !text.contains(WORDS) {
        return Err(at(&seen, unrun, format!("`{WORDS}`"), text).into());
    }
    let mut witness = seen.witness();
    let started = events_of(recording, STARTED);
    if started.is_empty() {
        return Err(recording.one("run")?.finding(NOT_EXACTLY, format!("a `{STARTED}` event")).into());
    }
    for (seen, event) in &started {
        exactly(seen, event, &["sandboxId", "commandId"])?;
        witness = witness.and(ended(recording, seen, event)?);
    }
    for (seen, event) in recording.events("events") {
        if event["publicPayload"].to_string().contains(WORDS) {
            let message = "an event tells the words or the output of a command";
            return Err(at(&seen, message, "ids and an exit code", event.to_string()).into());
        }
    }
    Ok(witness)
}

/// The terminal event of the command that `started` tells of: one, and after it.
fn ended(recording: &Recording, at_start: &Seen<'_>, started: &Value) -> Result<Witness, Finding> {
    let id = &started["publicPayload"]["commandId"];
    let mut ends = Vec::new();
    for (kind, keys) in ENDS {
        for (seen, event) in events_of(recording, kind) {
            if event["publicPayload"]["commandId"] == *id {
                exactly(&seen, event, keys)?;
                ends.push((seen, event));
            }
        }
    }
    match &ends[..] {
        [(seen, event)]
            if seen.at() > at_start.at()
                && event["publicPayload"]["sandboxId"] == started["publicPayload"]["sandboxId"] =>
        {
            Ok(at_start.witness().and(seen.witness()))
        }
        other => {
            let got = format!("{} terminal events", other.len());
            Err(at(at_start, NOT_EXACTLY, "one terminal event after it, of the same sandbox", got))
        }
    }
}

fn exactly(seen: &Seen<'_>, event: &Value, keys: &[&str]) -> Result<(), Finding> {
    let payload = event["publicPayload"].as_object();
    let got: BTreeSet<&str> = payload.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if got == keys.iter().copied().collect() {
        return Ok(());
    }
    Err(at(seen, NOT_EXACTLY, format!("exactly {}", keys.join(", ")), format!("{got:?}")))
}
