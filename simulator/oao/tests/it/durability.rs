//! What a run is like after its worker has died.

use proofhouse_oao::durability::{Order, Point};
use serde_json::{Value, json};

use crate::{
    model::{call, finish, text},
    world::{World, config, operation},
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
