//! How a scratch loop comes to its end, and what is left of it (OAO-283 to 286).

use engine::{Driver, Drove};
use model::{Answer, Script, ToolCall, Turn};
use recording::{Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    roomy,
    runs::{at, events_of, load, must_ask, operation, readable, value},
    scripted::{
        CALL, NoResult, TASK, TOLD, begin, both, calling, giving_up, parent, play, play_one, scratch, script,
        terminal,
    },
};
use crate::table::checks;

checks! { Oao:
    "OAO-283-a" => refused_then_corrected, the_refusal_is_shown;
    "OAO-284-a" => it_gives_up, it_failed;
    "OAO-284-b" => finish_before_give_up, it_completed;
    "OAO-284-c" => give_up_before_finish, it_failed_all_the_same;
    "OAO-285-a" => words_then_a_finish, it_was_asked_again;
    "OAO-285-b" => words_only, it_came_to_an_end;
    "OAO-286-a" => one_operation_twice, the_second_begins_afresh;
}

const KEY: &str = "weigh_up";
const LIMIT_MS: u64 = 20_000;

fn finish(id: &str, answer: &str) -> ToolCall {
    ToolCall::new(id, "finish", json!({"answer": answer}))
}

fn give_up(id: &str) -> ToolCall {
    ToolCall::new(id, "give_up", json!({"reason": "nothing to be weighed"}))
}

async fn refused_then_corrected(driver: &Driver<'_>) -> Drove {
    let turns = [
        Turn::new("scratch-1", calling("finish_1", "finish", json!({"reply": "no such member"})))
            .when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", Answer::new().call(finish("finish_2", "fine")))
            .when(scratch(TASK).tool_result_for("finish_1")),
    ];
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

/// Whether `finish` is shown as a step at all is up to the target.
fn the_refusal_is_shown(recording: &Recording, _: &Spec) -> Judged {
    let (told, turn) = must_ask(recording, TOLD, "the operation did not complete")?;
    let result = value(turn, CALL);
    if result != Some(json!({"answer": "fine"})) {
        return Err(at(&told, "the operation did not complete", "its result", format!("{result:?}")).into());
    }
    if !matches!(terminal(recording, CALL), Some(("completed", ..))) {
        return Err(told.finding("the operation did not complete", "a completed event").into());
    }
    let steps = events_of(recording, "harness.operation_step");
    let own = steps.iter().filter(|(_, step)| {
        let payload = &step["publicPayload"];
        payload["harnessToolCallId"] == CALL && payload["toolName"] == "finish"
    });
    let own: Vec<_> = own.collect();
    let states: Vec<&Value> = own.iter().map(|(_, step)| &step["publicPayload"]["status"]).collect();
    match states.as_slice() {
        [] => Ok(told.witness().noting("`finish` is not shown as a step")),
        [first, .., last] if *first == "error" && *last == "success" => {
            Ok(own.iter().fold(told.witness(), |witness, (seen, _)| both(witness, *seen)))
        }
        _ => {
            let message = "a finish that was refused is not shown as an error";
            let expected = "a step with status error, and after it one with status success";
            Err(at(&own[0].0, message, expected, format!("{states:?}")).into())
        }
    }
}

async fn it_gives_up(driver: &Driver<'_>) -> Drove {
    let turns = [Turn::new("scratch-1", giving_up("no")).when(scratch(TASK))];
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

fn failed(recording: &Recording, message: &'static str) -> Judged {
    let words = NoResult { call: CALL, tried: "scratch-1", message, endings: &["failed"] };
    words.judge(recording, |value| value.get("answer").is_some())
}

fn it_failed(recording: &Recording, _: &Spec) -> Judged {
    failed(recording, "a call that gave up is not reported as failed")
}

async fn in_one_batch(driver: &Driver<'_>, calls: [ToolCall; 2]) -> Drove {
    let answer = calls.into_iter().fold(Answer::new(), Answer::call);
    play_one(driver, operation(KEY, LIMIT_MS), [Turn::new("scratch-1", answer).when(scratch(TASK))]).await
}

async fn finish_before_give_up(driver: &Driver<'_>) -> Drove {
    in_one_batch(driver, [finish("finish_1", "the first"), give_up("no")]).await
}

fn it_completed(recording: &Recording, _: &Spec) -> Judged {
    let message = "a finish did not win over the give_up after it";
    let (told, turn) = must_ask(recording, TOLD, message)?;
    let result = value(turn, CALL);
    match terminal(recording, CALL) {
        Some(("completed", seen, _)) if result == Some(json!({"answer": "the first"})) => {
            Ok(both(told.witness(), seen))
        }
        _ => Err(at(&told, message, "the result and a completed event", format!("{result:?}")).into()),
    }
}

async fn give_up_before_finish(driver: &Driver<'_>) -> Drove {
    in_one_batch(driver, [give_up("no"), finish("finish_1", "the second")]).await
}

fn it_failed_all_the_same(recording: &Recording, _: &Spec) -> Judged {
    failed(recording, "a give_up did not win over the finish after it")
}

async fn words_then_a_finish(driver: &Driver<'_>) -> Drove {
    let turns = [
        Turn::new("scratch-1", Answer::new().text("I have weighed it up.")).when(scratch(TASK)),
        Turn::new("scratch-2", Answer::new().call(finish("finish_1", "fine"))).when(scratch(TASK)),
    ];
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

fn it_was_asked_again(recording: &Recording, _: &Spec) -> Judged {
    let message = "a loop that answered in words was not asked again";
    let (first, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    let (again, _) = must_ask(recording, "scratch-2", message)?;
    let (told, turn) = must_ask(recording, TOLD, message)?;
    match value(turn, CALL) {
        Some(result) if result == json!({"answer": "fine"}) => Ok(both(both(first.witness(), again), told)),
        other => Err(at(&told, message, "the result of the second turn", format!("{other:?}")).into()),
    }
}

async fn words_only(driver: &Driver<'_>) -> Drove {
    let words =
        Turn::new("scratch-1", Answer::new().text("I am still weighing.")).when(scratch(TASK)).repeat();
    load(driver, script(&[(CALL, KEY, TASK)], [words]))?;
    let agent = roomy::need_agent(driver, readable(driver, &json!([operation(KEY, LIMIT_MS)]))).await?;
    begin(driver, &agent).await
}

/// A loop that ends by the budget of its run has not ended by itself.
const PROMPTS_MAX: usize = 240;

fn it_came_to_an_end(recording: &Recording, _: &Spec) -> Judged {
    let message = "a loop that never finishes was prompted without end";
    let (first, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    let prompts =
        recording.model_turns().iter().filter(|(_, turn)| turn.turn.as_deref() == Some("scratch-1")).count();
    let expected = format!("an end after at most {PROMPTS_MAX} of {} turns", roomy::TURNS_MAX);
    if prompts > PROMPTS_MAX {
        return Err(at(&first, message, expected, format!("{prompts} requests")).into());
    }
    match terminal(recording, CALL) {
        Some((_, seen, _)) => Ok(both(first.witness(), seen)),
        None => Err(recording.one("run")?.finding(message, expected).into()),
    }
}

/// Words of the first task, and what the first loop says; the second loop is told neither.
const FIRST: &str = "the-first-of-two-tasks";
const SAID: &str = "a-remark-of-the-first-loop";
const SECOND: &str = "the-other-task-of-two";

async fn one_operation_twice(driver: &Driver<'_>) -> Drove {
    let reads = Answer::new().text(SAID).call(ToolCall::new("read_1", "read", json!({"path": "a.txt"})));
    let turns = [
        Turn::new("parent-1", calling("call_1", KEY, json!({"task": FIRST})))
            .when(parent().no_tool_results()),
        Turn::new("parent-2", calling("call_2", KEY, json!({"task": SECOND})))
            .when(parent().tool_result_for("call_1")),
        Turn::new("parent-3", Answer::new().text("Done.")).when(parent().tool_result_for("call_2")),
        // The second loop is known by its own task, whatever else it was told.
        Turn::new("second", Answer::new().call(finish("finish_2", "two"))).when(scratch(SECOND)),
        Turn::new("first", reads).when(scratch(FIRST).no_tool_results()),
        Turn::new("first-ends", Answer::new().call(finish("finish_1", "one")))
            .when(scratch(FIRST).tool_result_for("read_1")),
    ];
    play(driver, &json!([operation(KEY, LIMIT_MS)]), Script::new("twice", turns)).await
}

fn the_second_begins_afresh(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation that was called twice did not run twice";
    let (last, turn) = must_ask(recording, "parent-3", message)?;
    if value(turn, "call_2") != Some(json!({"answer": "two"})) {
        return Err(last.finding(message, "the result of the second call").into());
    }
    let mut witness = last.witness();
    for call in ["call_1", "call_2"] {
        let started = events_of(recording, "harness.operation_started").into_iter();
        let own = started.filter(|(_, event)| event["publicPayload"]["toolCallId"] == call).count();
        match terminal(recording, call) {
            Some(("completed", seen, _)) if own == 1 => witness = Witness::and(witness, seen.witness()),
            _ => {
                let expected = format!("one started and one completed event for `{call}`");
                return Err(recording.one("run")?.finding(message, expected).into());
            }
        }
    }
    let (seen, turn) = must_ask(recording, "second", message)?;
    let conversation = turn.request["messages"].to_string();
    match [FIRST, SAID].into_iter().find(|known| conversation.contains(known)) {
        None => Ok(both(witness, seen)),
        Some(known) => {
            let message = "the second call of an operation knows the conversation of the first";
            Err(at(&seen, message, "a conversation with its own task only", format!("it holds `{known}`"))
                .into())
        }
    }
}
