//! Answers that are told again.

use serde_json::{Value, json};
use wire::http::{Request, Response};

use super::{PATH, streamed, user};
use crate::client::{World, json_of};

async fn world() -> World {
    let world = World::new().await;
    for key in ["default", "k"] {
        let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "Here."}}]);
        world.host.load_json(key, &json!({"script": 1, "name": "stored", "turns": turns})).unwrap();
    }
    world
}

async fn get(world: &World, path: &str) -> Response {
    world.send(Request::new("GET", path)).await
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_told_again_as_it_was() {
    let world = world().await;
    let first = json_of(&world.post(PATH, &user("go")).await);
    let id = first["id"].as_str().unwrap();
    assert_eq!(json_of(&get(&world, &format!("{PATH}/{id}")).await), first);
    assert_eq!(world.host.journal("default").len(), 1, "that asks the model for nothing");

    let body = streamed(user("a stream"));
    world.post("/s/k/v1/responses", &body).await;
    let answer = world.host.journal("k").pop().unwrap().answer.unwrap();
    let path = format!("{PATH}/resp_{}", answer.token);
    let again = get(&world, &format!("/s/k{path}?include[]=x")).await;
    let text = &json_of(&again)["output"][0]["content"][0]["text"];
    assert_eq!((again.status, text), (200, &json!("Here.")));
    assert_eq!(get(&world, &path).await.status, 404, "it is another session's");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_stored_or_never_there_is_not_found() {
    let world = world().await;
    let mut body = user("go");
    body["store"] = json!(false);
    let id = json_of(&world.post(PATH, &body).await)["id"].as_str().unwrap().to_owned();
    let error = |response: &Response| -> Value { json_of(response)["error"].clone() };
    for id in [id.as_str(), "resp_0123456789abcdef", "msg_1", "%C5%BC"] {
        let missing = get(&world, &format!("{PATH}/{id}")).await;
        assert_eq!(
            (missing.status, &error(&missing)["type"]),
            (404, &json!("invalid_request_error")),
            "{id}"
        );
    }
    let stored = json_of(&world.post(PATH, &user("go on")).await)["id"].as_str().unwrap().to_owned();
    let path = format!("{PATH}/{stored}");
    let stream = get(&world, &format!("{path}?stream=true")).await;
    assert_eq!((stream.status, &error(&stream)["param"]), (400, &json!("stream")));
    for (method, path, status, code) in [
        ("DELETE", path.clone(), 405, "method_not_supported"),
        ("POST", format!("{path}/cancel"), 404, "unknown_url"),
        ("GET", format!("{path}/input_items"), 404, "unknown_url"),
        ("POST", format!("{PATH}/input_tokens"), 404, "unknown_url"),
    ] {
        let refused = world.send(Request::new(method, path.as_str())).await;
        assert_eq!((refused.status, &error(&refused)["code"]), (status, &json!(code)), "{method} {path}");
    }
}
