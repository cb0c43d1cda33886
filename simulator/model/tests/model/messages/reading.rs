//! What is understood of a request, and what is refused as the API refuses it.

use model::{CalledTool, Message, ModelRequest, Outcome, Script, ThoughtBefore, ToolChoice};
use serde_json::{Value, json};

use super::{ask, enveloped, playing, user};
use crate::client::World;

/// A host that answers everything, for strict or for lenient clients.
async fn answering(client: &str) -> World {
    let turn = json!({"id": "a", "repeat": true, "answer": {"text": "yes"}});
    let script = json!({"script": 1, "name": "n", "client": client, "turns": [turn]});
    playing(Script::from_json(&script).unwrap()).await
}

/// How a request is understood, which the API would take.
async fn read(body: Value) -> ModelRequest {
    let world = answering("strict").await;
    let response = ask(&world, &body).await;
    assert_eq!(response.status, 200, "{body}: {:?}", response.body);
    world.host.journal("default").pop().unwrap().request.unwrap()
}

fn with(messages: Value) -> Value {
    json!({"model": "m", "max_tokens": 9, "messages": messages})
}

fn message(role: &str, text: &str) -> Message {
    Message { role: role.into(), text: text.into(), ..Message::default() }
}

fn result(id: &str, text: &str, is_error: bool) -> Message {
    Message { tool_call_id: Some(id.into()), is_error, ..message("tool", text) }
}

fn tool(name: &str) -> Value {
    json!({"name": name, "input_schema": {"type": "object"}})
}

#[tokio::test(start_paused = true)]
async fn the_system_text_is_what_the_system_says_anywhere() {
    let in_between = json!([
        {"role": "user", "content": "hi"},
        {"role": "system", "content": [{"type": "text", "text": "be brief"}], "output_config": {"effort": "low"}},
        {"role": "system", "output_config": {"effort": "low"}, "clear_at": "never"},
        {"role": "assistant", "content": "yes"},
        {"role": "system", "content": "be quick"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]);
    let told = vec![message("user", "hi"), message("assistant", "yes"), message("user", "a\nb")];
    let blocks = json!([
        {"type": "text", "text": "be kind"},
        {"type": "text", "text": "be true", "cache_control": {"type": "ephemeral"}},
    ]);
    let cases = [
        (json!("be kind"), "be kind\n\nbe brief\n\nbe quick"),
        (blocks, "be kind\nbe true\n\nbe brief\n\nbe quick"),
        (json!(""), "be brief\n\nbe quick"),
        (Value::Null, "be brief\n\nbe quick"),
    ];
    for (system, text) in cases {
        let mut body = with(in_between.clone());
        body["system"] = system;
        let request = read(body).await;
        assert_eq!(
            (request.system.as_str(), &request.messages, &request.unknown_fields),
            (text, &told, &vec![])
        );
        assert_eq!((request.wire.as_str(), request.model.as_str(), request.stream), ("messages", "m", false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_of_tools_is_read_into_calls_and_results() {
    let request = read(with(json!([
        {"role": "user", "content": "both"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZGF0YQ"},
            {"type": "text", "text": "one"},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {"b": 1, "a": [true]}, "caller": {"type": "direct"}},
            {"type": "text", "text": "two"},
            {"type": "tool_use", "id": "t2", "name": "g", "input": {}, "cache_control": null},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t2", "content": "done"},
            {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "cache_control": {"type": "ephemeral"}, "content": [
                {"type": "text", "text": "no"}, {"type": "image", "source": {}}, {"type": "text", "text": "way"},
            ]},
            {"type": "text", "text": "hurry"},
        ]},
    ])))
    .await;
    let call = |id: &str, name: &str, arguments: &str| CalledTool {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let thought = |text: &str, proof: &str| ThoughtBefore { text: text.into(), proof: proof.into() };
    let said = Message {
        thinking: vec![thought("hm", "c2ln"), thought("", "ZGF0YQ")],
        tool_calls: vec![call("t1", "f", r#"{"a":[true],"b":1}"#), call("t2", "g", "{}")],
        ..message("assistant", "one\ntwo")
    };
    let results = [result("t2", "done", false), result("t1", "no\nway", true)];
    let [first, second] = results.clone();
    assert_eq!(request.messages, [message("user", "both"), said, first, second, message("user", "hurry")]);
    assert_eq!(request.news()[..2], results);
    assert_eq!(request.unknown_fields, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_reads_is_tolerated_and_what_nobody_documents_is_noted() {
    let request = read(json!({
        "model": "m", "max_tokens": 9, "stream": true, "x/y": 1, "metadata": {"user_id": "u"}, "mcp_servers": [],
        "context_management": {"edits": []}, "thinking": {"type": "adaptive", "display": "omitted"}, "top_k": 3,
        "output_config": {"effort": "high"}, "service_tier": "auto", "temperature": 0.5, "stop_sequences": ["x"],
        "tools": [
            {"name": "own", "description": "d", "input_schema": {"type": "object"}, "defer_loading": true, "more": 1},
            {"type": "custom", "name": "custom", "input_schema": {}, "eager_input_streaming": true, "strict": true},
            {"type": "web_search_20260318", "name": "web_search", "max_uses": 3},
            {"type": "mcp_toolset", "mcp_server_name": "s"},
        ],
        "messages": [
            {"role": "user", "name": "n", "content": [
                {"type": "text", "text": "look", "citations": null, "parsed": 1},
                {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
                {"type": "new_tool_result", "content": []},
            ]},
            {"role": "assistant", "content": [
                {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []},
                {"type": "text", "text": "found"},
            ]},
            {"role": "user", "content": [{"type": "image", "source": {}}]},
        ],
    }))
    .await;
    assert!(request.stream);
    let noted = ["/x~1y", "/tools/0/more", "/messages/0/name", "/messages/0/content/0/parsed"];
    assert_eq!(request.unknown_fields, noted);
    let names: Vec<_> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["own", "custom", "web_search", "mcp_toolset"]);
    assert_eq!(
        (request.tools[0].description.as_str(), &request.tools[0].parameters),
        ("d", &json!({"type": "object"}))
    );
    let texts: Vec<_> = request.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["look", "found", ""]);
}

#[tokio::test(start_paused = true)]
async fn the_tool_to_call_and_the_schema_of_a_text_are_read() {
    let choices = [
        (json!({"type": "auto", "disable_parallel_tool_use": true}), ToolChoice::Auto),
        (json!({"type": "any"}), ToolChoice::Required),
        (json!({"type": "none"}), ToolChoice::None),
        (json!({"type": "tool", "name": "f"}), ToolChoice::Named("f".into())),
    ];
    for (choice, expected) in choices {
        let mut body = with(json!([{"role": "user", "content": "hi"}]));
        body["tools"] = json!([tool("f")]);
        body["tool_choice"] = choice;
        assert_eq!(read(body).await.tool_choice, expected);
    }
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    let schemas = [
        ("output_config", json!({"effort": "low", "format": format}), true),
        ("output_format", format, true),
        ("output_config", json!({"effort": "low", "format": null}), false),
    ];
    for (field, value, there) in schemas {
        let mut body = with(json!([{"role": "user", "content": "hi"}]));
        body[field] = value;
        assert_eq!(read(body).await.output_schema, there.then(|| json!({"type": "object"})));
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_api_takes_is_taken() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id});
    let thought = json!({"type": "thinking", "thinking": "", "signature": "s"});
    let user = |content: Value| json!({"role": "user", "content": content});
    let model = |content: Value| json!({"role": "assistant", "content": content});
    let system = json!({"role": "system", "content": "be kind"});
    let plain = [
        json!([user(json!("a")), user(json!("b")), model(json!("c")), model(json!("d")), user(json!("e"))]),
        json!([user(json!("a")), model(json!("Begin with"))]),
        json!([user(json!("a")), model(json!(""))]),
        json!([user(json!("a")), model(json!([]))]),
        json!([model(json!("I begin.")), user(json!("a"))]),
        // Neighbours of one side are one, and what the system says stands beside both.
        json!([
            user(json!("a")),
            model(json!([call("1")])),
            model(json!([call("2")])),
            system,
            user(json!([result("2")])),
            user(json!([result("1"), {"type": "text", "text": "b"}]))
        ]),
        // A text of white space is fine beside another one.
        json!([user(json!([{"type": "text", "text": " "}, {"type": "text", "text": "a"}]))]),
        // An id may come back in a later round, or twice in one, when the model said it so.
        json!([
            user(json!("a")),
            model(json!([call("1")])),
            user(json!([result("1")])),
            model(json!([call("1"), call("1")])),
            user(json!([result("1"), result("1")]))
        ]),
    ];
    let world = answering("strict").await;
    for messages in plain {
        let response = ask(&world, &with(messages.clone())).await;
        assert_eq!(response.status, 200, "{messages}: {:?}", response.body);
    }
    let thinking = [
        json!([user(json!("a")), model(json!([thought, call("1")])), user(json!([result("1")]))]),
        json!([
            user(json!("a")),
            model(json!([{"type": "redacted_thinking", "data": "d"}, call("1")])),
            user(json!([result("1")]))
        ]),
        // Only the first answer of a round has to begin with a thought.
        json!([
            user(json!("a")),
            model(json!([thought, call("1")])),
            user(json!([result("1")])),
            model(json!([call("2")])),
            user(json!([result("2")]))
        ]),
        // Rounds that are over may have lost theirs.
        json!([
            user(json!("a")),
            model(json!([call("1")])),
            user(json!([result("1")])),
            model(json!("b")),
            user(json!("c"))
        ]),
        json!([user(json!("a")), model(json!("b")), user(json!("c"))]),
    ];
    for messages in thinking {
        let mut body = with(messages.clone());
        body["thinking"] = json!({"type": "enabled", "budget_tokens": 1024});
        body["max_tokens"] = json!(2000);
        let response = ask(&world, &body).await;
        assert_eq!(response.status, 200, "{messages}: {:?}", response.body);
    }
    // With adaptive thinking the model may not have thought, and tools may be forced.
    let mut body = with(json!([user(json!("a")), model(json!([call("1")])), user(json!([result("1")]))]));
    body["thinking"] = json!({"type": "adaptive"});
    body["tools"] = json!([tool("f")]);
    body["tool_choice"] = json!({"type": "any"});
    assert_eq!(ask(&world, &body).await.status, 200);
}

/// Requests that the API refuses, each with the beginning of the message and a part of it.
fn refused() -> Vec<(Value, &'static str, &'static str)> {
    let hi = json!({"role": "user", "content": "hi"});
    let said = |content: Value| json!({"role": "assistant", "content": content});
    let user = |content: Value| json!({"role": "user", "content": content});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let thought = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let but = |field: &str, value: Value| {
        let mut body = with(json!([hi]));
        body[field] = value;
        body
    };
    let thinking = |messages: Value| {
        let mut body = with(messages);
        body["thinking"] = json!({"type": "enabled", "budget_tokens": 1024});
        body["max_tokens"] = json!(2000);
        body
    };
    let forced = json!({
        "model": "m", "max_tokens": 9, "messages": [hi], "tools": [tool("f")], "tool_choice": {"type": "any"},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    });
    let lost = json!([hi, said(json!([call("1")])), user(json!([result("1")]))]);
    let late = json!([hi, said(json!([text("a"), thought])), hi]);
    vec![
        (json!([]), "the request body", "no JSON object"),
        (json!({"max_tokens": 9, "messages": [hi]}), "model:", "required"),
        (json!({"model": "m", "messages": [hi]}), "max_tokens:", "required"),
        (but("max_tokens", json!(0)), "max_tokens:", "cache"),
        (but("max_tokens", json!(-1)), "max_tokens:", "1 or more"),
        (but("max_tokens", json!("9")), "max_tokens:", "whole number"),
        (but("max_tokens", json!(1.5)), "max_tokens:", "whole number"),
        (json!({"model": "m", "max_tokens": 9}), "messages:", "required"),
        (with(json!("hi")), "messages:", "list"),
        (with(json!([])), "messages:", "at least one"),
        (with(json!(["hi"])), "messages.0:", "object"),
        (with(json!([{"content": "hi"}])), "messages.0.role:", "required"),
        (with(json!([hi, {"role": "tool", "content": "x"}])), "messages.1.role:", "`tool` is no role"),
        (with(json!([{"role": "user"}])), "messages.0.content:", "required"),
        (with(json!([user(json!(7))])), "messages.0.content:", "list of blocks"),
        (with(json!([user(json!(["hi"]))])), "messages.0.content.0:", "object"),
        (with(json!([user(json!([{"text": "hi"}]))])), "messages.0.content.0.type:", "required"),
        (with(json!([user(json!([{"type": "text"}]))])), "messages.0.content.0.text.text:", "required"),
        (with(json!([user(json!([call("1")]))])), "messages.0.content.0:", "`assistant` only"),
        (with(json!([hi, said(json!([result("1")]))])), "messages.1.content.0:", "`user` only"),
        (
            with(json!([
                hi,
                said(json!([{"type": "tool_use", "id": "1", "name": "f", "input": "{}"}])),
                user(json!([result("1")]))
            ])),
            "messages.1.content.0.tool_use.input:",
            "object",
        ),
        (
            with(json!([hi, said(json!([{"type": "thinking", "thinking": "t"}])), hi])),
            "messages.1.content.0.thinking.signature:",
            "required",
        ),
        (
            with(json!([hi, said(json!([{"type": "thinking", "thinking": "t", "signature": ""}])), hi])),
            "messages.1.content.0.thinking.signature:",
            "not empty",
        ),
        (
            with(json!([hi, said(json!([{"type": "redacted_thinking"}])), hi])),
            "messages.1.content.0.redacted_thinking.data:",
            "required",
        ),
        (with(json!([user(json!("")), hi])), "messages.0.content.0:", "may not be empty"),
        (with(json!([user(json!([]))])), "messages.0:", "not empty"),
        (with(json!([hi, said(json!("")), hi])), "messages.1.content.0:", "may not be empty"),
        (with(json!([user(json!([text("a"), text("")]))])), "messages.0.content.1:", "may not be empty"),
        (with(json!([user(json!(" \n"))])), "messages.0.content.0:", "white space"),
        (
            with(json!([hi, said(json!([call("1"), call("2")])), user(json!([result("1")]))])),
            "messages.1:",
            "there is none for 2",
        ),
        (with(json!([hi, said(json!([call("1")])), hi])), "messages.1:", "there is none for 1"),
        (with(json!([hi, said(json!([call("1")]))])), "messages.1:", "there is none for 1"),
        (with(json!([hi, user(json!([result("1")]))])), "messages.1.content.0:", "no such `tool_use`"),
        (
            with(json!([
                hi,
                said(json!([call("1")])),
                user(json!([result("1")])),
                said(json!("a")),
                user(json!([text("b"), result("1")]))
            ])),
            "messages.4.content.1:",
            "no such `tool_use`",
        ),
        (
            with(json!([hi, said(json!([call("1")])), user(json!([text("a"), result("1")]))])),
            "messages.2.content.1:",
            "stand before",
        ),
        (thinking(lost), "messages.1.content.0:", "begins with `tool_use`"),
        (thinking(late), "messages.1.content.0:", "begins with `text`"),
        (forced, "tool_choice:", "no tool can be forced"),
        (but("tool_choice", json!({"type": "any"})), "tool_choice:", "no tool that could be called"),
        (but("tool_choice", json!({"type": "tool", "name": "f"})), "tool_choice:", "no tool called `f`"),
        (but("tools", json!(["f"])), "tools.0:", "object"),
        (but("tools", json!([{"input_schema": {}}])), "tools.0.name:", "needs a name"),
        (but("tools", json!([{"name": "f"}])), "tools.0.input_schema:", "JSON Schema"),
        (but("tools", json!([tool("f"), tool("f")])), "tools.1.name:", "another tool called `f`"),
        (but("system", json!(7)), "system:", "text blocks"),
        (but("system", json!(["a"])), "system.0:", "object"),
        (but("system", json!([{"text": "a"}])), "system.0.type:", "required"),
        (but("system", json!([text("a"), {"type": "image", "source": {}}])), "system.1.type:", "`image`"),
        (but("system", json!([{"type": "text"}])), "system.0.text:", "required"),
        (but("stream", json!("true")), "stream:", "a boolean"),
        (but("temperature", json!("hot")), "temperature:", "a number"),
        (but("temperature", json!(1.5)), "temperature:", "at most 1"),
        (but("temperature", json!(-0.1)), "temperature:", "at least 0"),
        (but("top_p", json!([])), "top_p:", "a number"),
        (but("top_p", json!(2)), "top_p:", "at most 1"),
        (but("top_k", json!("3")), "top_k:", "an integer"),
        (but("stop_sequences", json!("x")), "stop_sequences:", "an array"),
        (but("stop_sequences", json!(["x", 7])), "stop_sequences.1:", "a string"),
        (but("metadata", json!("u")), "metadata:", "an object"),
        (but("thinking", json!(true)), "thinking:", "an object"),
        (but("output_config", json!("high")), "output_config:", "an object"),
        (but("tools", json!({"f": {}})), "tools:", "an array"),
        (
            but("tools", json!([{"type": "function", "function": {"name": "f", "parameters": {}}}])),
            "tools.0.type:",
            "`function` is no type of tool",
        ),
        (but("tools", json!([{"type": "custom", "input_schema": {}}])), "tools.0.name:", "needs a name"),
        (but("tool_choice", json!("auto")), "tool_choice:", "an object"),
        (but("tool_choice", json!({"name": "f"})), "tool_choice.type:", "required"),
        (but("tool_choice", json!({"type": "required"})), "tool_choice.type:", "auto, any, none, tool"),
        (with(json!([user(json!([{"type": "image_url"}]))])), "messages.0.content.0.type:", "`image_url`"),
        (
            with(json!([hi, said(json!([{"type": "hologram"}])), hi])),
            "messages.1.content.0.type:",
            "`hologram`",
        ),
        (with(json!([hi, said(json!("Begin with "))])), "messages:", "trailing whitespace"),
        (with(json!([hi, said(json!([text("a"), text("b\n")]))])), "messages:", "trailing whitespace"),
    ]
}

#[tokio::test(start_paused = true)]
async fn what_the_api_refuses_is_refused_with_the_place() {
    let world = answering("strict").await;
    for (body, place, part) in refused() {
        let response = ask(&world, &body).await;
        let (kind, message) = enveloped(&response);
        assert_eq!((response.status, kind.as_str()), (400, "invalid_request_error"), "{body}");
        assert!(message.starts_with(place) && message.contains(part), "{body}: {message}");
        let entry = world.host.journal("default").pop().unwrap();
        assert_eq!((entry.outcome, entry.error.as_deref()), (Outcome::Rejected, Some(message.as_str())));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lenient_script_answers_what_can_be_read_and_notes_the_rest() {
    let world = answering("lenient").await;
    for (body, place, _) in refused().into_iter().filter(|(body, ..)| body.is_object()) {
        let response = ask(&world, &body).await;
        assert_eq!(response.status, 200, "{body}: {:?}", response.body);
        let entry = world.host.journal("default").pop().unwrap();
        assert!(entry.findings[0].got.starts_with(place), "{body}: {:?}", entry.findings);
    }
    assert_eq!(ask(&world, &user("fine")).await.status, 200);
    assert_eq!(world.host.journal("default").pop().unwrap().findings, []);
}
