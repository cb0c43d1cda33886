//! Scripted runs, for a console to show.

use engine::{Driver, Halt};
use model::{Answer, Script, ScriptError, Turn};
use recording::{Seen, View};
use serde_json::Value;

pub(super) use crate::oao::{
    asking::{Asked, finish_as as finish, read_one as read},
    runs::{parent, scratch},
};

use super::view::look;
use crate::oao::{
    agents::Agent,
    asking::{ask, taking, told},
    runs::{Started, load, need_operations, operation, settle, start},
};

/// Short, because a target that does not overlap waits for it.
pub(super) const LIMIT_MS: u64 = 3_000;
/// Between two rounds, so that what follows does not touch what came before.
const GAP_MS: u32 = 80;

/// The turn, answered after so many milliseconds.
pub(super) fn slow(turn: Turn, first_ms: u32) -> Turn {
    turn.stream(taking(first_ms))
}

/// A parent that makes the calls of each of `rounds` in one turn, and ends.
pub(super) fn rounds(rounds: &[&[Asked<'_>]], scratch: Vec<Turn>) -> Result<Script, ScriptError> {
    Script::new("a run to look at", turns(rounds, scratch))
}

/// The turns of [`rounds`]: those of `scratch`, and `parent-1`, `parent-2` … `parent-end`.
fn turns(rounds: &[&[Asked<'_>]], scratch: Vec<Turn>) -> Vec<Turn> {
    let mut turns = scratch;
    let mut when = parent().no_tool_results();
    for (at, calls) in rounds.iter().enumerate() {
        turns.push(slow(Turn::new(format!("parent-{}", at + 1), ask(calls)).when(when), GAP_MS));
        when = told(parent(), calls);
    }
    let end = Turn::new("parent-end", Answer::new().text("That is all.")).when(when);
    turns.push(slow(end, GAP_MS));
    turns
}

/// Loads the script, publishes an agent with an operation for each of `keys`, and starts its run.
pub(super) async fn begin(
    driver: &Driver<'_>,
    keys: &[&str],
    limit_ms: u64,
    script: Result<Script, ScriptError>,
) -> Result<(Agent, Started), Halt> {
    load(driver, script)?;
    let operations: Value = keys.iter().map(|key| operation(key, limit_ms)).collect();
    let agent = need_operations(driver, &operations).await?;
    let started = start(driver, "start", &agent).await?;
    Ok((agent, started))
}

/// As [`begin`]; then waits until the run has settled and reads the view of its session as `view`.
pub(super) async fn play(
    driver: &Driver<'_>,
    keys: &[&str],
    script: Result<Script, ScriptError>,
    calls: &[&str],
) -> Result<(), Halt> {
    let (_, started) = begin(driver, keys, LIMIT_MS, script).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, calls).await;
    Ok(())
}

pub(super) const KEY: &str = "look_twice";
pub(super) const CALL: &str = "outer";
pub(super) const TASK: &str = "look-at-two-files";
/// What the model says beside its first call in [`two_reads`].
pub(super) const SCRATCH_TEXT: &str = "I wonder what the first file holds.";

/// One invocation of six steps: a model turn and its tool, three times. Nothing is said beside `finish`.
pub(super) fn two_reads() -> Result<Script, ScriptError> {
    let first = read("inner_1", "inner-one.txt").text(SCRATCH_TEXT).usage(1_234, 56);
    let second = read("inner_2", "inner-two.txt").usage(2_345, 67);
    let turns = vec![
        Turn::new("scratch-1", first).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", second).when(scratch(TASK).tool_result_for("inner_1")),
        Turn::new("scratch-3", finish("inner_3", "both").usage(3_456, 78))
            .when(scratch(TASK).tool_result_for("inner_2")),
    ];
    rounds(&[&[(CALL, KEY, TASK)]], turns)
}

/// Two calls of one operation.
pub(super) const PAIR: [Asked<'static>; 2] =
    [("call_a", "one_half", "task-of-a"), ("call_b", "one_half", "task-of-b")];

/// A batch of two that take this long.
pub(super) fn pair(took: [u32; 2]) -> Result<Script, ScriptError> {
    rounds(&[&PAIR], [0, 1].map(|at| half(at, took[at])).into())
}

/// As [`pair`], but the parent's first answer is held at the gate `begin`, and each half waits for the other.
pub(super) fn held_pair(took: [u32; 2]) -> Result<Script, ScriptError> {
    let halves = [0, 1].map(|at| half(at, took[at]).hold("both").after_arrivals(2));
    let hold = |turn: Turn| if turn.id == "parent-1" { turn.hold("begin") } else { turn };
    Script::new("a pair that waits", turns(&[&PAIR], halves.into()).into_iter().map(hold))
}

fn half(at: usize, took: u32) -> Turn {
    let name = ["a", "b"][at];
    let turn = Turn::new(format!("scratch-{name}"), finish(&format!("done_{name}"), name));
    slow(turn.when(scratch(PAIR[at].2)), took)
}

/// A call whose loop does nothing but finish.
pub(super) fn finish_only() -> Result<Script, ScriptError> {
    let turn = Turn::new("scratch-1", finish("inner_1", "both")).when(scratch(TASK));
    rounds(&[&[(CALL, KEY, TASK)]], vec![turn])
}

/// The events of the stream that belong to `call` by the id that they name as `member`.
pub(super) fn of_call<'a>(view: &'a impl View, member: &str, call: &str) -> Vec<(Seen<'a>, &'a Value)> {
    let mut found = view.events("events");
    found.retain(|(_, event)| event["publicPayload"][member] == call);
    found
}

/// The terminal event that the target published for `call`.
pub(super) fn terminal<'a>(view: &'a impl View, call: &str) -> Option<(Seen<'a>, &'a Value)> {
    let ends = |event: &Value| {
        let kind = event["kind"].as_str().unwrap_or_default();
        kind.starts_with("harness.operation_") && kind != "harness.operation_started"
    };
    of_call(view, "toolCallId", call).into_iter().rfind(|(_, event)| ends(event))
}

/// When `call` was under way, in milliseconds since 1970, by the events that the target published.
pub(super) fn window(view: &impl View, call: &str) -> Option<(i64, i64)> {
    let at = |event: &Value| {
        let time: jiff::Timestamp = event["occurredAt"].as_str()?.parse().ok()?;
        Some(time.as_millisecond())
    };
    let lifecycle = of_call(view, "toolCallId", call);
    let started = lifecycle.iter().find(|(_, event)| event["kind"] == "harness.operation_started")?;
    Some((at(started.1)?, at(terminal(view, call)?.1)?))
}
