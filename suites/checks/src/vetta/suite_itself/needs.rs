//! The suite's own table of demands (VET-65-a).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::Suite;
use crate::{table::checks, vetta::rows::need_rows};

checks! { Vetta:
    "VET-65-a" => demands_are_derived, they_are_as_written_by_hand;
}

const OTHER_DEMANDS: &str = "the suite derives other demands than those written by hand";

/// Sixteen agents, each with its start and the flags that a person says it demands.
fn by_hand() -> [(Value, Value, &'static [&'static str]); 16] {
    const NONE: &[&str] = &[];
    const APPROVALS: &[&str] = &["approvals"];
    const STRUCTURED: &[&str] = &["structured_output"];
    const INJECTED: &[&str] = &["injected_tools"];
    let (no, required) = (json!({}), json!({"structured_output_required": true}));
    let offered =
        json!({"structured_output_schema": {"type": "object"}, "structured_output_required": false});
    let team = json!({"type": "coordinator", "agents": ["agent_1"]});
    let servers = json!([{"name": "tickets", "url": "http://127.0.0.1:9/mcp"}]);
    [
        (json!({}), no.clone(), NONE),
        (json!({"tools": {"permission": "allow"}}), no.clone(), NONE),
        (json!({"tools": {"permission": "deny"}}), no.clone(), NONE),
        (json!({"tools": {"permission": "ask"}}), no.clone(), APPROVALS),
        (json!({"tools": {"permission": "allow", "overrides": {"shell": "deny"}}}), no.clone(), NONE),
        (json!({}), required.clone(), STRUCTURED),
        (json!({}), offered.clone(), NONE),
        (json!({"multiagent": team}), no.clone(), INJECTED),
        (json!({"multiagent": null}), no.clone(), NONE),
        (json!({"mcp_servers": servers}), no.clone(), INJECTED),
        (json!({"mcp_servers": []}), no.clone(), NONE),
        (json!({"connections": ["conn_1"]}), no.clone(), INJECTED),
        (json!({"connections": []}), no.clone(), NONE),
        (
            json!({"tools": {"permission": "ask"}, "mcp_servers": []}),
            required.clone(),
            &["approvals", "structured_output"],
        ),
        (
            json!({"tools": {"permission": "ask"}, "multiagent": team, "connections": ["conn_1"]}),
            offered,
            &["approvals", "injected_tools"],
        ),
        (
            json!({"tools": {"permission": "ask"}, "mcp_servers": servers, "multiagent": team}),
            required,
            &["approvals", "injected_tools", "structured_output"],
        ),
    ]
}

/// The agents are on a base of the target, and their demands are what the suite would expect of it.
async fn demands_are_derived(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    let suite = Suite::under_test(driver)?;
    for (at, (mut agent, start, expected)) in by_hand().into_iter().enumerate() {
        agent["harness"] = rows[0].get("base").cloned().unwrap_or_default();
        let derived = suite.demands.flags_of(&agent, &start);
        driver.fact(
            &format!("agent: {at}"),
            json!({"agent": agent, "start": start, "derived": derived, "expected": expected}),
        );
    }
    Ok(())
}

fn they_are_as_written_by_hand(recording: &Recording, _: &Spec) -> Judged {
    let mut witness: Witness = recording.one("list")?.witness();
    let agents = recording.starting_with("agent: ");
    if agents.len() != by_hand().len() {
        let reason = format!("{} of {} agents were recorded", agents.len(), by_hand().len());
        return Err(Verdict::Error { reason });
    }
    for seen in agents {
        let fact = seen.value().cloned().unwrap_or_default();
        if fact["derived"] != fact["expected"] {
            return Err(seen.finding(OTHER_DEMANDS, fact["expected"].to_string()).into());
        }
        witness = witness.and(seen.witness());
    }
    Ok(witness)
}
