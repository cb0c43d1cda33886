use serde_json::{Value, json};

use super::*;
use crate::{
    Caller, Environment, Parts,
    agents::{Agent, normalise},
    harness::Capability,
    sessions::Start,
};

/// What a start on `base` is told in the environment `future`: 201, or status and capability.
fn told(base: &str, agent: &Value, start: &Value) -> (u16, Option<String>) {
    let parts = Parts::default();
    let caller = Caller { account: "a".to_owned(), environment: Environment::shipped().unwrap().remove(1) };
    let mut body = json!({"name": "a", "model": "m", "harness": base});
    body.as_object_mut().unwrap().extend(agent.as_object().unwrap().clone());
    let config = normalise(&parts.agents.rules, body.as_object().unwrap()).unwrap();
    let (created_at, updated_at) = (String::new(), String::new());
    let agent = Agent { id: "agent_1".to_owned(), version: 1, config, created_at, updated_at };
    let mut body = json!({"agent": "agent_1"});
    body.as_object_mut().unwrap().extend(start.as_object().unwrap().clone());
    let start = Start::read(&parts.sessions.rules, body.as_object().unwrap()).unwrap();
    let demands = (parts.admission.demands)(&agent.config, &start);
    let row = (parts.agents.resolve)(&caller.environment, base);
    let applicant = Applicant {
        caller: &caller,
        agent: &agent,
        row: row.as_ref(),
        start: &start,
        demands: &demands,
        native_tools: &parts.admission.native_tools,
    };
    match (parts.admission.decide)(&parts.admission.steps, &applicant) {
        Ok(()) => (201, None),
        Err(refusal) => {
            assert_eq!(refusal.param.as_deref(), Some("harness"), "{base}: every refusal names the harness");
            assert!(!refusal.message.is_empty());
            (refusal.status, refusal.details["capability"].as_str().map(str::to_owned))
        }
    }
}

fn typed() -> Value {
    json!({"structured_output_required": true, "structured_output_schema": {"type": "object"}})
}

/// Written by hand: what each base says to no demand, `ask`, a typed answer, a team, MCP servers and a
/// connected account.
const TRUTH: [(&str, [u16; 6]); 10] = [
    ("pi", [201, 201, 201, 201, 201, 201]),
    ("vetta", [201, 201, 201, 201, 201, 201]),
    ("sim-cli", [201, 400, 400, 201, 201, 201]),
    ("sim-iso-noask", [201, 400, 201, 201, 201, 201]),
    ("sim-dark", [501, 501, 501, 501, 501, 501]),
    ("sim-dark-cli", [501, 400, 400, 501, 501, 501]),
    ("sim-local", [501, 501, 501, 501, 501, 501]),
    ("sim-byo", [201, 201, 201, 201, 201, 201]),
    ("sim-mute", [201, 201, 201, 400, 400, 400]),
    ("sim-soon", [400, 400, 400, 400, 400, 400]),
];

#[test]
fn the_truth_table_holds() {
    let nothing = json!({});
    let demands = [
        (nothing.clone(), nothing.clone()),
        (json!({"tools": {"permission": "ask"}}), nothing.clone()),
        (nothing.clone(), typed()),
        (json!({"multiagent": {"type": "coordinator", "agents": ["agent_2"]}}), nothing.clone()),
        (json!({"mcp_servers": [{"name": "t", "url": "http://127.0.0.1:9"}]}), nothing.clone()),
        (json!({"connections": ["conn_1"]}), nothing),
    ];
    for (base, answers) in TRUTH {
        for ((agent, start), answer) in demands.iter().zip(answers) {
            assert_eq!(told(base, agent, start).0, answer, "{base} with {agent} and {start}");
        }
    }
}

#[test]
fn a_refusal_says_which_capability_is_missing() {
    let ask = json!({"tools": {"permission": "ask"}});
    assert_eq!(told("sim-iso-noask", &ask, &json!({})), (400, Some("approvals".to_owned())));
    assert_eq!(told("sim-cli", &json!({}), &typed()), (400, Some("structured_output".to_owned())));
    assert_eq!(told("sim-cli", &ask, &typed()), (400, Some("approvals".to_owned())));
    assert_eq!(
        told("sim-mute", &json!({"connections": ["c"]}), &json!({})),
        (400, Some("injected_tools".to_owned()))
    );
    assert_eq!(told("sim-dark", &json!({}), &json!({})), (501, None));
}

#[test]
fn a_schema_alone_demands_nothing() {
    for required in [json!({"structured_output_required": false}), json!({})] {
        let mut start = json!({"structured_output_schema": {"type": "object"}});
        start.as_object_mut().unwrap().extend(required.as_object().unwrap().clone());
        assert_eq!(told("sim-cli", &json!({}), &start).0, 201, "{start}");
    }
}

/// Limit 2 of the second road: a single contributed tool on `ask` is left out there, so it refuses nothing.
#[test]
fn a_single_tool_on_ask_is_judged_by_road_and_origin() {
    let ask = |tool: &str| json!({"tools": {"permission": "allow", "overrides": {tool: "ask"}}});
    for (base, tool, answer) in [
        ("pi", "shell", 201),
        ("pi", "ticket_close", 201),
        ("sim-iso-noask", "shell", 400),
        ("sim-iso-noask", "ticket_close", 400),
        ("sim-cli", "shell", 400),
        ("sim-cli", "ticket_close", 201),
    ] {
        assert_eq!(told(base, &ask(tool), &json!({})).0, answer, "{base} with {tool}");
    }
    let toolset = json!({"tools": {"permission": "ask", "overrides": {"ticket_close": "deny"}}});
    assert_eq!(told("sim-cli", &toolset, &json!({})).0, 400, "the toolset as a whole is on ask");
    let denied = json!({"tools": {"permission": "deny", "overrides": {"shell": "allow"}}});
    assert_eq!(told("sim-cli", &denied, &json!({})).0, 201);
}

#[test]
fn demands_come_from_six_places_and_from_no_other() {
    let parts = Parts::default();
    let body = json!({
        "name": "a", "model": "m", "system": "s", "metadata": {"ask": "ask"},
        "tools": {"permission": "ask", "overrides": {"b": "ask", "a": "ask", "c": "deny", "d": "allow"}},
        "mcp_servers": [{"name": "t", "url": "http://127.0.0.1:9"}],
        "connections": ["conn_1"],
        "multiagent": {"type": "coordinator", "agents": [{"type": "self"}]},
    });
    let config = normalise(&parts.agents.rules, body.as_object().unwrap()).unwrap();
    let mut start = typed();
    start["agent"] = json!("agent_1");
    let start = Start::read(&parts.sessions.rules, start.as_object().unwrap()).unwrap();
    let found: Vec<(Capability, Source)> =
        demands(&config, &start).into_iter().map(|demand| (demand.capability, demand.source)).collect();
    assert_eq!(
        found,
        [
            (Capability::Approvals, Source::Toolset),
            (Capability::Approvals, Source::Tool("a".to_owned())),
            (Capability::Approvals, Source::Tool("b".to_owned())),
            (Capability::StructuredOutput, Source::TypedAnswer),
            (Capability::InjectedTools, Source::Team),
            (Capability::InjectedTools, Source::McpServers),
            (Capability::InjectedTools, Source::Connections),
        ]
    );
}

#[test]
fn the_steps_are_in_the_order_of_the_reference() {
    let names = ["published", "location", "approvals", "structured_output", "injected_tools", "runnable"];
    assert_eq!(Admission::default().steps.names(), names);
}
