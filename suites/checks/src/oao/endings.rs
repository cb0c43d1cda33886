//! How an invocation ends (OAO-25, 34, 35).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, ScriptError, Turn};
use recording::{Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::need_agent,
    batch::{Asked, ask, batch, finish, give_up, parent, read, scratch, taking, told},
    lifecycle::{Ending, lifecycle, outcome, timeline},
    runs::{
        Started, asked, at, load, must_ask, need_operations, operation, readable, start, start_saying, value,
    },
    watch::{Watch, let_go, record_requests, to_the_end, until_held},
};
use crate::table::checks;

checks! { Oao:
    "OAO-25-a" => four_endings, one_terminal_event_each;
    "OAO-25-b" => four_endings, nothing_follows_the_end;
    "OAO-34-a" => a_run_with_two_seconds, its_deadline_ends_the_operation;
    "OAO-34-b" => a_model_slower_than_the_limit, its_limit_ends_the_operation;
    "OAO-35-a" => cancelled_during_a_batch, both_are_cancelled;
    "OAO-35-b" => cancelled_between_operations, what_had_completed_stays;
}

/// A short limit, off the bound that publication has.
const SHORT_MS: u64 = 1_100;
/// A limit that no check waits for.
const LONG_MS: u64 = 290_000;
/// What is left to the run whose deadline is under test.
const RUN_MS: u64 = 2_000;
/// How much later than its limit something may end.
const GRACE_MS: u64 = 3_000;
/// An answer of the model that takes much longer than limit and grace together.
const SLOW_MS: u32 = 8_000;
/// Claimed by a target whose timeouts are always of the kind for timeouts (D1).
const STRICT: &str = "strict_timeout_kind";
/// What the user says to the run that is cancelled.
const SECOND: &str = "begin-second-part";

/// The calls of [`four_endings`] and how each ends.
pub(super) const ENDINGS: [(&str, Ending); 4] = [
    ("call_done", Ending::Completed),
    ("call_fail", Ending::Failed),
    ("call_slow", Ending::Stopped),
    ("call_held", Ending::Stopped),
];
const FIRST: [Asked<'_>; 3] = [
    ("call_done", "short_op", "task-that-is-done"),
    ("call_fail", "short_op", "task-that-fails"),
    ("call_slow", "short_op", "task-that-is-slow"),
];
const HELD: Asked<'_> = ("call_held", "long_op", "task-that-is-held");
/// Scripted turns that a loop asks for only if it goes on after its end.
const AFTER: [&str; 4] = ["done-after", "fail-after", "slow-after", "held-after"];

/// Four calls with four endings. After each the model would go on, so a loop that does is seen.
fn endings_script() -> Result<Script, ScriptError> {
    let second = || Conditions::new().user_contains(SECOND);
    let after = |turn: Turn, task: &str, call: &str| {
        let more = Turn::new(turn.id.replace("-1", "-after"), read("more", &["more.txt"]));
        [turn.when(scratch(task).no_tool_results()), more.when(scratch(task).tool_result_for(call)).repeat()]
    };
    let pairs = [
        after(Turn::new("done-1", finish("done")), FIRST[0].2, "finish_done"),
        after(Turn::new("fail-1", give_up("no")), FIRST[1].2, "no"),
        after(Turn::new("slow-1", read("slow", &["slow.txt"])).hold("slow"), FIRST[2].2, "slow_0"),
        after(Turn::new("held-1", read("held", &["held.txt"])).hold("held"), HELD.2, "held_0"),
    ];
    // The parent takes its time, so that the run is there while the loops are listened to.
    let slowly = taking(1_000);
    let parents = [
        Turn::new("parent-1", ask(&FIRST)).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(told(parent(), &FIRST)).stream(slowly),
        Turn::new("second-1", ask(&[HELD])).when(second().no_tool_results()),
        Turn::new("second-2", Answer::new().text("Done.")).when(told(second(), &[HELD])),
    ];
    Script::new("four endings", parents.into_iter().chain(pairs.into_iter().flatten()))
}

/// Run one completes a call, lets one give up and lets one run into its limit; run two is cancelled while its
/// call is at work. The answers that the two aborted loops waited for are let go after they have ended.
pub(super) async fn four_endings(driver: &Driver<'_>) -> Drove {
    load(driver, endings_script())?;
    let operations = json!([operation("short_op", SHORT_MS), operation("long_op", LONG_MS)]);
    let agent = need_operations(driver, &operations).await?;
    let first = start(driver, "start", &agent).await?;
    let mut watch = Watch::of(driver, &first);
    watch.until_ended(&["call_done", "call_fail", "call_slow"]).await;
    let_go(driver, "slow").await?;
    watch.settle("run").await;
    let second = start_saying(driver, "start", &agent, SECOND, None).await?;
    cancel_when_held(driver, &second, "held", 1, "run: second").await?;
    let_go(driver, "held").await?;
    record_requests(driver).await
}

/// Cancels the run once `count` requests are held at `gate`, and records it as `label` when it is over.
async fn cancel_when_held(
    driver: &Driver<'_>,
    started: &Started,
    gate: &str,
    count: usize,
    label: &str,
) -> Drove {
    until_held(driver, gate, count).await?;
    let watch = Watch::of(driver, started);
    watch.cancel().await;
    watch.settle(label).await;
    Ok(())
}

/// The terminal event of `call`; a finding where there is not exactly one, or where it is of another kind
/// than `ending`.
pub(super) fn must_end(
    recording: &Recording,
    call: &str,
    ending: Ending,
) -> Result<Witness, recording::Verdict> {
    let life = lifecycle(recording, call);
    let run = recording.one(if call == "call_held" { "run: second" } else { "run" })?;
    let kinds: Vec<&str> = life.ends.iter().map(|end| end.kind()).collect();
    let Some(end) = life.end() else {
        let message = "an invocation does not have exactly one terminal event";
        return Err(at(&run, message, format!("one for `{call}`"), format!("{kinds:?}")).into());
    };
    let validated = &end.payload()["resultValidated"];
    let is_right = Ending::of(&end) == ending && validated.as_bool() == Some(ending == Ending::Completed);
    if !is_right {
        let message = "an invocation ended with a terminal event of another kind";
        let words = match ending {
            Ending::Completed => "completed, `resultValidated` true",
            Ending::Failed => "failed, `resultValidated` false",
            Ending::Stopped => "timed out or cancelled, `resultValidated` false",
        };
        let got = format!("{}, `resultValidated` {validated}", end.kind());
        return Err(at(&end.seen, message, format!("`{call}` {words}"), got).into());
    }
    Ok(end.seen.witness().and(run.witness()))
}

fn one_terminal_event_each(recording: &Recording, _: &Spec) -> Judged {
    let mut witness = recording.one("start")?.witness();
    for (call, ending) in ENDINGS {
        witness = witness.and(must_end(recording, call, ending)?);
    }
    // That the run went on is what tells the end of a limit from that of a run (D1).
    let (seen, _) = must_ask(recording, "parent-2", "a run did not go on after a call had timed out")?;
    if recording.target.claims.contains(STRICT)
        && let Some(end) = lifecycle(recording, "call_slow").end()
        && end.kind() != "harness.operation_timed_out"
    {
        let message = "a timeout is not of the kind that the target claims for it";
        return Err(at(&end.seen, message, "harness.operation_timed_out", end.kind()).into());
    }
    Ok(noting_kind(recording, witness.and(seen.witness())))
}

/// Says which of the accepted kinds the end of a limit has.
fn noting_kind(recording: &Recording, witness: Witness) -> Witness {
    match lifecycle(recording, "call_slow").end() {
        Some(end) => witness.noting(format!("D1: the end of an operation's own limit is a {}", end.kind())),
        None => witness,
    }
}

/// What was let go came after the end, so a request that builds on it shows a loop that went on.
fn nothing_follows_the_end(recording: &Recording, _: &Spec) -> Judged {
    let message = "a loop went on after its terminal event";
    let mut witnesses = Vec::new();
    for ((call, _), first) in ENDINGS.iter().zip(["done-1", "fail-1", "slow-1", "held-1"]) {
        let (seen, _) = must_ask(recording, first, "a scratch loop did not begin")?;
        let life = lifecycle(recording, call);
        let Some(end) = life.ends.first() else {
            let missing = "an invocation does not have exactly one terminal event";
            return Err(at(&seen, missing, format!("one for `{call}`"), "none").into());
        };
        if let Some(late) = life.steps.iter().find(|step| end.is_before(step)) {
            return Err(at(&late.seen, message, format!("no step of `{call}` after its end"), "one").into());
        }
        witnesses.extend([seen.witness(), end.seen.witness()]);
    }
    for turn in AFTER {
        if let Some((seen, _)) = asked(recording, turn) {
            return Err(at(&seen, message, "no further model request", format!("`{turn}`")).into());
        }
    }
    Ok(Witness::all(witnesses).unwrap_or(recording.one("run")?.witness()))
}

const ONE: [Asked<'_>; 1] = [("call_one", "only_op", "task-of-the-one")];
const PAIR: [Asked<'_>; 2] = [("call_a", "first_half", "task-of-a"), ("call_b", "second_half", "task-of-b")];

async fn a_run_with_two_seconds(driver: &Driver<'_>) -> Drove {
    let held = Turn::new("scratch-1", finish("late")).when(scratch(ONE[0].2)).hold("for-ever");
    load(driver, batch(&ONE, vec![held]))?;
    let mut config = readable(driver, &json!([operation("only_op", LONG_MS)]));
    config["limits"]["timeoutMs"] = json!(RUN_MS);
    let agent = need_agent(driver, "publish", &config, "publish an agent whose runs have 2 s").await?;
    let started = start(driver, "start", &agent).await?;
    to_the_end(driver, &started).await
}

/// What the request of a scratch turn has to be once its loop was aborted: dropped by the target, `within_ms`
/// after `since_ms` on the suite's clock at the latest.
pub(super) fn must_drop<'a>(
    view: &'a impl View,
    turn: &str,
    (since_ms, within_ms): (u64, u64),
    message: &str,
) -> Result<Seen<'a>, recording::Verdict> {
    let (seen, request) = must_ask(view, turn, "a scratch loop did not begin")?;
    let dropped = outcome(request) == "dropped";
    let ended_ms = request.answered_ms.unwrap_or(u64::MAX);
    if !dropped || ended_ms.saturating_sub(since_ms) > within_ms {
        let expected = format!("the model request `{turn}` dropped by the target within {within_ms} ms");
        let when = request
            .answered_ms
            .map_or_else(|| "never".to_owned(), |at| format!("{} ms later", at.saturating_sub(since_ms)));
        let got = format!("{}, over {when}", outcome(request));
        let turns: Vec<&str> =
            view.model_turns().iter().filter_map(|(_, each)| each.turn.as_deref()).collect();
        return Err(at(&seen, message, expected, got).showing(timeline(view, &turns)).into());
    }
    Ok(seen)
}

fn its_deadline_ends_the_operation(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation outlived the deadline of its run";
    let (begun, parent) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    let seen = must_drop(recording, "scratch-1", (parent.arrived_ms, RUN_MS + GRACE_MS), message)?;
    let run = must_be(recording, "timed_out", "a run did not time out at its deadline")?;
    let end = must_stop(recording, "call_one")?;
    Ok(begun.witness().and(seen.witness()).and(run.witness()).and(end))
}

/// The run, which has to be in `state`.
fn must_be<'a>(recording: &'a Recording, state: &str, message: &str) -> Result<Seen<'a>, recording::Verdict> {
    let run = recording.one("run")?;
    match run.json()?["state"].as_str() {
        Some(got) if got == state => Ok(run),
        got => Err(at(&run, message, format!("state {state}"), format!("{got:?}")).into()),
    }
}

/// The one terminal event of `call`, which neither says that it completed nor that it failed.
fn must_stop(recording: &Recording, call: &str) -> Judged {
    let message =
        "the terminal event of an operation that was called off is missing, doubled or of another kind";
    let life = lifecycle(recording, call);
    let run = recording.one("run")?;
    match life.end().filter(|end| Ending::of(end) == Ending::Stopped) {
        Some(end) if end.payload()["resultValidated"] == false => Ok(end.seen.witness()),
        _ => {
            let kinds: Vec<&str> = life.ends.iter().map(|end| end.kind()).collect();
            let expected = format!("`{call}` ended once, cancelled or timed out, `resultValidated` false");
            Err(at(&run, message, expected, format!("{kinds:?}")).into())
        }
    }
}

async fn a_model_slower_than_the_limit(driver: &Driver<'_>) -> Drove {
    let slow = Turn::new("scratch-1", finish("late")).when(scratch(ONE[0].2)).stream(taking(SLOW_MS));
    load(driver, batch(&ONE, vec![slow]))?;
    let agent = need_operations(driver, &json!([operation("only_op", SHORT_MS)])).await?;
    let started = start(driver, "start", &agent).await?;
    to_the_end(driver, &started).await
}

fn its_limit_ends_the_operation(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation went on beyond its own limit";
    let (begun, request) = must_ask(recording, "scratch-1", "a scratch loop did not begin")?;
    let (seen, after) = must_ask(recording, "parent-2", "a run did not go on after a call had timed out")?;
    let took = after.arrived_ms.saturating_sub(request.arrived_ms);
    if took > SHORT_MS + GRACE_MS {
        let expected = format!("the parent told within {} ms", SHORT_MS + GRACE_MS);
        let finding = at(&seen, message, expected, format!("told after {took} ms"));
        return Err(finding.showing(timeline(recording, &["scratch-1", "parent-2"])).into());
    }
    if value(after, "call_one").is_some_and(|result| result.get("answer").is_some()) {
        return Err(at(&seen, message, "an error for `call_one`", "a result").into());
    }
    Ok(begun.witness().and(seen.witness()).and(must_stop(recording, "call_one")?))
}

async fn cancelled_during_a_batch(driver: &Driver<'_>) -> Drove {
    let held = |id: &str, task: &str, answer: &str| {
        Turn::new(id, finish(answer)).when(scratch(task)).hold("for-ever")
    };
    let turns = vec![held("scratch-a", PAIR[0].2, "a"), held("scratch-b", PAIR[1].2, "b")];
    load(driver, batch(&PAIR, turns))?;
    let operations: Value = PAIR.iter().map(|(_, key, _)| operation(key, LONG_MS)).collect();
    let agent = need_operations(driver, &operations).await?;
    let started = start(driver, "start", &agent).await?;
    cancel_when_held(driver, &started, "for-ever", 2, "run").await?;
    record_requests(driver).await
}

fn both_are_cancelled(recording: &Recording, _: &Spec) -> Judged {
    let message = "cancelling the run did not cancel the operations at work in it";
    let cancel = recording.one("cancel")?;
    if !cancel.is_success() {
        return Err(cancel.finding("a run could not be cancelled", "a 2xx answer").into());
    }
    let mut witness = cancel.witness();
    for turn in ["scratch-a", "scratch-b"] {
        witness = witness.and(must_drop(recording, turn, (cancel.at_ms(), GRACE_MS), message)?.witness());
    }
    for (call, _, _) in PAIR {
        witness = witness.and(must_stop(recording, call)?);
    }
    if let Some((seen, _)) = asked(recording, "parent-2") {
        return Err(at(&seen, message, "no result for the parent", "a further parent turn").into());
    }
    let run = must_be(recording, "cancelled", "a run that was cancelled has another state")?;
    Ok(witness.and(run.witness()).showing(timeline(recording, &["scratch-a", "scratch-b"])))
}

/// The parent is about to ask for the second operation when the run is cancelled.
async fn cancelled_between_operations(driver: &Driver<'_>) -> Drove {
    let turns = [
        Turn::new("parent-1", ask(&PAIR[..1])).when(parent().no_tool_results()),
        Turn::new("parent-2", ask(&PAIR[1..])).when(told(parent(), &PAIR[..1])).hold("for-ever"),
        Turn::new("scratch-a", finish("a")).when(scratch(PAIR[0].2)),
    ];
    load(driver, Script::new("one after the other", turns))?;
    let operations: Value = PAIR.iter().map(|(_, key, _)| operation(key, LONG_MS)).collect();
    let agent = need_operations(driver, &operations).await?;
    let started = start(driver, "start", &agent).await?;
    cancel_when_held(driver, &started, "for-ever", 1, "run").await?;
    record_requests(driver).await
}

fn what_had_completed_stays(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation that had completed lost its outcome when the run was cancelled";
    let (seen, told) = must_ask(recording, "parent-2", "the run did not go on after its first operation")?;
    if value(told, "call_a") != Some(json!({"answer": "a"})) {
        let setup = "a call of a batch did not get the result of its own task";
        return Err(at(&seen, setup, "{\"answer\":\"a\"} for `call_a`", "something else").into());
    }
    let run = must_be(recording, "cancelled", "a run that was cancelled has another state")?;
    let life = lifecycle(recording, "call_a");
    let kinds: Vec<&str> = life.ends.iter().map(|end| end.kind()).collect();
    match life.ends.as_slice() {
        [end] if Ending::of(end) == Ending::Completed => {
            Ok(seen.witness().and(run.witness()).and(end.seen.witness()))
        }
        _ => Err(at(&run, message, "`call_a` completed, and nothing else", format!("{kinds:?}")).into()),
    }
}
