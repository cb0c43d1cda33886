//! What a session was admitted for is delivered, or the turn fails in the open (VET-54-a).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, asking, required_answer},
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    talk::{Ending, Talk, calling, ending, happened, load, must_ask, saying, turn_name},
    words::{Decision, Words},
};
use crate::table::checks;

checks! { Vetta:
    "VET-54-a" => admitted_demands_are_put_to_the_test, no_success_without_the_demand;
}

const NOT_ASKED: &str = "a message did not reach the model";
const UNMET: &str = "a turn succeeded although what its session was admitted for was not delivered";
const NOT_OVER: &str = "a turn that cannot deliver what its session was admitted for does not end";

/// The demands, and how each is written on a session: the agent's `tools`, and members of the start.
fn demands() -> [(&'static str, Value, Value); 2] {
    [("typed answer", Value::Null, required_answer()), ("approvals", asking(), json!({}))]
}

fn told(pair: &str) -> String {
    format!("deliver-on-{pair};")
}

/// Each loop and each demand. The model hands in nothing where a typed answer is demanded, and calls a tool
/// where calls have to be held; the call is denied.
async fn admitted_demands_are_put_to_the_test(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.pick_all("hosted loop that is runnable", starts_here)?;
    let words = Words(driver.facts());
    let write = words.arguments("write_arguments", &["demand.txt", "x"]);
    let mut turns = Vec::new();
    for base in &bases {
        let (typed, held) = (format!("{base}/typed answer"), format!("{base}/approvals"));
        turns.push(saying(&turn_name(&typed), &told(&typed), "Prose and nothing else."));
        let call = (words.text("write_tool"), write.clone());
        turns.extend(calling(&turn_name(&held), &told(&held), call, "Done."));
    }
    load(driver, "demands", turns)?;
    for base in &bases {
        for (demand, tools, members) in demands() {
            let pair = format!("{base}/{demand}");
            let mut agent = Agent::on(&environment, base);
            if !tools.is_null() {
                agent = agent.with("tools", tools);
            }
            let agent = environment.need_agent("agent", &agent).await?;
            let start = environment.start(&format!("start: {pair}"), &agent, &members).await;
            if matches!(start.status, Some(400 | 422 | 501)) {
                continue;
            }
            let session = driver.need_text(&start, "/id", "start a session, or have it refused")?;
            let mut talk = Talk::open(&environment, &session, &format!(": {pair}")).await;
            talk.need_say(&told(&pair)).await?;
            if let Some(call) = talk.until_held().await {
                talk.decide("decision", &call, Decision::Deny).await?;
                let _ = talk.until_over().await;
            }
            talk.close().await;
        }
    }
    driver.record_model("model")
}

/// What shows that the demand was met.
fn met<'r>(recording: &'r Recording, of: &str, demand: &str) -> Option<Seen<'r>> {
    let words = Words(&recording.target);
    if demand == "approvals" {
        let mut events = happened(recording, of).into_iter();
        return events.find(|(_, event)| words.pending(event).is_some()).map(|(seen, _)| seen);
    }
    let session = recording.labelled(&format!("session{of}")).into_iter().next()?;
    let body = session.body()?;
    let answer = words.typed_answer(&body)?.as_object()?;
    (answer.len() == 1 && answer.get("count").is_some_and(Value::is_i64)).then_some(session)
}

fn no_success_without_the_demand(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (pair, start) in by_base(recording, "start")? {
        evidence.see(&start);
        if !start.is_success() {
            continue;
        }
        let of = format!(": {pair}");
        let demand = pair.rsplit('/').next().unwrap_or_default();
        evidence.see(&must_ask(recording, (&turn_name(pair), &of), NOT_ASKED)?.0);
        if let Some(seen) = met(recording, &of, demand) {
            evidence.see(&seen);
            continue;
        }
        let said = recording.one(&format!("say{of}"))?;
        match ending(recording, &of) {
            Some((Ending::Failed | Ending::Cancelled, seen)) => {
                seen.iter().for_each(|seen| evidence.see(seen))
            }
            Some((Ending::Completed, seen)) => {
                let expected = format!("{demand} on {pair}, or a turn that is seen to fail");
                return Err(Verdict::from(seen.first().unwrap_or(&said).finding(UNMET, expected)));
            }
            None => return Err(said.finding(NOT_OVER, format!("the end of the turn on {pair}")).into()),
        }
    }
    evidence.judged()
}
