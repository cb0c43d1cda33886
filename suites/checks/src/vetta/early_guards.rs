//! Agents that are refused when they are written (VET-45 to 48).

use engine::{Driver, Drove, Halt};
use recording::{Finding, Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, servers, team_of},
    environments::{Environment, is_hosted},
    evidence::Evidence,
    listing::{found, mentions},
    refusal::code,
    rows::{flag, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-45-a" => agents_are_created, team_is_refused;
    "VET-45-b" => agents_are_changed, added_team_is_refused;
    "VET-45-c" => agents_are_changed, moved_team_is_refused;
    "VET-46-a" => agents_are_created, servers_are_refused;
    "VET-46-b" => agents_are_changed, changed_servers_are_refused;
    "VET-46-c" => empty_list_is_created, empty_list_is_accepted;
    "VET-47-a" => agents_are_created, each_refusal_names_its_field;
    "VET-47-b" => agents_are_created, both_faults_make_one_refusal;
    "VET-48-a" => refused_writes_are_looked_for, refused_writes_have_no_effect;
}

const TEAM_WRITTEN: &str =
    "a team on a loop without injected tools was not refused with 400 `validation_failed`";
const SERVERS_WRITTEN: &str =
    "MCP servers on a loop without injected tools were not refused with 400 `validation_failed`";
const EMPTY_REFUSED: &str = "an empty list of MCP servers was refused";
const NAMES_NOTHING: &str = "an early refusal does not name the field to change";
const NOT_ONE_REFUSAL: &str = "two faults in one agent were not refused with a 400 that names one of them";
const NOT_REFUSED: &str = "a write that had to be refused was accepted";
const AGENT_LEFT: &str = "a refused create left an agent behind";
const AGENT_CHANGED: &str = "a refused change took effect";

/// A loop without injected tools beside one that has them, and an agent for a team.
struct Bench<'a> {
    environment: Environment<'a>,
    mute: String,
    host: String,
    member: String,
}

impl<'a> Bench<'a> {
    /// The member is an agent on the loop without injected tools: it shows that agents can be written
    /// there as long as they have neither fault.
    async fn open(driver: &'a Driver<'a>) -> Result<Self, Halt> {
        let injects = |row: &Value, on: bool| is_hosted(row) && flag(row, "injected_tools") == Some(on);
        let what = "a hosted loop without injected tools";
        let (environment, mute) = Environment::having(driver, what, |row| injects(row, false)).await?;
        let host = environment.pick("hosted loop with injected tools", |row| injects(row, true))?;
        let [mute, host] = [mute, host].map(|row| text(&row, "base").to_owned());
        let member = environment.need_agent("member", &Agent::on(&environment, &mute)).await?;
        Ok(Self { environment, mute, host, member })
    }

    fn on(&self, base: &str) -> Agent {
        Agent::on(&self.environment, base)
    }

    /// Writes an agent that has both faults on a loop where they are none, so that a refusal of the same
    /// agent elsewhere is the loop's and not the body's.
    async fn need_twin(&self) -> Result<String, Halt> {
        self.environment.need_agent("twin", &self.on(&self.host).leading(&self.member).served()).await
    }
}

async fn agents_are_created(driver: &Driver<'_>) -> Drove {
    let bench = Bench::open(driver).await?;
    bench.need_twin().await?;
    let agent = bench.on(&bench.mute);
    let environment = &bench.environment;
    environment.create("team", &agent.clone().leading(&bench.member)).await;
    environment.create("servers", &agent.clone().served()).await;
    environment.create("both", &agent.leading(&bench.member).served()).await;
    Ok(())
}

async fn agents_are_changed(driver: &Driver<'_>) -> Drove {
    let bench = Bench::open(driver).await?;
    let environment = &bench.environment;
    let team = json!({"multiagent": team_of(&bench.member)});
    let served = json!({"mcp_servers": servers()});
    for (label, change) in [("team added", team), ("servers added", served)] {
        let agent = environment.need_agent("agent", &bench.on(&bench.mute)).await?;
        environment.patch(label, &agent, &change).await;
    }
    let leader = bench.on(&bench.host).leading(&bench.member);
    let served = bench.on(&bench.host).served();
    for (label, agent) in [("team moved", leader), ("servers moved", served)] {
        let agent = environment.need_agent("agent", &agent).await?;
        environment.patch(label, &agent, &json!({ "harness": bench.mute })).await;
    }
    Ok(())
}

/// The write was refused with 400 and the code `validation_failed`.
fn guarded(evidence: &mut Evidence, seen: &Seen<'_>, message: &str) -> Result<(), Finding> {
    let status = seen.answer()?.status;
    let body = seen.body().unwrap_or_default();
    if status != 400 || code(&body) != Some("validation_failed") {
        return Err(seen.finding(message, "400 with the code `validation_failed`"));
    }
    evidence.see(seen);
    Ok(())
}

fn all_guarded(recording: &Recording, labels: &[&str], message: &str) -> Judged {
    let mut evidence = Evidence::default();
    for label in labels {
        guarded(&mut evidence, &recording.one(label)?, message)?;
    }
    evidence.judged()
}

fn team_is_refused(recording: &Recording, _: &Spec) -> Judged {
    all_guarded(recording, &["team"], TEAM_WRITTEN)
}

fn added_team_is_refused(recording: &Recording, _: &Spec) -> Judged {
    all_guarded(recording, &["team added"], TEAM_WRITTEN)
}

fn moved_team_is_refused(recording: &Recording, _: &Spec) -> Judged {
    all_guarded(recording, &["team moved"], TEAM_WRITTEN)
}

fn servers_are_refused(recording: &Recording, _: &Spec) -> Judged {
    all_guarded(recording, &["servers"], SERVERS_WRITTEN)
}

fn changed_servers_are_refused(recording: &Recording, _: &Spec) -> Judged {
    all_guarded(recording, &["servers added", "servers moved"], SERVERS_WRITTEN)
}

fn each_refusal_names_its_field(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (label, field) in [("team", "multiagent"), ("servers", "mcp_servers")] {
        let seen = recording.one(label)?;
        guarded(&mut evidence, &seen, NAMES_NOTHING)?;
        evidence.refused(&seen, NAMES_NOTHING, &[400], &[field, "harness"])?;
    }
    evidence.judged()
}

fn both_faults_make_one_refusal(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let fields = ["multiagent", "mcp_servers", "harness"];
    evidence.refused(&recording.one("both")?, NOT_ONE_REFUSAL, &[400], &fields)?;
    evidence.judged()
}

async fn empty_list_is_created(driver: &Driver<'_>) -> Drove {
    let bench = Bench::open(driver).await?;
    let agent = bench.on(&bench.mute).with("mcp_servers", json!([]));
    bench.environment.create("create", &agent).await;
    Ok(())
}

fn empty_list_is_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("create")?, EMPTY_REFUSED)?;
    evidence.judged()
}

/// Both writes have both faults, so that one guard is enough to refuse them: which guard goes off is the
/// business of other checks.
async fn refused_writes_are_looked_for(driver: &Driver<'_>) -> Drove {
    let bench = Bench::open(driver).await?;
    let environment = &bench.environment;
    let twin = bench.need_twin().await?;
    let refused = bench.on(&bench.mute).with("name", json!(driver.fresh())).leading(&bench.member).served();
    environment.create("create", &refused).await;
    environment.list_agents("agents", &twin).await?;
    let agent = environment.need_agent("agent", &bench.on(&bench.mute)).await?;
    let before = environment.read("before", &agent).await;
    driver.need(&before, "read the agent")?;
    let change = json!({
        "name": driver.fresh(),
        "multiagent": team_of(&bench.member),
        "mcp_servers": servers(),
    });
    environment.patch("patch", &agent, &change).await;
    environment.read("after", &agent).await;
    Ok(())
}

fn refused_writes_have_no_effect(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for write in [recording.one("create")?, recording.one("patch")?] {
        write.answer()?;
        if write.is_success() {
            return Err(write.finding(NOT_REFUSED, "400").into());
        }
    }
    no_agent_left(&mut evidence, recording)?;
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if evidence.accepted(&after, AGENT_CHANGED)? != before.json()? {
        return Err(after
            .finding(AGENT_CHANGED, format!("the agent as it was: {}", before.summary()))
            .into());
    }
    evidence.judged()
}

fn no_agent_left(evidence: &mut Evidence, recording: &Recording) -> Result<(), Verdict> {
    let sent = recording.one("create")?.sent().unwrap_or_default();
    let (last, left) = found(recording, "agents", |entry| mentions(entry, text(&sent, "name")))?;
    evidence.see(&last);
    match left {
        Some(page) => Err(page.finding(AGENT_LEFT, "no agent of the refused name").into()),
        None => Ok(()),
    }
}
