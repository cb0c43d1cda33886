//! Contributed tools reach the model, under the agent's policy (VET-36, VET-37).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    roads::{
        BEGIN, at_tools, calls_once, first_asked, marked, need_talk, of_mark, offered, on_road, play, says,
    },
    rows::{flag, text},
    talk::load,
    tool_endpoint::{Answered, ToolEndpoint, listed},
    tool_server::{self, CLOSED, OPEN, SERVER, calls},
};
use crate::table::checks;

checks! { Vetta:
    "VET-36-a" => coordinator_is_asked, it_is_offered_its_team;
    "VET-36-b" => server_tool_is_called, the_call_arrives;
    "VET-36-c" => connection_is_used_on_each_road, its_tool_is_offered_on_each;
    "VET-37-a" => denied_tool_is_called_by_the_loop, it_does_not_run;
    "VET-37-b" => denied_tool_is_called_at_the_endpoint, endpoint_refuses_it;
    "VET-37-c" => one_agent_on_both_roads, names_are_the_same;
}

/// The tools that a coordinator is given.
pub(crate) const TEAM: [&str; 2] = ["send_to_agent", "wait_for_agents"];

const TEAM_MISSING: &str = "the model of a coordinator is not offered the team tools";
const NOT_OFFERED: &str = "the model is not offered the tool of an MCP server of its agent";
const NOT_CALLED: &str = "a call of an MCP server's tool did not arrive at the server";
const CONNECTION_MISSING: &str = "the model is not offered the tool of a connected account";
const DENIED_RAN: &str = "a contributed tool that the agent's policy denies was run";
const DENIED_RAN_ON_2: &str = "the tool endpoint ran a tool that the agent's policy denies";
const ENDPOINT_EMPTY: &str = "the tool endpoint does not list a tool that the agent's policy allows";
const RENAMED: &str = "a contributed tool has another name on the second road";

/// A policy that allows everything but [`CLOSED`].
fn denying() -> Value {
    json!({"permission": "allow", "overrides": {CLOSED: "deny"}})
}

fn injects(row: &Value) -> bool {
    starts_here(row) && flag(row, "injected_tools") == Some(true)
}

/// The name of every script here.
const SCRIPT: &str = "contributed tools";
const INJECTING: &str = "hosted loop that is runnable and has injected tools";

async fn coordinator_is_asked(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let row = environment.pick(INJECTING, injects)?;
    let base = text(&row, "base");
    load(driver, SCRIPT, [says("says")])?;
    let member = environment.need_agent("member", &Agent::on(&environment, base)).await?;
    let lead = Agent::on(&environment, base).leading(&member);
    play(&environment, &lead).await
}

fn it_is_offered_its_team(recording: &Recording, _: &Spec) -> Judged {
    let (seen, turn) = first_asked(recording)?;
    let names = offered(turn);
    if TEAM.iter().all(|tool| names.contains(tool)) {
        return Ok(seen.witness());
    }
    Err(at_tools((&seen, turn), TEAM_MISSING, TEAM.join(" and ")).into())
}

async fn server_tool_is_called(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let row = environment.pick(INJECTING, injects)?;
    let server = tool_server::open(driver).await?;
    load(driver, SCRIPT, calls_once(OPEN, json!({"ticket": driver.token()})))?;
    let agent =
        Agent::on(&environment, text(&row, "base")).with("mcp_servers", tool_server::servers(&server));
    let played = play(&environment, &agent).await;
    server.record();
    played
}

fn the_call_arrives(recording: &Recording, _: &Spec) -> Judged {
    // A turn that fails for want of the server never asks.
    let Some((seen, turn)) = recording.model_turns().into_iter().next() else {
        return Err(recording.one("say")?.finding(NOT_OFFERED, "a model request").into());
    };
    if !offered(turn).contains(&OPEN) {
        return Err(at_tools((&seen, turn), NOT_OFFERED, format!("`{OPEN}` among the tools")).into());
    }
    let arrived = calls(recording, OPEN);
    let ours = arrived.iter().find(|(_, arguments)| arguments["ticket"] == recording.token.as_str());
    match ours {
        Some((call, _)) => Ok(seen.witness().and(call.witness())),
        None => Err(seen.finding(NOT_CALLED, format!("`tools/call` of `{OPEN}` with its arguments")).into()),
    }
}

const ROADS: [&str; 2] = ["first_road", "second_road"];

async fn connection_is_used_on_each_road(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let setting = |name: &str| driver.facts().text(name);
    let (Some(connection), Some(_)) = (setting("connection"), setting("connection_tool")) else {
        let reason = "the target's description gives no `[settings] connection` and `connection_tool`";
        return Err(driver.inapplicable(reason, "rows"));
    };
    load(driver, SCRIPT, [says("says")])?;
    let mut roads = Vec::new();
    for road in ROADS {
        if driver.facts().list(road).is_empty() {
            continue;
        }
        let base = on_road(&environment, road, injects)?;
        let agent = marked(&environment, &base, road).acting_through(connection);
        let mut talk = need_talk(&environment, &agent, &format!(" on {road}")).await?;
        talk.turn(BEGIN).await?;
        roads.push(road);
    }
    if roads.is_empty() {
        return Err(environment.lacks("loop that `[settings] first_road` or `second_road` names"));
    }
    driver.fact("roads", json!(roads));
    driver.record_model("model")
}

fn its_tool_is_offered_on_each(recording: &Recording, _: &Spec) -> Judged {
    let tool = recording.target.text("connection_tool").unwrap_or_default();
    let roads: Vec<&str> =
        recording.fact("roads")?.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut witnesses = Vec::new();
    for road in roads {
        let Some((seen, turn)) = of_mark(recording, road) else {
            return Err(recording
                .one(&format!("say on {road}"))?
                .finding(CONNECTION_MISSING, format!("a model request of the loop that `{road}` names"))
                .into());
        };
        // A process may put the name of the endpoint in front of a tool's own name.
        if !offered(turn).iter().any(|name| name.ends_with(tool)) {
            return Err(
                at_tools((&seen, turn), CONNECTION_MISSING, format!("`{tool}` among the tools")).into()
            );
        }
        witnesses.push(seen.witness());
    }
    recording::Witness::all(witnesses)
        .ok_or_else(|| Verdict::Error { reason: "no road was looked at".to_owned() })
}

async fn denied_tool_is_called_by_the_loop(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let base = on_road(&environment, "first_road", injects)?;
    let server = tool_server::open(driver).await?;
    load(driver, SCRIPT, calls_once(CLOSED, json!({"ticket": driver.token()})))?;
    let agent = Agent::on(&environment, &base)
        .with("mcp_servers", tool_server::servers(&server))
        .with("tools", denying());
    let played = play(&environment, &agent).await;
    server.record();
    played
}

fn it_does_not_run(recording: &Recording, _: &Spec) -> Judged {
    let (seen, turn) = first_asked(recording)?;
    if let Some((call, _)) = calls(recording, CLOSED).first() {
        return Err(call.finding(DENIED_RAN, format!("no call of `{CLOSED}`")).into());
    }
    if !offered(turn).contains(&OPEN) {
        let expected = format!("`{OPEN}` among the tools, so that the server is there");
        return Err(at_tools((&seen, turn), NOT_OFFERED, expected).into());
    }
    Ok(seen.witness())
}

async fn denied_tool_is_called_at_the_endpoint(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let base = on_road(&environment, "second_road", injects)?;
    let server = tool_server::open(driver).await?;
    let agent = Agent::on(&environment, &base)
        .with("mcp_servers", tool_server::servers(&server))
        .with("tools", denying());
    let agent = environment.need_agent("agent", &agent).await?;
    let session = environment.need_session("start", &agent).await?;
    let mut endpoint = ToolEndpoint::need(driver, "endpoint", &session).await?;
    endpoint.hello("hello").await;
    endpoint.list("list").await;
    endpoint.call("denied", CLOSED, &json!({"ticket": driver.token()})).await;
    server.record();
    Ok(())
}

fn endpoint_refuses_it(recording: &Recording, _: &Spec) -> Judged {
    let (list, denied) = (recording.one("list")?, recording.one("denied")?);
    if !listed(&list).is_some_and(|names| names.iter().any(|name| name == OPEN)) {
        return Err(list.finding(ENDPOINT_EMPTY, format!("`{OPEN}` in the list")).into());
    }
    if let Some((call, _)) = calls(recording, CLOSED).first() {
        return Err(call.finding(DENIED_RAN_ON_2, format!("no call of `{CLOSED}`")).into());
    }
    if !Answered::of(&denied).is_error() {
        return Err(denied.finding(DENIED_RAN_ON_2, "an error").into());
    }
    Ok(list.witness().and(denied.witness()))
}

async fn one_agent_on_both_roads(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases =
        (on_road(&environment, "first_road", injects)?, on_road(&environment, "second_road", injects)?);
    let server = tool_server::open(driver).await?;
    let archive = tool_server::open_with(driver, "archive", &["archive_search"]).await?;
    load(driver, SCRIPT, [says("says")])?;
    // Two servers, so that there is a reason to tell their tools apart.
    let mut servers = tool_server::servers(&server);
    if let Some(servers) = servers.as_array_mut() {
        servers.push(json!({"name": "archive", "url": archive.url()}));
    }
    let with_server = |agent: Agent| agent.with("mcp_servers", servers.clone());
    let first = with_server(marked(&environment, &bases.0, "first_road"));
    let mut talk = need_talk(&environment, &first, "").await?;
    talk.turn(BEGIN).await?;
    let second = with_server(marked(&environment, &bases.1, "second_road"));
    let second = environment.need_agent("second", &second).await?;
    let session = environment.need_session("start", &second).await?;
    let mut endpoint = ToolEndpoint::need(driver, "endpoint", &session).await?;
    endpoint.hello("hello").await;
    endpoint.list("list").await;
    server.record();
    driver.record_model("model")
}

fn names_are_the_same(recording: &Recording, _: &Spec) -> Judged {
    let Some((seen, turn)) = of_mark(recording, "first_road") else {
        return Err(recording.one("say")?.finding(NOT_OFFERED, "a model request").into());
    };
    let names = offered(turn);
    if ![OPEN, CLOSED].iter().all(|tool| names.contains(tool)) {
        return Err(at_tools((&seen, turn), NOT_OFFERED, format!("`{OPEN}` and `{CLOSED}`")).into());
    }
    let list = recording.one("list")?;
    let at_endpoint = listed(&list).unwrap_or_default();
    let is_there = |tool: &&str| at_endpoint.iter().any(|name| name == tool);
    if !([OPEN, CLOSED].iter().all(is_there) && at_endpoint.iter().all(|name| names.contains(&name.as_str())))
    {
        let expected = format!("`{OPEN}` and `{CLOSED}`, as on the first road");
        return Err(list.finding(RENAMED, expected).into());
    }
    if recording.labelled(SERVER).is_empty() {
        return Err(Verdict::Error { reason: "nobody asked the server of the suite".to_owned() });
    }
    Ok(seen.witness().and(list.witness()))
}
