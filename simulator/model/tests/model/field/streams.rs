//! How answers go out: their pace, their bytes, and what is wrong with them on purpose.

use std::time::Duration;

use model::{Outcome, script::WireName};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use wire::{
    http::Response,
    sse::{Frame, Parser},
};

use super::{WIRES, ask, begun, playing};
use crate::{
    client::{json_of, user},
    socket::Behind,
};

fn frames(response: &Response) -> Vec<Frame> {
    Parser::default().push(&response.body)
}

/// The name of each event and its data as JSON; data that is none is itself.
fn told(response: &Response) -> Vec<(Option<String>, Value)> {
    let read = |data: String| serde_json::from_str(&data).unwrap_or(Value::String(data));
    frames(response).into_iter().map(|frame| (frame.event, read(frame.data.unwrap_or_default()))).collect()
}

/// Says something, thinks and calls a tool twice.
fn answer() -> Value {
    json!({"thinking": "Zażółć gęślą jaźń.", "text": "I look at both 🦀.", "tool_calls": [
        {"id": "call_1", "name": "look", "arguments": {"at": "the left one"}},
        {"id": "call_2", "name": "look", "arguments": {"at": "the right one"}},
    ]})
}

async fn streamed(wire: WireName, style: Value, faults: Value) -> Response {
    let turn = json!({"id": "only", "stream": style, "answer": answer(), "faults": faults});
    ask(&playing(json!([turn])).await, &begun(wire, "go"), true).await
}

#[tokio::test(start_paused = true)]
async fn an_answer_takes_the_time_that_its_pace_says() {
    let turn = json!({"id": "only", "stream": {"first_ms": 300, "gap_ms": 100}, "answer": answer()});
    for (wire, stream) in WIRES.into_iter().flat_map(|wire| [(wire, true), (wire, false)]) {
        let world = playing(json!([turn])).await;
        let response = ask(&world, &begun(wire, "go"), stream).await;
        let entry = world.host.journal("default").remove(0);
        let events = if stream { u64::try_from(frames(&response).len()).unwrap() } else { 1 };
        assert!(events == 1 || events > 8, "{wire:?}");
        assert_eq!(entry.ended_ms.unwrap() - entry.arrived_ms, 300 + 100 * (events - 1), "{wire:?} {stream}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_event_comes_at_its_own_time() {
    let world =
        playing(json!([{"id": "only", "stream": {"first_ms": 300, "gap_ms": 100}, "answer": answer()}]))
            .await;
    let mut body = user("go", &["look"]);
    body["stream"] = json!(true);
    let mut open = world.open("default", &body).await;
    let mut at = Duration::from_millis(300);
    while let Some(piece) = open.next().await {
        assert_eq!(Parser::default().push(&piece.unwrap()).len(), 1);
        // The pipe is read once a millisecond at the latest.
        assert!(
            world.clock.elapsed().abs_diff(at) <= Duration::from_millis(1),
            "{:?}",
            world.clock.elapsed()
        );
        at += Duration::from_millis(100);
    }
    assert!(at > Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn line_ends_and_split_data_change_bytes_and_nothing_that_is_said() {
    for wire in WIRES {
        let plain = streamed(wire, json!({}), json!([])).await;
        for (style, sign) in [
            (json!({"line_ends": "crlf"}), "\r\n\r\n"),
            (json!({"split_data": true}), "data: {\ndata:   \""),
            (json!({"line_ends": "crlf", "split_data": true}), "data: {\r\ndata:   \""),
        ] {
            let other = streamed(wire, style.clone(), json!([])).await;
            assert_eq!(told(&other), told(&plain), "{wire:?} {style}");
            let text = std::str::from_utf8(&other.body).unwrap();
            assert!(text.contains(sign), "{wire:?} {style}: {text}");
            let bare = text.matches('\n').count() - text.matches("\r\n").count();
            assert_eq!(bare == 0, style["line_ends"] == "crlf", "{wire:?} {style}");
        }
    }
}

/// The smallest pieces there are, each of them a chunk of its own: none cuts a letter.
#[tokio::test(flavor = "multi_thread")]
async fn no_chunk_cuts_a_letter() {
    for wire in WIRES {
        let world = Behind::tcp().await;
        let turn = json!({"id": "only", "stream": {"piece_chars": 1}, "answer": answer()});
        world.load("k", &json!({"script": 1, "name": "letters", "turns": [turn]}));
        let talk = begun(wire, "go");
        let heard = world.post(&format!("/s/k{}", talk.path()), "", &talk.request(true).to_string()).await;
        let (chunks, ended) = heard.chunks();
        assert!(ended && chunks.len() > 30, "{wire:?}");
        for chunk in chunks {
            let text = std::str::from_utf8(&chunk).unwrap_or_else(|error| panic!("{wire:?}: {error}"));
            assert_eq!((text.matches("\n\n").count(), text.ends_with("\n\n")), (1, true), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn fragments_of_parallel_calls_alternate_when_they_are_told_to() {
    let order = |response: &Response| -> Vec<u64> {
        let deltas =
            told(response).into_iter().map(|(_, data)| data["choices"][0]["delta"]["tool_calls"][0].clone());
        deltas.filter_map(|call| call["index"].as_u64()).collect()
    };
    let joined = |response: &Response| -> [String; 2] {
        let mut arguments = [String::new(), String::new()];
        for (_, data) in told(response) {
            let call = &data["choices"][0]["delta"]["tool_calls"][0];
            if let Some(index) = call["index"].as_u64() {
                arguments[usize::try_from(index).unwrap()] += call["function"]["arguments"].as_str().unwrap();
            }
        }
        arguments
    };
    let style = |interleave: bool| json!({"piece_chars": 9, "interleave": interleave});
    let plain = streamed(WireName::Chat, style(false), json!([])).await;
    assert_eq!(order(&plain), [0, 0, 0, 0, 1, 1, 1, 1]);
    let other = streamed(WireName::Chat, style(true), json!([])).await;
    assert_eq!(order(&other), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(joined(&other), joined(&plain));
    assert_eq!(joined(&plain), [r#"{"at":"the left one"}"#, r#"{"at":"the right one"}"#]);
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_told_in_the_field_that_the_script_names() {
    let fields = ["reasoning_content", "reasoning", "reasoning_text"];
    for field in fields {
        let turn =
            json!({"id": "only", "repeat": true, "stream": {"reasoning_field": field}, "answer": answer()});
        let world = playing(json!([turn])).await;
        let talk = begun(WireName::Chat, "go");
        let message = json_of(&ask(&world, &talk, false).await)["choices"][0]["message"].clone();
        let deltas: Vec<Value> = told(&ask(&world, &talk, true).await)
            .into_iter()
            .map(|(_, data)| data["choices"][0]["delta"].clone())
            .collect();
        for name in fields {
            let text: String = deltas.iter().filter_map(|delta| delta[name].as_str()).collect();
            let expected = if name == field { "Zażółć gęślą jaźń." } else { "" };
            assert_eq!(
                (text.as_str(), message[name].as_str().unwrap_or_default()),
                (expected, expected),
                "{name}"
            );
        }
    }
}

/// Clients hang up as soon as they have seen the last event, before the end of the body.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_after_the_last_event_has_had_its_answer() {
    for (wire, last) in
        WIRES.into_iter().zip(["data: [DONE]", "event: response.completed", "event: message_stop"])
    {
        let world = Behind::tcp().await;
        world.load("k", &json!({"script": 1, "name": "left", "turns": [{"id": "only", "answer": answer()}]}));
        let talk = begun(wire, "go");
        let body = talk.request(true).to_string();
        let mut stream = TcpStream::connect(&world.authority).await.unwrap();
        let head = format!(
            "POST /s/k{} HTTP/1.1\r\nhost: model\r\nanthropic-version: 2023-06-01\r\ncontent-length: {}\r\n\r\n",
            talk.path(),
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        while !String::from_utf8_lossy(&heard).contains(last) {
            assert_ne!(stream.read_buf(&mut heard).await.unwrap(), 0, "{wire:?}");
        }
        drop(stream);
        while world.host.journal("k")[0].ended_ms.is_none() {
            tokio::task::yield_now().await;
        }
        let entry = world.host.journal("k").remove(0);
        assert_eq!((entry.outcome, entry.client_left), (Outcome::Answered, false), "{wire:?}");
    }
}

/// The types of the events, as the data has them.
fn types(response: &Response) -> Vec<String> {
    told(response).iter().map(|(_, data)| data["type"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_wires_with_named_events_can_be_wrong_in_the_ways_that_were_met() {
    for wire in [WireName::Responses, WireName::Messages] {
        let sound = streamed(wire, json!({}), json!([])).await;
        let (begins, ends) = match wire {
            WireName::Messages => ("message_start", "content_block_stop"),
            _ => ("response.created", "response.output_item.done"),
        };
        let broken = async |fault: Value| streamed(wire, json!({}), json!([fault])).await;

        let lines = broken(json!({"no_event_lines": true})).await;
        assert!(frames(&lines).iter().all(|frame| frame.event.is_none()), "{wire:?}");
        assert_eq!(types(&lines), types(&sound), "{wire:?}");

        let unfinished = types(&broken(json!({"no_finish_reason": true})).await);
        assert_eq!(unfinished.last().unwrap(), ends, "{wire:?}");

        let headless = types(&broken(json!({"drop_events": begins})).await);
        assert_eq!(headless, types(&sound)[1..], "{wire:?}: an event before the first");

        let twice = types(&broken(json!({"duplicate_event": 0})).await);
        assert_eq!(twice[..2], [begins, begins], "{wire:?}");

        let late = types(&broken(json!({"swap_events": [0, 2]})).await);
        assert_eq!((&late[2], &late[0]), (&begins.to_owned(), &types(&sound)[2]), "{wire:?}");
    }
    let empty = told(&streamed(WireName::Responses, json!({}), json!([{"empty_output": true}])).await);
    let (name, data) = empty.last().unwrap();
    assert_eq!((name.as_deref(), &data["response"]["output"]), (Some("response.completed"), &json!([])));
}
