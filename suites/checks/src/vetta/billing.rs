//! Who pays for a turn (VET-13).

use engine::{Call, Driver, Drove, Halt};
use recording::{Judged, Recording, Seen, Verdict, View};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    rows::text,
    talk::{Talk, load, must_ask, saying, turn_name},
    words::Words,
};
use crate::table::checks;

checks! { Vetta:
    "VET-13-a" => loops_on_account_answer, balance_stays;
    "VET-13-b" => loops_by_usage_answer, balance_falls;
}

const NOT_ASKED: &str = "a message did not reach the model";
const DRAWN: &str = "a turn that is billed to the account drew on the balance";
const NOT_DRAWN: &str = "a turn that is billed by usage left the balance as it was";
const NO_NUMBER: &str = "the balance is no number";

fn told(base: &str) -> String {
    format!("cost-something-on-{base};")
}

/// On an account of its own where there is one: other checks may be charging the primary one meanwhile.
async fn loops_on_account_answer(driver: &Driver<'_>) -> Drove {
    let second = driver.facts().credentials.contains("second_account");
    let environment = Environment::open(driver, if second { "second_account" } else { "primary" }).await?;
    loops_answer(&environment, "account").await
}

async fn loops_by_usage_answer(driver: &Driver<'_>) -> Drove {
    loops_answer(&Environment::primary(driver).await?, "usage").await
}

async fn loops_answer(environment: &Environment<'_>, billing: &str) -> Drove {
    let driver = environment.driver();
    let what = format!("hosted loop that is runnable and billed by `{billing}`");
    let bases = environment.pick_all(&what, |row| starts_here(row) && text(row, "billing") == billing)?;
    let turns = bases.iter().map(|base| {
        let mut turn = saying(&turn_name(base), &told(base), "That was not for nothing.");
        turn.answer = turn.answer.usage(7_000, 500);
        turn
    });
    load(driver, "costs", turns)?;
    for base in &bases {
        balance(environment, &format!("before: {base}")).await?;
        let agent = environment.need_agent("agent", &Agent::on(environment, base)).await?;
        let session = environment.need_session("start", &agent).await?;
        let mut talk = Talk::open(environment, &session, &format!(": {base}")).await;
        talk.turn(&told(base)).await?;
        talk.close().await;
        balance(environment, &format!("after: {base}")).await?;
    }
    driver.record_model("model")
}

/// Reads the balance. A target that shows none is not concerned (open point U41).
async fn balance(environment: &Environment<'_>, label: &str) -> Result<(), Halt> {
    let driver = environment.driver();
    let reply = environment.send(label, Call::get(Words(driver.facts()).text("balance_path"))).await;
    if reply.status == Some(404) {
        return Err(driver.inapplicable("the target shows no balance", label));
    }
    driver.need(&reply, "read the balance").map(drop)
}

/// The credits that an answer shows.
fn credits(words: Words<'_>, seen: &Seen<'_>) -> Result<f64, Verdict> {
    let pointer = words.text("balance");
    let number = seen.body().and_then(|body| body.pointer(pointer)?.as_f64());
    number.ok_or_else(|| seen.finding(NO_NUMBER, format!("a number at `{pointer}`")).into())
}

fn balance_stays(recording: &Recording, _: &Spec) -> Judged {
    judged(recording, DRAWN, "the balance as it was", |before, after| before == after)
}

fn balance_falls(recording: &Recording, _: &Spec) -> Judged {
    judged(recording, NOT_DRAWN, "a lower balance", |before, after| after < before)
}

fn judged(recording: &Recording, message: &str, wanted: &str, right: fn(f64, f64) -> bool) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    for (base, before) in by_base(recording, "before")? {
        let of = format!(": {base}");
        evidence.see(&must_ask(recording, (&turn_name(base), &of), NOT_ASKED)?.0);
        let after = recording.one(&format!("after{of}"))?;
        let (had, has) = (credits(words, &before)?, credits(words, &after)?);
        if !right(had, has) {
            let expected = format!("{wanted} after a turn on `{base}`, which was {had}");
            return Err(after.finding(message, expected).into());
        }
        evidence.see(&before);
        evidence.see(&after);
    }
    evidence.judged()
}
