//! The protocol of the tool endpoint, over a source of tools that remembers what was called.

use std::{
    future::ready,
    sync::{Arc, Mutex},
};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value, json};
use vetta::endpoint::{Answer, Called, Listed, Revision, ToolSource, answer};

/// A tool `note` that takes a text, and the texts that it got.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<Value>>>);

impl ToolSource for Notes {
    fn list(&self) -> BoxFuture<'static, Result<Vec<Listed>, String>> {
        let more = Map::from_iter([("title".to_owned(), json!("Note"))]);
        let schema = json!({"type": "object", "$defs": {"text": {"type": "string"}}});
        let tool = Listed { name: "note".into(), description: "Takes a note.".into(), schema, more };
        ready(Ok(vec![tool])).boxed()
    }

    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'static, Result<Option<Called>, String>> {
        if name == "broken" {
            return ready(Err("its server is away".to_owned())).boxed();
        }
        let called = (name == "note").then(|| {
            self.0.lock().unwrap().push(Value::Object(arguments));
            Called::text("noted")
        });
        ready(Ok(called)).boxed()
    }
}

async fn ask(header: Option<&str>, body: &Value) -> Answer {
    answer(&Notes::default(), header, body.to_string().as_bytes()).await
}

async fn request(method: &str, params: Value) -> (u16, Value) {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    match ask(Some("2025-11-25"), &body).await {
        Answer::Json(status, answer) => {
            assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
            (status, answer)
        }
        Answer::Accepted => panic!("{method} got no answer"),
    }
}

fn code(answer: &Answer) -> (u16, i64, Value) {
    let Answer::Json(status, body) = answer else { panic!("there is no error in {answer:?}") };
    (*status, body["error"]["code"].as_i64().unwrap(), body["id"].clone())
}

fn hello(revision: &str) -> Value {
    json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
}

#[tokio::test]
async fn initialize_agrees_on_a_revision() {
    for revision in Revision::ALL {
        let (_, answer) = request("initialize", hello(revision.name())).await;
        assert_eq!(answer["result"]["protocolVersion"], revision.name());
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {"listChanged": false}}));
    }
    for unknown in ["2024-11-05", "2026-07-28", "1.0.0", ""] {
        let (_, answer) = request("initialize", hello(unknown)).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{unknown}");
    }
    let whole = hello("2025-06-18");
    for member in ["protocolVersion", "capabilities", "clientInfo"] {
        let mut params = whole.clone();
        params.as_object_mut().unwrap().remove(member);
        let (status, answer) = request("initialize", params).await;
        assert_eq!((status, &answer["error"]["code"]), (200, &json!(-32602)), "{member}");
    }
}

#[tokio::test]
async fn a_tool_is_listed_with_every_member_and_called_with_its_arguments() {
    let (_, listed) = request("tools/list", json!({})).await;
    let tool = json!({
        "name": "note", "title": "Note", "description": "Takes a note.",
        "inputSchema": {"type": "object", "$defs": {"text": {"type": "string"}}},
    });
    assert_eq!(listed["result"], json!({ "tools": [tool] }));
    assert_eq!(request("ping", json!({})).await.1["result"], json!({}));

    let notes = Notes::default();
    for (params, kept) in [
        (json!({"name": "note", "arguments": {"text": "a"}}), json!({"text": "a"})),
        (json!({"name": "note", "_meta": {"progressToken": 1}}), json!({})),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params});
        let Answer::Json(200, answer) = answer(&notes, None, body.to_string().as_bytes()).await else {
            panic!("the call was not answered")
        };
        let result = json!({"content": [{"type": "text", "text": "noted"}], "isError": false});
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "x", "result": result}));
        assert_eq!(notes.0.lock().unwrap().pop(), Some(kept));
    }
}

#[tokio::test]
async fn what_cannot_be_done_says_why_and_has_no_effect() {
    for (method, params, wanted) in [
        ("tools/call", json!({"name": "other"}), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({"name": ["note"]}), -32602),
        ("tools/call", json!({"name": "note", "arguments": []}), -32602),
        ("tools/call", json!(["note"]), -32602),
        ("tools/list", json!({"cursor": "2"}), -32602),
        ("tools/call", json!({"name": "broken"}), -32603),
        ("resources/list", json!({}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
    ] {
        let (status, answer) = request(method, params.clone()).await;
        assert_eq!((status, &answer["error"]["code"]), (200, &json!(wanted)), "{method} {params}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_the_id_that_it_has() {
    for (body, wanted) in [
        (json!("x"), (400, -32600, json!(null))),
        (json!({}), (400, -32600, json!(null))),
        (json!({"jsonrpc": "1.0", "id": 3, "method": "ping"}), (400, -32600, json!(3))),
        (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), (400, -32600, json!(null))),
        (json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), (400, -32600, json!(null))),
        (json!({"jsonrpc": "2.0", "id": 3, "method": 4}), (400, -32600, json!(3))),
        (json!({"jsonrpc": "2.0", "id": 3}), (400, -32600, json!(3))),
        (json!({"jsonrpc": "2.0", "id": 3, "result": {}, "error": {}}), (400, -32600, json!(3))),
    ] {
        assert_eq!(code(&ask(None, &body).await), wanted, "{body}");
    }
    let broken = answer(&Notes::default(), None, b"{\"jsonrpc\":").await;
    assert_eq!(code(&broken), (400, -32700, json!(null)));
}

#[tokio::test]
async fn what_wants_no_answer_gets_none() {
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "no/such", "params": 3}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}),
    ] {
        assert_eq!(ask(Some("2025-06-18"), &body).await, Answer::Accepted, "{body}");
    }
}

#[tokio::test]
async fn the_header_names_a_revision_that_is_spoken() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for spoken in [None, Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25")] {
        assert!(matches!(ask(spoken, &ping).await, Answer::Json(200, _)), "{spoken:?}");
    }
    for unknown in ["2026-07-28", "2024-11-05", "bogus", ""] {
        assert_eq!(code(&ask(Some(unknown), &ping).await), (400, -32600, json!(null)), "{unknown}");
    }
    let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-11-25")});
    assert!(matches!(ask(Some("2026-07-28"), &first).await, Answer::Json(200, _)));
}

#[tokio::test]
async fn batches_belong_to_the_first_revision_alone() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let first = json!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": hello("2025-03-26")});
    let batch = json!([ping, told, first, 5]);
    let Answer::Json(200, answers) = ask(Some("2025-03-26"), &batch).await else { panic!("no answer") };
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(2), &json!(-32600)));
    assert_eq!((&answers[2]["id"], &answers[2]["error"]["code"]), (&json!(null), &json!(-32600)));
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!(ask(None, &json!([told, told])).await, Answer::Accepted);
    assert_eq!(code(&ask(None, &json!([])).await), (400, -32600, json!(null)));
    for later in ["2025-06-18", "2025-11-25"] {
        assert_eq!(code(&ask(Some(later), &json!([ping])).await), (400, -32600, json!(null)));
    }
}
