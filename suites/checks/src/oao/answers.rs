//! What every answer has: an envelope for errors, a request id, and headers (OAO-236).

use engine::{Call, Driver, Drove, Key};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{config_without_operations, need_agent, project},
    refusal::numbered,
};
use crate::table::checks;

checks! { Oao:
    "OAO-236-a" => refusals_of_all_sorts, each_has_the_envelope;
    "OAO-236-b" => requests_with_ids_and_without, ids_come_back;
    "OAO-236-c" => refusals_of_all_sorts, nothing_may_be_stored;
}

/// A path of the contract with an id that is nobody's.
const NOBODY: &str = "00000000-0000-4000-8000-00000000dead";

async fn refusals_of_all_sorts(driver: &Driver<'_>) -> Drove {
    let own = config_without_operations(driver);
    let agent = need_agent(driver, "answer: 201", &own, "publish a minimal agent").await?;
    let agents = format!("{}/agents", project(driver));
    driver.get("answer: 200", format!("{agents}/{}", agent.id)).await;
    driver.get("answer: 400", format!("{agents}?limit=none")).await;
    driver.send("answer: 401", Call::get(agents.clone()).with_key(Key::Absent)).await;
    driver.get("answer: 404", format!("{agents}/{NOBODY}")).await;
    // The same content once more is no further version.
    let again = Call::post(format!("{agents}/{}/versions", agent.id), &json!({"config": own}));
    driver.send("answer: 409", again.header("idempotency-key", driver.fresh())).await;
    Ok(())
}

const CODES: [(u16, &[&str]); 6] = [
    (400, &["bad_request"]),
    (401, &["unauthenticated"]),
    (403, &["forbidden"]),
    (404, &["not_found"]),
    (409, &["conflict", "idempotency_conflict"]),
    (429, &["rate_limited"]),
];

fn answers(recording: &Recording) -> Result<Vec<Seen<'_>>, Verdict> {
    let all = numbered(recording.starting_with("answer: "), 6, "answers")?;
    for seen in &all {
        seen.answer()?;
    }
    Ok(all)
}

fn all(seen: &[Seen<'_>]) -> Judged {
    let nothing = || Verdict::Error { reason: "nothing was recorded".to_owned() };
    Witness::all(seen.iter().map(Seen::witness)).ok_or_else(nothing)
}

fn each_has_the_envelope(recording: &Recording, _: &Spec) -> Judged {
    let message = "an error does not come in the envelope";
    let answers = answers(recording)?;
    let refusals: Vec<Seen<'_>> = answers.into_iter().filter(|seen| !seen.is_success()).collect();
    for seen in numbered(refusals.clone(), 4, "refusals").map_err(|_| not_refused(recording))? {
        let error = seen.json()?["error"].clone();
        let status = seen.status().unwrap_or_default();
        let codes = CODES.iter().find(|(each, _)| *each == status).map_or(&[][..], |(_, codes)| codes);
        let known = error["code"].as_str().is_some_and(|code| codes.contains(&code));
        let worded = error["message"].as_str().is_some_and(|text| !text.is_empty());
        let id = error["requestId"].as_str().filter(|id| !id.is_empty());
        if !known || !worded || id.is_none() || id != seen.header("x-request-id") {
            let expected =
                "`error` with a code that fits the status, a message, and the `requestId` of the header";
            return Err(seen.finding(message, expected).into());
        }
        if !error.get("details").is_none_or(Value::is_object) {
            return Err(seen.finding(message, "`details` as an object, where there are some").into());
        }
    }
    all(&refusals)
}

fn not_refused(recording: &Recording) -> Verdict {
    let good = recording.starting_with("answer: 4").into_iter().find(Seen::is_success);
    match good {
        Some(seen) => seen.finding("a faulty request was served", "a refusal").into(),
        None => Verdict::Error { reason: "refusals are missing in the recording".to_owned() },
    }
}

fn nothing_may_be_stored(recording: &Recording, _: &Spec) -> Judged {
    let answers = answers(recording)?;
    for seen in &answers {
        let stored = !seen.header("cache-control").is_some_and(|value| value.contains("no-store"));
        if stored || seen.header("x-content-type-options") != Some("nosniff") {
            let message = "an answer may be stored, or taken for something else";
            let expected = "`cache-control: no-store` and `x-content-type-options: nosniff`";
            let got = format!(
                "cache-control {:?}, x-content-type-options {:?}",
                seen.header("cache-control"),
                seen.header("x-content-type-options")
            );
            return Err(seen.finding_got(message, expected, got).into());
        }
    }
    all(&answers)
}

async fn requests_with_ids_and_without(driver: &Driver<'_>) -> Drove {
    let agents = format!("{}/agents?limit=1", project(driver));
    let own = driver.fresh();
    driver.fact("own", json!(own));
    driver.send("own id", Call::get(agents.clone()).header("x-request-id", own.clone())).await;
    let refused = Call::get(format!("{}/agents/{NOBODY}", project(driver)));
    driver.send("own id, refused", refused.header("x-request-id", own)).await;
    for label in ["no id", "no id again"] {
        driver.get(label, agents.clone()).await;
    }
    Ok(())
}

fn ids_come_back(recording: &Recording, _: &Spec) -> Judged {
    let message = "a request's id did not come back";
    let own = recording.fact("own")?.as_str().unwrap_or_default();
    let mut seen_all = Vec::new();
    for label in ["own id", "own id, refused"] {
        let seen = recording.one(label)?;
        seen.answer()?;
        if seen.header("x-request-id") != Some(own) {
            let got = format!("x-request-id {:?}", seen.header("x-request-id"));
            return Err(seen.finding_got(message, format!("`x-request-id: {own}`"), got).into());
        }
        seen_all.push(seen);
    }
    let (one, other) = (recording.one("no id")?, recording.one("no id again")?);
    for seen in [&one, &other] {
        seen.answer()?;
        if seen.header("x-request-id").is_none_or(str::is_empty) {
            return Err(seen.finding("an answer has no request id", "`x-request-id`").into());
        }
    }
    if one.header("x-request-id") == other.header("x-request-id") {
        return Err(other.finding("two requests have one id", "an id for each").into());
    }
    seen_all.extend([one, other]);
    all(&seen_all)
}
