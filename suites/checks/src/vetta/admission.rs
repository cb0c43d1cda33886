//! Admission of a session (VET-53 to 56, 64, 65).

use engine::{Driver, Drove};
use recording::{Finding, Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, asking, required_answer},
    demands::{Demand, Means},
    environments::{Environment, is_hosted, starts_here},
    evidence::{Evidence, by_base},
    rows::{FLAGS, flag, rows_of, runnable, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-53-a" => two_demands_are_started, one_refusal_names_harness;
    "VET-53-b" => every_demand_meets_every_loop, the_flags_decide;
    "VET-54-b" => sessions_are_read, each_runs_on_its_own_loop;
    "VET-55-a" => refused_agent_is_moved, moved_agent_starts;
    "VET-56-a" => started_agent_is_changed, changed_agent_is_refused;
    "VET-64-a" => ask_is_started_on_four_kinds, execution_does_not_count;
    "VET-65-b" => bare_agent_is_started, nothing_is_demanded_by_default;
}

const TWO_NOT_REFUSED: &str =
    "two demands that the loop does not declare were not refused with 400 naming `harness`";
pub(crate) const AGENT_REFUSED: &str =
    "an agent was refused when it was written, and neither early guard is concerned";
pub(crate) const AGENT_WRITTEN: &str =
    "an agent was not refused when it was written, as an early guard has to";
const DECLARED_REFUSED: &str = "a session was refused although its loop declares what it demands";
const UNDECLARED_ADMITTED: &str =
    "a session that demands what its loop does not declare was not refused with 400 naming `harness`";
const NOTHING_DECLARED: &str = "no listed loop says what it declares";
const CANNOT_RUN: &str = "a session on a loop that cannot run here was not refused";
const OTHER_LOOP: &str = "the session runs on another loop than its agent names";
const NO_SESSION: &str = "no loop that is listed as runnable started";
const NOT_CURED: &str = "a change of `harness` did not cure the refusal";
const OLD_VERDICT: &str = "a start did not follow the latest write of its agent";
const EXECUTION_COUNTS: &str = "admission did not follow `approvals` on each kind of `execution`";
const BARE_REFUSED: &str = "an agent that demands nothing was refused";

async fn two_demands_are_started(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let lacks = |row: &Value, name: &str| flag(row, name) == Some(false);
    let wanted = |row: &Value| starts_here(row) && lacks(row, "approvals") && lacks(row, "structured_output");
    let row =
        environment.pick("hosted loop that is runnable without approvals and structured output", wanted)?;
    let base = text(&row, "base");
    environment.need_listed_twin(base).await?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, base).asking()).await?;
    environment.start("start", &agent, &required_answer()).await;
    environment.list_sessions("sessions", &agent).await
}

fn one_refusal_names_harness(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let start = recording.one("start")?;
    evidence.refused(&start, TWO_NOT_REFUSED, &[400], &["harness"])?;
    evidence.no_session(recording, &start, ("sessions", None))?;
    evidence.judged()
}

/// Each demand on its own with each loop, recorded as `write: DEMAND on BASE` and `start: …`.
async fn every_demand_meets_every_loop(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let host = environment.preferring(is_hosted);
    let member = environment.need_agent("member", &Agent::on(&environment, text(&host, "base"))).await?;
    let means = Means { member, connection: driver.facts().text("connection").map(str::to_owned) };
    for row in environment.rows() {
        for demand in Demand::possible(means.connection.is_some()) {
            let base = text(row, "base");
            let agent = Agent::on(&environment, base).with_all(&demand.on_agent(&means));
            let pair = format!("{} on {base}", demand.name());
            let written = environment.create(&format!("write: {pair}"), &agent).await;
            if let Some(id) = written.text("/id").filter(|_| written.is_success()) {
                environment.start(&format!("start: {pair}"), id, &demand.on_start()).await;
            }
        }
    }
    Ok(())
}

/// An answer to a start that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// A session.
    Session,
    /// 400 naming `harness`.
    Refusal,
    /// 501, whatever it names.
    NotRunnable,
}

impl Allowed {
    /// The word for a case of a property check.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Session => "started",
            Self::Refusal => "refused",
            Self::NotRunnable => "not runnable",
        }
    }

    /// Reads that word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Session, Self::Refusal, Self::NotRunnable].into_iter().find(|allowed| allowed.name() == word)
    }
}

/// A start whose demands are all `declared`, or are not, on the loop of `row`; `None` where the row does
/// not say enough.
fn allowed(row: &Value, declared: bool) -> Option<&'static [Allowed]> {
    match (text(row, "location"), runnable(row), declared) {
        // Several conditions may hold, and any of them may answer (open points U08, U28).
        ("local", _, _) | ("hosted", Some(false), false) => Some(&[Allowed::Refusal, Allowed::NotRunnable]),
        ("hosted", Some(false), true) => Some(&[Allowed::NotRunnable]),
        ("hosted", Some(true), true) => Some(&[Allowed::Session]),
        ("hosted", Some(true), false) => Some(&[Allowed::Refusal]),
        _ => None,
    }
}

/// Holds the answer to a start against what is allowed.
pub(crate) fn judge_start(
    evidence: &mut Evidence,
    seen: &Seen<'_>,
    allowed: &[Allowed],
) -> Result<(), Finding> {
    match allowed {
        [Allowed::Refusal] => evidence.refused(seen, UNDECLARED_ADMITTED, &[400], &["harness"]),
        [Allowed::NotRunnable] => evidence.answered(seen, CANNOT_RUN, &[501]),
        [Allowed::Session, Allowed::Refusal] if !seen.is_success() => {
            evidence.refused(seen, UNDECLARED_ADMITTED, &[400], &["harness"])
        }
        _ if allowed.contains(&Allowed::Session) => evidence.accepted(seen, DECLARED_REFUSED).map(drop),
        _ => evidence.answered(seen, CANNOT_RUN, &[400, 501]),
    }
}

fn the_flags_decide(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let rows = recording.one("rows")?;
    let has_connection = recording.target.text("connection").is_some();
    let mut pairs = 0_usize;
    for row in rows_of(&rows)?.iter().filter(|row| !text(row, "base").is_empty()) {
        for demand in Demand::possible(has_connection) {
            let Some(declared) = flag(row, demand.flag()) else { continue };
            let Some(allowed) = allowed(row, declared) else { continue };
            judge_pair(&mut evidence, recording, demand, text(row, "base"), (declared, allowed))?;
            pairs += 1;
        }
    }
    if pairs == 0 {
        let expected = "rows with `location`, `runnable` and the capability flags";
        return Err(rows.finding(NOTHING_DECLARED, expected).into());
    }
    evidence.judged()
}

fn judge_pair(
    evidence: &mut Evidence,
    recording: &Recording,
    demand: Demand,
    base: &str,
    (declared, allowed): (bool, &[Allowed]),
) -> Result<(), Verdict> {
    let pair = format!("{} on {base}", demand.name());
    let write = recording.one(&format!("write: {pair}"))?;
    if demand.is_early() && !declared {
        evidence.answered(&write, AGENT_WRITTEN, &[400])?;
        return Ok(());
    }
    evidence.accepted(&write, AGENT_REFUSED)?;
    judge_start(evidence, &recording.one(&format!("start: {pair}"))?, allowed)?;
    Ok(())
}

async fn sessions_are_read(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for base in environment.pick_all("hosted loop that is runnable", starts_here)? {
        let agent = environment.need_agent("agent", &Agent::on(&environment, &base)).await?;
        let start = environment.start(&format!("start: {base}"), &agent, &json!({})).await;
        if let Some(session) = start.text("/id").filter(|_| start.is_success()) {
            environment.read_session(&format!("session: {base}"), session).await;
        }
    }
    Ok(())
}

/// Where a session says which loop it runs on.
fn loop_of(session: &Value) -> Option<&str> {
    let places = ["/agent/harness", "/harness", "/agent/harness/base", "/harness/base"];
    places.iter().find_map(|place| session.pointer(place)?.as_str())
}

/// A start that is refused is the business of other checks, as long as some other one is not.
fn each_runs_on_its_own_loop(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let (starts, mut told, mut started) = (by_base(recording, "start")?, false, false);
    for (base, start) in &starts {
        start.answer()?;
        if !start.is_success() {
            continue;
        }
        started = true;
        evidence.accepted(start, NO_SESSION)?;
        let read = recording.one(&format!("session: {base}"))?;
        for seen in [*start, read].into_iter().filter(Seen::is_success) {
            let session = seen.body().unwrap_or_default();
            let Some(named) = loop_of(&session) else { continue };
            told = true;
            if named != *base {
                return Err(seen.finding(OTHER_LOOP, format!("`{base}`")).into());
            }
            evidence.see(&seen);
        }
    }
    match starts.first() {
        Some((_, first)) if !started => Err(first.finding(NO_SESSION, "2xx on some runnable loop").into()),
        _ if told => evidence.judged(),
        _ => {
            let reason = "no session says which loop it runs on".to_owned();
            Err(Verdict::NotApplicable { reason, evidence: evidence.judged().ok() })
        }
    }
}

async fn refused_agent_is_moved(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let holds = |row: &Value, on: bool| starts_here(row) && flag(row, "approvals") == Some(on);
    let row =
        environment.pick("hosted loop that is runnable and has no approvals", |row| holds(row, false))?;
    // Nothing but the flag is to change, so a loop of the same execution is preferred.
    let alike = |other: &Value| holds(other, true) && text(other, "execution") == text(&row, "execution");
    let cure = match environment.find(alike) {
        Some(cure) => cure,
        None => environment.pick("hosted loop that is runnable and has approvals", |row| holds(row, true))?,
    };
    let (base, cure) = (text(&row, "base"), text(&cure, "base"));
    let agent = environment.need_agent("agent", &Agent::on(&environment, base).asking()).await?;
    let refused = environment.start("first start", &agent, &json!({})).await;
    if refused.status != Some(400) {
        return Err(driver.setup_failed(&refused, "have a start refused", "400 naming `harness`"));
    }
    let moved = environment.patch("patch", &agent, &json!({ "harness": cure })).await;
    driver.need(&moved, "change `harness`")?;
    environment.start("second start", &agent, &json!({})).await;
    Ok(())
}

fn moved_agent_starts(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&recording.one("first start")?);
    evidence.accepted(&recording.one("second start")?, NOT_CURED)?;
    evidence.judged()
}

async fn started_agent_is_changed(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let wanted = |row: &Value| starts_here(row) && flag(row, "approvals") == Some(false);
    let row = environment.pick("hosted loop that is runnable and has no approvals", wanted)?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, text(&row, "base"))).await?;
    let session = environment.need_session("first start", &agent).await?;
    environment.need_listed(&agent, &session).await?;
    let changed = environment.patch("patch", &agent, &json!({"tools": asking()})).await;
    driver.need(&changed, "set the toolset to `ask`")?;
    environment.start("start", &agent, &json!({})).await;
    environment.list_sessions("sessions", &agent).await
}

fn changed_agent_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let (first, start) = (recording.one("first start")?.json()?, recording.one("start")?);
    evidence.refused(&start, OLD_VERDICT, &[400], &["harness"])?;
    evidence.no_session(recording, &start, ("sessions", Some(text(&first, "id"))))?;
    evidence.judged()
}

/// The kinds of loop that differ in `execution` and `approvals`.
const KINDS: [(&str, bool); 4] =
    [("isolate", true), ("sandbox", true), ("isolate", false), ("sandbox", false)];

async fn ask_is_started_on_four_kinds(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for (execution, approvals) in KINDS {
        let wanted = |row: &Value| {
            starts_here(row)
                && text(row, "execution") == execution
                && flag(row, "approvals") == Some(approvals)
        };
        let with = if approvals { "with" } else { "without" };
        let row = environment.pick(&format!("runnable `{execution}` loop {with} approvals"), wanted)?;
        let base = text(&row, "base");
        let agent = environment.need_agent("agent", &Agent::on(&environment, base).asking()).await?;
        environment.start(&format!("start {with}: {base}"), &agent, &json!({})).await;
    }
    Ok(())
}

fn execution_does_not_count(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let (with, without) = (by_base(recording, "start with")?, by_base(recording, "start without")?);
    if with.len() + without.len() != KINDS.len() {
        return Err(Verdict::Error { reason: "not every kind of loop was started".to_owned() });
    }
    for (_, start) in with {
        evidence.accepted(&start, EXECUTION_COUNTS)?;
    }
    for (_, start) in without {
        evidence.refused(&start, EXECUTION_COUNTS, &[400], &["harness"])?;
    }
    evidence.judged()
}

async fn bare_agent_is_started(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let declared = |row: &Value| FLAGS.iter().filter(|name| flag(row, name) == Some(true)).count();
    let fewest = environment.rows().iter().filter(|row| starts_here(row)).map(declared).min();
    let wanted = |row: &Value| starts_here(row) && Some(declared(row)) == fewest;
    let row = environment.pick("hosted loop that is runnable", wanted)?;
    let agent = environment.need_agent("agent", &Agent::bare(&environment, text(&row, "base"))).await?;
    environment.start("start", &agent, &json!({})).await;
    Ok(())
}

fn nothing_is_demanded_by_default(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("start")?, BARE_REFUSED)?;
    evidence.judged()
}
