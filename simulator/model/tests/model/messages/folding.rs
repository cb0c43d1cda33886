//! A stream, put together as the documents say, is the answer in one piece.

use std::collections::BTreeMap;

use model::{
    Answer, Script, ToolCall, Turn,
    script::{Block, FinishReason, Stream, Thinking},
};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};
use wire::{http::Response, sse::Parser};

use super::{ask, playing, shapes, streamed, user};
use crate::client::json_of;

/// The data of each event, whose `event:` line tells the same type.
pub(super) fn events_of(response: &Response) -> Vec<Value> {
    let frames = Parser::default().push(&response.body).into_iter();
    let events = frames.map(|frame| {
        let data: Value = serde_json::from_str(&frame.data.unwrap()).unwrap();
        assert_eq!(frame.event.as_deref(), data["type"].as_str(), "the line tells the type");
        data
    });
    events.collect()
}

/// The message under way.
#[derive(Default)]
struct Folded {
    message: Option<Value>,
    blocks: Vec<Value>,
    /// Fragments of arguments, by block.
    arguments: BTreeMap<usize, String>,
    open: Option<usize>,
    told_why: bool,
    stopped: bool,
}

impl Folded {
    fn take(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap();
        assert!(!self.stopped, "{kind} after the stop");
        match kind {
            "ping" => assert_eq!(event, &json!({"type": "ping"})),
            "message_start" => {
                assert!(self.message.is_none(), "it starts once");
                let message = event["message"].clone();
                assert_eq!((&message["content"], &message["stop_reason"]), (&json!([]), &Value::Null));
                assert!(message["usage"]["input_tokens"].is_u64());
                assert!(message["usage"]["output_tokens"].as_u64().unwrap() <= 1);
                self.message = Some(message);
            }
            _ if self.message.is_none() => panic!("{kind} before the start"),
            "content_block_start" => self.start(event),
            "content_block_delta" => self.delta(event),
            "content_block_stop" => {
                let index = index_of(event);
                assert_eq!(self.open.take(), Some(index), "what stops is what was open");
            }
            "message_delta" => {
                assert_eq!((self.open, self.told_why), (None, false));
                self.told_why = true;
                let message = self.message.as_mut().unwrap();
                overwrite(message, &event["delta"]);
                overwrite(&mut message["usage"], &event["usage"]);
            }
            "message_stop" => {
                assert!(self.told_why, "why it ends is told before it does");
                self.stopped = true;
            }
            other => panic!("{other} is no event of the wire"),
        }
    }

    fn start(&mut self, event: &Value) {
        let index = index_of(event);
        assert_eq!(
            (self.open, self.told_why, index),
            (None, false, self.blocks.len()),
            "one after the other"
        );
        self.open = Some(index);
        let block = event["content_block"].clone();
        let empty = match block["type"].as_str().unwrap() {
            "text" => block["text"] == "",
            "thinking" => block["thinking"] == "" && block["signature"] == "",
            "tool_use" => block["input"] == json!({}),
            _ => false,
        };
        assert!(empty, "a block says nothing when it starts: {block}");
        self.blocks.push(block);
    }

    fn delta(&mut self, event: &Value) {
        let index = index_of(event);
        assert_eq!(self.open, Some(index), "a delta belongs to the block that is open");
        let (block, delta) = (&mut self.blocks[index], &event["delta"]);
        match (block["type"].as_str().unwrap(), delta["type"].as_str().unwrap()) {
            ("text", "text_delta") => append(&mut block["text"], &delta["text"]),
            ("thinking", "thinking_delta") => {
                assert_eq!(block["signature"], "", "nothing is thought after the signature");
                append(&mut block["thinking"], &delta["thinking"]);
            }
            ("thinking", "signature_delta") => block["signature"] = delta["signature"].clone(),
            ("tool_use", "input_json_delta") => {
                let fragment = delta["partial_json"].as_str().unwrap();
                let so_far = self.arguments.entry(index).or_default();
                so_far.push_str(fragment);
            }
            (block, delta) => panic!("a {delta} in a block of type {block}"),
        }
    }

    fn whole(mut self) -> Value {
        assert!(self.stopped, "it never stopped");
        for (index, text) in self.arguments {
            self.blocks[index]["input"] = match serde_json::from_str::<Map<String, Value>>(&text) {
                _ if text.is_empty() => json!({}),
                Ok(object) => object.into(),
                Err(_) => json!({"INVALID_JSON": text}),
            };
        }
        let mut message = self.message.unwrap();
        message["content"] = self.blocks.into();
        message
    }
}

fn index_of(event: &Value) -> usize {
    usize::try_from(event["index"].as_u64().unwrap()).unwrap()
}

fn append(whole: &mut Value, part: &Value) {
    let part = part.as_str().unwrap();
    assert_ne!(part, "", "no fragment of a text is empty");
    *whole = json!(format!("{}{part}", whole.as_str().unwrap()));
}

/// What a later event tells stands, and nothing is added up.
fn overwrite(whole: &mut Value, told: &Value) {
    for (name, value) in told.as_object().unwrap() {
        whole[name] = value.clone();
    }
}

fn folded(response: &Response) -> Value {
    let mut folded = Folded::default();
    for event in events_of(response) {
        folded.take(&event);
    }
    folded.whole()
}

#[tokio::test(start_paused = true)]
async fn a_stream_says_the_same_as_one_piece() {
    let world = playing(shapes()).await;
    for name in ["plain", "two-calls", "interleaved", "refusal", "length", "nothing", "broken", "pings-many"]
    {
        let whole = json_of(&ask(&world, &user(name)).await);
        assert_eq!(folded(&ask(&world, &streamed(user(name))).await), whole, "{name}");
    }
}

/// Texts of many alphabets, with what has to be escaped.
fn text() -> impl Strategy<Value = String> {
    "[ a-zA-Z\"\\\\\n\r\u{2028}żó😀{}:]{0,60}"
}

fn arguments() -> impl Strategy<Value = String> {
    let object = proptest::collection::btree_map("[a-z]{1,4}", text(), 0..5);
    prop_oneof![
        4 => object.prop_map(|object| json!(object).to_string()),
        1 => text(),
        1 => Just("[1, 2]".to_owned()),
        1 => Just(" {\"a\": 1.0, \"b\": 1e3, \"c\": null}\n".to_owned()),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let thinking = (text(), option::of("[a-zA-Z0-9+/=]{1,20}"));
    let thinking = thinking.prop_map(|(text, signature)| Thinking { text, signature, encrypted: None });
    let call = arguments().prop_map(|arguments_text| ToolCall {
        id: None,
        name: "get_weather".to_owned(),
        arguments: None,
        arguments_text: Some(arguments_text),
    });
    prop_oneof![
        text().prop_map(Block::Text),
        thinking.prop_map(Block::Thinking),
        text().prop_map(Block::Refusal),
        call.prop_map(Block::ToolCall),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    let reason = prop_oneof![
        Just(FinishReason::Stop),
        Just(FinishReason::ToolCalls),
        Just(FinishReason::Length),
        Just(FinishReason::ContentFilter),
    ];
    let said = (vec(block(), 1..6), option::of(reason), option::of((0_u64..50, 0_u64..50)));
    let style = (option::of(1_u32..30), option::of(vec(0_u32..30, 0..5)), any::<bool>());
    (said, style).prop_map(|((blocks, reason, usage), (piece_chars, pings, split_data))| {
        let mut answer = blocks.into_iter().fold(Answer::new(), Answer::block);
        answer.finish_reason = reason;
        if let Some((input, output)) = usage {
            answer = answer.usage(input, output);
        }
        Turn::new("a", answer).repeat().stream(Stream { piece_chars, pings, split_data, ..Stream::default() })
    })
}

#[test]
fn whatever_is_said_a_stream_says_the_same_as_one_piece() {
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let world = runtime.block_on(playing(shapes()));
    let told = runner.run(&turn(), |turn| {
        world.host.load("default", Script::new("random", [turn]).unwrap());
        let (whole, stream) = runtime
            .block_on(async { (ask(&world, &user("x")).await, ask(&world, &streamed(user("x"))).await) });
        prop_assert_eq!(folded(&stream), json_of(&whole));
        Ok(())
    });
    told.unwrap_or_else(|error| panic!("{error}"));
}
