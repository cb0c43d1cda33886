//! An MCP server of the suite's own, whose tools an agent is given: it sees which calls arrive.

use engine::{Driver, Halt, Receiver, Respond, Response};
use recording::{Seen, View};
use serde_json::{Value, json};

/// The label under which its requests are recorded.
pub(crate) const SERVER: &str = "server";
/// The tool that agents are allowed to call.
pub(crate) const OPEN: &str = "ticket_lookup";
/// The tool that the policy of an agent says something about.
pub(crate) const CLOSED: &str = "ticket_close";

/// What every call answers.
const ANSWER: &str = "ticket 7 is open";

/// Opens the server, which has the tools [`OPEN`] and [`CLOSED`].
pub(crate) async fn open<'a>(driver: &'a Driver<'a>) -> Result<Receiver<'a>, Halt> {
    open_with(driver, SERVER, &[OPEN, CLOSED]).await
}

/// Opens a server with these tools, whose requests are recorded as `label`.
pub(crate) async fn open_with<'a>(
    driver: &'a Driver<'a>,
    label: &str,
    tools: &'static [&'static str],
) -> Result<Receiver<'a>, Halt> {
    let respond: Respond = Box::new(move |body| respond(body, tools));
    driver.server(label, respond).await
}

/// The member `mcp_servers` of an agent that is given it.
pub(crate) fn servers(server: &Receiver<'_>) -> Value {
    json!([{"name": "tickets", "url": server.url()}])
}

fn respond(body: &str, tools: &[&str]) -> Response {
    // A client may ask for a stream with GET, or end a session with DELETE: there is neither.
    let Ok(message) = serde_json::from_str::<Value>(body) else { return Response::status(405) };
    let Some(id) = message.get("id").filter(|_| message.get("method").is_some()) else {
        return Response::status(202);
    };
    let answer = match message["method"].as_str().unwrap_or_default() {
        "initialize" => Ok(json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "proofhouse-tickets", "version": "1"},
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools.iter().map(|name| tool(name)).collect::<Vec<_>>()})),
        "tools/call" => Ok(json!({"content": [{"type": "text", "text": ANSWER}], "isError": false})),
        method => Err(json!({"code": -32601, "message": format!("there is no method {method}")})),
    };
    let mut response = json!({"jsonrpc": "2.0", "id": id});
    match answer {
        Ok(result) => response["result"] = result,
        Err(error) => response["error"] = error,
    }
    Response::json(200, response)
}

fn tool(name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"ticket": {"type": "string"}}});
    json!({"name": name, "description": format!("Works on one ticket: {name}."), "inputSchema": schema})
}

/// The calls of `tool` that arrived, with their arguments.
pub(crate) fn calls<'r>(view: &'r impl View, tool: &str) -> Vec<(Seen<'r>, Value)> {
    let arrived = view.labelled(SERVER).into_iter();
    let calls = arrived.filter_map(|seen| {
        let body: Value = serde_json::from_str(seen.value()?.get("body")?.as_str()?).ok()?;
        let called = body["method"] == "tools/call" && body["params"]["name"] == tool;
        called.then(|| (seen, body["params"]["arguments"].clone()))
    });
    calls.collect()
}
