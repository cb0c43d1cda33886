//! What the API refuses.

use model::{Answer, Script, Turn, script::Client};
use serde_json::{Value, json};

use super::PATH;
use crate::client::{World, header, json_of};

fn with(input: Value) -> Value {
    json!({"model": "m", "input": input})
}

/// A body with another field.
fn and(name: &str, value: Value) -> Value {
    let mut body = with(json!("go"));
    body[name] = value;
    body
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"})
}

fn output(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "seen"})
}

/// Each body, the field that is to blame, the code, and words of the message.
fn refused() -> Vec<(Value, &'static str, &'static str, &'static str)> {
    let (required, kind, value) = ("missing_required_parameter", "invalid_type", "invalid_value");
    let user = json!({"role": "user", "content": "go"});
    let said = |kind: &str| json!({"role": "assistant", "content": [{"type": kind, "text": "a"}]});
    vec![
        (json!([]), "body", "", "is no JSON object"),
        (json!({"input": "go"}), "model", required, "`model` is required"),
        (json!({"model": "", "input": "go"}), "model", required, "required"),
        (json!({"model": 1, "input": "go"}), "model", kind, "is a number and must be a string"),
        (json!({"model": "m"}), "input", required, "`input` is required"),
        (with(json!("")), "input", required, "required"),
        (with(json!([])), "input", required, "required"),
        (with(json!({"role": "user"})), "input", kind, "is an object and must be a string or an array"),
        (with(json!(["go"])), "input[0]", kind, "is a string and must be an object"),
        (with(json!([{"output": "x"}])), "input[0].type", required, "required"),
        (
            with(json!([{"type": "tool_result"}])),
            "input[0].type",
            value,
            "is `tool_result` and must be one of",
        ),
        (with(json!([user, {"content": "x"}])), "input[1].role", required, "required"),
        (with(json!([user, {"role": "tool", "content": "x"}])), "input[1].role", value, "is `tool`"),
        (with(json!([{"role": "user"}])), "input[0].content", required, "required"),
        (with(json!([{"role": "user", "content": 1}])), "input[0].content", kind, "a string or an array"),
        (with(json!([{"role": "user", "content": ["a"]}])), "input[0].content[0]", kind, "an object"),
        (
            with(json!([{"role": "user", "content": [{"type": "text", "text": "a"}]}])),
            "input[0].content[0].type",
            value,
            "is `text` and must be one of input_text",
        ),
        (with(json!([said("input_text")])), "input[0].content[0].type", value, "one of output_text, refusal"),
        (
            with(json!([{"role": "user", "content": [{"type": "input_text"}]}])),
            "input[0].content[0].text",
            required,
            "required",
        ),
        (
            with(json!([user, {"type": "message", "id": "x1", "role": "assistant", "content": "a"}])),
            "input[1].id",
            value,
            "is `x1` and must begin with `msg`",
        ),
        (
            with(json!([{"type": "function_call", "call_id": "c1", "name": "f"}, output("c1")])),
            "input[0].arguments",
            required,
            "required",
        ),
        (
            with(
                json!([{"type": "function_call", "call_id": "c1", "name": "f", "arguments": {}}, output("c1")]),
            ),
            "input[0].arguments",
            kind,
            "is an object and must be a string",
        ),
        (
            with(json!([{"type": "function_call_output", "output": "x"}])),
            "input[0].call_id",
            required,
            "required",
        ),
        (
            with(json!([user, output("c9")])),
            "input",
            "",
            "No tool call found for function call output with call_id c9.",
        ),
        (with(json!([user, output("c1"), call("c1")])), "input", "", "No tool call found"),
        (with(json!([user, call("c1"), user])), "input", "", "No tool output found for function call c1."),
        (
            with(json!([user, call("c1"), call("c2"), output("c1"), user])),
            "input",
            "",
            "for function call c2.",
        ),
        (with(json!([user, call("c1")])), "input", "", "for function call c1."),
        (and("stream", json!("yes")), "stream", kind, "must be a boolean"),
        (
            and("temperature", json!(3)),
            "temperature",
            "decimal_above_max_value",
            "is 3 and must be at most 2",
        ),
        (and("max_output_tokens", json!(5)), "max_output_tokens", "integer_below_min_value", "at least 16"),
        (and("max_output_tokens", json!(20.5)), "max_output_tokens", kind, "must be an integer"),
        (and("tools", json!({})), "tools", kind, "must be an array"),
        (and("tools", json!(["f"])), "tools[0]", kind, "must be an object"),
        (and("tools", json!([{"name": "f"}])), "tools[0].type", required, "required"),
        (
            and("tools", json!([{"type": "function", "function": {"name": "f"}}])),
            "tools[0].name",
            required,
            "required",
        ),
        (
            and("tool_choice", json!("any")),
            "tool_choice",
            value,
            "is `any` and must be one of none, auto, required",
        ),
        (and("tool_choice", json!("required")), "tool_choice", "", "requires a tool"),
        (and("tool_choice", json!({"name": "f"})), "tool_choice.type", required, "required"),
        (and("tool_choice", json!({"type": "function"})), "tool_choice.name", required, "required"),
        (
            and("tool_choice", json!({"type": "function", "name": "f"})),
            "tool_choice",
            "",
            "names the function `f`",
        ),
        (and("text", json!("json")), "text", kind, "must be an object"),
        (and("text", json!({"format": {}})), "text.format.type", required, "required"),
        (and("text", json!({"format": {"type": "xml"}})), "text.format.type", value, "is `xml`"),
        (
            and("text", json!({"format": {"type": "json_schema", "schema": {}}})),
            "text.format.name",
            required,
            "required",
        ),
        (
            and("previous_response_id", json!("resp_gone")),
            "previous_response_id",
            "previous_response_not_found",
            "there is no answer `resp_gone`",
        ),
    ]
}

async fn world(client: Client) -> World {
    let world = World::new().await;
    let turn = Turn::new("only", Answer::new().text("ok")).repeat();
    let script = Script::new("refusals", [turn]).unwrap().for_client(client).unwrap();
    world.host.load(model::DEFAULT_SESSION, script);
    world
}

#[tokio::test(start_paused = true)]
async fn what_the_api_refuses_is_refused_with_the_place() {
    let world = world(Client::Strict).await;
    for (body, param, code, words) in refused() {
        let response = world.post(PATH, &body).await;
        assert_eq!(response.status, 400, "{body}");
        assert_eq!(header(&response, "x-should-retry"), Some("false"));
        let error = json_of(&response)["error"].clone();
        assert_eq!(error["type"], "invalid_request_error");
        assert_eq!(error["param"], param, "{body}: {error}");
        assert_eq!(error["code"].as_str().unwrap_or_default(), code, "{body}: {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{body}: {error}");
    }
    let request = wire::http::Request::new("POST", PATH).json("{\"model\":".to_owned());
    let response = world.send(request).await;
    assert_eq!(
        (response.status, json_of(&response)["error"]["type"].as_str()),
        (400, Some("invalid_request_error"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_conversation_is_not_found() {
    let world = world(Client::Strict).await;
    for conversation in [json!("conv_1"), json!({"id": "conv_1"})] {
        for body in
            [and("conversation", conversation.clone()), json!({"model": "m", "conversation": conversation})]
        {
            let response = world.post(PATH, &body).await;
            let error = json_of(&response)["error"].clone();
            assert_eq!((response.status, error["param"].as_str()), (404, Some("conversation")), "{error}");
            assert!(error["message"].as_str().unwrap().contains("no conversation `conv_1`"), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lenient_script_answers_all_the_same() {
    let world = world(Client::Lenient).await;
    // A body that is no object cannot be read, and an answer that is not there cannot be gone on from.
    for (body, ..) in refused() {
        if !body.is_object() || body.get("previous_response_id").is_some() {
            continue;
        }
        let response = world.post(PATH, &body).await;
        assert_eq!(response.status, 200, "{body}: {}", json_of(&response));
        let entry = world.host.journal(model::DEFAULT_SESSION).pop().unwrap();
        assert!(!entry.findings.is_empty(), "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_api_takes_is_not_refused() {
    let world = world(Client::Strict).await;
    let user = json!({"role": "user", "content": "go"});
    let bodies = [
        with(json!([user, call("c2"), call("c1"), output("c1"), output("c2")])),
        with(json!([user, call("c1"), output("c1"), call("c2"), output("c2"), user])),
        with(json!([user, call("c1"), {"role": "developer", "content": "x"}, output("c1")])),
        with(json!([{"role": "user", "content": []}])),
        json!({"model": "m", "prompt": {"id": "pmpt_1"}}),
        and("conversation", Value::Null),
        and("previous_response_id", Value::Null),
        and("temperature", json!(2)),
        and("max_output_tokens", Value::Null),
    ];
    for body in bodies {
        let response = world.post(PATH, &body).await;
        assert_eq!(response.status, 200, "{body}: {}", json_of(&response));
    }
}
