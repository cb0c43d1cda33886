//! The journal as lines of JSON and as an HTTP Archive.

use std::time::Duration;

use model::{Format, Selection};
use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::client::{World, header, json_of, user};

const PATH: &str = "/s/k/v1/chat/completions";

async fn playing(turns: Value) -> World {
    let world = World::new().await;
    world.host.load_json("k", &json!({"script": 1, "name": "export", "turns": turns})).unwrap();
    world
}

async fn ask(world: &World, path: &str, body: &Value) -> Option<Response> {
    let answer = world.try_send(Request::new("POST", path).json(body.to_string())).await.ok();
    world.clock.pause(Duration::from_millis(1)).await;
    answer
}

async fn har(world: &World) -> Value {
    let response = world.send(Request::new("GET", "/_model/sessions/k/journal?format=har")).await;
    assert_eq!(response.status, 200);
    let har = json_of(&response);
    complete(&har);
    har
}

/// Every field that HTTP Archive 1.2 requires is there and of the right kind.
fn complete(har: &Value) {
    let text = |value: &Value| value.is_string();
    let number = |value: &Value| value.as_i64().is_some_and(|number| number >= -1);
    let pairs = |value: &Value| {
        value
            .as_array()
            .is_some_and(|list| list.iter().all(|pair| text(&pair["name"]) && text(&pair["value"])))
    };
    let log = &har["log"];
    assert_eq!(log["version"], "1.2");
    assert!(text(&log["creator"]["name"]) && text(&log["creator"]["version"]));
    for entry in log["entries"].as_array().unwrap() {
        let started = entry["startedDateTime"].as_str().unwrap();
        assert!(started.ends_with('Z') && started.len() == "2026-01-05T09:00:00.000Z".len(), "{started}");
        let timings = &entry["timings"];
        let sum: i64 = ["send", "wait", "receive"].iter().map(|name| timings[name].as_i64().unwrap()).sum();
        assert_eq!(entry["time"].as_i64(), Some(sum));
        assert!(entry["cache"].is_object());
        let (request, response) = (&entry["request"], &entry["response"]);
        assert!(request["url"].as_str().unwrap().starts_with("http://"));
        assert!(["method", "httpVersion"].iter().all(|name| text(&request[name])));
        assert!(
            pairs(&request["headers"]) && pairs(&request["queryString"]) && request["cookies"].is_array()
        );
        assert!(
            ["headersSize", "bodySize"].iter().all(|name| number(&request[name]) && number(&response[name]))
        );
        if let Some(data) = request.get("postData") {
            assert!(text(&data["mimeType"]) && text(&data["text"]) && data["params"].is_array());
        }
        assert!(number(&response["status"]));
        assert!(["statusText", "httpVersion", "redirectURL"].iter().all(|name| text(&response[name])));
        assert!(pairs(&response["headers"]) && response["cookies"].is_array());
        assert!(number(&response["content"]["size"]) && text(&response["content"]["mimeType"]));
    }
}

/// The headers of an answer without those of the connection it came on.
fn of_the_host(headers: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let connection = ["transfer-encoding", "date", "connection", "content-length"];
    let mut headers: Vec<_> = headers.filter(|(name, _)| !connection.contains(&name.as_str())).collect();
    headers.sort();
    headers
}

#[track_caller]
fn same(told: &Value, heard: &Response) {
    assert_eq!(told["status"], json!(heard.status));
    assert_eq!(told["content"]["text"].as_str().unwrap().as_bytes(), &heard.body[..]);
    assert_eq!(told["content"]["size"], json!(heard.body.len()));
    let pair = |pair: &Value| {
        (pair["name"].as_str().unwrap().to_owned(), pair["value"].as_str().unwrap().to_owned())
    };
    let told = told["headers"].as_array().unwrap().iter().map(pair);
    assert_eq!(of_the_host(told), of_the_host(heard.headers.iter().cloned()));
}

fn turns() -> Value {
    json!([
        {"id": "slow", "when": {"user_contains": "slow"}, "stream": {"first_ms": 300, "gap_ms": 10},
         "answer": {"text": "slowly, very slowly", "tool_calls": [{"name": "look", "arguments": {}}]}},
        {"id": "once", "when": {"user_contains": "once"}, "answer": {"text": "yes"},
         "faults": [{"first": 1, "status": {"code": 429, "headers": {"retry-after": "3"}, "message": "slow down"}}]},
        {"id": "any", "when": {"user_contains": "hello"}, "repeat": true, "answer": {"text": "hello"}},
    ])
}

#[tokio::test(start_paused = true)]
async fn answers_are_in_the_archive_as_they_were_heard() {
    let world = playing(turns()).await;
    let mut stream = user("slow", &[]);
    stream["stream"] = json!(true);
    let mut no_role = user("hello", &[]);
    no_role["messages"][0]["role"] = json!("bot");
    let messages = json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]});
    let mut heard = Vec::new();
    for (path, body) in [
        (PATH, &stream),
        (PATH, &user("once", &[])),
        (PATH, &user("once", &[])),
        (PATH, &user("nothing", &[])),
        (PATH, &no_role),
        (PATH, &json!("no object")),
        ("/s/k/v1/messages?beta=true", &messages),
        ("/s/k/v1/messages/count_tokens", &messages),
        ("/s/k/v1/messages", &json!({"model": "m"})),
        ("/s/k/v1/responses", &json!({"model": "m", "input": "hello"})),
        ("/s/k/v1/responses", &json!({"model": "m", "input": "hello", "previous_response_id": "resp_0"})),
        ("/s/k/v1/nowhere", &messages),
    ] {
        heard.push(ask(&world, path, body).await.unwrap());
    }
    let broken = Request::new("POST", PATH).json("{\"model\": ");
    heard.push(world.send(broken).await);
    heard.push(world.send(Request::new("GET", PATH).header("anthropic-version", "2023-06-01")).await);
    heard.push(world.send(Request::new("DELETE", "/s/k/v1/models").header("anthropic-version", "x")).await);

    let har = har(&world).await;
    let entries = har["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), heard.len());
    for (entry, heard) in entries.iter().zip(&heard) {
        same(&entry["response"], heard);
    }
    let again = self::har(&world).await;
    assert_eq!(har, again, "it is the same whenever it is made");
}

#[tokio::test(start_paused = true)]
async fn an_entry_tells_the_request_the_times_and_what_the_journal_knows() {
    let world = playing(turns()).await;
    world.clock.pause(Duration::from_millis(1500)).await;
    let mut body = user("slow", &[]);
    body["stream"] = json!(true);
    let request =
        Request::new("POST", format!("{PATH}?a=1&b=%C3%A4")).header("authorization", "Bearer sk-secret");
    let heard = world.send(request.json(body.to_string())).await;
    let har = har(&world).await;
    assert!(!har.to_string().contains("sk-secret"));
    assert_eq!(
        har["log"]["_proofhouse"],
        json!({"session": "k", "script": "export", "dropped": 0, "next_since": null})
    );
    let entry = &har["log"]["entries"][0];
    assert_eq!(entry["startedDateTime"], "2026-01-05T09:00:01.500Z");
    let events = String::from_utf8_lossy(&heard.body).matches("data: ").count();
    let receive = 300 + 10 * (u64::try_from(events).unwrap() - 1);
    assert_eq!((&entry["timings"]["wait"], &entry["timings"]["receive"]), (&json!(0), &json!(receive)));
    let request = &entry["request"];
    assert_eq!(request["url"], format!("http://model{PATH}?a=1&b=%C3%A4"));
    assert_eq!(request["queryString"], json!([{"name": "a", "value": "1"}, {"name": "b", "value": "ä"}]));
    assert_eq!(request["postData"]["text"], body.to_string());
    assert_eq!(request["postData"]["mimeType"], "application/json");
    let about = &entry["_proofhouse"];
    assert_eq!(
        (&about["turn"], &about["outcome"], &about["fault"]),
        (&json!("slow"), &json!("answered"), &Value::Null)
    );
    assert_eq!(about["pieces_sent"], json!(events));
}

/// One request that this fault hits, and what the archive has of the answer.
async fn hit(fault: Value, stream: bool) -> (Option<Response>, Value) {
    let turn = json!({"id": "only", "answer": {"text": "one two three four"}, "stream": {"piece_chars": 4}, "faults": [fault]});
    let world = playing(json!([turn])).await;
    let mut body = user("go", &[]);
    body["stream"] = json!(stream);
    let heard = ask(&world, PATH, &body).await;
    let entry = har(&world).await["log"]["entries"][0].clone();
    (heard, entry)
}

#[tokio::test(start_paused = true)]
async fn faults_are_in_the_archive_as_far_as_they_went_out() {
    for fault in [
        json!({"end_after": 3}),
        json!({"malformed_json": 1}),
        json!({"malformed_sse": 1}),
        json!({"drop_events": "content"}),
        json!({"duplicate_event": 1}),
        json!({"no_finish_reason": true}),
        json!({"content_type": "text/plain"}),
        json!({"error_after": {"events": 2}}),
        json!({"empty_stream": true}),
        json!({"oversized": {"event": 1, "bytes": 300}}),
    ] {
        for stream in [true, false] {
            let (heard, entry) = hit(fault.clone(), stream).await;
            let name = fault.as_object().unwrap().keys().next().unwrap();
            if entry["_proofhouse"]["fault"] != Value::Null {
                assert_eq!(entry["_proofhouse"]["fault"], json!(name));
            }
            same(&entry["response"], &heard.unwrap());
        }
    }
    for (fault, pieces) in [(json!({"cut_inside": 2}), 3), (json!({"reset_after": 2}), 2)] {
        let (_, entry) = hit(fault, true).await;
        let text = entry["response"]["content"]["text"].as_str().unwrap();
        assert_eq!(text.matches("data: ").count(), pieces, "{text}");
        assert_eq!(text.ends_with("\n\n"), pieces == 2);
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_text_are_written_as_base64() {
    let (heard, entry) = hit(json!({"invalid_utf8": 1}), true).await;
    let content = &entry["response"]["content"];
    assert_eq!(content["encoding"], "base64");
    assert_eq!(content["size"], json!(heard.unwrap().body.len()));

    let world = playing(turns()).await;
    let mut request = Request::new("POST", PATH);
    request.body = Some(vec![b'{', 0xff].into());
    world.send(request).await;
    let data = har(&world).await["log"]["entries"][0]["request"]["postData"].clone();
    assert_eq!((&data["text"], &data["_encoding"]), (&json!("e/8="), &json!("base64")));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_got_no_answer_has_status_0() {
    let (heard, entry) = hit(json!({"reset_before_headers": true}), true).await;
    assert!(heard.is_none());
    assert_eq!(
        (&entry["response"]["status"], &entry["response"]["_error"]),
        (&json!(0), &json!("reset_before_headers"))
    );
}

#[tokio::test(start_paused = true)]
async fn padding_of_gigabytes_is_left_out() {
    let turns = json!([{"id": "only", "answer": {"text": "one"}, "faults": [{"oversized": {"event": 1, "bytes": 100_000}}]}]);
    let world = playing(turns).await;
    let mut body = user("go", &[]);
    body["stream"] = json!(true);
    let heard = ask(&world, PATH, &body).await.unwrap();
    let response = har(&world).await["log"]["entries"][0]["response"].clone();
    assert_eq!(response["bodySize"], json!(heard.body.len()));
    let content = response["content"].clone();
    let length = content["text"].as_str().unwrap().len();
    assert!(length < 10_000 && content["size"] == json!(length), "{}", content["size"]);
    assert_eq!(content["comment"], "95904 bytes of padding are left out");
}

#[tokio::test(start_paused = true)]
async fn lines_begin_with_the_whole_and_go_on_with_the_entries() {
    let world = playing(turns()).await;
    for text in ["hello", "once", "nothing", "hello"] {
        ask(&world, PATH, &user(text, &[])).await;
    }
    let response =
        world.send(Request::new("GET", "/_model/sessions/k/journal?format=jsonl&since=1&limit=2")).await;
    assert_eq!(header(&response, "content-type"), Some("application/x-ndjson"));
    let text = String::from_utf8_lossy(&response.body).into_owned();
    assert!(text.ends_with("}\n"));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let head = json!({
        "journal": "proofhouse.model-journal/1", "clock_started": "2026-01-05T09:00:00Z", "created": 1_767_603_600,
        "session": "k", "script": "export", "unused_turns": ["slow"], "dropped": 0, "entries": 2, "next_since": 3,
    });
    assert_eq!(lines[0], head);
    let told = serde_json::to_value(world.host.journal("k")).unwrap();
    assert_eq!(lines[1..], told.as_array().unwrap()[1..3]);

    let selection = Selection { format: Format::JsonLines, ..Selection::of(None) };
    let all: String = world.host.export(&selection).unwrap().collect();
    let head: Value = serde_json::from_str(all.lines().next().unwrap()).unwrap();
    assert_eq!((&head["entries"], &head["session"], all.lines().count()), (&json!(4), &Value::Null, 5));
}

#[tokio::test(start_paused = true)]
async fn an_archive_of_nothing_is_one() {
    let world = playing(turns()).await;
    let har = har(&world).await;
    assert_eq!(har["log"]["entries"], json!([]));
    let all = world.send(Request::new("GET", "/_model/journal?format=har")).await;
    assert_eq!(json_of(&all)["log"]["entries"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_journal_is_taken_at_one_moment_and_told_entry_by_entry() {
    let world = playing(turns()).await;
    for _ in 0..3 {
        ask(&world, PATH, &user("hello", &[])).await;
    }
    let mut export = world.host.export(&Selection::of(Some("k"))).unwrap();
    let mut text = export.next().unwrap();
    world.host.drop_session("k");
    text.extend(export);
    let journal: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(journal["entries"].as_array().unwrap().len(), 3);
}
