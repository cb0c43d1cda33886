//! Trying again, or not.

use std::time::Duration;

use model::{Overall, Severity};
use serde_json::{Value, json};
use wire::http::Request;

use super::{PATH, ask, broken, found, kept, playing, streamed, verdict};
use crate::client::{World, user};

async fn failing(fault: Value) -> World {
    playing(json!([{"id": "only", "answer": {"text": "hi"}, "faults": [fault]}])).await
}

fn occasions(world: &World, rule: &str) -> usize {
    verdict(world).rules.iter().find(|result| result.rule == rule).unwrap().occasions
}

#[tokio::test(start_paused = true)]
async fn whoever_meets_a_passing_failure_tries_again() {
    for fault in [
        json!({"first": 1, "status": 500}),
        json!({"first": 1, "status": 529}),
        json!({"first": 1, "status": 429}),
        json!({"first": 1, "status": 409}),
        json!({"first": 1, "reset_before_headers": true}),
    ] {
        let world = failing(fault).await;
        ask(&world, &user("go", &[])).await;
        broken(&world, "retries", "was not followed by a retry", &[1]);
        ask(&world, &streamed("go")).await;
        kept(&world, "retries");
        kept(&world, "gives-up");
    }
}

#[tokio::test(start_paused = true)]
async fn another_conversation_is_no_retry_and_neither_is_what_came_at_the_same_time() {
    let turns = json!([
        {"id": "a", "hold": "gate", "after_arrivals": 2, "answer": {"text": "a"},
         "faults": [{"status": 500}]},
        {"id": "b", "hold": "gate", "answer": {"text": "b"}},
        {"id": "c", "answer": {"text": "c"}},
    ]);
    let world = playing(turns).await;
    let body = user("go", &[]);
    tokio::join!(ask(&world, &body), ask(&world, &body));
    ask(&world, &user("something else", &[])).await;
    broken(&world, "retries", "status 500", &[1]);
}

#[tokio::test(start_paused = true)]
async fn whoever_has_tried_again_may_give_up() {
    let world = failing(json!({"status": 500})).await;
    for _ in 0..10 {
        ask(&world, &user("go", &[])).await;
    }
    kept(&world, "retries");
    kept(&world, "gives-up");
    ask(&world, &user("go", &[])).await;
    broken(&world, "gives-up", "attempted 11 times", &(1..=11).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn nobody_has_to_try_again_when_the_answer_said_not_to_or_named_a_wait_too_long() {
    for (headers, more) in [
        (json!({"x-should-retry": "false"}), json!({})),
        (json!({"retry-after": "300"}), json!({})),
        (json!({}), json!({"error_code": "insufficient_quota"})),
    ] {
        let mut status = json!({"code": 429, "headers": headers});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let world = failing(json!({"status": status})).await;
        ask(&world, &user("go", &[])).await;
        assert_eq!(occasions(&world, "retries"), 0, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_told_for_good_does_not_try_again() {
    for fault in [
        json!({"first": 1, "status": 400}),
        json!({"first": 1, "status": 401}),
        json!({"first": 1, "status": 404}),
        json!({"first": 1, "status": {"code": 500, "headers": {"X-Should-Retry": "false"}}}),
    ] {
        let turns = json!([
            {"id": "only", "when": {"user_contains": "go"}, "answer": {"text": "hi"}, "faults": [fault]},
            {"id": "other", "answer": {"text": "hi"}},
        ]);
        let world = playing(turns).await;
        ask(&world, &user("go", &[])).await;
        kept(&world, "no-retry");
        ask(&world, &user("something else", &[])).await;
        kept(&world, "no-retry");
        ask(&world, &user("go", &[])).await;
        broken(&world, "no-retry", "followed by a retry", &[1, 3]);
    }
    let world =
        failing(json!({"first": 1, "status": {"code": 400, "headers": {"x-should-retry": "true"}}})).await;
    ask(&world, &user("go", &[])).await;
    ask(&world, &user("go", &[])).await;
    assert_eq!(occasions(&world, "no-retry"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_no_turn_answers_is_not_sent_again() {
    let world =
        playing(json!([{"id": "only", "when": {"user_contains": "go"}, "answer": {"text": "hi"}}])).await;
    ask(&world, &user("come", &[])).await;
    kept(&world, "no-retry");
    ask(&world, &user("come", &[])).await;
    broken(&world, "no-retry", "status 400 was followed by a retry", &[1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_retry_waits_as_long_as_it_was_told() {
    for (headers, wait_ms) in [
        (json!({"retry-after": "2"}), 2000),
        (json!({"retry-after": "0.5"}), 500),
        (json!({"retry-after": "9", "retry-after-ms": "1500"}), 1500),
        // Seven seconds after the clock of the world began.
        (json!({"retry-after": "Mon, 05 Jan 2026 09:00:07 GMT"}), 7000),
    ] {
        for (waited_ms, waits) in [(wait_ms, true), (wait_ms - 10, false)] {
            let world = failing(json!({"first": 1, "status": {"code": 503, "headers": headers}})).await;
            let request = || Request::new("POST", PATH).json(user("go", &[]).to_string());
            world.send(request()).await;
            world.clock.pause(Duration::from_millis(waited_ms)).await;
            world.send(request()).await;
            if waits {
                kept(&world, "waits");
            } else {
                let message =
                    format!("a retry came after {waited_ms} ms, and the answer said to wait {wait_ms} ms");
                broken(&world, "waits", &message, &[1, 2]);
            }
        }
    }
}

/// Whoever asks the same twice at once has not seen the first answer, so neither is a retry of the other.
#[tokio::test(start_paused = true)]
async fn what_is_asked_at_the_same_time_of_a_turn_that_repeats_is_no_retry() {
    for fault in [json!({"first": 1, "status": 400}), json!({"first": 1, "status": 500})] {
        let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "a"}, "faults": [fault]}]);
        let world = playing(turns).await;
        let body = user("go", &[]);
        tokio::join!(ask(&world, &body), ask(&world, &body), ask(&world, &body));
        for rule in ["retries", "no-retry", "waits", "gives-up"] {
            assert_eq!(verdict(&world).of(rule).count(), 0, "{fault}: {rule}");
        }
    }
    let turns =
        json!([{"id": "a", "repeat": true, "hold": "gate", "after_arrivals": 3, "answer": {"text": "a"}}]);
    let world = playing(turns).await;
    let body = user("go", &[]);
    tokio::join!(ask(&world, &body), ask(&world, &body), ask(&world, &body));
    assert_eq!(verdict(&world).findings, []);
    assert!(world.host.journal("k").iter().all(|entry| !entry.retry));
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_again_of_a_turn_that_repeats_is_a_retry_when_it_comes_later() {
    let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "a"}, "faults": [{"first": 1, "status": 400}]}]);
    let world = playing(turns).await;
    ask(&world, &user("go", &[])).await;
    ask(&world, &user("go", &[])).await;
    broken(&world, "no-retry", "status 400 was followed by a retry", &[1, 2]);
}

/// A request that was mended is no retry, whatever the error asked for: another key, another model, a parameter less,
/// no stream.
#[tokio::test(start_paused = true)]
async fn whoever_mends_a_request_does_not_try_it_again() {
    let mut warm = user("go", &[]);
    warm["temperature"] = json!(0);
    let mut other = user("go", &[]);
    other["model"] = json!("gpt-y");
    let mut clock = user("go", &[]);
    clock["messages"] =
        json!([{"role": "system", "content": "It is 10:01."}, {"role": "user", "content": "go"}]);
    for (code, first, second, keys, told) in [
        (401, user("go", &[]), user("go", &[]), ["old", "new"], "another key"),
        (404, user("go", &[]), other, ["k", "k"], "another `model`"),
        (400, warm, user("go", &[]), ["k", "k"], "another `temperature`"),
        (400, streamed("go"), user("go", &[]), ["k", "k"], "another `stream`"),
        (400, user("go", &[]), clock, ["k", "k"], "another `messages`"),
    ] {
        let world = failing(json!({"first": 1, "status": code})).await;
        for (body, key) in [(&first, keys[0]), (&second, keys[1])] {
            let request = Request::new("POST", PATH).json(body.to_string());
            let _ = world.try_send(request.header("authorization", format!("Bearer {key}"))).await;
            world.clock.pause(Duration::from_millis(1)).await;
        }
        let message = format!("status {code} was followed by the same conversation with {told}");
        found(&world, "no-retry", Severity::Note, &message, &[1, 2]);
        assert_eq!(verdict(&world).overall, Overall::Pass);
    }
}

/// Whoever is told to wait may ask another model meanwhile.
#[tokio::test(start_paused = true)]
async fn only_the_same_model_and_key_have_to_wait() {
    let status = json!({"code": 429, "headers": {"retry-after": "60"}});
    let world = failing(json!({"first": 1, "status": status})).await;
    ask(&world, &user("go", &[])).await;
    let mut other = user("go", &[]);
    other["model"] = json!("gpt-y");
    ask(&world, &other).await;
    kept(&world, "retries");
    assert_eq!((occasions(&world, "waits"), verdict(&world).overall), (0, Overall::Pass));
}
