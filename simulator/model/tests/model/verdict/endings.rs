//! Answers that end badly, and what clients make of them.

use std::time::Duration;

use model::Severity;
use serde_json::{Value, json};

use super::{
    ask, assistant, broken, call, calls, found, kept, playing, result, says, streamed, then, verdict,
};
use crate::client::{World, user};

const TEXT: &str = "The weather in Oslo is fine today, and warm.";

async fn spoiled(fault: Value) -> World {
    let turns = json!([
        {"id": "a", "when": {"no_tool_results": true}, "answer": {"text": TEXT}, "stream": {"piece_chars": 15},
         "faults": [fault]},
        {"id": "b", "answer": {"text": "b"}},
        {"id": "c", "answer": {"text": "c"}},
    ]);
    playing(turns).await
}

/// Every way in which a stream ends without its finish, and the text that came before.
fn ends() -> Vec<(Value, &'static str)> {
    // A role, three pieces of text, the finish, [DONE].
    let two = "The weather in Oslo is fine to";
    vec![
        (json!({"first": 1, "end_after": 3}), two),
        (json!({"first": 1, "cut_inside": 3}), two),
        (json!({"first": 1, "reset_after": 3}), two),
        (json!({"first": 1, "error_after": {"events": 3}}), two),
        (json!({"first": 1, "no_finish_reason": true}), TEXT),
        (json!({"first": 1, "drop_events": "finish"}), TEXT),
        (json!({"first": 1, "malformed_json": 2}), "The weather in day, and warm."),
        (json!({"first": 1, "malformed_sse": 4}), TEXT),
        (json!({"first": 1, "empty_stream": true}), ""),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_answer_that_becomes_history_is_found() {
    for (fault, part) in ends() {
        let world = spoiled(fault.clone()).await;
        let body = streamed("go");
        ask(&world, &body).await;
        assert_eq!(world.host.journal("k")[0].outcome, model::Outcome::Broken, "{fault}");
        ask(&world, &then(&body, &[assistant(part), says("and now?")])).await;
        broken(&world, "silent-end", "an answer without its finish came back as if it were one", &[1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_client_can_see_is_held_against_none() {
    // A line that readers skip, an unreadable event after the finish, and what lies beyond the end.
    for (fault, heard) in [
        (json!({"malformed_sse": 3}), "The weather in Oslo is fine to"),
        (json!({"malformed_json": 5}), TEXT),
        (json!({"malformed_json": 500}), TEXT),
        (json!({"error_after": {"events": 500}}), TEXT),
        (json!({"end_after": 500}), TEXT),
        (json!({"swap_events": [0, 500]}), TEXT),
    ] {
        let world = spoiled(fault.clone()).await;
        let body = streamed("go");
        ask(&world, &body).await;
        ask(&world, &then(&body, &[assistant(heard), says("and now?")])).await;
        let verdict = world.host.verdict("k").unwrap();
        let found = verdict.findings.iter().filter(|finding| finding.rule == "silent-end").count();
        assert_eq!(found, 0, "{fault}: {verdict:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_again_and_keeps_the_whole_answer_does_well() {
    for (fault, _) in ends() {
        let world = spoiled(fault).await;
        let body = streamed("go");
        ask(&world, &body).await;
        ask(&world, &body).await;
        ask(&world, &then(&body, &[assistant(TEXT), says("and now?")])).await;
        kept(&world, "silent-end");
        kept(&world, "keeps-history");
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_of_an_answer_is_found_in_another_conversation_too() {
    let world = spoiled(json!({"first": 1, "end_after": 3})).await;
    ask(&world, &streamed("go")).await;
    let summed_up =
        then(&user("what we said", &[]), &[assistant("The weather in Oslo is fine to"), says("and?")]);
    ask(&world, &summed_up).await;
    broken(&world, "silent-end", "The weather in Oslo is fine to", &[1, 2]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_one_piece_that_breaks_off_is_no_empty_answer() {
    for fault in [json!({"first": 1, "malformed_json": 0}), json!({"first": 1, "cut_inside": 0})] {
        let world = spoiled(fault).await;
        let body = user("go", &[]);
        ask(&world, &body).await;
        kept(&world, "silent-end");
        ask(&world, &then(&body, &[assistant(""), says("and now?")])).await;
        broken(&world, "silent-end", "without its finish", &[1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_patient_reader_can_read_is_an_answer() {
    for fault in [
        json!({"first": 1, "drop_events": "done"}),
        json!({"first": 1, "content_type": "text/plain"}),
        json!({"first": 1, "duplicate_event": 0}),
    ] {
        let world = spoiled(fault).await;
        let body = streamed("go");
        ask(&world, &body).await;
        ask(&world, &then(&body, &[assistant(TEXT), says("and now?")])).await;
        kept(&world, "silent-end");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_an_unfinished_answer_is_not_made() {
    let turns = json!([
        {"id": "a", "when": {"no_tool_results": true}, "answer": {"tool_calls": [
            {"id": "c1", "name": "pay", "arguments": {"sum": 1000}},
        ]}, "faults": [{"first": 1, "no_finish_reason": true}]},
        {"id": "b", "answer": {"text": "b"}},
    ]);
    for again in [false, true] {
        let world = playing(turns.clone()).await;
        let body = streamed("go");
        ask(&world, &body).await;
        if again {
            ask(&world, &body).await;
        }
        ask(&world, &then(&body, &[calls(&[call("c1", "pay", "{\"sum\":1000}")]), result("c1")])).await;
        if again {
            kept(&world, "silent-end");
        } else {
            broken(&world, "silent-end", "the call `c1` of an answer without its finish", &[1, 2]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_a_sound_answer_is_noted() {
    let world = playing(json!([{"id": "a", "hold": "gate", "answer": {"text": "hi"}}])).await;
    let body = user("go", &[]);
    world.leave_when_held("k", "gate", &body).await;
    found(&world, "left", Severity::Note, "left before a sound answer", &[1]);
    world.host.release("k", "gate").unwrap();
    ask(&world, &body).await;
    assert_eq!(verdict(&world).overall, model::Overall::Pass);

    let world = spoiled(json!({"first": 1, "status": 400})).await;
    ask(&world, &body).await;
    ask(&world, &user("other", &[])).await;
    kept(&world, "left");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_still_waits_leaves_the_verdict_open() {
    let world = spoiled(json!({"first": 1, "stall_after": 2})).await;
    let body = streamed("go");
    let limit = Duration::from_secs(5);
    let waited = world.clock.within(limit, async {
        let mut answer = world.open("k", &body).await;
        while let Some(Ok(_)) = answer.next().await {}
        // Whoever goes on without having heard the end.
        broken(&world, "over", "never gives up", &[1]);
    });
    assert!(waited.await.is_none(), "it never ends");
    world.until(|| world.host.journal("k")[0].outcome == model::Outcome::Broken).await;
    kept(&world, "over");
}
