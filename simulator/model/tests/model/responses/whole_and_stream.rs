//! What is answered, in one piece and as a stream.

use model::{
    Answer, Fault, Script, ToolCall, Turn,
    script::{Block, ErrorEvent, FinishReason, Stream, Thinking},
};
use proptest::{
    collection::vec,
    option,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

use super::{PATH, events, fold::fold, streamed, user};
use crate::client::{World, golden, header, json_of};

/// A world in which every request gets this answer.
async fn answering(answer: Answer) -> World {
    playing(Turn::new("only", answer)).await
}

async fn playing(turn: Turn) -> World {
    let world = World::new().await;
    world.host.load(model::DEFAULT_SESSION, Script::new("responses", [turn.repeat()]).unwrap());
    world
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

fn samples() -> Vec<(&'static str, Answer)> {
    let oslo = call("call_oslo", "get_weather", json!({"city": "Oslo"}));
    let lima = call("call_lima", "get_weather", json!({"city": "Lima", "units": "metric"}));
    let thought = |text: &str| Block::Thinking(Thinking::from(text));
    vec![
        ("text", Answer::new().text("Nothing to look up.").usage(12, 7)),
        ("two_calls", Answer::new().text("Let me look.").call(oslo.clone()).call(lima)),
        (
            "interleaved",
            Answer::new()
                .block(thought("Oslo is in Norway."))
                .block(Block::Text("Oslo first.".into()))
                .block(Block::Text(" Then Lima.".into()))
                .block(Block::ToolCall(oslo))
                .block(thought(""))
                .block(Block::Text("That is all.".into())),
        ),
        ("refusal", Answer::new().refusal("I would rather not.")),
        ("length", Answer::new().text("This is cut").finish_reason(FinishReason::Length)),
        ("content_filter", Answer::new().text("").finish_reason(FinishReason::ContentFilter)),
        ("structured", Answer::new().structured(json!({"city": "Oslo", "celsius": 21}))),
    ]
}

#[tokio::test(start_paused = true)]
async fn the_answer_in_one_piece() {
    for (name, answer) in samples() {
        let response = answering(answer).await.post(PATH, &user("go")).await;
        assert_eq!(response.status, 200);
        assert_eq!(header(&response, "content-type"), Some("application/json"));
        assert_eq!(header(&response, "openai-version"), Some("2020-10-01"));
        assert!(header(&response, "x-request-id").unwrap().starts_with("req_"));
        golden(&format!("responses_whole_{name}"), &format!("{:#}", json_of(&response)));
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_as_a_stream() {
    for (name, answer) in samples() {
        let response = answering(answer).await.post(PATH, &streamed(user("go"))).await;
        assert!(header(&response, "content-type").unwrap().starts_with("text/event-stream"));
        let text = std::str::from_utf8(&response.body).unwrap();
        assert!(!text.contains("[DONE]"));
        fold(&events(&response));
        golden(&format!("responses_stream_{name}"), text);
    }
}

#[tokio::test(start_paused = true)]
async fn the_response_says_back_what_the_request_said() {
    let said = json!({
        "background": true, "instructions": "Be brief.", "max_output_tokens": 64, "max_tool_calls": 3,
        "metadata": {"a": "b"}, "parallel_tool_calls": false, "prompt_cache_key": "k",
        "reasoning": {"effort": "low"}, "safety_identifier": "s", "service_tier": "flex", "store": false,
        "temperature": 0.5, "text": {"format": {"type": "json_object"}}, "tool_choice": "required",
        "tools": [
            {"type": "function", "name": "f", "strict": false, "parameters": {"type": "object"}},
            {"type": "web_search"},
        ],
        "top_logprobs": 2, "top_p": 0.25, "truncation": "auto", "user": "u",
    });
    let mut body = user("go, in JSON");
    for (name, value) in said.as_object().unwrap() {
        body[name] = value.clone();
    }
    let world = answering(Answer::new().text("ok")).await;
    let response = json_of(&world.post(PATH, &body).await);
    let mut expected = said;
    expected["reasoning"] = json!({"effort": "low", "summary": null});
    expected["text"] = json!({"format": {"type": "json_object"}, "verbosity": "medium"});
    expected["tools"][0]["description"] = Value::Null;
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&response[name], value, "{name}");
    }
    assert_eq!(fold(&events(&world.post(PATH, &streamed(body)).await)), response);
}

#[tokio::test(start_paused = true)]
async fn a_call_names_the_namespace_that_alone_offers_the_function() {
    let answer = Answer::new().call(call("c1", "spawn", json!({}))).call(call("c2", "look", json!({})));
    let world = answering(answer).await;
    let mut body = user("go");
    let function = |name: &str| json!({"type": "function", "name": name});
    body["tools"] = json!([
        function("look"),
        {"type": "namespace", "name": "agents", "description": "d", "tools": [function("spawn"), function("look")]},
    ]);
    let response = json_of(&world.post(PATH, &body).await);
    let namespaces: Vec<&Value> =
        response["output"].as_array().unwrap().iter().map(|item| &item["namespace"]).collect();
    assert_eq!(namespaces, [&json!("agents"), &Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn a_forced_tool_takes_structured_output() {
    let world = answering(Answer::new().structured(json!({"city": "Oslo"}))).await;
    let choices = [
        json!("required"),
        json!({"type": "function", "name": "get_weather"}),
        json!({"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "get_weather"}]}),
    ];
    for choice in choices {
        let mut body = user("go");
        body["tool_choice"] = choice;
        let item = json_of(&world.post(PATH, &body).await)["output"][0].clone();
        assert_eq!((&item["type"], &item["name"]), (&json!("function_call"), &json!("get_weather")));
        assert_eq!(item["arguments"], r#"{"city":"Oslo"}"#);
    }
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let text = || prop_oneof![Just(String::new()), "\\PC{1,40}", "[a-z🦀ż\n\"\\\\]{1,90}"];
    let block = prop_oneof![
        3 => text().prop_map(Block::Text),
        1 => text().prop_map(Block::Refusal),
        2 => (text(), option::of("[a-z]{0,8}")).prop_map(|(text, encrypted)| {
            Block::Thinking(Thinking { text, encrypted, signature: None })
        }),
        2 => (select(vec!["get_weather", "spawn"]), text()).prop_map(|(name, text)| {
            Block::ToolCall(ToolCall { id: None, name: name.into(), arguments: None, arguments_text: Some(text) })
        }),
    ];
    vec(block, 1..8)
}

fn turns() -> impl Strategy<Value = Turn> {
    let reason = select(vec![
        None,
        Some(FinishReason::Stop),
        Some(FinishReason::ToolCalls),
        Some(FinishReason::Length),
        Some(FinishReason::ContentFilter),
    ]);
    (blocks(), reason, option::of(1_u32..20), any::<bool>()).prop_map(
        |(blocks, reason, piece_chars, split_data)| {
            let answer = blocks.into_iter().fold(Answer::new(), Answer::block);
            let answer = reason.into_iter().fold(answer, Answer::finish_reason);
            Turn::new("only", answer).stream(Stream { piece_chars, split_data, ..Stream::default() })
        },
    )
}

#[tokio::test(start_paused = true)]
async fn a_stream_says_the_same_as_one_piece() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for _ in 0..200 {
        let turn = turns().new_tree(&mut runner).unwrap().current();
        let told = format!("{turn:?}");
        let world = playing(turn).await;
        let whole = json_of(&world.post(PATH, &user("go")).await);
        let stream = events(&world.post(PATH, &streamed(user("go"))).await);
        assert_eq!(fold(&stream), whole, "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_in_a_stream_counts_on_and_may_be_a_failed_response() {
    let answer = || Answer::new().text("A text").call(call("c1", "get_weather", json!({})));
    let error = |events, kind: Option<&str>, code: Option<&str>| Fault {
        error_after: Some(ErrorEvent {
            events,
            kind: kind.map(str::to_owned),
            message: Some("try again in 1.5s".into()),
            code: code.map(str::to_owned),
        }),
        ..Fault::new()
    };
    let cases = [
        (0, None, None, "server_error"),
        (3, Some("overloaded"), None, "overloaded"),
        (3, Some("error"), Some("rate_limit_exceeded"), "rate_limit_exceeded"),
    ];
    for (after, kind, code, told) in cases {
        let world = playing(Turn::new("only", answer()).fault(error(after, kind, code))).await;
        let mut events = events(&world.post(PATH, &streamed(user("go"))).await);
        let (name, data) = events.pop().unwrap();
        assert_eq!(name, "error");
        let expected = json!({
            "type": "error", "sequence_number": events.len(), "code": told, "message": "try again in 1.5s",
            "param": null,
        });
        assert_eq!(data, expected);
        assert!(events.len() == after as usize, "{after}");
    }
    for (after, items) in [(1, 0), (9, 1), (14, 2)] {
        let fault = error(after, Some("response.failed"), Some("rate_limit_exceeded"));
        let world = playing(Turn::new("only", answer()).fault(fault)).await;
        let whole = events(&world.post(PATH, &streamed(user("go"))).await);
        let (name, data) = whole.last().unwrap();
        assert_eq!((name.as_str(), &data["type"]), ("response.failed", &json!("response.failed")));
        assert_eq!(data["sequence_number"], whole.len() - 1);
        let response = &data["response"];
        assert_eq!((&response["status"], &response["id"]), (&json!("failed"), &whole[0].1["response"]["id"]));
        let failure = json!({"code": "rate_limit_exceeded", "message": "try again in 1.5s"});
        assert_eq!(response["error"], failure);
        assert_eq!(response["output"].as_array().unwrap().len(), items, "{after}: {response}");
    }
}
