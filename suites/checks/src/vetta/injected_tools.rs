//! Tools that the platform contributes, as far as admission goes (VET-50 to 52).

use engine::{Driver, Drove};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, is_hosted, starts_here},
    evidence::{Evidence, by_base},
    rows::{flag, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-50-a" => teams_and_servers_are_written, every_write_is_accepted;
    "VET-51-a" => connection_is_started_without_injected_tools, start_is_refused;
    "VET-52-a" => team_is_started_without_approvals, team_is_accepted;
}

const GUARD_MISFIRES: &str = "an early guard went off on a loop with injected tools";
const CONNECTION_NOT_WRITTEN: &str =
    "an agent that acts through a connection was refused when it was written";
const CONNECTION_STARTED: &str =
    "a connection was not refused at start with 400 naming `harness` on a loop without injected tools";
const TEAM_REFUSED: &str = "an agent that leads a team was refused on a loop with injected tools";

fn injects(row: &Value, on: bool) -> bool {
    flag(row, "injected_tools") == Some(on)
}

async fn teams_and_servers_are_written(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.pick_all("loop with injected tools", |row| injects(row, true))?;
    let host = environment.preferring(is_hosted);
    let member = environment.need_agent("member", &Agent::on(&environment, text(&host, "base"))).await?;
    for base in bases {
        let agent = Agent::on(&environment, &base);
        environment.create(&format!("team: {base}"), &agent.clone().leading(&member)).await;
        environment.create(&format!("servers: {base}"), &agent.served()).await;
    }
    Ok(())
}

fn every_write_is_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for write in ["team", "servers"] {
        for (_, seen) in by_base(recording, write)? {
            evidence.accepted(&seen, GUARD_MISFIRES)?;
        }
    }
    evidence.judged()
}

async fn connection_is_started_without_injected_tools(driver: &Driver<'_>) -> Drove {
    let what = "a hosted loop that is runnable and has no injected tools";
    let wanted = |row: &Value| starts_here(row) && injects(row, false);
    let (environment, row) = Environment::having(driver, what, wanted).await?;
    let Some(connection) = driver.facts().text("connection") else {
        return Err(driver.inapplicable("the target's description gives no `[settings] connection`", "rows"));
    };
    let base = text(&row, "base");
    environment.need_listed_twin(base).await?;
    let agent = Agent::on(&environment, base).acting_through(connection);
    let created = environment.create("create", &agent).await;
    if let Some(agent) = created.text("/id").filter(|_| created.is_success()) {
        environment.start("start", agent, &json!({})).await;
        environment.list_sessions("sessions", agent).await?;
    }
    Ok(())
}

fn start_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("create")?, CONNECTION_NOT_WRITTEN)?;
    let start = recording.one("start")?;
    evidence.refused(&start, CONNECTION_STARTED, &[400], &["harness"])?;
    evidence.no_session(recording, &start, ("sessions", None))?;
    evidence.judged()
}

async fn team_is_started_without_approvals(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let wanted =
        |row: &Value| starts_here(row) && injects(row, true) && flag(row, "approvals") == Some(false);
    let what = "hosted loop that is runnable and has injected tools but no approvals";
    let row = environment.pick(what, wanted)?;
    let base = text(&row, "base");
    let member = environment.need_agent("member", &Agent::on(&environment, base)).await?;
    let created = environment.create("create", &Agent::on(&environment, base).leading(&member)).await;
    if let Some(agent) = created.text("/id").filter(|_| created.is_success()) {
        environment.start("start", agent, &json!({})).await;
    }
    Ok(())
}

fn team_is_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("create")?, TEAM_REFUSED)?;
    evidence.accepted(&recording.one("start")?, TEAM_REFUSED)?;
    evidence.judged()
}
