//! Everything around the wires: administration, models, probes, browsers, wrong paths.

use serde_json::json;
use wire::http::Request;

use crate::client::{World, header, json_of, user};

#[tokio::test(start_paused = true)]
async fn a_session_is_loaded_released_read_and_dropped_over_http() {
    let world = World::new().await;
    let script = "script: 1\nname: n\nturns:\n  - {id: a, hold: gate, answer: {text: hi}}\n";
    let mut put = Request::new("PUT", "/_model/sessions/k");
    put.body = Some(script.into());
    assert_eq!(world.send(put.clone()).await.status, 201);
    let again = world.send(put).await;
    assert_eq!((again.status, json_of(&again)), (200, json!({"session": "k", "turns": 1})));

    let body = user("x", &[]);
    let (answer, released) = tokio::join!(world.ask("k", &body), async {
        world.host.wait_for_held("k", "gate", 1).await.unwrap();
        world.send(Request::new("POST", "/_model/sessions/k/gates/gate/release")).await
    });
    assert_eq!((answer.status, json_of(&released)), (200, json!({"released": 1})));
    let journal = json_of(&world.send(Request::new("GET", "/_model/sessions/k/journal")).await);
    assert_eq!(
        (&journal["session"], &journal["dropped"], &journal["unused_turns"]),
        (&json!("k"), &json!(0), &json!([]))
    );
    assert_eq!(journal["entries"][0]["outcome"], "answered");
    assert_eq!(journal["entries"][0]["answer"]["blocks"], json!([{"text": "hi"}]));
    assert_eq!(
        json_of(&world.send(Request::new("GET", "/_model/journal")).await)["entries"],
        journal["entries"]
    );

    let typo = world.send(Request::new("POST", "/_model/sessions/k/gates/gait/release")).await;
    assert_eq!(typo.status, 404);
    assert!(json_of(&typo)["error"]["message"].as_str().unwrap().contains("did you mean `gate`?"));
    assert_eq!(world.send(Request::new("DELETE", "/_model/sessions/k")).await.status, 204);
    assert_eq!(world.send(Request::new("DELETE", "/_model/sessions/k")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_broken_script_is_refused_and_changes_nothing() {
    let world = World::playing("hello.yaml").await;
    let mut put = Request::new("PUT", "/_model/sessions/default");
    put.body = Some("{\"script\": 1, \"name\": \"n\", \"turn\": []}".into());
    let refused = world.send(put).await;
    assert_eq!(refused.status, 400);
    let error = json_of(&refused)["error"].clone();
    assert_eq!(error["message"], "script:1:28: /turn: unknown field `turn`; did you mean `turns`?");
    assert_eq!(error["problems"][0]["position"], json!([1, 28]));
    assert_eq!(world.ask("default", &user("hi", &[])).await.status, 200);
    let mut bad_key = Request::new("PUT", "/_model/sessions/no%20key");
    bad_key.body = Some("{}".into());
    assert_eq!(world.send(bad_key).await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn models_are_listed_with_those_that_the_script_asks_for() {
    let world = World::new().await;
    let turn = json!({"id": "a", "when": {"model": "gpt-x"}, "answer": {"text": ""}});
    world.host.load_json("k", &json!({"script": 1, "name": "n", "turns": [turn]})).unwrap();
    for (path, expected) in
        [("/v1/models?limit=5", vec!["fake-model"]), ("/s/k/v1/models", vec!["fake-model", "gpt-x"])]
    {
        let list = json_of(&world.send(Request::new("GET", path)).await);
        assert_eq!(list["object"], "list");
        let ids: Vec<_> =
            list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected);
        assert_eq!(list["data"][0]["object"], "model");
    }
}

#[tokio::test(start_paused = true)]
async fn probes_browsers_and_wrong_paths_are_answered() {
    let world = World::playing("hello.yaml").await;
    for path in ["/", "/api/hello", "/v1/models", "/v1/chat/completions"] {
        let head = world.send(Request::new("HEAD", path)).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
    let preflight = Request::new("OPTIONS", "/v1/chat/completions")
        .header("origin", "http://localhost")
        .header("access-control-request-headers", "authorization, x-anything");
    let preflight = world.send(preflight).await;
    assert_eq!(preflight.status, 204);
    assert_eq!(header(&preflight, "access-control-allow-headers"), Some("authorization, x-anything"));
    assert_eq!(header(&preflight, "access-control-allow-origin"), Some("*"));

    let wrong = world.post("/v1/chat/completion", &user("hi", &[])).await;
    assert_eq!((wrong.status, &json_of(&wrong)["error"]["code"]), (404, &json!("unknown_url")));
    let wrong = world.send(Request::new("GET", "/v1/chat/completions")).await;
    assert_eq!((wrong.status, &json_of(&wrong)["error"]["code"]), (405, &json!("method_not_supported")));
    let targets: Vec<_> = world.host.journal("default").into_iter().map(|entry| entry.target).collect();
    assert_eq!(targets, ["POST /v1/chat/completion", "GET /v1/chat/completions"]);
}
