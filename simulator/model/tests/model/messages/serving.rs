//! What is asked besides an answer: token counts and models.

use model::Outcome;
use serde_json::{Value, json};
use wire::http::{Request, Response};

use super::{MESSAGES, enveloped, playing, shapes, user};
use crate::client::{World, header, json_of};

const COUNT: &str = "/v1/messages/count_tokens?beta=true";

async fn count(world: &World, body: &Value) -> u64 {
    let response = world.post(COUNT, body).await;
    assert_eq!(
        (response.status, header(&response, "content-type")),
        (200, Some("application/json")),
        "{body}"
    );
    assert!(header(&response, "request-id").is_some());
    let told = json_of(&response);
    assert_eq!(told, json!({"input_tokens": told["input_tokens"]}));
    told["input_tokens"].as_u64().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_count_follows_from_what_is_said_and_uses_up_no_turn() {
    let world = World::new().await;
    let turn = json!({"id": "only", "answer": {"text": "yes"}});
    world.host.load_json("default", &json!({"script": 1, "name": "n", "turns": [turn]})).unwrap();
    let mut body = user("How many tokens has this?");
    let counted = count(&world, &body).await;
    body.as_object_mut().unwrap().remove("max_tokens");
    assert_eq!(count(&world, &body).await, counted, "an output limit is nothing that is said");
    body["messages"][0]["content"] = json!([{"type": "text", "text": "How many tokens has this?"}]);
    assert_eq!(count(&world, &body).await, counted, "a text and a list of one are the same");
    body["system"] = json!("Be brief, please.");
    assert!(count(&world, &body).await > counted);
    assert_eq!(
        count(&world, &json!({"model": "m", "messages": [{"role": "user", "content": "a"}]})).await,
        1
    );

    let response = world.post(MESSAGES, &user("How many tokens has this?")).await;
    assert_eq!(response.status, 200, "the turn is still there");
    let journal = world.host.journal("default");
    let outcomes: Vec<_> = journal.iter().map(|entry| (entry.outcome, entry.status)).collect();
    assert_eq!(outcomes[..5], [(Outcome::Served, Some(200)); 5]);
    assert_eq!(outcomes[5..], [(Outcome::Answered, Some(200))]);
    let served = &journal[0];
    assert_eq!((served.target.as_str(), &served.turn), (format!("POST {COUNT}").as_str(), &None));
    assert_eq!((served.answered_ms, served.ended_ms), (Some(served.arrived_ms), Some(served.arrived_ms)));
    assert_eq!(served.request, journal[5].request);
    assert_eq!(served.identity, journal[5].identity);
}

#[tokio::test(start_paused = true)]
async fn a_count_is_refused_for_what_a_message_is_refused_for() {
    let world = playing(shapes()).await;
    let empty = json!({"model": "m", "messages": []});
    for (body, place) in [(empty.clone(), "messages:"), (json!([]), "the request body")] {
        let response = world.post(COUNT, &body).await;
        let (kind, message) = enveloped(&response);
        assert_eq!((response.status, kind.as_str()), (400, "invalid_request_error"));
        assert!(message.starts_with(place), "{message}");
        assert_eq!(world.host.journal("default").pop().unwrap().outcome, Outcome::Rejected);
    }
    let turn = json!({"id": "a", "answer": {"text": ""}});
    let lenient = json!({"script": 1, "name": "n", "client": "lenient", "turns": [turn]});
    world.host.load_json("k", &lenient).unwrap();
    assert_eq!(world.post("/s/k/v1/messages/count_tokens", &empty).await.status, 200);
    // Nobody's session can count too.
    assert_eq!(world.post("/s/nobody/v1/messages/count_tokens", &user("x")).await.status, 200);
    assert_eq!(world.host.journal("nobody").pop().unwrap().outcome, Outcome::Served);
}

async fn get(world: &World, path: &str, anthropic: bool) -> Response {
    let request = Request::new("GET", path);
    world.send(if anthropic { request.header("anthropic-version", "2023-06-01") } else { request }).await
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn models_come_in_pages_for_those_who_speak_messages() {
    let world = World::new().await;
    let turn = |id: &str, model: &str| json!({"id": id, "when": {"model": model}, "answer": {"text": ""}});
    let conversations = json!([
        {"id": "one", "when": {"model": "claude-c"}, "turns": [turn("a", "claude-b"), turn("b", "claude-a")]},
    ]);
    world.host.load_json("k", &json!({"script": 1, "name": "n", "conversations": conversations})).unwrap();
    let cases = [
        ("", vec!["claude-a", "claude-b", "claude-c", "fake-model"], false),
        ("?limit=1000", vec!["claude-a", "claude-b", "claude-c", "fake-model"], false),
        ("?limit=2", vec!["claude-a", "claude-b"], true),
        ("?limit=2&after_id=claude-b", vec!["claude-c", "fake-model"], false),
        ("?limit=1&after_id=claude-a&lifecycle=active", vec!["claude-b"], true),
        ("?after_id=fake-model", vec![], false),
        ("?limit=2&before_id=fake-model", vec!["claude-b", "claude-c"], true),
        ("?before_id=claude-b", vec!["claude-a"], false),
    ];
    for (query, expected, has_more) in cases {
        let page = json_of(&get(&world, &format!("/s/k/v1/models{query}"), true).await);
        assert_eq!((ids(&page), &page["has_more"]), (expected.clone(), &json!(has_more)), "{query}");
        assert_eq!(page["first_id"].as_str(), expected.first().copied());
        assert_eq!(page["last_id"].as_str(), expected.last().copied());
    }
    let page = json_of(&get(&world, "/v1/models", true).await);
    let model = &page["data"][0];
    assert_eq!((&model["type"], &model["display_name"]), (&json!("model"), &json!("fake-model")));
    assert!(model["created_at"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    for query in
        ["limit=0", "limit=1001", "limit=many", "after_id=gone", "before_id=gone", "after_id=a&before_id=b"]
    {
        let response = get(&world, &format!("/v1/models?{query}"), true).await;
        assert_eq!(
            (response.status, enveloped(&response).0.as_str()),
            (400, "invalid_request_error"),
            "{query}"
        );
    }
    // Others get the whole list, whatever they ask for.
    let list = json_of(&get(&world, "/s/k/v1/models?limit=1", false).await);
    assert_eq!((list["object"].as_str(), ids(&list).len()), (Some("list"), 4));
}

#[tokio::test(start_paused = true)]
async fn a_model_of_any_name_is_there() {
    let world = World::new().await;
    let names =
        [("claude-x", "claude-x"), ("vendor%2Fmodel", "vendor/model"), ("vendor/model:1", "vendor/model:1")];
    for (path, name) in names {
        let path = format!("/v1/models/{path}");
        let model = json_of(&get(&world, &path, true).await);
        assert_eq!(
            (&model["type"], &model["id"], &model["lifecycle"]),
            (&json!("model"), &json!(name), &json!("active"))
        );
        let model = json_of(&get(&world, &path, false).await);
        assert_eq!((&model["object"], &model["id"]), (&json!("model"), &json!(name)));
    }
    let response = world.post("/v1/models/claude-x", &json!({})).await;
    assert_eq!(response.status, 405);
}
