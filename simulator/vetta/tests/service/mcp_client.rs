//! The client of MCP servers, against the endpoint and against servers that do it in other ways.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::Response,
};
use serde_json::{Map, Value, json};
use vetta::mcp::{Client, HttpChannel, McpError};
use wire::{Net, http::Failure, serve::serve};

use crate::desk::{AUTHORITY, Desk};

fn channel(net: &Net, url: &str) -> Arc<HttpChannel> {
    Arc::new(HttpChannel::new(net.clone(), url.parse().unwrap()))
}

#[tokio::test(start_paused = true)]
async fn the_client_and_the_endpoint_understand_each_other() {
    let desk = Desk::shipped().await;
    let session = desk.session("sim-cli", json!({})).await;
    let (path, token) = desk.service.tool_endpoint(&session).unwrap();
    let to = channel(&desk.net, &format!("http://{AUTHORITY}{path}"));
    let bearer = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    let client = Client::open(to.clone(), bearer).await.unwrap();
    assert_eq!(client.tools().await.unwrap(), []);
    let refused = client.call("none", &Map::new()).await.unwrap_err();
    assert!(matches!(refused, McpError::Refused { code: -32602, .. }), "{refused}");
    assert_eq!(Client::open(to, Vec::new()).await.err().unwrap(), McpError::Status(401));
}

/// A server with an MCP session, pages and event streams; it keeps the requests that it got.
pub(crate) async fn server(net: &Net) -> Arc<Mutex<Vec<(String, Value)>>> {
    let seen: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
    let kept = seen.clone();
    let router = Router::new().fallback(move |request: Request| {
        let kept = kept.clone();
        async move {
            let (head, body) = request.into_parts();
            let header = |name: &str| head.headers.get(name).map_or("", |value| value.to_str().unwrap());
            let message: Value = serde_json::from_slice(&to_bytes(body, 9999).await.unwrap()).unwrap();
            kept.lock().unwrap().push((
                format!("{} {}", header("mcp-session-id"), header("mcp-protocol-version")),
                message.clone(),
            ));
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            let result = match (message["method"].as_str().unwrap(), &message["params"]["cursor"]) {
                ("initialize", _) => json!({"protocolVersion": "2025-06-18", "capabilities": {}}),
                ("tools/list", Value::Null) => json!({"tools": [tool("a"), {"name": 1}], "nextCursor": "2"}),
                ("tools/list", _) => json!({"tools": [tool("b")]}),
                ("tools/call", _) => json!({"content": [{"type": "image"}], "isError": true}),
                _ => return Response::builder().status(202).body(Body::empty()).unwrap(),
            };
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            Response::builder()
                .header("content-type", "text/event-stream")
                .header("mcp-session-id", "s1")
                .body(Body::from(format!("data: {answer}\n\n")))
                .unwrap()
        }
    });
    let listener = net.listen("tools.test:80").await.unwrap();
    tokio::spawn(serve(listener, router, None, std::future::pending()));
    seen
}

#[tokio::test(start_paused = true)]
async fn a_server_with_a_session_pages_and_streams_is_understood() {
    let net = Net::memory();
    let seen = server(&net).await;
    let client = Client::open(channel(&net, "http://tools.test/mcp"), Vec::new()).await.unwrap();
    let names: Vec<String> = client.tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a", "b"], "a tool without a name is passed over");
    let called = client.call("a", &Map::from_iter([("x".to_owned(), json!(1))])).await.unwrap();
    assert_eq!((called.content, called.is_error), (vec![json!({"type": "image"})], true));

    let seen = seen.lock().unwrap();
    let told: Vec<&str> = seen.iter().map(|(told, _)| told.as_str()).collect();
    assert_eq!(told, [" ", "s1 2025-06-18", "s1 2025-06-18", "s1 2025-06-18", "s1 2025-06-18"]);
    assert_eq!(seen[1].1, json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(seen[4].1["params"], json!({"name": "a", "arguments": {"x": 1}}));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_there_is_an_error() {
    let nobody = Client::open(channel(&Net::memory(), "http://nobody.test/mcp"), Vec::new()).await;
    assert!(matches!(nobody.err().unwrap(), McpError::Failure(Failure::Connect { .. })));
}
