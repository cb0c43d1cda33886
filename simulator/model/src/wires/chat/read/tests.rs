//! What is read, what is refused and what is taken.

use serde_json::json;

use super::*;
use crate::request::{CalledTool, ToolChoice};

#[test]
fn a_request_is_read_into_the_common_form() {
    let body = json!({
        "model": "gpt-x",
        "stream": true,
        "x/y": 1,
        "tools": [
            {"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object"}}},
            {"type": "custom", "custom": {"name": "free"}},
        ],
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]},
            {"role": "developer", "content": "be brief"},
            {"role": "assistant", "content": null, "parsed": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
        ],
    });
    let read = request(&body).unwrap().request;
    assert_eq!((read.model.as_str(), read.stream), ("gpt-x", true));
    assert_eq!(read.system, "be kind\n\nbe brief");
    assert_eq!(read.unknown_fields, ["/x~1y", "/messages/3/parsed"]);
    assert_eq!(read.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["read"]);
    assert_eq!(
        read.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(),
        ["a\nb", "", "done"]
    );
    let call = CalledTool { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
    assert_eq!(read.messages[1].tool_calls, [call]);
    assert_eq!(read.messages[2].tool_call_id.as_deref(), Some("c1"));
    assert_eq!(read.news(), &read.messages[2..]);
}

#[test]
fn what_the_api_refuses_is_refused_with_the_place() {
    let user = json!({"role": "user", "content": "hi"});
    let calls = json!({"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let with = |messages: Value| json!({"model": "m", "messages": messages});
    let cases = [
        (json!([]), "body", "is no JSON object"),
        (json!({"messages": [user]}), "model", "`model` is required"),
        (json!({"model": "m"}), "messages", "`messages` is required"),
        (with(json!("hi")), "messages", "no array"),
        (with(json!([])), "messages", "empty"),
        (with(json!(["hi"])), "messages.[0]", "no object"),
        (with(json!([{"content": "hi"}])), "messages.[0].role", "needs a `role`"),
        (with(json!([user, {"role": "bot"}])), "messages.[1].role", "`bot` is no role"),
        (
            with(json!([user, {"role": "tool", "content": "x"}])),
            "messages.[1].tool_call_id",
            "needs a `tool_call_id`",
        ),
        (with(json!([user, result("c1")])), "messages.[1].tool_call_id", "no message before it makes"),
        (with(json!([{"role": "user"}])), "messages.[0].content", "required"),
        (with(json!([{"role": "user", "content": null}])), "messages.[0].content", "is null"),
        (with(json!([{"role": "system", "content": 7}, user])), "messages.[0].content", "is a number"),
        (with(json!([{"role": "user", "content": {"text": "a"}}])), "messages.[0].content", "is an object"),
        (with(json!([user, {"role": "assistant"}])), "messages.[1].content", "required"),
        (
            with(json!([user, {"role": "assistant", "content": null, "tool_calls": [], "refusal": null}])),
            "messages.[1].content",
            "is null",
        ),
        (
            with(json!([user, {"role": "assistant", "content": 7, "tool_calls": []}])),
            "messages.[1].content",
            "is a number",
        ),
        (
            with(json!([user, calls, {"role": "tool", "tool_call_id": "c1", "content": null}, result("c2")])),
            "messages.[2].content",
            "is null",
        ),
        (with(json!([{"role": "user", "content": ["a"]}])), "messages.[0].content.[0]", "is a string"),
        (
            with(json!([{"role": "user", "content": [{"text": "a"}]}])),
            "messages.[0].content.[0].type",
            "required",
        ),
        (
            with(json!([{"role": "user", "content": [{"type": 7}]}])),
            "messages.[0].content.[0].type",
            "is a number",
        ),
        (
            with(
                json!([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]}]),
            ),
            "messages.[0].content.[1].type",
            "`input_text` and must be one of text, image_url",
        ),
        (
            with(json!([{"role": "user", "content": [{"type": "text"}]}])),
            "messages.[0].content.[0].text",
            "required",
        ),
        (with(json!([user, calls, result("c1"), user])), "messages.[3]", "none for c2"),
        (with(json!([user, calls, result("c2")])), "messages", "none for c1"),
    ];
    for (body, param, message) in cases {
        let rejection = match request(&body) {
            Err(rejection) => rejection,
            Ok(understood) => understood.complaints.first().cloned().unwrap(),
        };
        assert_eq!((rejection.status, rejection.param.as_deref()), (400, Some(param)), "{body}");
        assert!(rejection.message.contains(message), "{body}: {}", rejection.message);
    }
    let sound = request(&with(json!([user, calls, result("c2"), result("c1")]))).unwrap();
    assert_eq!(sound.complaints, []);
}

#[test]
fn settings_and_tools_that_the_api_refuses_are_refused_with_the_place() {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
    let choice = |choice: Value| ("tool_choice", json!([tool("f")]), choice);
    let field = |name: &'static str, value: Value| (name, Value::Null, value);
    let allowed = |mode: &str, tools: Value| json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}});
    let long = "x".repeat(65);
    let cases = [
        (field("stream", json!("true")), "stream", "a string and must be a boolean"),
        (field("stream", json!(1)), "stream", "a number"),
        (field("stream_options", json!(true)), "stream_options", "an object"),
        (field("temperature", json!("hot")), "temperature", "a number"),
        (field("temperature", json!(2.1)), "temperature", "at most 2"),
        (field("top_p", json!([])), "top_p", "a number"),
        (field("max_tokens", json!("9")), "max_tokens", "an integer"),
        (field("max_completion_tokens", json!(1.5)), "max_completion_tokens", "an integer"),
        (field("max_completion_tokens", json!(0)), "max_completion_tokens", "at least 1"),
        (field("presence_penalty", json!("0")), "presence_penalty", "a number"),
        (field("frequency_penalty", json!(-3)), "frequency_penalty", "at least -2"),
        (field("n", json!("2")), "n", "an integer"),
        (field("n", json!(0)), "n", "at least 1"),
        (field("n", json!(129)), "n", "at most 128"),
        (field("stop", json!(7)), "stop", "a string or an array"),
        (field("tools", json!({"f": 1})), "tools", "an array"),
        (field("tools", json!(["f"])), "tools[0]", "an object"),
        (field("tools", json!([{"name": "f", "input_schema": {}}])), "tools[0].type", "required"),
        (field("tools", json!([{"type": "web_search"}])), "tools[0].type", "function, custom"),
        (field("tools", json!([{"type": "function", "name": "f"}])), "tools[0].function", "required"),
        (
            field("tools", json!([tool("f"), {"type": "function", "function": {}}])),
            "tools[1].function.name",
            "required",
        ),
        (field("tools", json!([{"type": "custom", "custom": {}}])), "tools[0].custom.name", "required"),
        (field("tools", json!([tool("")])), "tools[0].function.name", "not be empty"),
        (field("tools", json!([tool("a.b")])), "tools[0].function.name", "pattern"),
        (field("tools", json!([tool(&long)])), "tools[0].function.name", "at most 64"),
        (
            field("tools", json!([{"type": "function", "function": {"name": "f", "parameters": "{}"}}])),
            "tools[0].function.parameters",
            "an object",
        ),
        (field("tool_choice", json!("required")), "tool_choice", "only allowed"),
        (field("tool_choice", tool("f")), "tool_choice", "only allowed"),
        (field("tool_choice", allowed("auto", json!([tool("f")]))), "tool_choice", "only allowed"),
        (choice(json!("any")), "tool_choice", "`any` and must be one of none, auto, required"),
        (choice(json!(7)), "tool_choice", "a string or an object"),
        (choice(json!({"function": {"name": "f"}})), "tool_choice.type", "required"),
        (choice(json!({"type": "any"})), "tool_choice.type", "`any`"),
        (choice(json!({"type": "function", "name": "f"})), "tool_choice.function", "required"),
        (choice(tool("g")), "tool_choice", "the function `g`"),
        (choice(json!({"type": "allowed_tools", "mode": "auto"})), "tool_choice.allowed_tools", "required"),
        (choice(allowed("any", json!([]))), "tool_choice.allowed_tools.mode", "auto, required"),
        (choice(allowed("auto", json!(["f"]))), "tool_choice.allowed_tools.tools[0]", "is a string"),
        (choice(allowed("auto", json!([tool("g")]))), "tool_choice", "the function `g`"),
    ];
    for ((name, tools, value), param, message) in cases {
        let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools});
        body[name] = value;
        let complaints = request(&body).unwrap().complaints;
        let [rejection] = complaints.as_slice() else { panic!("{body}: {complaints:?}") };
        assert_eq!((rejection.status, rejection.param.as_deref()), (400, Some(param)), "{body}");
        assert!(rejection.message.contains(message), "{body}: {}", rejection.message);
    }
}

#[test]
fn what_the_api_takes_is_taken() {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name}});
    let allowed = |mode: &str, tools: Value| json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}});
    let custom = json!({"type": "custom", "custom": {"name": "free"}});
    let choices = [
        (Value::Null, ToolChoice::Auto),
        (json!("auto"), ToolChoice::Auto),
        (json!("none"), ToolChoice::None),
        (json!("required"), ToolChoice::Required),
        (tool("f"), ToolChoice::Named("f".into())),
        (custom.clone(), ToolChoice::Auto),
        (allowed("auto", json!([tool("f")])), ToolChoice::Auto),
        (allowed("required", json!([tool("f")])), ToolChoice::Named("f".into())),
        (allowed("required", json!([tool("f"), tool("g")])), ToolChoice::Required),
        (allowed("required", json!([custom])), ToolChoice::Required),
    ];
    let nothing = [
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "n",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "seed",
        "user",
        "response_format",
        "parallel_tool_calls",
    ];
    for (choice, expected) in choices {
        let mut body = json!({
            "model": "m", "tools": [tool("f"), tool("g"), custom], "tool_choice": choice,
            "messages": [
                {"role": "user", "content": []},
                {"role": "assistant", "content": ""},
                {"role": "assistant", "refusal": "no"},
                {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}},
                {"role": "function", "name": "f", "content": null},
                {"role": "user", "content": [
                    {"type": "text", "text": ""}, {"type": "image_url", "image_url": {"url": "u"}},
                    {"type": "input_audio", "input_audio": {}}, {"type": "file", "file": {}},
                ]},
            ],
        });
        for name in nothing {
            body[name] = Value::Null;
        }
        let read = request(&body).unwrap();
        assert_eq!((read.complaints.as_slice(), read.request.tool_choice), (&[][..], expected), "{body}");
    }
}
