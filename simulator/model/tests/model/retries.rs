//! Requests that are sent again because their answer did not arrive.

use std::time::Duration;

use model::{Answer, Conditions, Outcome, Script, Turn};
use serde_json::{Value, json};
use wire::{Clock, Net};

use crate::client::{World, json_of, user};

fn text_of(response: &wire::http::Response) -> Value {
    json_of(response)["choices"][0]["message"]["content"].clone()
}

async fn twice_held() -> World {
    let world = World::new().await;
    let turns = ["first", "second"].map(|id| Turn::new(id, Answer::new().text(id)).hold("gate"));
    world.host.load("k", Script::new("retries", turns).unwrap());
    world
}

#[tokio::test(start_paused = true)]
async fn a_retry_gets_the_turn_that_was_chosen_for_it() {
    let world = twice_held().await;
    let body = user("same", &[]);
    world.leave_when_held("k", "gate", &body).await;
    world.leave_when_held("k", "gate", &body).await;
    world.host.release("k", "gate").unwrap();
    assert_eq!(text_of(&world.ask("k", &body).await), "first");
    assert_eq!(text_of(&world.ask("k", &body).await), "second", "an answered request is no retry");
    let journal = world.host.journal("k");
    let told: Vec<_> =
        journal.iter().map(|entry| (entry.turn.as_deref().unwrap(), entry.retry, entry.outcome)).collect();
    let expected = [
        ("first", false, Outcome::Dropped),
        ("first", true, Outcome::Dropped),
        ("first", true, Outcome::Answered),
        ("second", false, Outcome::Answered),
    ];
    assert_eq!(told, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_is_noticed_over_tcp_too() {
    let world = World::on(Net::Tcp, Clock::wall(), "127.0.0.1:0").await;
    world
        .host
        .load("k", Script::new("tcp", [Turn::new("only", Answer::new().text("hi")).hold("gate")]).unwrap());
    let body = user("x", &[]);
    {
        let asking = world.ask("k", &body);
        tokio::select! {
            biased;
            _ = asking => panic!("the gate did not hold it"),
            held = world.host.wait_for_held("k", "gate", 1) => held.unwrap(),
        }
    }
    let noticed = async {
        while world.host.held("k", "gate") > 0 {
            world.clock.pause(Duration::from_millis(1)).await;
        }
    };
    world.clock.within(Duration::from_secs(20), noticed).await.unwrap();
    world.host.release("k", "gate").unwrap();
    assert_eq!(text_of(&world.ask("k", &body).await), "hi");
    let outcomes: Vec<_> = world.host.journal("k").iter().map(|entry| (entry.outcome, entry.retry)).collect();
    assert_eq!(outcomes, [(Outcome::Dropped, false), (Outcome::Answered, true)]);
}

#[tokio::test(start_paused = true)]
async fn another_request_is_no_retry() {
    let world = twice_held().await;
    world.leave_when_held("k", "gate", &user("same", &[])).await;
    world.host.release("k", "gate").unwrap();
    assert_eq!(text_of(&world.ask("k", &user("other", &[])).await), "second");
    assert_eq!(world.ask("k", &user("third", &[])).await.status, 400);
    assert_eq!(text_of(&world.ask("k", &user("same", &[])).await), "first");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_short_is_dropped_and_can_be_had_again() {
    let world = World::new().await;
    let long = "a long text ".repeat(40_000);
    world.host.load("k", Script::new("cut", [Turn::new("a", Answer::new().text(long.as_str()))]).unwrap());
    let mut body = user("go", &[]);
    body["stream"] = json!(true);
    let mut answer = world.open("k", &body).await;
    assert!(answer.next().await.unwrap().is_ok());
    drop(answer);
    world.until(|| world.host.journal("k")[0].outcome == Outcome::Dropped).await;
    assert!(world.host.journal("k")[0].answered_ms.is_some());
    assert_eq!(world.ask("k", &body).await.status, 200);
    world.until(|| world.host.journal("k")[1].outcome == Outcome::Answered).await;
}

#[tokio::test(start_paused = true)]
async fn identical_requests_in_flight_are_two_requests() {
    let world = World::new().await;
    let turns = ["first", "second"].map(|id| {
        let turn = Turn::new(id, Answer::new().text(id)).when(Conditions::new().user_contains("same"));
        turn.hold("gate").after_arrivals(2)
    });
    world.host.load("k", Script::new("twins", turns).unwrap());
    let body = user("same", &[]);
    let (one, two) = tokio::join!(world.ask("k", &body), world.ask("k", &body));
    assert_eq!((text_of(&one), text_of(&two)), ("first".into(), "second".into()));
}

#[tokio::test(start_paused = true)]
async fn another_model_another_clock_in_the_system_text_and_another_tool_are_the_same_conversation() {
    let world = World::new().await;
    let broken: model::Fault = serde_json::from_value(json!({"status": 529, "first": 3})).unwrap();
    let turns = [
        Turn::new("first", Answer::new().text("first")).fault(broken),
        Turn::new("second", Answer::new().text("second")),
    ];
    world.host.load("k", Script::new("fallback", turns).unwrap());
    let asked = |model: &str, clock: &str, tool: &str| {
        let mut body = user("same", &[tool]);
        body["model"] = json!(model);
        body["messages"].as_array_mut().unwrap().insert(0, json!({"role": "system", "content": clock}));
        body
    };
    for (model, clock, tool) in [("big", "12:00", "a"), ("big", "12:01", "a"), ("small", "12:01", "a")] {
        assert_eq!(world.ask("k", &asked(model, clock, tool)).await.status, 529);
    }
    assert_eq!(text_of(&world.ask("k", &asked("small", "12:02", "b")).await), "first");
    assert_eq!(text_of(&world.ask("k", &user("other", &[])).await), "second");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_not_for_the_new_request_is_not_given_to_it() {
    let world = World::new().await;
    let broken: model::Fault = serde_json::from_value(json!({"status": 500, "first": 1})).unwrap();
    let only = |model: &str, turn: Turn| turn.when(Conditions::new().model(model));
    let turns = [
        only("big", Turn::new("big", Answer::new().text("big")).fault(broken)),
        only("small", Turn::new("small", Answer::new().text("small"))),
    ];
    world.host.load("k", Script::new("two-models", turns).unwrap());
    let asked = |model: &str| {
        let mut body = user("same", &[]);
        body["model"] = json!(model);
        body
    };
    assert_eq!(world.ask("k", &asked("big")).await.status, 500);
    assert_eq!(text_of(&world.ask("k", &asked("small")).await), "small");
    assert_eq!(text_of(&world.ask("k", &asked("big")).await), "big");
}
