//! Gates: overlap without timing.

use std::time::Duration;

use model::{Answer, Conditions, GateError, Outcome, Script, Turn};

use crate::client::{World, json_of, user};

fn held(id: &str, text: &str) -> Turn {
    Turn::new(id, Answer::new().text(id)).when(Conditions::new().user_contains(text)).hold("gate")
}

#[tokio::test(start_paused = true)]
async fn a_gate_opens_once_both_have_come() {
    let world = World::playing("shipment.yaml").await;
    let (extract, validate) = (user("extract: a", &["finish"]), user("validate: b", &["finish"]));
    let later = async {
        world.host.wait_for_held("default", "both-inside", 1).await.unwrap();
        world.clock.pause(Duration::from_secs(5)).await;
        assert_eq!(world.host.held("default", "both-inside"), 1);
        assert_eq!(world.host.journal("default")[0].outcome, Outcome::Pending);
        world.ask("default", &validate).await
    };
    let (first, second) = tokio::join!(world.ask("default", &extract), later);
    assert_eq!((first.status, second.status), (200, 200));
    let call = |response| json_of(response)["choices"][0]["message"]["tool_calls"][0]["id"].clone();
    assert_eq!((call(&first), call(&second)), ("call_finish_extract".into(), "call_finish_validate".into()));
    let journal = world.host.journal("default");
    let times: Vec<_> = journal.iter().map(|entry| (entry.arrived_ms, entry.answered_ms)).collect();
    assert_eq!(times, [(0, Some(5000)), (5000, Some(5000))]);
    assert!(journal.iter().all(|entry| entry.gate.as_deref() == Some("both-inside")));
}

#[tokio::test(start_paused = true)]
async fn those_who_come_one_after_another_get_no_answer() {
    let world = World::playing("shipment.yaml").await;
    let first = user("extract: a", &["finish"]);
    let answer = world.clock.within(Duration::from_secs(30), world.ask("default", &first)).await;
    assert_eq!(answer, None);
    world.until(|| world.host.held("default", "both-inside") == 0).await;
    let entry = world.host.journal("default").pop().unwrap();
    assert_eq!((entry.outcome, entry.answered_ms, entry.ended_ms), (Outcome::Dropped, None, Some(30_000)));
}

#[tokio::test(start_paused = true)]
async fn a_gate_is_released_by_name_in_order_of_arrival_and_stays_open() {
    let world = World::new().await;
    let turns = (0..3).map(|index| held(&format!("t{index}"), &format!("task {index}.")));
    world.host.load("k", Script::new("gate", turns).unwrap());
    let (asks, releases) =
        (async |index: usize| world.ask("k", &user(&format!("task {index}."), &[])).await, async {
            world.host.wait_for_held("k", "gate", 2).await.unwrap();
            world.clock.pause(Duration::from_secs(1)).await;
            world.host.release("k", "gate")
        });
    let (first, second, released) = tokio::join!(asks(1), asks(0), releases);
    assert_eq!((first.status, second.status, released), (200, 200, Ok(2)));
    assert_eq!(world.host.release("k", "gate"), Ok(0), "opening it again changes nothing");
    assert_eq!(asks(2).await.status, 200);
    world.host.wait_for_held("k", "gate", 2).await.unwrap();
    let journal = world.host.journal("k");
    assert_eq!(journal[2].gate, None, "an open gate holds nobody");
}

#[tokio::test(start_paused = true)]
async fn a_gate_or_session_that_is_not_there_is_told() {
    let world = World::new().await;
    world.host.load("k", Script::new("gate", [held("a", "x")]).unwrap());
    let error = world.host.release("k", "gat").unwrap_err();
    assert_eq!(error.to_string(), "the script of session `k` has no gate `gat`; did you mean `gate`?");
    assert_eq!(world.host.release("l", "gate"), Err(GateError::NoSession("l".into())));
    assert!(world.host.wait_for_held("k", "gat", 1).await.is_err());
    assert_eq!(world.host.held("k", "gat"), 0);
}

#[tokio::test(start_paused = true)]
async fn ending_a_session_lets_its_requests_and_watchers_go() {
    let world = World::new().await;
    let script = Script::new("gate", [held("a", "x")]).unwrap();
    world.host.load("k", script.clone());
    let body = user("x", &[]);
    let (answer, watched, ()) =
        tokio::join!(world.ask("k", &body), world.host.wait_for_held("k", "gate", 2), async {
            world.host.wait_for_held("k", "gate", 1).await.unwrap();
            world.host.load("k", script);
        });
    assert_eq!(answer.status, 400);
    assert!(json_of(&answer)["error"]["message"].as_str().unwrap().contains("session ended"));
    assert_eq!(watched, Err(GateError::NoSession("k".into())));
    assert!(world.host.journal("k").is_empty(), "a fresh session has a fresh journal");
    assert_eq!(world.host.unused_turns("k"), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_idle_once_every_request_has_its_answer_or_has_left() {
    let world = World::new().await;
    world.host.load("k", Script::new("gate", [held("a", "stays"), held("b", "leaves")]).unwrap());
    let (stays, leaves) = (user("stays", &[]), user("leaves", &[]));
    let after = Duration::from_secs(30);
    let (_, left, idle_ms) =
        tokio::join!(world.ask("k", &stays), world.clock.within(after, world.ask("k", &leaves)), async {
            world.host.wait_for_held("k", "gate", 2).await.unwrap();
            world.host.wait_until_idle("never loaded").await;
            let idle = world.host.wait_until_idle("k");
            assert_eq!(world.clock.within(after * 3 / 2, idle).await, None, "one is held still");
            world.host.release("k", "gate").unwrap();
            world.host.wait_until_idle("k").await;
            world.clock.elapsed_ms()
        });
    assert_eq!((left, idle_ms), (None, 45_000));
    let outcomes: Vec<_> = world.host.journal("k").into_iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [Outcome::Answered, Outcome::Dropped]);
}

#[tokio::test(start_paused = true)]
async fn a_parameter_of_a_wait_that_is_given_twice_is_named() {
    let world = World::new().await;
    for (query, name) in [("count=1&count=2", "count"), ("within_ms=1&count=1&within_ms=1", "within_ms")] {
        let path = format!("/_model/sessions/k/gates/g/wait?{query}");
        let wrong = world.send(wire::http::Request::new("POST", path)).await;
        let error = json_of(&wrong)["error"].clone();
        assert_eq!((wrong.status, error["parameter"].as_str()), (400, Some(name)));
        assert_eq!(error["message"], format!("`{name}` is given twice; keep one"));
    }
}
