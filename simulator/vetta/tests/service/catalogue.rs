use serde_json::{Value, json};
use wire::http::Request;

use crate::desk::{ADA, BEN, Desk, FUTURE, refusal};

fn bases(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|row| row["base"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_whole_table_is_listed_whatever_is_asked() {
    let desk = Desk::shipped().await;
    let (status, list) = desk.get("/v1/harnesses").await;
    assert_eq!(status, 200);
    let table =
        ["pi", "vetta", "sim-cli", "sim-iso-noask", "sim-dark", "sim-dark-cli", "sim-local", "sim-byo"];
    assert_eq!(bases(&list), table);
    assert_eq!((&list["has_more"], &list["next_cursor"]), (&json!(false), &Value::Null));
    for query in ["?limit=1", "?limit=2", "?limit=0", "?cursor=x", "?status=ga", "?limit=1&cursor=after:pi"] {
        assert_eq!(desk.get(&format!("/v1/harnesses{query}")).await, (200, list.clone()), "{query}");
    }
    assert_eq!(desk.call(BEN, "GET", "/v1/harnesses", None).await, (200, list));
    let (_, future) = desk.call(FUTURE, "GET", "/v1/harnesses", None).await;
    assert_eq!(bases(&future), [&table[..], &["sim-mute"]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_read_shows_the_listed_row() {
    let desk = Desk::shipped().await;
    let (_, list) = desk.get("/v1/harnesses").await;
    for row in list["data"].as_array().unwrap() {
        assert_eq!(
            desk.get(&format!("/v1/harnesses/{}", row["base"].as_str().unwrap())).await,
            (200, row.clone())
        );
    }
    assert_eq!(desk.get("/v1/harnesses/sim-dark").await.1["runnable"], false);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_published_is_not_there() {
    let desk = Desk::shipped().await;
    for id in ["nobody", "sim-soon", "sim-mute", "PI", "Pi", "pi%20", "a%2Fb", "%2F", "%FF", "pi%2F..%2Fpi"] {
        let answer = desk.get(&format!("/v1/harnesses/{id}")).await;
        assert_eq!(refusal(&answer), (404, "harness_not_found", Some("id")), "{id}");
        assert_eq!(answer.1["error"]["type"], "not_found");
    }
    for path in ["/v1/harnesses/", "/v1/harnesses/pi/", "/v1/harnesses/pi/x", "/v1/threads", "/"] {
        assert_eq!(refusal(&desk.get(path).await), (404, "route_not_found", None), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_writes_to_it() {
    let desk = Desk::shipped().await;
    let before = desk.get("/v1/harnesses").await;
    for path in ["/v1/harnesses", "/v1/harnesses/pi"] {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let request = Request::new(method, path).header("authorization", format!("Bearer {ADA}"));
            let response = desk.send(&request.json("{}")).await;
            assert_eq!(response.status, 405, "{method} {path}");
            assert!(response.headers.contains(&("allow".into(), "GET".into())));
        }
    }
    assert_eq!(desk.get("/v1/harnesses").await, before);
}

#[tokio::test(start_paused = true)]
async fn a_private_cache_may_keep_it_for_a_minute() {
    let desk = Desk::shipped().await;
    let mut tags = Vec::new();
    for (key, path) in
        [(ADA, "/v1/harnesses"), (BEN, "/v1/harnesses"), (FUTURE, "/v1/harnesses"), (ADA, "/v1/harnesses/pi")]
    {
        let request = Request::new("GET", path).header("authorization", format!("Bearer {key}"));
        let response = desk.send(&request).await;
        let header = |name: &str| response.headers.iter().find(|(known, _)| known == name).unwrap().1.clone();
        assert_eq!(header("cache-control"), "private, max-age=60");
        assert_eq!(header("content-type"), "application/json");
        tags.push(header("etag"));
    }
    assert_eq!(tags[0], tags[1]);
    assert!(tags[0] != tags[2] && tags[0] != tags[3]);
}

#[tokio::test(start_paused = true)]
async fn one_page_loop_reads_harnesses_and_models() {
    let desk = Desk::shipped().await;
    for (path, entries, pages) in [("/v1/harnesses", 8, 1), ("/v1/models", 2, 2)] {
        let (mut data, mut cursor, mut turns) = (Vec::new(), None::<String>, 0);
        loop {
            let query = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
            let (status, page) = desk.get(&format!("{path}?limit=1{query}")).await;
            assert_eq!(status, 200);
            data.extend(page["data"].as_array().unwrap().clone());
            turns += 1;
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            if page["has_more"] == false {
                break;
            }
        }
        assert_eq!((data.len(), turns), (entries, pages), "{path}");
    }
    assert_eq!(desk.get("/v1/models").await.1["data"].as_array().unwrap().len(), 2);
    assert_eq!(refusal(&desk.get("/v1/models?limit=0").await), (400, "validation_failed", Some("limit")));
    assert_eq!(refusal(&desk.get("/v1/models?cursor=x").await), (400, "validation_failed", Some("cursor")));
}

#[tokio::test(start_paused = true)]
async fn use_does_not_move_it() {
    let desk = Desk::shipped().await;
    let before = desk.get("/v1/harnesses").await;
    let session = desk.session("pi", json!({})).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hello"})).await;
    assert_eq!(desk.call(ADA, "DELETE", &format!("/v1/sessions/{session}"), None).await.0, 204);
    assert_eq!(desk.get("/v1/harnesses").await, before);
}
