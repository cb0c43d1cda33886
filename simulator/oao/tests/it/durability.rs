//! What a run is like after its worker has died.

use std::time::Duration;

use proofhouse_oao::durability::{Order, Point};
use serde_json::{Value, json};

use crate::{
    model::{call, finish, text},
    world::{World, config, operation, path},
};

/// A parent that calls two operations in one turn and then says `done`. Each operation finishes with the
/// number of its own model requests so far, so that a repeated prompt shows in the result.
async fn world() -> World {
    World::with(Box::new(|asked| match (&asked.operation, asked.turn) {
        (Some(key), _) => finish("f", key),
        (None, 0) => {
            call(&[("c1", "one", json!({"task": "first"})), ("c2", "two", json!({"task": "second"}))])
        }
        (None, _) => text("done"),
    }))
    .await
}

/// What a client and the model see of a run, ids and times aside.
async fn outcome(world: &World) -> Value {
    let agent = world.publish(&config(&[operation("one"), operation("two")])).await.expect(201);
    let session = world.session(&agent, "Begin.").await;
    let run = world.settled(session["latestRunId"].as_str().unwrap()).await;
    let asked = world.model.as_ref().unwrap().parent();
    let results: Vec<(String, String)> = asked
        .last()
        .unwrap()
        .tool_results()
        .into_iter()
        .map(|(id, text)| (id.to_owned(), text.to_owned()))
        .collect();
    json!({"state": run["state"], "results": results, "messages": asked.last().unwrap().body["messages"]})
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_the_same_wherever_its_worker_dies() {
    let whole = outcome(&world().await).await;
    assert_eq!(whole["state"], "completed");
    for point in Point::ALL {
        for nth in 1..=3 {
            let world = world().await;
            world.service.deaths().give(Order { point, call: None, nth });
            assert_eq!(outcome(&world).await, whole, "{point} #{nth}");
            let events = world.events().await;
            let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
            let died = of("runtime.recovery_started");
            assert_eq!(of("runtime.recovery_completed"), died, "{point} #{nth}");
            assert_eq!(of("harness.operation_started"), 2, "{point} #{nth}");
            assert!(of("harness.operation_completed") <= 2, "{point} #{nth}");
            assert_eq!(of("run.state_changed"), 2, "{point} #{nth}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_on_record_is_not_prompted_again_and_what_is_not_is() {
    for (point, prompts) in [(Point::CallAfterRecord, 1), (Point::CallBeforeRecord, 2)] {
        let world = world().await;
        world.service.deaths().give(Order { point, call: Some("c1".into()), nth: 1 });
        outcome(&world).await;
        let inner = world.model.as_ref().unwrap().inner();
        let of_one = inner.iter().filter(|asked| asked.operation.as_deref() == Some("one")).count();
        assert_eq!(of_one, prompts, "{point}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_again_and_again_ends_its_run_all_the_same() {
    let whole = outcome(&world().await).await;
    let world = world().await;
    for point in Point::ALL.into_iter().cycle().take(10) {
        world.service.deaths().give(Order { point, call: None, nth: 1 });
    }
    assert_eq!(outcome(&world).await, whole);
}

/// Whatever was on record when the worker died, its last answer included: nobody wants it any more.
#[tokio::test(start_paused = true)]
async fn a_run_that_is_called_off_while_its_worker_is_dead_ends_cancelled() {
    let mut died = 0;
    for point in Point::ALL {
        for nth in 1..=3 {
            let world = world().await;
            world.service.deaths().give(Order { point, call: None, nth });
            let agent = world.publish(&config(&[operation("one"), operation("two")])).await.expect(201);
            let body = json!({"agentId": agent["id"], "initialMessage": "Begin."});
            let session = world.post(&path("sessions"), &body).await.expect(201);
            let run = session["latestRunId"].as_str().unwrap();
            // Longer than the run takes, and shorter than the lease of a dead worker.
            world.clock.pause(Duration::from_millis(500)).await;
            let state = world.get(&path(&format!("runs/{run}"))).await.expect(200)["state"].clone();
            if state == "completed" {
                continue;
            }
            died += 1;
            let cancelled = world.post(&path(&format!("runs/{run}/cancel")), &json!({})).await.expect(202);
            assert!(cancelled["cancellationRequestedAt"].is_string());
            assert_eq!(world.settled(run).await["state"], "cancelled", "{point} #{nth}");
            let events = world.events().await;
            let of = |kind: &str| events.iter().filter(|event| event["kind"] == kind).count();
            assert_eq!((of("runtime.recovery_started"), of("run.state_changed")), (1, 2), "{point} #{nth}");
            let answered = events.iter().any(|event| {
                event["kind"] == "message.created" && event["publicPayload"]["role"] == "assistant"
            });
            assert!(!answered, "{point} #{nth}: an answer that nobody wants is published");
        }
    }
    // Two calls, and three messages: their last one is the answer of the parent.
    assert_eq!(died, 2 * 2 + 2 * 3);
}
