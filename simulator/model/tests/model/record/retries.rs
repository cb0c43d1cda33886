//! Errors of an upstream, and the answers that come after them.

use model::{
    Answer, Fault, Script, Turn,
    record::Fate,
    script::{ErrorEvent, ErrorStatus, WireName},
};
use serde_json::{Value, json};

use super::{studio::Studio, talk::Talk};
use crate::client::{World, json_of};

const WIRES: [WireName; 3] = [WireName::Chat, WireName::Responses, WireName::Messages];

fn status(code: u16) -> Fault {
    let headers = [("retry-after".to_owned(), "2".to_owned())].into();
    let message = Some("one moment".to_owned());
    Fault { status: Some(ErrorStatus { headers, message, ..ErrorStatus::from(code) }), ..Fault::default() }
}

/// Asks `count` times and gives the statuses, and the bodies.
async fn ask(world: &World, talk: &Talk, count: usize, stream: bool) -> Vec<(u16, String)> {
    let mut answers = Vec::new();
    for _ in 0..count {
        let response = world.post(talk.path(), &talk.request(stream)).await;
        answers.push((response.status, String::from_utf8(response.body.to_vec()).unwrap()));
    }
    answers
}

#[tokio::test(start_paused = true)]
async fn errors_before_an_answer_are_played_again_and_pass_again() {
    for wire in WIRES {
        let faults = Turn::new("a", Answer::new().text("at last"))
            .fault(status(429).first(1))
            .fault(status(503).first(1));
        let studio = Studio::new().await;
        studio.upstream(Script::new("upstream", [faults]).unwrap()).await;
        let mut talk = Talk::new(wire, &[]);
        talk.say("hi");
        let mut statuses = Vec::new();
        for _ in 0..3 {
            statuses.push(studio.post(talk.path(), &talk.request(false)).await.status);
            // What is in the file can be played at any time.
            let again = playing(&studio).await;
            let answers = ask(&again, &talk, statuses.len(), false).await;
            assert_eq!(answers.iter().map(|(status, _)| *status).collect::<Vec<_>>(), statuses);
        }
        assert_eq!(statuses, [429, 503, 200]);
        let turns = studio.json()["conversations"][0]["turns"].clone();
        assert_eq!(turns.as_array().unwrap().len(), 1);
        assert_eq!(turns[0]["faults"][0]["status"]["headers"], json!({"retry-after": "2"}));
        assert_eq!(turns[0]["faults"][0]["status"]["message"], "one moment");
        assert_eq!(
            (&turns[0]["faults"][0]["first"], &turns[0]["faults"][1]["first"]),
            (&json!(1), &json!(1))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_answer_stays_one() {
    let studio = Studio::new().await;
    studio
        .upstream(
            Script::new("upstream", [Turn::new("a", Answer::new().text("")).fault(status(401))]).unwrap(),
        )
        .await;
    let mut talk = Talk::new(WireName::Messages, &[]);
    talk.say("hi");
    for _ in 0..2 {
        assert_eq!(studio.post(talk.path(), &talk.request(false)).await.status, 401);
    }
    let again = playing(&studio).await;
    for (status, body) in ask(&again, &talk, 4, false).await {
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["error"]["type"]), (401, &json!("authentication_error")));
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_a_stream_is_played_again_where_it_stood() {
    for (wire, events) in
        [(WireName::Chat, 3), (WireName::Responses, 5), (WireName::Messages, 4), (WireName::Messages, 0)]
    {
        let error = ErrorEvent { events, message: Some("too busy".into()), ..ErrorEvent::default() };
        let fault = Fault { error_after: Some(error), ..Fault::default() };
        let turn = Turn::new("a", Answer::new().text("one two three four")).fault(fault.first(1));
        let studio = Studio::new().await;
        studio.upstream(Script::new("upstream", [turn]).unwrap()).await;
        let mut talk = Talk::new(wire, &[]);
        talk.say("hi");
        let broken = studio.post(talk.path(), &talk.request(true)).await;
        let broken = String::from_utf8(broken.body.to_vec()).unwrap();
        let first = ask(&playing(&studio).await, &talk, 1, true).await;
        assert_eq!(shape(&first[0].1), shape(&broken), "{wire:?} after {events}");

        let whole = studio.post(talk.path(), &talk.request(true)).await;
        let whole = String::from_utf8(whole.body.to_vec()).unwrap();
        let both = ask(&playing(&studio).await, &talk, 2, true).await;
        assert!(both[0].1.contains("too busy"), "{}", both[0].1);
        assert_eq!(shape(&both[1].1), shape(&whole));
        assert!(studio.fates().iter().all(|fate| matches!(fate, Fate::Recorded(_))));
    }
}

/// What the events of a stream say, joined, and the names of those that say something else.
fn shape(stream: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut others = Vec::new();
    for data in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let Ok(event) = serde_json::from_str::<Value>(data) else {
            others.push(data.to_owned());
            continue;
        };
        let pieces = ["/choices/0/delta/content", "/delta", "/delta/text"];
        match pieces.iter().find_map(|pointer| event.pointer(pointer)?.as_str()) {
            Some(piece) => text.push_str(piece),
            None => others.push(
                event["type"]
                    .as_str()
                    .unwrap_or(if event["error"].is_null() { "chunk" } else { "error" })
                    .to_owned(),
            ),
        }
    }
    (text, others)
}

async fn playing(studio: &Studio) -> World {
    let world = World::on(wire::Net::memory(), studio.clock.clone(), "again").await;
    world.host.load(model::DEFAULT_SESSION, studio.script());
    world
}

#[tokio::test(start_paused = true)]
async fn a_request_that_only_the_real_api_takes_is_taken_again() {
    // A call without its result: the upstream of this test does not mind.
    let studio = Studio::new().await;
    let body = json!({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]});
    studio.canned(vec![super::studio::answer("200 OK", "application/json", &body.to_string())]).await;
    let odd = json!({"model": "m", "messages": [
        {"role": "user", "content": "hi"},
        {"role": "tool", "tool_call_id": "nobody", "content": "x"},
    ]});
    studio.post("/v1/chat/completions", &odd).await;
    let answer = json_of(&playing(&studio).await.post("/v1/chat/completions", &odd).await);
    assert_eq!(answer["choices"][0]["message"]["content"], "fine");
}
