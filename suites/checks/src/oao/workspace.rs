//! What scratch loops see of the workspace (OAO-20, OAO-26, OAO-27, OAO-28).

use std::{collections::BTreeSet, time::Duration};

use engine::{Call, Driver, Drove};
use model::{Answer, Script, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::project,
    asking::read_one as read,
    runs::{at, events_of, load, must_ask, operation, settle, start, value},
    sandboxed::{LIMIT_MS, call, finish, need_granted, need_next_run, need_upload, parent, scratch, told},
};
use crate::table::checks;

checks! { Oao:
    "OAO-20-a" => each_writes_for_the_other, both_read_what_the_other_wrote;
    "OAO-26-a" => an_upload_is_read_inside, the_upload_is_identical;
    "OAO-26-b" => an_upload_is_edited_first, the_edit_is_seen;
    "OAO-27-a" => a_workspace_is_listed_around_an_operation, nothing_is_left_behind;
    "OAO-28-a" => one_writes_while_the_other_polls, the_write_is_seen;
    "OAO-28-b" => two_write_one_path, both_writes_go_through;
}

const KEY: &str = "work_on_files";
const TASK: &str = "the-task-on-files";
const FIRST: &str = "written by the parent: ärzte 4711";
const SECOND: &str = "written by the operation: ☃ 1147";
/// `sent with the message: ärzte ☃ 2218`
const UPLOADED: &str = "sent with the message: ärzte ☃ 2218";
const UPLOADED_BASE64: &str = "c2VudCB3aXRoIHRoZSBtZXNzYWdlOiDDpHJ6dGUg4piDIDIyMTg=";
const FILE: &str = "letter.txt";

fn operations() -> Value {
    json!([operation(KEY, LIMIT_MS)])
}

/// The parent calls the operation.
fn outer() -> Answer {
    call("outer", KEY, json!({"task": TASK}))
}

fn write(id: &str, path: &str, content: &str) -> Answer {
    call(id, "write", json!({"path": path, "content": content}))
}

fn done() -> Answer {
    Answer::new().text("Done.")
}

async fn each_writes_for_the_other(driver: &Driver<'_>) -> Drove {
    let script = Script::new(
        "both ways",
        [
            Turn::new("parent-1", write("w1", "first.txt", FIRST)).when(parent().no_tool_results()),
            Turn::new("parent-2", outer()).when(parent().tool_result_for("w1")),
            Turn::new("parent-3", read("r2", "second.txt")).when(parent().tool_result_for("outer")),
            Turn::new("parent-4", done()).when(parent().tool_result_for("r2")),
            Turn::new("scratch-1", read("r1", "first.txt")).when(scratch(TASK).no_tool_results()),
            Turn::new("scratch-2", write("w2", "second.txt", SECOND))
                .when(scratch(TASK).tool_result_for("r1")),
            Turn::new("scratch-3", finish("both")).when(scratch(TASK).tool_result_for("w2")),
        ],
    );
    load(driver, script)?;
    let agent = need_granted(driver, &operations(), &["filesystem_read", "filesystem_write"]).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn both_read_what_the_other_wrote(recording: &Recording, _: &Spec) -> Judged {
    let message = "parent and operation do not work on the same files";
    let (inside, first) = told(recording, "scratch-2", "r1", message)?;
    if !first.contains(FIRST) {
        return Err(at(&inside, message, format!("`{FIRST}` read inside"), first).into());
    }
    let (after, second) = told(recording, "parent-4", "r2", message)?;
    if !second.contains(SECOND) {
        return Err(at(&after, message, format!("`{SECOND}` read by the parent"), second).into());
    }
    Ok(inside.witness().and(after.witness()))
}

/// The operation reads the file at `place` in its first turn.
fn reads_inside(place: &str) -> [Turn; 2] {
    [
        Turn::new("scratch-1", read("r1", place)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", finish("read")).when(scratch(TASK).tool_result_for("r1")),
    ]
}

async fn an_upload_is_read_inside(driver: &Driver<'_>) -> Drove {
    let agent = need_granted(driver, &operations(), &["filesystem_read"]).await?;
    let (session, place) = need_upload(driver, &agent, FILE, UPLOADED_BASE64).await?;
    let parents = [
        Turn::new("parent-1", outer()).when(parent().no_tool_results()),
        Turn::new("parent-2", done()).when(parent().tool_result_for("outer")),
    ];
    load(driver, Script::new("read inside", parents.into_iter().chain(reads_inside(&place))))?;
    let started = need_next_run(driver, &session).await?;
    settle(driver, &started).await
}

fn the_upload_is_identical(recording: &Recording, _: &Spec) -> Judged {
    let message = "a file of an earlier message cannot be read inside an operation";
    let (seen, text) = told(recording, "scratch-2", "r1", message)?;
    if text.contains(UPLOADED) {
        return Ok(seen.witness());
    }
    Err(at(&seen, message, format!("`{UPLOADED}`"), text).into())
}

async fn an_upload_is_edited_first(driver: &Driver<'_>) -> Drove {
    let agent = need_granted(driver, &operations(), &["filesystem_read", "filesystem_write"]).await?;
    let (session, place) = need_upload(driver, &agent, FILE, UPLOADED_BASE64).await?;
    let parents = [
        Turn::new("parent-1", write("w1", &place, FIRST)).when(parent().no_tool_results()),
        Turn::new("parent-2", outer()).when(parent().tool_result_for("w1")),
        Turn::new("parent-3", done()).when(parent().tool_result_for("outer")),
    ];
    load(driver, Script::new("edit, then read inside", parents.into_iter().chain(reads_inside(&place))))?;
    let started = need_next_run(driver, &session).await?;
    settle(driver, &started).await
}

fn the_edit_is_seen(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation does not see an edit that was made before it";
    let (seen, text) = told(recording, "scratch-2", "r1", message)?;
    if text.contains(FIRST) && !text.contains(UPLOADED) {
        return Ok(seen.witness());
    }
    Err(at(&seen, message, format!("`{FIRST}`"), text).into())
}

const DOCUMENTS: [(&str, &str); 2] = [("docs/one.txt", FIRST), ("docs/two.txt", SECOND)];

/// Lists the whole workspace and reads the documents; the ids of the calls end in `round`.
fn look(round: &str) -> Answer {
    let list = ToolCall::new(format!("list_{round}"), "glob", json!({"pattern": "**/*"}));
    DOCUMENTS.iter().enumerate().fold(Answer::new().call(list), |answer, (at, (path, _))| {
        answer.call(ToolCall::new(format!("read_{at}_{round}"), "read", json!({"path": path})))
    })
}

/// The model holds its answer before the operation is called, and again once the workspace has been looked
/// at after it: the sandboxes are counted meanwhile.
async fn a_workspace_is_listed_around_an_operation(driver: &Driver<'_>) -> Drove {
    let writes = DOCUMENTS.iter().enumerate().fold(Answer::new(), |answer, (at, (path, content))| {
        answer.call(ToolCall::new(format!("w{at}"), "write", json!({"path": path, "content": content})))
    });
    let list = call("list_inside", "glob", json!({"pattern": "docs/*"}));
    let script = Script::new(
        "look, work, look again",
        [
            Turn::new("parent-1", writes).when(parent().no_tool_results()),
            Turn::new("parent-2", look("before")).when(parent().tool_result_for("w0")),
            Turn::new("parent-3", outer()).when(parent().tool_result_for("list_before")).hold("before"),
            Turn::new("parent-4", look("after")).when(parent().tool_result_for("outer")),
            Turn::new("parent-5", done()).when(parent().tool_result_for("list_after")).hold("after"),
            Turn::new("scratch-1", list).when(scratch(TASK).no_tool_results()),
            Turn::new("scratch-2", read("r1", DOCUMENTS[0].0))
                .when(scratch(TASK).tool_result_for("list_inside")),
            Turn::new("scratch-3", finish("looked")).when(scratch(TASK).tool_result_for("r1")),
        ],
    );
    load(driver, script)?;
    let all = ["filesystem_read", "filesystem_write", "shell"];
    let agent = need_granted(driver, &operations(), &all).await?;
    let started = start(driver, "start", &agent).await?;
    for gate in ["before", "after"] {
        let held = driver.model()?.wait_for_held(driver.token(), gate, 1);
        // A run that does not come so far is judged by what was seen of it.
        let _ = driver.clock().within(Duration::from_secs(20), held).await;
        driver.send(gate, Call::get(format!("{}/sessions/{}", project(driver), started.session))).await;
        driver.model()?.release(driver.token(), gate);
    }
    settle(driver, &started).await
}

fn nothing_is_left_behind(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation that only reads left a trace in the workspace or its sandboxes";
    let (before, _) = must_ask(recording, "parent-3", "the workspace could not be looked at")?;
    let (after, told_after) = must_ask(recording, "parent-5", "the workspace could not be looked at")?;
    if value(told_after, "outer").is_none() && !answered(recording, "outer") {
        return Err(after.finding("the operation that reads did not complete", "its result").into());
    }
    let (_, list) = told(recording, "parent-3", "list_before", message)?;
    let (_, again) = told(recording, "parent-5", "list_after", message)?;
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    for (path, _) in DOCUMENTS {
        if !list.lines().any(|line| line.trim().ends_with(path)) {
            return Err(at(
                &before,
                "the workspace could not be looked at",
                format!("`{path}` listed"),
                list,
            )
            .into());
        }
    }
    if lines(list) != lines(again) {
        return Err(at(&after, message, format!("the same files as before: {list}"), again).into());
    }
    for (number, (_, content)) in DOCUMENTS.iter().enumerate() {
        let (_, first) = told(recording, "parent-3", &format!("read_{number}_before"), message)?;
        let (_, second) = told(recording, "parent-5", &format!("read_{number}_after"), message)?;
        if !first.contains(content) || first != second {
            return Err(at(&after, message, format!("the same content as before: {first}"), second).into());
        }
    }
    let (earlier, later) = (sandboxes(recording, "before")?, sandboxes(recording, "after")?);
    let detail = recording.one("after")?;
    if earlier != later {
        return Err(at(&detail, message, format!("{earlier} sandboxes"), later.to_string()).into());
    }
    Ok(before.witness().and(after.witness()).and(recording.one("before")?.witness()).and(detail.witness()))
}

/// How many sandboxes the details of the session list.
fn sandboxes(recording: &Recording, label: &str) -> Result<usize, Verdict> {
    let detail = recording.one(label)?;
    let body = detail.json()?;
    let list = body.pointer("/debug/sandboxes").and_then(Value::as_array).map(Vec::len);
    Ok(list.ok_or_else(|| {
        detail.finding("the details of a session do not list its sandboxes", "a list in `debug.sandboxes`")
    })?)
}

/// Whether the operation called `call` completed.
fn answered(recording: &Recording, call: &str) -> bool {
    let completed = events_of(recording, "harness.operation_completed");
    completed.iter().any(|(_, event)| event["publicPayload"]["toolCallId"] == call)
}

/// The tasks of two operations that run together.
const A: &str = "task-of-the-one";
const B: &str = "task-of-the-other";

/// The parent calls both operations in one turn, and goes on with `after` once it has both results.
fn two_together(after: Answer) -> [Turn; 2] {
    let both = Answer::new().call(ToolCall::new("call_a", KEY, json!({"task": A}))).call(ToolCall::new(
        "call_b",
        KEY,
        json!({"task": B}),
    ));
    [
        Turn::new("parent-1", both).when(parent().no_tool_results()),
        Turn::new("parent-2", after).when(parent().tool_result_for("call_a").tool_result_for("call_b")),
    ]
}

/// Both have to be at work before either goes on, and the write has to be done before the last look.
async fn one_writes_while_the_other_polls(driver: &Driver<'_>) -> Drove {
    let held = |turn: Turn, gate: &str| turn.hold(gate).after_arrivals(2);
    let inner = [
        held(Turn::new("a-1", write("a_w", "shared.txt", SECOND)).when(scratch(A).no_tool_results()), "both"),
        held(Turn::new("b-1", read("b_r1", "shared.txt")).when(scratch(B).no_tool_results()), "both"),
        held(Turn::new("a-2", finish("a")).when(scratch(A).tool_result_for("a_w")), "written"),
        held(
            Turn::new("b-2", read("b_r2", "shared.txt")).when(scratch(B).tool_result_for("b_r1")),
            "written",
        ),
        Turn::new("b-3", finish("b")).when(scratch(B).tool_result_for("b_r2")),
    ];
    together(driver, "one writes", two_together(done()).into_iter().chain(inner)).await
}

async fn together(driver: &Driver<'_>, name: &str, turns: impl Iterator<Item = Turn>) -> Drove {
    load(driver, Script::new(name, turns))?;
    let agent = need_granted(driver, &operations(), &["filesystem_read", "filesystem_write"]).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn the_write_is_seen(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation does not see what another one writes while both run";
    let (writer, turn) = must_ask(recording, "a-2", message)?;
    if turn.journal["outcome"] != "answered" {
        return Err(at(&writer, message, "both at work", turn.journal["outcome"].to_string()).into());
    }
    let (reader, text) = told(recording, "b-3", "b_r2", message)?;
    if text.contains(SECOND) {
        return Ok(writer.witness().and(reader.witness()));
    }
    Err(at(&reader, message, format!("`{SECOND}`"), text).into())
}

/// Both write at the same moment.
async fn two_write_one_path(driver: &Driver<'_>) -> Drove {
    let held = |turn: Turn| turn.hold("both").after_arrivals(2);
    let inner = [
        held(Turn::new("a-1", write("a_w", "shared.txt", FIRST)).when(scratch(A).no_tool_results())),
        held(Turn::new("b-1", write("b_w", "shared.txt", SECOND)).when(scratch(B).no_tool_results())),
        Turn::new("a-2", finish("a")).when(scratch(A).tool_result_for("a_w")),
        Turn::new("b-2", finish("b")).when(scratch(B).tool_result_for("b_w")),
    ];
    let last = Turn::new("parent-3", done()).when(parent().tool_result_for("r1"));
    let parents = two_together(read("r1", "shared.txt")).into_iter().chain([last]);
    together(driver, "two write", parents.chain(inner)).await
}

fn both_writes_go_through(recording: &Recording, _: &Spec) -> Judged {
    let message = "a write was refused or held up because another operation writes the same path";
    let (seen, results) = must_ask(recording, "parent-2", message)?;
    // Which result belongs to which call is OAO-13's business.
    let got: Vec<Option<Value>> = ["call_a", "call_b"].map(|call| value(results, call)).into();
    for answer in ["a", "b"] {
        if !got.contains(&Some(json!({"answer": answer}))) {
            return Err(at(&seen, message, "the results of both operations", format!("{got:?}")).into());
        }
    }
    let mut witness = seen.witness();
    for step in ["tool:a_w", "tool:b_w"] {
        witness = witness.and(written(recording, step, message)?);
    }
    let (after, text) = told(recording, "parent-3", "r1", message)?;
    if !text.contains(FIRST) && !text.contains(SECOND) {
        return Err(at(&after, message, "what one of them wrote", text).into());
    }
    Ok(witness.and(after.witness()))
}

/// The step of a write, which has to be a success.
fn written(recording: &Recording, step: &str, message: &str) -> Result<Witness, Verdict> {
    let steps = events_of(recording, "harness.operation_step");
    match steps.iter().find(|(_, event)| event["publicPayload"]["stepId"] == step) {
        Some((seen, event)) if event["publicPayload"]["status"] == "success" => Ok(seen.witness()),
        Some((seen, event)) => Err(at(seen, message, "status `success`", event.to_string()).into()),
        None => Err(recording.one("run")?.finding(message, format!("a step `{step}`")).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::runs::BEGIN, *};

    #[test]
    fn the_words_of_the_parent_do_not_stand_in_a_task() {
        assert!([TASK, A, B].iter().all(|task| !task.contains(BEGIN)));
    }
}
