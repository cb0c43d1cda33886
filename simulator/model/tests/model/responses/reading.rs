//! What is read from requests, in the shapes that clients give them.

use model::{Answer, CalledTool, Message, ModelRequest, Script, ThoughtBefore, ToolCall, ToolChoice, Turn};
use serde_json::{Value, json};

use super::PATH;
use crate::client::{World, json_of};

async fn talkative() -> World {
    let world = World::new().await;
    let turn = Turn::new("only", Answer::new().text("ok")).repeat();
    world.host.load(model::DEFAULT_SESSION, Script::new("reading", [turn]).unwrap());
    world
}

/// What is read from a body that the API takes.
async fn read(world: &World, body: &Value) -> ModelRequest {
    let response = world.post(PATH, body).await;
    assert_eq!(response.status, 200, "{body}: {}", json_of(&response));
    let entry = world.host.journal(model::DEFAULT_SESSION).pop().unwrap();
    assert_eq!(entry.findings, [], "{body}");
    entry.request.unwrap()
}

fn with(input: Value) -> Value {
    json!({"model": "m", "input": input})
}

fn says(role: &str, text: &str) -> Message {
    Message { role: role.into(), text: text.into(), ..Message::default() }
}

fn calls(text: &str, id: &str) -> Message {
    let call = CalledTool { id: id.into(), name: "look".into(), arguments: "{\"at\":1}".into() };
    Message { tool_calls: vec![call], ..says("assistant", text) }
}

fn result(id: &str, text: &str) -> Message {
    Message { tool_call_id: Some(id.into()), ..says("tool", text) }
}

fn look() -> Value {
    json!({"type": "function", "name": "look", "description": "looks", "parameters": {"type": "object"}})
}

#[tokio::test(start_paused = true)]
async fn the_bodies_of_clients_come_to_the_same() {
    let arguments = "{\"at\":1}";
    let round_trips = [
        // openai for Python
        json!([
            {"role": "user", "content": "go"},
            {"arguments": arguments, "call_id": "c1", "name": "look", "type": "function_call", "id": "fc_1", "status": "completed"},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        ]),
        // openai for Node
        json!([
            {"role": "user", "content": "go"},
            {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "c1", "name": "look",
             "arguments": arguments, "parsed_arguments": {"at": 1}},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        ]),
        // AI SDK, pydantic-ai, Flue
        json!([
            {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": arguments},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        ]),
        // LangChain
        json!([
            {"content": "go", "role": "user", "type": "message"},
            {"arguments": arguments, "call_id": "c1", "name": "look", "type": "function_call", "id": "fc_1", "status": "completed"},
            {"type": "function_call_output", "output": [{"type": "input_text", "text": "seen"}], "call_id": "c1"},
        ]),
        // Codex
        json!([
            {"type": "message", "id": "msg_1", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "status": "completed", "id": "fc_1", "name": "look", "arguments": arguments, "call_id": "c1"},
            {"type": "function_call_output", "id": "fco_1", "call_id": "c1", "output": "seen"},
        ]),
    ];
    let world = talkative().await;
    let mut identities = Vec::new();
    for input in round_trips {
        let request = read(&world, &with(input)).await;
        assert_eq!(request.messages, [says("user", "go"), calls("", "c1"), result("c1", "seen")]);
        let noted: &[&str] =
            if request.unknown_fields.is_empty() { &[] } else { &["/input/1/parsed_arguments"] };
        assert_eq!(request.unknown_fields, noted);
        identities.push(world.host.journal(model::DEFAULT_SESSION).pop().unwrap().identity);
    }
    identities.dedup();
    assert_eq!(identities.len(), 1, "they say one conversation");
}

#[tokio::test(start_paused = true)]
async fn a_text_alone_is_what_the_user_says() {
    let world = talkative().await;
    let request =
        read(&world, &json!({"model": "m", "input": "go", "instructions": "Be kind.", "stream": false}))
            .await;
    assert_eq!((request.wire.as_str(), request.model.as_str(), request.stream), ("responses", "m", false));
    assert_eq!(request.system, "Be kind.");
    assert_eq!(request.messages, [says("user", "go")]);
}

#[tokio::test(start_paused = true)]
async fn what_the_model_said_in_several_items_is_one_message() {
    let world = talkative().await;
    let body = json!({
        "model": "m",
        "instructions": "First.",
        "input": [
            {"role": "system", "content": "Second."},
            {"type": "message", "role": "developer", "content": [
                {"type": "input_text", "text": "Third."}, {"type": "input_text", "text": "Fourth."},
            ]},
            {"role": "user", "content": [
                {"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:,"},
                {"type": "input_text", "text": "b"},
            ]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "e1", "content": null},
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "Let me look.", "annotations": [], "logprobs": []},
                {"type": "refusal", "refusal": "Not there."},
            ]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"at\":1}"},
            {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "e2"},
            {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "free text"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "patched"},
            {"type": "function_call_output", "call_id": "c1", "output": [
                {"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"},
            ]},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks."},
        ],
    });
    let request = read(&world, &body).await;
    assert_eq!(request.system, "First.\n\nSecond.\n\nThird.\nFourth.");
    let thought = |text: &str, proof: &str| ThoughtBefore { text: text.into(), proof: proof.into() };
    let mut said = calls("Let me look.\nNot there.", "c1");
    said.thinking = vec![thought("Hm.", "e1"), thought("", "e2")];
    said.tool_calls.push(CalledTool { id: "c2".into(), name: "patch".into(), arguments: "free text".into() });
    let expected = [
        says("user", "a\nb"),
        said,
        result("c2", "patched"),
        result("c1", "one\ntwo"),
        says("assistant", "Done."),
        says("user", "Thanks."),
    ];
    assert_eq!(request.messages, expected);
    assert_eq!(request.unknown_fields, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_body_as_codex_sends_it_is_taken() {
    let world = talkative().await;
    let function = |name: &str| json!({"type": "function", "name": name, "strict": false, "parameters": {}});
    let body = json!({
        "model": "m", "stream": true,
        "input": [
            {"type": "message", "id": "msg_1", "role": "developer", "content": [{"type": "input_text", "text": "Work."}]},
            {"type": "message", "id": "msg_2", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "reasoning", "summary": [], "encrypted_content": "e"},
            {"type": "local_shell_call", "call_id": "c0", "status": "completed", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "function_call_output", "call_id": "c0", "output": "files"},
            {"type": "web_search_call", "status": "completed"},
            {"type": "ghost_snapshot", "ghost_commit": {}},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hm."}]},
            {"type": "function_call", "name": "spawn", "namespace": "agents", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "id": "fco_1", "call_id": "c1", "output": "up"},
        ],
        "tools": [
            function("exec"),
            {"type": "namespace", "name": "agents", "description": "d", "tools": [function("spawn")]},
            {"type": "web_search"},
            {"type": "custom", "name": "patch"},
        ],
        "tool_choice": "auto", "parallel_tool_calls": true, "reasoning": {"summary": "auto"}, "store": false,
        "include": ["reasoning.encrypted_content"], "prompt_cache_key": "k", "client_metadata": {"a": "b"},
        "text": {"format": {"type": "json_schema", "name": "out", "strict": true, "schema": {"type": "object"}}},
    });
    let request = read(&world, &body).await;
    assert!(request.stream);
    assert_eq!(request.system, "Work.");
    assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["exec", "spawn"]);
    assert_eq!(request.unknown_fields, ["/client_metadata"]);
    assert_eq!(request.output_schema, Some(json!({"type": "object"})));
    let roles: Vec<&str> = request.messages.iter().map(|message| message.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool"]);
    let shell = &request.messages[1].tool_calls[0];
    assert_eq!((shell.name.as_str(), shell.id.as_str()), ("local_shell", "c0"));
    assert_eq!(request.news(), [result("c1", "up")]);
}

#[tokio::test(start_paused = true)]
async fn tools_come_in_items_too_and_may_be_chosen() {
    let world = talkative().await;
    let named = json!({"type": "function", "name": "look"});
    let allowed = |mode: &str, tools: Value| json!({"type": "allowed_tools", "mode": mode, "tools": tools});
    let cases = [
        (json!("auto"), ToolChoice::Auto),
        (json!("none"), ToolChoice::None),
        (json!("required"), ToolChoice::Required),
        (named.clone(), ToolChoice::Named("look".into())),
        (allowed("auto", json!([named])), ToolChoice::Auto),
        (allowed("required", json!([named])), ToolChoice::Named("look".into())),
        (allowed("required", json!([named, {"type": "function", "name": "b"}])), ToolChoice::Required),
        (json!({"type": "web_search_preview"}), ToolChoice::Auto),
    ];
    for (choice, expected) in cases {
        let mut body = with(json!([
            {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "late"}]},
            {"role": "user", "content": "go"},
        ]));
        body["tools"] = json!([look()]);
        body["tool_choice"] = choice;
        let request = read(&world, &body).await;
        assert_eq!(request.tool_choice, expected);
        assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["look", "late"]);
        assert_eq!(request.tools[0].description, "looks");
        assert_eq!(request.tools[0].parameters, json!({"type": "object"}));
    }
}

#[tokio::test(start_paused = true)]
async fn the_format_of_the_text_is_read_and_unknown_fields_are_noted() {
    let world = talkative().await;
    let formats = [
        (json!({"type": "text"}), None),
        (json!({"type": "json_object"}), Some(json!(true))),
        (json!({"type": "json_schema", "name": "o", "schema": {"a": 1}}), Some(json!({"a": 1}))),
        (Value::Null, None),
    ];
    for (format, schema) in formats {
        let mut body = with(json!([{"role": "user", "content": "go, in JSON", "name~/": "x"}]));
        body["text"] = json!({"format": format, "verbosity": "low"});
        body["x/y"] = json!(1);
        body["temperature"] = Value::Null;
        let request = read(&world, &body).await;
        assert_eq!(request.output_schema, schema);
        assert_eq!(request.unknown_fields, ["/x~1y", "/input/0/name~0~1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_is_only_referred_to_may_make_the_call() {
    let world = talkative().await;
    for reference in [json!({"type": "item_reference", "id": "fc_1"}), json!({"id": "fc_1"})] {
        let input = json!([
            {"role": "user", "content": "go"},
            reference,
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        ]);
        let request = read(&world, &with(input)).await;
        assert_eq!(request.news(), [result("c1", "seen")]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_told_again_is_the_one_that_is_gone_on_from() {
    let answer = Answer::new().thinking("Hm.").text("Let me look.").call(ToolCall::new(
        "c1",
        "look",
        json!({"at": 1}),
    ));
    let first = Turn::new("first", answer).when(model::Conditions::new().no_tool_results());
    let second = Turn::new("second", Answer::new().text("ok")).repeat();
    let world = World::new().await;
    world.host.load(model::DEFAULT_SESSION, Script::new("resume", [first, second]).unwrap());
    let asks = json!({"role": "user", "content": "go"});
    let mut body = with(json!([asks]));
    body["tools"] = json!([look()]);
    let answer = json_of(&world.post(PATH, &body).await);
    let output = json!({"type": "function_call_output", "call_id": "c1", "output": "seen"});

    let mut again = vec![asks];
    again.extend(answer["output"].as_array().unwrap().iter().cloned());
    again.push(output.clone());
    body["input"] = json!(again);
    let told = read(&world, &body).await;
    body["input"] = json!([output]);
    body["previous_response_id"] = answer["id"].clone();
    let gone_on = read(&world, &body).await;
    assert_eq!(told.messages, gone_on.messages);
    assert_eq!(told.messages[1].thinking[0].text, "Hm.");
    let entries = world.host.journal(model::DEFAULT_SESSION);
    assert_eq!(entries[1].identity, entries[2].identity);

    body["input"] = json!("Never mind.");
    let refused = world.post(PATH, &body).await;
    assert_eq!(refused.status, 400);
    assert_eq!(json_of(&refused)["error"]["message"], "No tool output found for function call c1.");
}
