//! What holds on every route.

use proofhouse_oao::keys::{DEMO_OTHER_KEY, DEMO_OTHER_PROJECT, DEMO_READER_KEY};
use serde_json::json;
use wire::http::Request;

use crate::world::{World, config, operation, path};

fn as_(key: &str, request: Request) -> Request {
    let headers = request.headers.into_iter().filter(|(name, _)| name != "authorization").collect();
    Request { headers, ..request }.header("authorization", format!("Bearer {key}"))
}

#[tokio::test(start_paused = true)]
async fn what_is_looked_at_first_is_the_answer() {
    let world = World::new().await;
    let good = json!({"name": "n", "config": config(&[])});
    let request = |body: &serde_json::Value| world.write("POST", &path("agents"), body);
    for authorization in [
        None,
        Some("Bearer x"),
        Some("bearer oao_exampleprefix_0123456789abcdef0123456789abcdef"),
        Some("Basic x"),
    ] {
        let mut request = request(&json!({}));
        request.headers.retain(|(name, _)| name != "authorization");
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        world.ask(&request).await.refused(401, "unauthenticated");
    }
    let unknown = "oao_unknownprefix_0123456789abcdef0123456789abcdef";
    world.ask(&as_(unknown, request(&good))).await.refused(401, "unauthenticated");
    // Another project beats a bad body, a bad body beats a missing scope.
    world.ask(&as_(DEMO_OTHER_KEY, request(&json!({})))).await.refused(403, "forbidden");
    world.ask(&as_(DEMO_READER_KEY, request(&json!({})))).await.refused(400, "bad_request");
    world.ask(&as_(DEMO_READER_KEY, request(&good))).await.refused(403, "forbidden");
    world.ask(&as_(DEMO_READER_KEY, world.request("GET", &path("agents")))).await.expect(200);
    world.get(&format!("/v1/projects/{DEMO_OTHER_PROJECT}/agents")).await.refused(403, "forbidden");
}

#[tokio::test(start_paused = true)]
async fn bodies_have_to_be_json_objects() {
    let world = World::new().await;
    let send = |content_type: &str, body: &str| {
        let mut request = world
            .request("POST", &path("agents"))
            .header("idempotency-key", "k")
            .header("content-type", content_type);
        request.body = Some(body.as_bytes().to_vec().into());
        request
    };
    for (content_type, body) in [
        ("text/plain", "{}"),
        ("application/json", "[]"),
        ("application/json", "{"),
        ("application/json", ""),
        ("application/json", r#"{"name":"\ud800"}"#),
    ] {
        world.ask(&send(content_type, body)).await.refused(400, "bad_request");
    }
    let good = json!({"name": "n", "config": config(&[])}).to_string();
    world.ask(&send("application/json; charset=utf-8", &good)).await.expect(201);
}

#[tokio::test(start_paused = true)]
async fn one_effect_per_idempotency_key() {
    let world = World::new().await;
    let body = json!({"name": "n", "config": config(&[operation("a")])});
    let send = |key: Option<&str>, body: &str| {
        let request = world.request("POST", &path("agents")).json(body.as_bytes().to_vec());
        match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        }
    };
    world.ask(&send(None, &body.to_string())).await.refused(400, "bad_request");
    world.ask(&send(Some(&"k".repeat(201)), &body.to_string())).await.refused(400, "bad_request");
    let first = world.ask(&send(Some(&"k".repeat(200)), &body.to_string())).await;
    assert_eq!(first.header("idempotency-replayed"), Some("false"));
    // The same body, spelt in another order.
    let other_order = format!(r#"{{"config":{},"name":"n"}}"#, config(&[operation("a")]));
    let again = world.ask(&send(Some(&"k".repeat(200)), &other_order)).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    let other = json!({"name": "m", "config": config(&[operation("a")])}).to_string();
    world.ask(&send(Some(&"k".repeat(200)), &other)).await.refused(409, "idempotency_conflict");
    assert_eq!(world.get(&path("agents")).await.expect(200)["data"].as_array().unwrap().len(), 1);

    world.clock.pause(std::time::Duration::from_secs(86_401)).await;
    let later = world.ask(&send(Some(&"k".repeat(200)), &other)).await;
    assert_eq!(later.header("idempotency-replayed"), Some("false"));
}

#[tokio::test(start_paused = true)]
async fn every_answer_has_the_standard_headers() {
    let world = World::new().await;
    let own = world.ask(&world.request("GET", &path("agents")).header("x-request-id", "mine")).await;
    let none = world.get("/v1/nowhere").await;
    none.refused(404, "not_found");
    let long =
        world.ask(&world.request("GET", &path("agents")).header("x-request-id", "x".repeat(201))).await;
    assert_eq!(own.header("x-request-id"), Some("mine"));
    assert_eq!(none.header("x-request-id"), none.body["error"]["requestId"].as_str());
    assert_eq!(long.header("x-request-id").unwrap().len(), 36);
    for answer in [own, none, long] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(answer.header("content-type").unwrap().starts_with("application/json"));
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_ids_are_bad_requests_and_unknown_ones_are_not_found() {
    let world = World::new().await;
    let unknown = "a0000000-0000-4000-8000-0000000000ff";
    for route in [
        "agents/{}",
        "agents/{}/versions",
        "sessions/{}",
        "runs/{}",
        "runs/{}/messages",
        "runs/{}/timeline",
        "threads/{}",
    ] {
        world.get(&path(&route.replace("{}", "nonsense"))).await.refused(400, "bad_request");
        world.get(&path(&route.replace("{}", unknown))).await.refused(404, "not_found");
    }
    // In a query as well, where an empty one would otherwise ask for everything.
    for list in ["tool-calls", "approvals"] {
        for run in ["", "nonsense", &unknown[1..]] {
            world.get(&path(&format!("{list}?runId={run}"))).await.refused(400, "bad_request");
        }
        world.get(&path(&format!("{list}?runId={unknown}"))).await.expect(200);
    }
}

#[tokio::test(start_paused = true)]
async fn lists_come_page_by_page_newest_first() {
    let world = World::new().await;
    for at in 0..5 {
        let mut config = config(&[]);
        config["systemPrompt"] = json!(format!("{at}"));
        world.post(&path("agents"), &json!({"name": format!("n{at}"), "config": config})).await.expect(201);
    }
    let mut names = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let page = world.get(&path(&format!("agents?{query}"))).await.expect(200);
        names.extend(
            page["data"].as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["pageInfo"]["nextCursor"].as_str() else { break };
        query = format!("limit=2&cursor={cursor}");
    }
    assert_eq!(names, ["n4", "n3", "n2", "n1", "n0"]);
    for query in ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor="] {
        world.get(&path(&format!("agents?{query}"))).await.refused(400, "bad_request");
    }
}
