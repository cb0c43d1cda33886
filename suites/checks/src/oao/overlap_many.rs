//! Batches of more than two, and what else may stand in a batch (OAO-290, 291).

use engine::{Driver, Drove};
use model::{Answer, Script, ScriptError, ToolCall, Turn};
use recording::{Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    batch::{Asked, ask, batch, finish, give_up, parent, read, scratch, taking},
    events::play,
    lifecycle::{Ending, lifecycle, outcome, timeline},
    runs::{at, load, must_ask, need_operations, operation, results, start, value},
    watch::{Watch, record_requests, to_the_end, until_held},
};
use crate::table::checks;

checks! { Oao:
    "OAO-290-a" => eight_that_wait_for_each_other, all_run_at_once;
    "OAO-290-b" => one_slow_of_many, the_fast_ones_do_not_wait;
    "OAO-290-c" => one_failing_of_many, the_others_complete;
    "OAO-290-d" => an_operation_and_a_tool, both_outcomes_are_there;
    "OAO-291-a" => three_tools_in_one_scratch_turn, each_tool_is_answered_and_told;
}

/// Short, because a target that does not overlap waits for it.
const LIMIT_MS: u64 = 3_000;
const KEY: &str = "one_of_many";

/// Eight calls; a check takes as many of them as it needs.
const MANY: [Asked<'_>; 8] = [
    ("call_1", KEY, "task-number-one"),
    ("call_2", KEY, "task-number-two"),
    ("call_3", KEY, "task-number-three"),
    ("call_4", KEY, "task-number-four"),
    ("call_5", KEY, "task-number-five"),
    ("call_6", KEY, "task-number-six"),
    ("call_7", KEY, "task-number-seven"),
    ("call_8", KEY, "task-number-eight"),
];
/// The turn of the loop of each of them, and what it answers.
const TURNS: [&str; 8] = ["one", "two", "three", "four", "five", "six", "seven", "eight"];

/// How many calls of a batch the target runs at once: all, unless it says that there is a cap (W13).
fn at_once(driver: &Driver<'_>) -> usize {
    let cap = driver.facts().text("batch_cap").and_then(|cap| cap.parse::<usize>().ok());
    cap.filter(|cap| *cap >= 2).map_or(MANY.len(), |cap| cap.min(MANY.len()))
}

async fn of_many(
    driver: &Driver<'_>,
    script: Result<Script, ScriptError>,
) -> Result<super::runs::Started, engine::Halt> {
    load(driver, script)?;
    let agent = need_operations(driver, &json!([operation(KEY, LIMIT_MS)])).await?;
    start(driver, "start", &agent).await
}

/// The model holds every answer until all have asked. Calls that do not all run at once never meet, and end
/// at their limit.
async fn eight_that_wait_for_each_other(driver: &Driver<'_>) -> Drove {
    let count = at_once(driver);
    let calls = &MANY[..count];
    let held = |((_, _, task), name): (&Asked<'_>, &&str)| {
        let arrivals = u32::try_from(count).unwrap_or(u32::MAX);
        Turn::new(*name, finish(name))
            .when(scratch(task))
            .hold("all")
            .after_arrivals(arrivals)
            .stream(taking(100))
    };
    let turns = calls.iter().zip(&TURNS).map(held).collect();
    driver.fact("calls", json!(count));
    let started = of_many(driver, batch(calls, turns)).await?;
    to_the_end(driver, &started).await
}

fn all_run_at_once(recording: &Recording, _: &Spec) -> Judged {
    let message = "the operations of a large batch did not all run at the same time";
    let count = recording.fact("calls")?.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let turns = &TURNS[..count.min(TURNS.len())];
    let shown = || timeline(recording, turns);
    let mut witnesses = Vec::new();
    let (mut last_arrival, mut first_answer) = (0, u64::MAX);
    for turn in turns {
        let (seen, asked) =
            must_ask(recording, turn, message).map_err(|verdict| showing(verdict, shown()))?;
        if outcome(asked) != "answered" {
            let expected = format!("all {count} scratch loops waiting for the model together");
            let got = format!("`{turn}` waited in vain: {}", outcome(asked));
            return Err(at(&seen, message, expected, got).showing(shown()).into());
        }
        last_arrival = last_arrival.max(asked.arrived_ms);
        first_answer = first_answer.min(asked.answered_ms.unwrap_or(0));
        witnesses.push(seen.witness());
    }
    let run = recording.one("run")?;
    if last_arrival > first_answer {
        return Err(at(&run, message, "every request before the first answer", "a later one")
            .showing(shown())
            .into());
    }
    witnesses.extend(ends_completed(recording, &MANY[..turns.len()], message)?);
    Ok(Witness::all(witnesses).unwrap_or_else(|| run.witness()).showing(shown()))
}

/// A red verdict with who was at work when.
fn showing(verdict: recording::Verdict, timeline: recording::Timeline) -> recording::Verdict {
    match verdict {
        recording::Verdict::Fail(finding) => finding.showing(timeline).into(),
        verdict => verdict,
    }
}

/// The events of `calls`, each of which has to have completed.
fn ends_completed(
    recording: &Recording,
    calls: &[Asked<'_>],
    message: &str,
) -> Result<Vec<Witness>, recording::Verdict> {
    let run = recording.one("run")?;
    let (told_at, told) = must_ask(recording, "parent-2", "the run did not go on after its operations")?;
    let mut witnesses = vec![told_at.witness()];
    for ((call, _, _), name) in calls.iter().zip(TURNS) {
        let life = lifecycle(recording, call);
        let completed = life.end().is_some_and(|end| Ending::of(&end) == Ending::Completed);
        if !completed || value(told, call) != Some(json!({"answer": name})) {
            let kinds: Vec<&str> = life.ends.iter().map(|end| end.kind()).collect();
            let got = format!("{kinds:?}, {:?}", value(told, call));
            return Err(at(&run, message, format!("`{call}` completed with `{name}`"), got).into());
        }
        witnesses.extend(life.witness());
    }
    Ok(witnesses)
}

/// The first call is the slow one. It is let go when the others have made their last request.
async fn one_slow_of_many(driver: &Driver<'_>) -> Drove {
    let calls = &MANY[..at_once(driver).min(4)];
    let slow = Turn::new("one", finish("one")).when(scratch(calls[0].2)).hold("slow").stream(taking(200));
    let fast = calls.iter().zip(TURNS).skip(1).flat_map(|((_, _, task), name)| {
        let reads = Turn::new(format!("{name}-reads"), read(name, &["a.txt"]));
        let result = format!("{name}_0");
        [
            reads.when(scratch(task).no_tool_results()).stream(taking(50)),
            Turn::new(name, finish(name))
                .when(scratch(task).tool_result_for(result))
                .hold("fast")
                .stream(taking(50)),
        ]
    });
    let turns = [slow].into_iter().chain(fast).collect();
    driver.fact("calls", json!(calls.len()));
    let started = of_many(driver, batch(calls, turns)).await?;
    until_held(driver, "fast", calls.len() - 1).await?;
    driver.model()?.release(driver.token(), "fast");
    driver.model()?.release(driver.token(), "slow");
    to_the_end(driver, &started).await
}

fn the_fast_ones_do_not_wait(recording: &Recording, _: &Spec) -> Judged {
    let message = "the fast operations of a batch waited for the slow one";
    let count = recording.fact("calls")?.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let turns = &TURNS[..count.min(TURNS.len())];
    let shown = || timeline(recording, turns);
    let (slow_at, slow) = must_ask(recording, "one", "a scratch loop did not begin")?;
    let mut witnesses = vec![slow_at.witness()];
    for turn in &turns[1..] {
        let (seen, asked) =
            must_ask(recording, turn, message).map_err(|verdict| showing(verdict, shown()))?;
        if asked.arrived_ms > slow.answered_ms.unwrap_or(0) || outcome(asked) != "answered" {
            let expected = "its last request while the slow one was at work";
            return Err(at(&seen, message, expected, format!("`{turn}` came later")).showing(shown()).into());
        }
        witnesses.push(seen.witness());
    }
    witnesses.extend(ends_completed(recording, &MANY[..turns.len()], message)?);
    Ok(Witness::all(witnesses).unwrap_or_else(|| slow_at.witness()).showing(shown()))
}

/// The second call gives up while the others wait, and they are let go only after its loop has ended.
async fn one_failing_of_many(driver: &Driver<'_>) -> Drove {
    let calls = &MANY[..at_once(driver).min(4)];
    let turn = |((_, _, task), name): (&Asked<'_>, &str)| match name {
        "two" => Turn::new("two", give_up("no")).when(scratch(task)),
        name => Turn::new(name, finish(name)).when(scratch(task)).hold("others"),
    };
    driver.fact("calls", json!(calls.len()));
    let turns = calls.iter().zip(TURNS).map(turn).collect();
    let started = of_many(driver, batch(calls, turns)).await?;
    until_held(driver, "others", calls.len() - 1).await?;
    // Where ends are told one by one, the others go on only when the failure has been told.
    let mut watch = Watch::of(driver, &started);
    watch.until(std::time::Duration::from_millis(500), |seen| seen.ended.contains_key("call_2")).await;
    driver.model()?.release(driver.token(), "others");
    watch.settle("run").await;
    record_requests(driver).await
}

fn the_others_complete(recording: &Recording, _: &Spec) -> Judged {
    let message = "one call of a batch that failed took others with it";
    let count = recording.fact("calls")?.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let turns = &TURNS[..count.min(TURNS.len())];
    let shown = || timeline(recording, turns);
    let (seen, told) = must_ask(recording, "parent-2", "the run did not go on after its operations")?;
    let failed = lifecycle(recording, "call_2");
    let has_failed = failed.end().is_some_and(|end| Ending::of(&end) == Ending::Failed);
    if !has_failed || value(told, "call_2").is_some_and(|result| result.get("answer").is_some()) {
        let got = failed.ends.iter().map(|end| end.kind()).collect::<Vec<_>>();
        let setup = "a call that gave up did not fail by itself";
        return Err(at(&seen, setup, "`call_2` failed", format!("{got:?}")).into());
    }
    let mut witness = seen.witness().and(failed.witness().unwrap_or_else(|| seen.witness()));
    for (at_place, (call, _, _)) in MANY[..turns.len()].iter().enumerate().filter(|(place, _)| *place != 1) {
        let life = lifecycle(recording, call);
        let completed = life.end().is_some_and(|end| Ending::of(&end) == Ending::Completed);
        if !completed || value(told, call) != Some(json!({"answer": TURNS[at_place]})) {
            let got = life.ends.iter().map(|end| end.kind()).collect::<Vec<_>>();
            return Err(at(&seen, message, format!("`{call}` completed"), format!("{got:?}"))
                .showing(shown())
                .into());
        }
        witness = witness.and(life.witness().unwrap_or_else(|| seen.witness()));
    }
    Ok(witness.showing(shown()))
}

const ONE: [Asked<'_>; 1] = [("call_op", KEY, "task-beside-a-tool")];
/// A file that is not there: what `read` says of it is the vendor's affair, and the same every time.
const MISSING: &str = "not-there.txt";

/// The parent reads a file alone, and then the same file in one batch with an operation.
async fn an_operation_and_a_tool(driver: &Driver<'_>) -> Drove {
    let both = ask(&ONE).call(ToolCall::new("read_beside", "read", json!({"path": MISSING})));
    let turns = [
        Turn::new("parent-alone", read("alone", &[MISSING])).when(parent().no_tool_results()),
        Turn::new("parent-1", both).when(parent().tool_result_for("alone_0")),
        Turn::new("parent-2", Answer::new().text("Done."))
            .when(parent().tool_result_for("read_beside").tool_result_for(ONE[0].0)),
        Turn::new("scratch-1", finish("one")).when(scratch(ONE[0].2)),
    ];
    play(driver, &ONE, Script::new("a tool beside", turns)).await
}

fn both_outcomes_are_there(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool beside an operation in one batch has not the outcome that it has alone";
    let (begun, alone) = must_ask(recording, "parent-1", "the run did not go on after a tool")?;
    let (seen, told) = must_ask(recording, "parent-2", "the run did not go on after its batch")?;
    let (before, beside) = (results(alone, "alone_0"), results(told, "read_beside"));
    if before.is_empty() || before != beside {
        return Err(at(&seen, message, format!("{before:?}"), format!("{beside:?}")).into());
    }
    if value(told, ONE[0].0) != Some(json!({"answer": "one"})) {
        let got = format!("{:?}", value(told, ONE[0].0));
        return Err(at(&seen, message, "the result of the operation too", got).into());
    }
    let life = lifecycle(recording, ONE[0].0);
    match life.end().filter(|end| Ending::of(end) == Ending::Completed) {
        Some(end) => Ok(begun.witness().and(seen.witness()).and(end.seen.witness())),
        None => Err(at(&seen, message, "a completed event for the operation", "none, or another").into()),
    }
}

const BATCHED: [&str; 3] = ["three_0", "three_1", "three_2"];

/// A scratch loop reads a file alone, and then the same file three times in one turn.
async fn three_tools_in_one_scratch_turn(driver: &Driver<'_>) -> Drove {
    let task = ONE[0].2;
    let all = BATCHED.iter().fold(scratch(task), |when, call| when.tool_result_for(*call));
    let turns = vec![
        Turn::new("scratch-1", read("alone", &[MISSING])).when(scratch(task).no_tool_results()),
        Turn::new("scratch-2", read("three", &[MISSING; 3])).when(scratch(task).tool_result_for("alone_0")),
        Turn::new("scratch-3", finish("one")).when(all),
    ];
    play(driver, &ONE, batch(&ONE, turns)).await
}

fn each_tool_is_answered_and_told(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool of a batch inside an operation has not the outcome that it has alone";
    let (begun, alone) = must_ask(recording, "scratch-2", "the scratch loop did not reach its second turn")?;
    let (seen, told) = must_ask(recording, "scratch-3", "the scratch loop did not reach its third turn")?;
    let expected = results(alone, "alone_0");
    for call in BATCHED {
        let got = results(told, call);
        if expected.len() != 1 || got != expected {
            return Err(at(&seen, message, format!("{expected:?} for `{call}`"), format!("{got:?}")).into());
        }
    }
    let order = order_of_results(told);
    if order != BATCHED {
        let expected = format!("{BATCHED:?} in this order");
        return Err(at(&seen, message, expected, format!("{order:?}")).into());
    }
    let life = lifecycle(recording, ONE[0].0);
    let steps: Vec<u64> = life
        .steps
        .iter()
        .filter(|step| step.text("toolName") == "read")
        .filter_map(|step| step.payload()["stepIndex"].as_u64())
        .collect();
    // The model turn, the tool, the model turn and the batch: the batch is numbered from 3 on.
    if steps != [1, 3, 4, 5] {
        let told = "the steps of a batch inside an operation are not numbered in the order of its calls";
        return Err(at(&seen, told, "steps 1, 3, 4 and 5 of `read`", format!("{steps:?}")).into());
    }
    Ok(begun.witness().and(seen.witness()).and(life.witness().unwrap_or_else(|| seen.witness())))
}

/// The calls whose results are the news of a request, in their order there.
fn order_of_results(turn: &recording::ModelTurn) -> Vec<&str> {
    let messages = turn.request.get("messages").and_then(Value::as_array);
    let ids = messages.into_iter().flatten().filter_map(|message| message.get("tool_call_id")?.as_str());
    ids.filter(|id| BATCHED.contains(id)).collect()
}
