//! What comes one after the other although much happens at once (OAO-14, 15).

use engine::{Driver, Drove};
use model::{Answer, Script, Turn};
use recording::{Judged, Recording, View};
use serde_json::json;
use spec::Spec;

use super::{
    batch::{Asked, ask, batch, finish, parent, read, scratch, taking, told},
    events::play,
    lifecycle::{lifecycle, lifecycles, timeline},
    runs::{asked, at, must_ask, value},
};
use crate::table::checks;

checks! { Oao:
    "OAO-14-a" => one_turn_after_the_other, the_second_waits_for_the_first;
    "OAO-15-a" => two_loops_in_lockstep, each_loop_keeps_its_order;
}

const PAIR: [Asked<'_>; 2] = [("call_a", "first_half", "task-of-a"), ("call_b", "second_half", "task-of-b")];

async fn one_turn_after_the_other(driver: &Driver<'_>) -> Drove {
    let turns = [
        Turn::new("parent-1", ask(&PAIR[..1])).when(parent().no_tool_results()),
        Turn::new("parent-2", ask(&PAIR[1..])).when(told(parent(), &PAIR[..1])),
        Turn::new("parent-3", Answer::new().text("Done.")).when(told(parent(), &PAIR[1..])),
        Turn::new("scratch-a", finish("a")).when(scratch(PAIR[0].2)).stream(taking(100)),
        Turn::new("scratch-b", finish("b")).when(scratch(PAIR[1].2)).stream(taking(100)),
    ];
    play(driver, &PAIR, Script::new("two turns", turns)).await
}

fn the_second_waits_for_the_first(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation began before the parent's turn had asked for it";
    let shown = || timeline(recording, &["parent-1", "scratch-a", "parent-2", "scratch-b"]);
    let (first, told) = must_ask(recording, "parent-2", "the run did not go on after its first operation")?;
    let (last, ended) = must_ask(recording, "parent-3", "the run did not go on after its second operation")?;
    let results = (value(told, "call_a"), value(ended, "call_b"));
    if results != (Some(json!({"answer": "a"})), Some(json!({"answer": "b"}))) {
        let setup = "a call did not get the result of its own task";
        return Err(at(&last, setup, "the answers `a` and `b`", format!("{results:?}")).into());
    }
    let end = lifecycle(recording, "call_a").end();
    let Some(end) = end else {
        return Err(at(&first, message, "a terminal event for `call_a`", "none, or several").into());
    };
    let mut witness = first.witness().and(last.witness()).and(end.seen.witness());
    let mut seconds = 0;
    for life in lifecycles(recording) {
        for started in life.started.iter().filter(|event| event.text("operationKey") == PAIR[1].1) {
            seconds += 1;
            witness = witness.and(started.seen.witness());
            if !end.is_before(started) {
                let expected = "the second started event after the first terminal one";
                let finding = at(&started.seen, message, expected, format!("`{}` started before", life.call));
                return Err(finding.showing(shown()).into());
            }
        }
    }
    let early = asked(recording, "scratch-b").is_none_or(|(_, asked)| asked.arrived_ms < told.arrived_ms);
    if seconds != 1 || early {
        let got = format!("{seconds} started events, request early: {early}");
        return Err(at(&last, message, "one start, after the parent had asked", got).showing(shown()).into());
    }
    Ok(witness.showing(shown()))
}

/// The turns of the two loops; turn k of one is answered once turn k of the other has been asked for.
const LOOPS: [(&str, [&str; 3], [&str; 2]); 2] = [
    ("task-of-a", ["a-1", "a-2", "a-3"], ["a_read_0", "a_look_0"]),
    ("task-of-b", ["b-1", "b-2", "b-3"], ["b_read_0", "b_look_0"]),
];

async fn two_loops_in_lockstep(driver: &Driver<'_>) -> Drove {
    let of = |(task, turns, calls): &(&'static str, [&'static str; 3], [&'static str; 2])| {
        let name = &turns[0][..1];
        let meet = |turn: Turn, gate: &str| turn.hold(gate).after_arrivals(2).stream(taking(50));
        [
            meet(
                Turn::new(turns[0], read(&format!("{name}_read"), &["one.txt"]))
                    .when(scratch(task).no_tool_results()),
                "first",
            ),
            meet(
                Turn::new(turns[1], read(&format!("{name}_look"), &["two.txt"]))
                    .when(scratch(task).tool_result_for(calls[0])),
                "second",
            ),
            meet(Turn::new(turns[2], finish(name)).when(scratch(task).tool_result_for(calls[1])), "third"),
        ]
    };
    play(driver, &PAIR, batch(&PAIR, LOOPS.iter().flat_map(of).collect())).await
}

/// A request tells its loop by the task. It holds what its own loop asked for and nothing of the other one,
/// and it comes when the answer before it was there.
fn each_loop_keeps_its_order(recording: &Recording, _: &Spec) -> Judged {
    let message = "the turns of a loop were not kept in their own sequence";
    let shown = || timeline(recording, &["a-1", "b-1", "a-2", "b-2", "a-3", "b-3"]);
    let mut witness = recording.one("run")?.witness();
    for ((task, _, _), (_, _, foreign)) in LOOPS.iter().zip(LOOPS.iter().rev()) {
        for (seen, asked) in recording.model_turns() {
            let body = asked.journal["body"].as_str().unwrap_or_default();
            if !body.contains(task) || body.contains(super::runs::BEGIN) {
                continue;
            }
            if let Some(call) = foreign.iter().find(|call| body.contains(**call)) {
                let expected = format!("nothing of `{call}` in the loop of {task}");
                return Err(at(&seen, message, expected, "a result of the other loop")
                    .showing(shown())
                    .into());
            }
        }
    }
    for (_, turns, _) in LOOPS {
        let mut before = 0;
        for turn in turns {
            let (seen, asked) = must_ask(recording, turn, "a scratch loop did not reach its last turn")?;
            if asked.arrived_ms < before {
                let expected = format!("`{turn}` asked for after the answer before it");
                return Err(at(&seen, message, expected, "earlier").showing(shown()).into());
            }
            before = asked.answered_ms.unwrap_or(u64::MAX);
            witness = witness.and(seen.witness());
        }
    }
    let (seen, told) = must_ask(recording, "parent-2", "the run did not go on after its operations")?;
    for (call, answer) in [("call_a", "a"), ("call_b", "b")] {
        let got = value(told, call);
        if got != Some(json!({"answer": answer})) {
            let message = "a call did not get the result of its own task";
            return Err(at(&seen, message, format!("`{answer}` for `{call}`"), format!("{got:?}")).into());
        }
    }
    Ok(witness.and(seen.witness()).showing(shown()))
}
