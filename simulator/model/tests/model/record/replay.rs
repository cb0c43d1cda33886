//! What was recorded is played again.

use model::{
    Answer, Script, ToolCall, Turn,
    script::{Block, Client, FinishReason, LineEnds, ReasoningField, Stream, Usage, WireName},
};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};
use serde_json::{Value, json};
use wire::Net;

use super::{
    studio::{Studio, post},
    talk::{Talk, meaning},
};
use crate::client::{World, json_of};

const TOOLS: &[&str] = &["read", "write"];

/// One answer of the upstream, and whether the client asks for it as a stream.
type Round = (Answer, Stream, bool);

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z ,.é🦀\\n\"\\\\{}]{1,60}"
}

fn call() -> impl Strategy<Value = ToolCall> {
    let value = prop_oneof![
        word().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!({"deep": [1, null]})),
    ];
    let arguments =
        vec(("[a-z]{1,6}", value), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect()));
    let raw =
        prop_oneof![Just("{\"cut\": "), Just("[1, 2]"), Just("{ \"b\": 1, \"a\": 2 }"), Just("not json")];
    let name = || prop_oneof![Just("read"), Just("write")];
    prop_oneof![
        4 => (name(), arguments).prop_map(|(name, arguments)| ToolCall { id: None, ..ToolCall::new("", name, arguments) }),
        1 => (name(), raw).prop_map(|(name, raw)| ToolCall { id: None, ..ToolCall::with_text("", name, raw) }),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        3 => word().prop_map(Block::Text),
        1 => word().prop_map(|text| Block::Thinking(text.as_str().into())),
        1 => word().prop_map(Block::Refusal),
        2 => call().prop_map(Block::ToolCall),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let finish = option::weighted(
        0.3,
        prop_oneof![
            Just(FinishReason::Stop),
            Just(FinishReason::Length),
            Just(FinishReason::ContentFilter),
            Just(FinishReason::ToolCalls)
        ],
    );
    let usage = option::of((0..9000_u64, 0..9000_u64, 0..50_u64, 0..50_u64).prop_map(
        |(input, output, cached, reasoning)| Usage {
            input_tokens: input + cached,
            output_tokens: output + reasoning,
            cached_tokens: cached,
            reasoning_tokens: reasoning,
            ..Usage::default()
        },
    ));
    (vec(block(), 0..5), finish, usage).prop_map(|(blocks, finish_reason, usage)| {
        let text = blocks.is_empty().then(String::new);
        Answer { blocks, text, finish_reason, usage, ..Answer::default() }
    })
}

fn style() -> impl Strategy<Value = Stream> {
    let field = prop_oneof![
        Just(ReasoningField::ReasoningContent),
        Just(ReasoningField::Reasoning),
        Just(ReasoningField::ReasoningText)
    ];
    (
        option::of(1..30_u32),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        field,
        option::of(vec(0..9_u32, 0..3)),
    )
        .prop_map(|(piece_chars, crlf, split_data, interleave, reasoning_field, pings)| Stream {
            piece_chars,
            line_ends: if crlf { LineEnds::Crlf } else { LineEnds::Lf },
            split_data,
            interleave,
            reasoning_field,
            pings,
            ..Stream::default()
        })
}

/// Records a conversation on a wire and plays it again: what is answered means the same.
async fn record_and_replay(wire: WireName, rounds: Vec<Round>) {
    let turns = rounds.iter().enumerate().map(|(number, (answer, stream, _))| {
        Turn::new(format!("t{number}"), answer.clone()).stream(stream.clone())
    });
    // What is made up at random need not be what the real API would take back.
    let script = Script::new("upstream", turns).unwrap().for_client(Client::Lenient).unwrap();
    let studio = Studio::new().await;
    studio.upstream(script.clone()).await;
    let reference = beside(&studio, "reference", script).await;

    let mut talk = Talk::new(wire, TOOLS);
    let (mut asked, mut answers) = (Vec::new(), Vec::new());
    talk.say("the first word");
    for (number, (_, _, streamed)) in rounds.iter().enumerate() {
        let recorded = studio.post(talk.path(), &talk.request(*streamed)).await;
        assert_eq!(recorded.status, 200);
        let whole = talk.request(false);
        let answer = json_of(&reference.post(talk.path(), &whole).await);
        asked.push(whole);
        if !talk.take(&answer) {
            talk.say(&format!("word number {number}"));
        }
        answers.push(answer);
    }
    assert_eq!(studio.recorder.report().missing, 0, "{:?}", studio.told());

    let again = beside(&studio, "again", studio.script()).await;
    for (body, answer) in asked.iter().zip(&answers) {
        let response = again.post(talk.path(), body).await;
        assert_eq!(meaning(&json_of(&response)), meaning(answer));
    }
    assert_eq!(again.host.unused_turns("default"), [""; 0]);
}

/// Another fake model on the same clock.
async fn beside(studio: &Studio, name: &str, script: Script) -> World {
    let world = World::on(Net::memory(), studio.clock.clone(), name).await;
    world.host.load(model::DEFAULT_SESSION, script);
    world
}

fn property(wire: WireName) {
    let config =
        Config { cases: 200, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..Config::default() };
    let rounds = vec((answer(), style(), any::<bool>()), 1..5);
    let run = TestRunner::new(config).run(&rounds, |rounds| {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(record_and_replay(wire, rounds));
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn what_was_recorded_on_chat_is_answered_again() {
    property(WireName::Chat);
}

#[test]
fn what_was_recorded_on_responses_is_answered_again() {
    property(WireName::Responses);
}

#[test]
fn what_was_recorded_on_messages_is_answered_again() {
    property(WireName::Messages);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_goes_on_from_another_belongs_to_its_conversation() {
    let script = Script::new(
        "upstream",
        [
            Turn::new("a", Answer::new().call(ToolCall::new("call_1", "read", json!({})))),
            Turn::new("b", Answer::new().text("done")),
        ],
    );
    let studio = Studio::new().await;
    studio.upstream(script.unwrap()).await;
    let tools = json!([{"type": "function", "name": "read", "parameters": {"type": "object"}}]);
    let first = json!({"model": "m", "input": "read it", "tools": tools});
    let id = json_of(&studio.post("/v1/responses", &first).await)["id"].clone();
    let result = json!([{"type": "function_call_output", "call_id": "call_1", "output": "x"}]);
    let second = json!({"model": "m", "previous_response_id": id, "input": result, "tools": tools});
    studio.post("/v1/responses", &second).await;

    let again = beside(&studio, "again", studio.script()).await;
    let id = json_of(&again.post("/v1/responses", &first).await)["id"].clone();
    let second = json!({"model": "m", "previous_response_id": id, "input": result, "tools": tools});
    let answer = json_of(&again.post("/v1/responses", &second).await);
    assert_eq!(answer["output"][0]["content"][0]["text"], "done");
    assert_eq!(studio.json()["conversations"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_pace_of_a_stream_can_be_recorded() {
    let paced = Stream { first_ms: Some(500), gap_ms: Some(100), ..Stream::default() };
    let turn = Turn::new("a", Answer::new().text("This is told in some pieces.")).stream(paced.clone());
    let studio = Studio::with(|options| options.timing = true).await;
    studio.upstream(Script::new("upstream", [turn]).unwrap()).await;
    let mut talk = Talk::new(WireName::Chat, &[]);
    talk.say("tell me");
    studio.post(talk.path(), &talk.request(true)).await;
    let stream = &studio.json()["conversations"][0]["turns"][0]["stream"];
    assert_eq!(stream["first_ms"], 500);
    let gap = stream["gap_ms"].as_u64().unwrap();
    assert!((90..=120).contains(&gap), "{gap}: the usage event is one more");
}

#[tokio::test(start_paused = true)]
async fn conversations_are_told_apart_whoever_comes_first() {
    let studio = Studio::new().await;
    let says = |id: &str, text: &str, user: &str| {
        Turn::new(id, Answer::new().text(text)).when(model::Conditions::new().last_user_contains(user))
    };
    let script =
        Script::new("upstream", [says("b", "long", "Plan the day well"), says("a", "short", "Plan the day")]);
    studio.upstream(script.unwrap()).await;
    let asked = |text: &str| {
        let mut talk = Talk::new(WireName::Chat, &[]);
        talk.say(text);
        talk.request(false)
    };
    for text in ["Plan the day", "Plan the day well"] {
        studio.post("/v1/chat/completions", &asked(text)).await;
    }
    for order in [["Plan the day", "Plan the day well"], ["Plan the day well", "Plan the day"]] {
        let again = beside(&studio, "again", studio.script()).await;
        for text in order {
            let answer = json_of(&again.post("/v1/chat/completions", &asked(text)).await);
            let expected = if text.ends_with("well") { "long" } else { "short" };
            assert_eq!(answer["choices"][0]["message"]["content"], expected, "{order:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ids_that_a_server_gives_twice_are_told_apart() {
    // The same id in every answer, and no id at all in the end.
    let studio = Studio::new().await;
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let says = |message: Value| {
        let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
        super::studio::answer("200 OK", "application/json", &body.to_string())
    };
    let calls = says(json!({"content": null, "tool_calls": [call("call_0")]}));
    studio.canned(vec![calls.clone(), calls, says(json!({"content": "done"}))]).await;
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for _ in 0..3 {
        studio.send(post("/v1/chat/completions", &json!({"model": "m", "messages": messages}))).await;
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call("call_0")]}));
        messages.push(json!({"role": "tool", "tool_call_id": "call_0", "content": "x"}));
    }
    let turns = studio.json()["conversations"][0]["turns"].clone();
    let at = |turn: usize, pointer: &str| turns[turn].pointer(pointer).cloned().unwrap();
    assert_eq!(at(0, "/answer/tool_calls/0/id"), "call_0");
    assert_eq!(at(1, "/when/tool_result_for"), "call_0");
    assert_eq!(at(1, "/answer/tool_calls/0/id"), "call_0_2");
    assert_eq!(at(2, "/when/tool_result_for"), "call_0_2");
}

#[tokio::test(start_paused = true)]
async fn a_client_of_a_path_with_a_session_is_recorded_too() {
    let studio = Studio::new().await;
    studio.upstream(Script::new("upstream", [Turn::new("a", Answer::new().text("hi"))]).unwrap()).await;
    let mut talk = Talk::new(WireName::Messages, &[]);
    talk.say("hello");
    let response = studio.post("/s/k/v1/messages?beta=true", &talk.request(false)).await;
    assert_eq!(json_of(&response)["content"][0]["text"], "hi");
    assert_eq!(studio.script().turns().count(), 1);
}

/// Two agents that are told the same first and are not the same are told apart by nothing that a script has.
#[tokio::test(start_paused = true)]
async fn agents_with_the_same_first_words_and_another_system_text_are_warned_of() {
    let studio = Studio::new().await;
    let turns = [Turn::new("a", Answer::new().text("hi")).repeat()];
    studio.upstream(Script::new("upstream", turns).unwrap()).await;
    let ask = |system: &str, text: &str| {
        json!({"model": "m", "messages": [
            {"role": "system", "content": system}, {"role": "user", "content": text},
        ]})
    };
    let warned = |told: &[String]| told.last().unwrap().contains("has another system text");
    for (system, text, expected) in [
        ("You are a planner. It is 2026-01-05T09:00:00Z.", "go", false),
        ("You are a planner. It is 2026-01-05T09:00:07Z.", "go", false),
        ("You are a critic.", "go", true),
        ("You are a critic.", "go elsewhere", false),
    ] {
        studio.post("/v1/chat/completions", &ask(system, text)).await;
        let told = studio.told();
        assert_eq!(warned(&told), expected, "{system}: {told:?}");
    }
}
