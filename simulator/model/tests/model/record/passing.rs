//! Requests and answers pass through as they are, piece by piece.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{body::Body, response::Response};
use model::{
    Answer, Script, Turn,
    record::{Fate, Options, Recorder, serve},
    script::Stream,
};
use serde_json::{Value, json};
use wire::http::Request;

use super::studio::{Studio, UPSTREAM, answer, chunked, finish, post, saying};
use crate::client::{header, json_of};

const CHAT: &str = "/v1/chat/completions";

fn asked(stream: bool) -> Value {
    json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "hi"}]})
}

#[tokio::test(start_paused = true)]
async fn what_belongs_to_the_connection_stays_there_and_the_rest_goes_through() {
    let studio = Studio::new().await;
    let body = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}).to_string();
    let mut bytes =
        b"HTTP/1.1 200 OK\r\nx-request-id: req_1\r\nX-Hop: 1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\
        keep-alive: timeout=5\r\nconnection: close, x-hop\r\ncontent-type: application/json\r\n"
            .to_vec();
    bytes.extend_from_slice(format!("content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let asked_of = studio.canned(vec![bytes]).await;
    let request = post(&format!("{CHAT}?api-version=2"), &asked(false))
        .header("accept-encoding", "gzip, br")
        .header("te", "trailers")
        .header("x-client-hop", "1")
        .header("connection", "x-client-hop")
        .header("authorization", "Bearer sk-of-the-client")
        .header("x-proofhouse-session", "../../etc");
    let response = studio.send(request).await;
    assert_eq!((response.status, std::str::from_utf8(&response.body).unwrap()), (200, body.as_str()));
    let names: Vec<&str> = response.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x-request-id", "set-cookie", "set-cookie", "content-type", "content-length"]);

    let request = asked_of.lock().unwrap()[0].to_ascii_lowercase();
    assert!(request.starts_with("post /v1/chat/completions?api-version=2 http/1.1\r\n"), "{request}");
    assert!(request.ends_with(&format!("\r\n\r\n{}", asked(false))), "the body goes through as it is");
    for there in
        ["host: upstream.test:80", "accept-encoding: identity", "authorization: bearer sk-of-the-client"]
    {
        assert!(request.contains(&format!("\r\n{there}\r\n")), "{there} is missing in {request}");
    }
    for absent in ["gzip", "trailers", "x-client-hop", "etc"] {
        assert!(!request.contains(absent), "{absent} stands in {request}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_piece_is_there_as_soon_as_it_came() {
    let studio = Studio::new().await;
    let slow = Stream { gap_ms: Some(1000), ..Stream::default() };
    let turn = Turn::new("a", Answer::new().text("one two three four five")).stream(slow);
    studio.upstream(Script::new("upstream", [turn]).unwrap()).await;
    let mut open = studio.open(CHAT, &asked(true)).await;
    assert!(
        open.headers
            .iter()
            .any(|(name, value)| name == "content-type" && value.starts_with("text/event-stream"))
    );
    let mut came = Vec::new();
    while let Some(piece) = open.next().await {
        assert!(piece.unwrap().starts_with(b"data: "));
        came.push(studio.clock.elapsed_ms());
    }
    assert_eq!(came, (0..came.len() as u64).map(|number| number * 1000).collect::<Vec<_>>());
    assert!(came.len() >= 5);
}

/// An upstream that says `count` words, and how many of them it was asked for so far.
async fn talkative(studio: &Studio, count: usize) -> Arc<AtomicUsize> {
    let said = Arc::new(AtomicUsize::new(0));
    let saying_on = said.clone();
    let respond = move |_| {
        let said = saying_on.clone();
        async move {
            let words = (0..count).map(move |number| {
                said.store(number + 1, Ordering::Relaxed);
                Ok::<_, Infallible>(if number + 1 == count {
                    finish("stop") + "data: [DONE]\n\n"
                } else {
                    saying(&"w".repeat(1000))
                })
            });
            let mut response = Response::new(Body::from_stream(futures_util::stream::iter(words)));
            response.headers_mut().insert("content-type", "text/event-stream".parse().unwrap());
            response
        }
    };
    let listener = studio.net.listen(UPSTREAM).await.unwrap();
    tokio::spawn(wire::serve::serve_with(listener, respond, None, std::future::pending()));
    said
}

#[tokio::test(start_paused = true)]
async fn an_upstream_is_asked_for_no_more_than_the_client_takes() {
    let studio = Studio::new().await;
    let said = talkative(&studio, 100_000).await;
    let mut open = studio.open(CHAT, &asked(true)).await;
    let first = open.next().await.unwrap().unwrap();
    assert!(first.starts_with(b"data: "));
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    // What is on its way stands in the pipes and in the buffers of either connection.
    let kilobytes = said.load(Ordering::Relaxed);
    assert!(kilobytes < 1000, "{kilobytes} kB were taken for a client that does not read");
    drop(open);
    studio.until_told(1).await;
    assert!(matches!(&studio.fates()[0], Fate::Incomplete(why) if why.contains("the client left")));
    assert!(!studio.file().exists());
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_too_large_goes_through_and_is_not_kept() {
    let studio = Studio::with(|options| options.kept_bytes_max = 100_000).await;
    talkative(&studio, 3000).await;
    let response = studio.post(CHAT, &asked(true)).await;
    assert!(response.body.len() > 3_000_000 && response.body.ends_with(b"data: [DONE]\n\n"));
    assert_eq!(studio.fates(), [Fate::Unreadable("the answer has more than 100000 bytes".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_without_end_is_not_kept_either() {
    let studio = Studio::with(|options| options.kept_bytes_max = 10_000).await;
    let endless = format!("data: {}", "x".repeat(50_000));
    studio
        .canned(vec![chunked(&[&endless, &endless], true), answer("200 OK", "application/json", &endless)])
        .await;
    assert_eq!(studio.post(CHAT, &asked(true)).await.body.len(), 2 * endless.len());
    assert_eq!(studio.post(CHAT, &asked(false)).await.body.len(), endless.len());
    let large = Fate::Unreadable("the answer has more than 10000 bytes".into());
    assert_eq!(studio.fates(), [large.clone(), large]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_after_the_last_event_has_had_its_answer() {
    let last = [finish("stop"), "data: [DONE]\n\n".to_owned()].concat();
    let named = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let completed = json!({"type": "response.completed", "response": {"id": "resp_1", "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Hi."}]},
    ]}});
    let messages = [
        json!({"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi."}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ];
    let messages: String =
        messages.iter().map(|data| named(data["type"].as_str().unwrap(), data.clone())).collect();
    for (path, events) in [
        (CHAT, saying("Hi.") + &last),
        // Some clients do not wait for `[DONE]`.
        (CHAT, saying("Hi.") + &finish("stop")),
        ("/v1/responses", named("response.completed", completed)),
        ("/v1/messages", messages),
    ] {
        let studio = Studio::new().await;
        // The upstream leaves the connection open: nothing but the events tells the end.
        studio.hanging(chunked(&[&events], false)).await;
        let body = json!({"model": "m", "max_tokens": 9, "stream": true, "input": "hi", "messages": [{"role": "user", "content": "hi"}]});
        let mut open = studio.open(path, &body).await;
        let mut seen = Vec::new();
        while seen.len() < events.len() {
            seen.extend_from_slice(&open.next().await.unwrap().unwrap());
        }
        drop(open);
        studio.until_told(1).await;
        assert!(matches!(studio.fates()[0], Fate::Recorded(_)), "{path}: {:?}", studio.told());
        assert_eq!(studio.json()["conversations"][0]["turns"][0]["answer"]["text"], "Hi.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_once_it_has_all_of_a_chunked_answer_has_had_it() {
    let studio = Studio::new().await;
    let body = json!({"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}).to_string();
    let bytes =
        String::from_utf8(chunked(&[&body], false)).unwrap().replace("text/event-stream", "application/json");
    studio.hanging(bytes.into_bytes()).await;
    let mut open = studio.open(CHAT, &asked(false)).await;
    assert_eq!(open.next().await.unwrap().unwrap(), body.as_bytes());
    drop(open);
    studio.until_told(1).await;
    assert_eq!(studio.fates(), [Fate::Recorded("hi/turn-1".into())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_at_once_over_tcp_are_all_recorded() {
    const CLIENTS: usize = 24;
    let (clock, folder) = (wire::Clock::wall(), tempfile::tempdir().unwrap());
    let host = model::Host::new(clock.clone(), wire::Seed::of_run(7));
    let turn = Turn::new("a", Answer::new().text("You said {{ user }}.").template()).repeat();
    host.load(model::DEFAULT_SESSION, Script::new("upstream", [turn]).unwrap());
    let upstream = wire::Net::Tcp.listen("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/", upstream.authority());
    tokio::spawn(model::serve(host, upstream, std::future::pending()));

    let file = folder.path().join("script.json");
    let recorder = Recorder::new(clock.clone(), Options::new(&file, url)).unwrap();
    let listener = wire::Net::Tcp.listen("127.0.0.1:0").await.unwrap();
    let (at, (stop, stopped)) = (listener.authority().to_owned(), tokio::sync::oneshot::channel::<()>());
    let serving = tokio::spawn(serve(recorder, listener, async {
        let _ = stopped.await;
    }));
    let limits = wire::http::Limits {
        head: std::time::Duration::from_secs(60),
        whole: std::time::Duration::from_secs(60),
        body_bytes_max: 1 << 20,
    };
    let clients = (0..CLIENTS).map(|number| {
        let at = at.clone();
        let body = json!({"model": "m", "stream": number % 2 == 0, "messages": [{"role": "user", "content": format!("word {number} of many")}]});
        tokio::spawn(async move { wire::http::send(&wire::Net::Tcp, &at, &post(CHAT, &body), limits).await.unwrap().status })
    });
    for client in clients.collect::<Vec<_>>() {
        assert_eq!(client.await.unwrap(), 200);
    }
    stop.send(()).unwrap();
    let report = serving.await.unwrap().unwrap();
    assert_eq!((report.recorded, report.missing, report.under_way), (24, 0, 0), "{report}");
    let script = Script::from_path(&file).unwrap();
    let texts: std::collections::BTreeSet<String> =
        script.turns().map(|turn| turn.answer.text.clone().unwrap()).collect();
    assert_eq!((texts.len(), script.turns().count()), (CLIENTS, CLIENTS));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_earlier_is_told_of_and_nothing_is_written() {
    let studio = Studio::new().await;
    let slow = Stream { gap_ms: Some(1000), ..Stream::default() };
    let turn = |id: &str| Turn::new(id, Answer::new().text("one two three four five")).stream(slow.clone());
    studio.upstream(Script::new("upstream", [turn("a").hold("never"), turn("b")]).unwrap()).await;
    let first = asked(true);
    let open = studio.open(CHAT, &first);
    // The first leaves before the head of the answer, the second after a few events.
    tokio::select! {
        biased;
        _ = open => panic!("the gate did not hold it"),
        () = studio.clock.pause(std::time::Duration::from_secs(5)) => {}
    }
    studio.until_told(1).await;
    let mut open = studio
        .open(CHAT, &json!({"model": "n", "stream": true, "messages": [{"role": "user", "content": "something else"}]}))
        .await;
    open.next().await.unwrap().unwrap();
    drop(open);
    studio.until_told(2).await;
    for fate in studio.fates() {
        assert_eq!(fate, Fate::Incomplete("the client left before the answer was whole".into()));
    }
    let report = studio.recorder.report();
    assert_eq!((report.recorded, report.missing, report.under_way), (0, 2, 0));
    assert!(!studio.file().exists());
}

#[tokio::test(start_paused = true)]
async fn what_is_no_question_is_passed_on_and_not_recorded() {
    let studio = Studio::new().await;
    studio.upstream(Script::new("upstream", [Turn::new("a", Answer::new().text("hi"))]).unwrap()).await;
    let models = studio.send(Request::new("GET", "/s/k/v1/models?limit=5")).await;
    assert_eq!(json_of(&models)["data"][0]["id"], "fake-model");
    assert_eq!(studio.send(Request::new("HEAD", "/")).await.status, 200);
    let unknown = studio.post("/v2/other", &json!({})).await;
    assert_eq!((unknown.status, json_of(&unknown)["error"]["code"].clone()), (404, json!("unknown_url")));
    let upgrade =
        Request::new("GET", "/v1/responses").header("upgrade", "websocket").header("connection", "upgrade");
    let upgrade = studio.send(upgrade).await;
    assert_eq!((upgrade.status, header(&upgrade, "x-should-retry")), (426, Some("false")));
    studio.until_told(4).await;
    let passed = studio.fates().iter().filter(|fate| **fate == Fate::PassedOn).count();
    assert_eq!(passed, 3, "{:?}", studio.told());
    assert!(!studio.file().exists());
}
