//! Every fault, as it is seen on the socket.

use model::Outcome;
use serde_json::{Value, json};

use crate::socket::{Behind, Ended, Heard};

/// A script of one turn that says something and calls two tools, with this fault.
fn script(fault: Value) -> Value {
    json!({"script": 1, "name": "faults", "turns": [{
        "id": "only",
        "answer": {"text": "Let me look into that for you.", "tool_calls": [
            {"id": "call_1", "name": "look", "arguments": {"at": "the left one"}},
            {"id": "call_2", "name": "look", "arguments": {"at": "the right one"}},
        ]},
        "faults": [fault],
    }]})
}

/// What is heard when the fault hits a stream, and when it hits an answer in one piece.
async fn heard(fault: Value, stream: bool) -> (Behind, Heard) {
    let world = Behind::tcp().await;
    world.load("k", &script(fault));
    let heard = world.chat("k", "go", stream).await;
    (world, heard)
}

fn names(stream: &str) -> Vec<String> {
    let events = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    events
        .map(|data| match serde_json::from_str::<Value>(data) {
            Err(_) => data.to_owned(),
            Ok(chunk) if chunk["choices"] == json!([]) => "usage".to_owned(),
            Ok(chunk) if chunk["error"].is_object() => "error".to_owned(),
            Ok(chunk) => {
                let choice = &chunk["choices"][0];
                let keys = choice["delta"].as_object().unwrap().keys().cloned().collect::<Vec<_>>().join("+");
                if keys.is_empty() { format!("finish:{}", choice["finish_reason"]) } else { keys }
            }
        })
        .collect()
}

/// What a sound answer looks like.
async fn sound() -> String {
    let world = Behind::tcp().await;
    let mut sound = script(json!({"status": 500}));
    sound["turns"][0]["faults"] = json!([]);
    world.load("k", &sound);
    world.chat("k", "go", true).await.stream()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_comes_with_its_headers_and_its_envelope() {
    let fault = json!({"status": {
        "code": 429, "headers": {"retry-after": "1", "retry-after-ms": "1500"}, "type": "tokens",
        "message": "slow down", "error_code": "rate_limit_exceeded",
    }});
    for stream in [true, false] {
        let (world, heard) = heard(fault.clone(), stream).await;
        let head = heard.head();
        assert!(head.starts_with("HTTP/1.1 429 "), "{head}");
        assert!(head.contains("retry-after: 1\r\n") && head.contains("retry-after-ms: 1500"), "{head}");
        assert!(!head.contains("x-should-retry"), "clients may try again: {head}");
        let body: Value = serde_json::from_slice(&heard.body()).unwrap();
        let error =
            json!({"message": "slow down", "type": "tokens", "param": null, "code": "rate_limit_exceeded"});
        assert_eq!(body["error"], error);
        let entry = world.host.journal("k").remove(0);
        assert_eq!((entry.outcome, entry.status), (Outcome::Broken, Some(429)));
        assert_eq!(entry.fault.as_deref(), Some("status"));
    }
    for (code, kind) in
        [(500, "server_error"), (529, "service_unavailable_error"), (401, "authentication_error")]
    {
        let (_, heard) = heard(json!({"status": code}), true).await;
        assert!(heard.head().starts_with(&format!("HTTP/1.1 {code} ")));
        let body: Value = serde_json::from_slice(&heard.body()).unwrap();
        assert_eq!(body["error"]["type"], kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn before_the_headers_a_connection_is_reset_or_silent() {
    for stream in [true, false] {
        let (world, reset) = heard(json!({"reset_before_headers": true}), stream).await;
        assert_eq!((reset.ended, reset.bytes.len()), (Ended::Reset, 0));
        assert_eq!(world.host.journal("k")[0].outcome, Outcome::Broken);
        let (_, silent) = heard(json!({"stall_before_headers": true}), stream).await;
        assert_eq!((silent.ended, silent.bytes.len()), (Ended::Silent, 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_early_in_four_ways() {
    let sound = sound().await;
    let two: String = sound.split_inclusive("\n\n").take(2).collect();
    let (_, clean) = heard(json!({"end_after": 2}), true).await;
    assert_eq!((clean.stream(), clean.chunks().1), (two.clone(), true), "a clean end");

    let (_, reset) = heard(json!({"reset_after": 2}), true).await;
    assert_eq!((reset.stream(), reset.chunks().1, reset.ended), (two.clone(), false, Ended::Reset));

    let (_, cut) = heard(json!({"cut_inside": 2}), true).await;
    assert_eq!((cut.chunks().1, cut.ended), (false, Ended::Closed), "no terminating chunk");
    let third = sound.split_inclusive("\n\n").nth(2).unwrap();
    assert_eq!(cut.stream(), format!("{two}{}", &third[..third.len() / 2]), "half of the third event");

    let (world, stall) = heard(json!({"stall_after": 2}), true).await;
    assert_eq!((stall.stream(), stall.chunks().1, stall.ended), (two, false, Ended::Silent));
    while world.host.journal("k")[0].ended_ms.is_none() {
        tokio::task::yield_now().await;
    }
    let entry = world.host.journal("k").remove(0);
    assert_eq!((entry.outcome, entry.client_left, entry.pieces_sent), (Outcome::Broken, true, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_one_piece_ends_early_too() {
    let length = |heard: &Heard| {
        let head = heard.head();
        let line = head.lines().find_map(|line| line.strip_prefix("content-length: ").map(str::to_owned));
        line.unwrap().parse::<usize>().unwrap()
    };
    for (fault, ended) in [
        (json!({"cut_inside": 0}), Ended::Closed),
        (json!({"reset_after": 0}), Ended::Reset),
        (json!({"stall_after": 0}), Ended::Silent),
    ] {
        let (_, heard) = heard(fault.clone(), false).await;
        assert_eq!(heard.ended, ended, "{fault}");
        let (promised, came) = (length(&heard), heard.body().len());
        assert_eq!(came, promised / 2, "{fault}: half of what was promised");
    }
    for fault in [json!({"end_after": 0}), json!({"empty_stream": true})] {
        let (_, heard) = heard(fault, false).await;
        assert_eq!((length(&heard), heard.body().len(), heard.ended), (0, 0, Ended::Closed));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_lost_doubled_and_moved() {
    let all = names(&sound().await);
    let edited = |edit: fn(&mut Vec<String>)| {
        let mut names = all.clone();
        edit(&mut names);
        names
    };
    let cases = [
        (
            json!({"drop_events": ["role", "usage"]}),
            edited(|names| {
                names.remove(names.len() - 2);
                names.remove(0);
            }),
        ),
        (json!({"drop_events": "done"}), edited(|names| drop(names.pop()))),
        (json!({"duplicate_event": 1}), edited(|names| names.insert(1, names[1].clone()))),
        (json!({"swap_events": [0, 1]}), edited(|names| names.swap(0, 1))),
        (json!({"no_finish_reason": true}), edited(|names| names.truncate(names.len() - 3))),
        (json!({"empty_stream": true}), Vec::new()),
    ];
    for (fault, expected) in cases {
        let (_, heard) = heard(fault.clone(), true).await;
        assert_eq!(names(&heard.stream()), expected, "{fault}");
        assert!(heard.chunks().1, "{fault}: the end is clean");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_comes_inside_the_stream() {
    let fault =
        json!({"error_after": {"events": 2, "type": "overloaded", "message": "busy", "code": "busy"}});
    let (_, heard) = heard(fault, true).await;
    assert!(heard.head().starts_with("HTTP/1.1 200 "));
    assert_eq!(names(&heard.stream()), ["content+refusal+role", "content", "error"]);
    assert!(heard.stream().contains(r#""message":"busy""#) && heard.chunks().1);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_are_broken() {
    let sound = sound().await;
    let (_, json) = heard(json!({"malformed_json": 1}), true).await;
    let broken = json.stream();
    let second = broken.lines().filter_map(|line| line.strip_prefix("data: ")).nth(1).unwrap();
    assert!(serde_json::from_str::<Value>(second).is_err() && second.starts_with('{'), "{second}");

    let (_, sse) = heard(json!({"malformed_sse": 1}), true).await;
    assert_eq!(names(&sse.stream()).len(), names(&sound).len() - 1, "the event is lost");

    let (_, utf8) = heard(json!({"invalid_utf8": 1}), true).await;
    let chunks = utf8.chunks().0;
    assert!(std::str::from_utf8(&chunks[1]).is_err() && std::str::from_utf8(&chunks[0]).is_ok());

    let (_, oversized) = heard(json!({"oversized": {"event": 1, "bytes": 100_000}}), true).await;
    let chunks = oversized.chunks().0;
    assert_eq!((chunks[1][0], chunks[1][99_999]), (b':', b'\n'));
    assert_eq!(names(&oversized.stream()), names(&sound), "and nothing else changes");

    for (fault, sound_json, sound_utf8) in [
        (json!({"malformed_json": 0}), false, true),
        (json!({"invalid_utf8": 0}), false, false),
        (json!({"oversized": {"bytes": 70_000}}), true, true),
    ] {
        let (_, heard) = heard(fault.clone(), false).await;
        let body = heard.body();
        assert_eq!(serde_json::from_slice::<Value>(&body).is_ok(), sound_json, "{fault}");
        assert_eq!(std::str::from_utf8(&body).is_ok(), sound_utf8, "{fault}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_type_is_another() {
    for stream in [true, false] {
        let (_, heard) = heard(json!({"content_type": "text/html"}), stream).await;
        assert!(heard.head().contains("content-type: text/html"), "{}", heard.head());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_broken_and_the_turn_counts_as_answered() {
    let calls = |heard: &Heard| {
        let body: Value = serde_json::from_slice(&heard.body()).unwrap();
        let calls = body["choices"][0]["message"]["tool_calls"].as_array().unwrap().clone();
        let told = |call: &Value| {
            let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
            (text("/id"), text("/function/name"), text("/function/arguments"))
        };
        calls.iter().map(told).collect::<Vec<_>>()
    };
    for (fault, check) in [
        (
            json!({"tool_arguments": "truncated"}),
            (|calls| calls[0].2 == r#"{"at":"the"#) as fn(&[(String, String, String)]) -> bool,
        ),
        (json!({"tool_arguments": "invalid"}), |calls| calls.iter().all(|call| call.2 == "not json")),
        (json!({"unknown_tool": "dig"}), |calls| calls.iter().all(|call| call.1 == "dig")),
        (json!({"duplicate_call_id": true}), |calls| calls.iter().all(|call| call.0 == "call_1")),
    ] {
        let (world, heard) = heard(fault.clone(), false).await;
        assert!(check(&calls(&heard)), "{fault}: {:?}", calls(&heard));
        assert_eq!(world.host.journal("k")[0].outcome, Outcome::Answered, "{fault}");
        let again = world.chat("k", "go", false).await;
        assert!(again.head().starts_with("HTTP/1.1 400"), "{fault}: the turn is used");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_n_are_hit_and_the_retry_gets_the_turn() {
    let world = Behind::tcp().await;
    let mut twice = script(json!({"status": 503, "first": 2}));
    twice["turns"][0]["faults"].as_array_mut().unwrap().push(json!({"end_after": 1, "first": 1}));
    world.load("k", &twice);
    world.load("other", &twice);
    let mut heads = Vec::new();
    for stream in [true, false, true, false, true] {
        let heard = world.chat("k", "go", stream).await;
        heads.push((heard.head()[9..12].to_owned(), heard.chunks().0.len()));
    }
    let codes: Vec<&str> = heads.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(codes, ["503", "503", "200", "200", "400"], "{heads:?}");
    assert_eq!(heads[2].1, 1, "the third is cut short");
    let journal = world.host.journal("k");
    let told: Vec<_> = journal.iter().map(|entry| (entry.outcome, entry.retry)).collect();
    let expected = [
        (Outcome::Broken, false),
        (Outcome::Broken, true),
        (Outcome::Broken, true),
        (Outcome::Answered, true),
        (Outcome::Missed, false),
    ];
    assert_eq!(told, expected);
    assert!(world.chat("other", "go", true).await.head().starts_with("HTTP/1.1 503"), "each session counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn chance_is_drawn_from_the_seed() {
    let drawn = || async {
        let world = Behind::tcp().await;
        let mut chance = script(json!({"status": 500, "chance": 0.5}));
        chance["turns"][0]["repeat"] = json!(true);
        world.load("k", &chance);
        let mut hits = Vec::new();
        for number in 0..60 {
            hits.push(world.chat("k", &format!("{}", number % 20), false).await.head().contains(" 500 "));
        }
        hits
    };
    let (first, second) = (drawn().await, drawn().await);
    assert_eq!(first, second, "one seed, one result");
    let hits = first.iter().filter(|hit| **hit).count();
    assert!((12..48).contains(&hits), "{hits} of 60");
    assert_ne!(first[..20], first[20..40], "a retry draws again");
}
