//! The flag `structured_output` and what it promises (VET-27 to 32).

use engine::{Driver, Drove};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, required_answer, typed_answer},
    environments::{Environment, starts_here},
    evidence::{Evidence, all_of},
    reads::{entry_in, path_of},
    rows::{flag, need_rows, rows_of, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-27-a" => required_answer_is_started, start_is_refused;
    "VET-27-b" => offered_answers_are_started, both_starts_are_accepted;
    "VET-29-a" => vetta_is_read, vetta_is_typed;
    "VET-30-a" => gap_is_taken_through_the_gates, every_gate_is_open;
    "VET-32-a" => pi_is_read, pi_is_typed;
}

const NOT_REFUSED: &str =
    "a required typed answer was not refused with 400 naming `harness` on a loop without structured output";
const OPTIONAL_REFUSED: &str = "a typed answer that nothing requires was refused";
const GAP_REFUSED: &str = "the known gap was refused at a gate";

const WHAT: &str = "a hosted loop that is runnable and has no structured output";

fn cannot_type(row: &Value) -> bool {
    starts_here(row) && flag(row, "structured_output") == Some(false)
}

async fn required_answer_is_started(driver: &Driver<'_>) -> Drove {
    let (environment, row) = Environment::having(driver, WHAT, cannot_type).await?;
    let base = text(&row, "base");
    environment.need_listed_twin(base).await?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, base)).await?;
    environment.start("start", &agent, &required_answer()).await;
    environment.list_sessions("sessions", &agent).await
}

fn start_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let start = recording.one("start")?;
    evidence.refused(&start, NOT_REFUSED, &[400], &["harness"])?;
    evidence.no_session(recording, &start, ("sessions", None))?;
    evidence.judged()
}

async fn offered_answers_are_started(driver: &Driver<'_>) -> Drove {
    let (environment, row) = Environment::having(driver, WHAT, cannot_type).await?;
    let mut declined = typed_answer();
    declined["structured_output_required"] = json!(false);
    for members in [declined, typed_answer()] {
        let agent = environment.need_agent("agent", &Agent::on(&environment, text(&row, "base"))).await?;
        environment.start("start", &agent, &members).await;
    }
    Ok(())
}

fn both_starts_are_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for start in all_of(recording, "start", 2)? {
        evidence.accepted(&start, OPTIONAL_REFUSED)?;
    }
    evidence.judged()
}

/// The base whose gap is documented.
const GAP: &str = "vetta";

/// Whether an agent on the loop can be moved to the one with the gap.
fn is_other(row: &Value) -> bool {
    starts_here(row) && !["", GAP].contains(&text(row, "base"))
}

async fn gap_is_taken_through_the_gates(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let has_gap = |row: &Value| {
        text(row, "base") == GAP && starts_here(row) && flag(row, "structured_output") == Some(true)
    };
    environment.pick("runnable loop `vetta` with structured output", has_gap)?;
    let created = environment.create("create", &Agent::on(&environment, GAP)).await;
    if let Some(other) = environment.find(is_other) {
        let moved = environment.need_agent("agent", &Agent::on(&environment, text(&other, "base"))).await?;
        environment.patch("patch", &moved, &json!({ "harness": GAP })).await;
    }
    if let Some(agent) = created.text("/id").filter(|_| created.is_success()) {
        environment.start("start", agent, &required_answer()).await;
    }
    Ok(())
}

fn every_gate_is_open(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("create")?, GAP_REFUSED)?;
    let rows = rows_of(&recording.one("rows")?)?;
    if rows.iter().any(is_other) {
        evidence.accepted(&recording.one("patch")?, GAP_REFUSED)?;
    }
    evidence.accepted(&recording.one("start")?, GAP_REFUSED)?;
    evidence.judged()
}

async fn vetta_is_read(driver: &Driver<'_>) -> Drove {
    base_is_read(driver, "vetta").await
}

async fn pi_is_read(driver: &Driver<'_>) -> Drove {
    base_is_read(driver, "pi").await
}

/// The list comes first, so that a target without any catalogue is not taken for one without this base.
async fn base_is_read(driver: &Driver<'_>, base: &str) -> Drove {
    need_rows(driver, "list").await?;
    driver.get("read", path_of(base)).await;
    Ok(())
}

fn vetta_is_typed(recording: &Recording, _: &Spec) -> Judged {
    declares_typed_answers(recording, "vetta", "`vetta` does not declare `structured_output`")
}

fn pi_is_typed(recording: &Recording, _: &Spec) -> Judged {
    declares_typed_answers(recording, "pi", "`pi` does not declare `structured_output`")
}

fn declares_typed_answers(recording: &Recording, base: &str, message: &str) -> Judged {
    let read = recording.one("read")?;
    read.answer()?;
    let entry = entry_in(&read).unwrap_or_default();
    if text(&entry, "base") == base && flag(&entry, "structured_output") == Some(true) {
        return Ok(read.witness());
    }
    Err(read.finding(message, format!("200 with the entry of `{base}`, `structured_output` true")).into())
}
