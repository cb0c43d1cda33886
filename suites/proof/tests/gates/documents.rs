//! The documents' own samples, run as they stand.

use std::{fs, path::Path, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use engine::{Launch, Opened};
use model::Script;
use recording::ModelTurn;
use serde_json::{Value, json};
use spec::Contract;
use targets::Simulator;
use wire::{
    Seed,
    http::{Limits, Request, open, send},
    sse::Parser,
};

const LIMITS: Limits =
    Limits { head: Duration::from_secs(10), whole: Duration::from_secs(20), body_bytes_max: 1024 * 1024 };
/// Until a run must be over.
const SETTLED: Duration = Duration::from_secs(60);
/// The model's session for requests that name none: what is published is the sample and nothing else.
const SESSION: &str = model::DEFAULT_SESSION;
/// The name of the document under which the sample is run.
const ORDER: &str = "order-4831.txt";

fn fixture(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    fs::read_to_string(folder.join(path)).unwrap()
}

fn sample(path: &str) -> Value {
    serde_json::from_str(&fixture(path)).unwrap()
}

async fn simulator(contract: Contract) -> Opened {
    Simulator::new(contract, &[] as &[&str]).unwrap().open(Seed::of_run(1)).await.unwrap()
}

fn authorized(opened: &Opened, request: Request) -> Request {
    request.header("authorization", format!("Bearer {}", opened.description.secret("primary").unwrap()))
}

async fn ask(opened: &Opened, request: Request) -> Value {
    let (method, path) = (request.method.clone(), request.path.clone());
    let answer = send(&opened.net, &opened.authority, &authorized(opened, request), LIMITS).await.unwrap();
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!((200..300).contains(&answer.status), "{method} {path}: {} {text}", answer.status);
    serde_json::from_str(&text).unwrap()
}

async fn get(opened: &Opened, path: &str) -> Value {
    ask(opened, Request::new("GET", path)).await
}

/// A write of the OAO contract. Each `key` is used once.
async fn post(opened: &Opened, path: &str, key: &str, body: &Value) -> Value {
    ask(opened, Request::new("POST", path).header("idempotency-key", key).json(body.to_string())).await
}

fn project(opened: &Opened) -> String {
    format!("/v1/projects/{}", opened.description.facts().text("project").unwrap())
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no `{pointer}` in {value}"))
}

/// Publishes the two documented operations on the smallest agent, and gives what that answered.
async fn publish(opened: &Opened) -> Value {
    let mut body = sample("oao/agents/minimal.json");
    body["config"]["harnessOperations"] =
        sample("oao/documents/shipment-operations.json")["harnessOperations"].clone();
    post(opened, &format!("{}/agents", project(opened)), "publish", &body).await
}

#[tokio::test(start_paused = true)]
async fn the_documented_operations_read_back_as_they_were_published() {
    let opened = simulator(Contract::Oao).await;
    let agent = publish(&opened).await;
    let (id, version) = (text(&agent, "/id"), text(&agent, "/latestVersionId"));
    let read = get(&opened, &format!("{}/agents/{id}/versions/{version}", project(&opened))).await;
    let documented = sample("oao/documents/shipment-operations.json");
    assert_eq!(documented["harnessOperations"].as_array().map(Vec::len), Some(2));
    let in_order = |operations: &Value| {
        operations.as_array().unwrap().iter().cloned().map(required_in_order).collect::<Vec<_>>()
    };
    let (read, documented) = (&read["config"]["harnessOperations"], &documented["harnessOperations"]);
    assert_eq!(in_order(read), in_order(documented));
}

/// An operation with the names under `required` sorted: their order says nothing, and a harness may store
/// them in its own.
fn required_in_order(mut operation: Value) -> Value {
    let names = operation["resultSchema"]["required"].as_array_mut().unwrap();
    names.sort_by_key(ToString::to_string);
    operation
}

/// The script, whose scratch loops read what the run called `first_run` brought along.
fn script(first_run: &str) -> Value {
    let text = fixture("scripts/shipment-documented.yaml").replace("RUN_ID", first_run);
    Script::from_yaml("shipment-documented.yaml", &text).unwrap().to_json()
}

/// The arguments of the one call that the scripted turn `id` makes.
fn scripted(script: &Value, id: &str) -> Value {
    let turn = script["turns"].as_array().unwrap().iter().find(|turn| turn["id"] == id).unwrap();
    assert_eq!(turn["answer"]["tool_calls"].as_array().map(Vec::len), Some(1), "{turn}");
    turn["answer"]["tool_calls"][0]["arguments"].clone()
}

/// The events of the project from its beginning until `run` is over.
async fn events_until_settled(opened: &Opened, run: &str) -> Vec<Value> {
    let request = authorized(opened, Request::new("GET", format!("{}/events", project(opened))));
    let mut feed = open(&opened.net, &opened.authority, &request, LIMITS.head).await.unwrap();
    assert_eq!(feed.status, 200);
    let mut parser = Parser::default();
    let mut events: Vec<Value> = Vec::new();
    let is_over = |event: &Value| {
        let state = event["publicPayload"]["state"].as_str().unwrap_or_default();
        event["kind"] == "run.state_changed"
            && event["aggregateId"] == run
            && ["completed", "failed", "cancelled"].contains(&state)
    };
    let whole = async {
        while !events.iter().any(is_over) {
            let piece = feed.next().await.unwrap().unwrap();
            let data = parser.push(&piece).into_iter().filter_map(|frame| frame.data);
            events.extend(data.map(|data| serde_json::from_str::<Value>(&data).unwrap()));
        }
    };
    opened.clock.within(SETTLED, whole).await.unwrap();
    events
}

/// The text of the result for `call` in the request that the scripted turn `turn` answered.
fn told(journal: &[ModelTurn], turn: &str, call: &str) -> String {
    let asked = journal.iter().find(|asked| asked.turn.as_deref() == Some(turn)).unwrap();
    let messages = asked.request["messages"].as_array().unwrap();
    let result = messages.iter().find(|message| message["tool_call_id"] == call).unwrap();
    text(result, "/text").to_owned()
}

/// Starts a session whose first run brings the document, and a second run that processes it. Gives the
/// session, the second run, and the script that was played.
async fn process(opened: &Opened, agent: &str) -> (String, String, Value) {
    let model = opened.model.as_ref().unwrap();
    let sessions = format!("{}/sessions", project(opened));
    let file = json!({
        "name": ORDER,
        "contentType": "text/plain",
        "contentBase64": STANDARD.encode(fixture("oao/documents/order-4831.txt")),
    });
    let first = json!({"agentId": agent, "initialMessage": "Keep this order.", "files": [file]});
    // The path of the document is known once the session is there; until then only the first turn counts.
    model.load(SESSION, &script("unknown")).unwrap();
    let session = post(opened, &sessions, "start", &first).await;
    let (session_id, first_run) = (text(&session, "/id"), text(&session, "/run/id"));
    events_until_settled(opened, first_run).await;

    let script = script(first_run);
    model.load(SESSION, &script).unwrap();
    let next = json!({"message": "Process the order."});
    let run = post(opened, &format!("{sessions}/{session_id}/runs"), "process", &next).await;
    (session_id.to_owned(), text(&run, "/id").to_owned(), script)
}

#[tokio::test(start_paused = true)]
async fn the_documented_operations_run_one_after_the_other_on_one_workspace() {
    let opened = simulator(Contract::Oao).await;
    let agent = publish(&opened).await;
    let (session, run, script) = process(&opened, text(&agent, "/id")).await;
    let events = events_until_settled(&opened, &run).await;
    let journal = opened.model.as_ref().unwrap().journal(SESSION);

    // What each operation finished with is what the parent is told, to the member.
    for (call, told_in, finished_in) in
        [("call_extract", "parent-2", "extract-2"), ("call_verify", "parent-3", "verify-2")]
    {
        let result: Value = serde_json::from_str(&told(&journal, told_in, call)).unwrap();
        assert_eq!(result, scripted(&script, finished_in), "{call}");
    }
    // Both scratch loops read the document that came with the session.
    let order = fixture("oao/documents/order-4831.txt");
    assert_eq!(told(&journal, "extract-2", "read_to_extract"), order);
    assert_eq!(told(&journal, "verify-2", "read_to_verify"), order);
    // Every request said what its turn expects: the instructions, the task and the tools.
    let turns: Vec<&str> = journal.iter().filter_map(|asked| asked.turn.as_deref()).collect();
    let expected = ["parent-1", "extract-1", "extract-2", "parent-2", "verify-1", "verify-2", "parent-3"];
    assert_eq!(turns, expected);
    for asked in &journal {
        assert_eq!(asked.journal["findings"], json!([]), "{:?}", asked.turn);
        assert_eq!(asked.journal["outcome"], "answered", "{:?}", asked.turn);
    }

    let lifecycle: Vec<(&str, &str)> = events
        .iter()
        .filter(|event| text(event, "/kind").starts_with("harness.operation_"))
        .filter(|event| event["kind"] != "harness.operation_step")
        .map(|event| (text(event, "/kind"), text(event, "/publicPayload/operationKey")))
        .collect();
    let (started, completed) = ("harness.operation_started", "harness.operation_completed");
    assert_eq!(
        lifecycle,
        [
            (started, "extract_shipment"),
            (completed, "extract_shipment"),
            (started, "verify_shipment"),
            (completed, "verify_shipment"),
        ]
    );
    let settled = get(&opened, &format!("{}/runs/{run}", project(&opened))).await;
    assert_eq!((text(&settled, "/state"), text(&settled, "/sessionId")), ("completed", session.as_str()));
}

#[tokio::test(start_paused = true)]
async fn the_sample_of_the_catalogue_is_what_is_served() {
    let opened = simulator(Contract::Vetta).await;
    let documented = sample("vetta/documents/harness-list.json");
    let pi = &documented["data"][0];
    assert_eq!(pi["base"], "pi");
    assert_eq!(&get(&opened, "/v1/harnesses/pi").await, pi);
    let list = get(&opened, "/v1/harnesses").await;
    let listed: Vec<&Value> =
        list["data"].as_array().unwrap().iter().filter(|row| row["base"] == "pi").collect();
    assert_eq!(listed, [pi]);
    // Around the rows the list is the sample too.
    let envelope = |list: &Value| {
        let members = list.as_object().unwrap().iter().filter(|(name, _)| *name != "data");
        members.map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    assert_eq!(envelope(&list), envelope(&documented));
}
