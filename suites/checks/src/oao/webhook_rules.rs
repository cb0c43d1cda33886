//! What a webhook may be, and what is shown of it (OAO-265, 266).

use base64::{Engine, engine::general_purpose::STANDARD};
use engine::{Call, Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{listed, project},
    callers::refused,
    refusal::numbered,
    webhooks::{create, definition, delete, path},
};
use crate::table::checks;

checks! { Oao:
    "OAO-265-a" => endpoints_of_all_sorts, only_public_ones_over_tls_are_taken;
    "OAO-265-b" => patterns_of_all_sorts, only_patterns_are_taken;
    "OAO-266-a" => a_webhook_is_shown, its_secret_is_not;
}

/// A public endpoint where nobody listens. The webhooks that name it are never enabled.
const ENDPOINT: &str = "https://hooks.example.com/proofhouse";

fn idle(driver: &Driver<'_>, endpoint: &str) -> Value {
    let mut definition = definition(driver, endpoint);
    definition["enabled"] = json!(false);
    definition
}

/// Attempts what is sound, and deletes it again, and what is faulty.
async fn attempt(driver: &Driver<'_>, sound: Vec<Value>, faulty: Vec<Value>) -> Drove {
    driver.claimed("webhooks")?;
    for (at, definition) in sound.iter().enumerate() {
        let created = create(driver, &format!("sound {at}"), definition).await;
        if let Some(id) = created.text("/id") {
            delete(driver, id).await;
        }
    }
    for (at, definition) in faulty.iter().enumerate() {
        let created = create(driver, &format!("faulty {at}"), definition).await;
        if let Some(id) = created.text("/id") {
            delete(driver, id).await;
        }
    }
    Ok(())
}

fn judge(recording: &Recording, sound: usize, faulty: usize, taken: &str) -> Judged {
    let sound = numbered(recording.starting_with("sound "), sound, "sound webhooks")?;
    for seen in &sound {
        seen.answer()?;
        if !seen.is_success() {
            return Err(seen.finding("a sound webhook was refused", "201").into());
        }
    }
    let faulty = numbered(recording.starting_with("faulty "), faulty, "faulty webhooks")?;
    for seen in &faulty {
        refused(seen, taken, 400, "bad_request")?;
    }
    let all = sound.iter().chain(&faulty).map(Seen::witness);
    Witness::all(all).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}

async fn endpoints_of_all_sorts(driver: &Driver<'_>) -> Drove {
    let faulty = [
        "http://hooks.example.com/proofhouse",
        "https://10.0.0.7/proofhouse",
        "https://169.254.169.254/latest",
        "hooks.example.com",
        "ftp://hooks.example.com/proofhouse",
    ];
    let faulty = faulty.into_iter().map(|endpoint| idle(driver, endpoint)).collect();
    attempt(driver, vec![idle(driver, ENDPOINT)], faulty).await
}

fn only_public_ones_over_tls_are_taken(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, 1, 5, "an endpoint was taken that is not public, or not spoken to over TLS")
}

async fn patterns_of_all_sorts(driver: &Driver<'_>) -> Drove {
    let with = |kinds: Value| {
        let mut definition = idle(driver, ENDPOINT);
        definition["eventKinds"] = kinds;
        definition
    };
    let sound =
        vec![with(json!(null)), with(json!(["harness.*", "harness.operation_step", "run.state_changed"]))];
    let long = format!("harness.{}", "x".repeat(120));
    let faulty = [json!(["*"]), json!(["Harness.*"]), json!(["harness."]), json!([long]), json!("harness.*")];
    attempt(driver, sound, faulty.into_iter().map(with).collect()).await
}

fn only_patterns_are_taken(recording: &Recording, _: &Spec) -> Judged {
    judge(recording, 2, 5, "something was taken for a pattern of kinds that is none")
}

async fn a_webhook_is_shown(driver: &Driver<'_>) -> Drove {
    driver.claimed("webhooks")?;
    let created = create(driver, "shown: created", &idle(driver, ENDPOINT)).await;
    let id = driver.need_text(&created, "/id", "create a webhook")?;
    driver.get("shown: read", path(driver, &id)).await;
    driver.get("shown: listed", format!("{}/event-webhooks?limit=200", project(driver))).await;
    let next = driver.seed().child("next").bytes();
    let body = json!({"signingSecret": format!("whsec_{}", STANDARD.encode(next))});
    let put = Call::new("PUT", format!("{}/credential", path(driver, &id))).json(&body);
    driver.send("shown: next secret", put.header("idempotency-key", driver.fresh())).await;
    delete(driver, &id).await;
    Ok(())
}

fn its_secret_is_not(recording: &Recording, _: &Spec) -> Judged {
    let message = "an answer shows the secret of a webhook";
    let all = numbered(recording.starting_with("shown: "), 4, "answers")?;
    let secrets: Vec<String> = all
        .iter()
        .filter_map(|seen| seen.sent()?["signingSecret"].as_str()?.strip_prefix("whsec_").map(str::to_owned))
        .collect();
    for seen in &all {
        seen.answer()?;
        if !seen.is_success() {
            return Err(seen.finding("a webhook could not be shown", "2xx").into());
        }
        let text = seen.text().unwrap_or_default();
        if secrets.iter().any(|secret| text.contains(secret)) {
            return Err(seen.finding_got(message, "no secret", "an answer with the secret").into());
        }
    }
    let id = all[0].json()?["id"].clone();
    let rows = listed(&all[2])?;
    let row = rows.iter().find(|row| row["id"] == id).cloned().unwrap_or_default();
    let (before, after) = (&row["credentialFingerprint"], all[3].json()?["credentialFingerprint"].clone());
    if row["credentialConfigured"] != true || before.is_null() || *before == after {
        let message = "a webhook does not tell which secret it has";
        return Err(all[3].finding(message, "another `credentialFingerprint` after another secret").into());
    }
    Witness::all(all.iter().map(Seen::witness))
        .ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}
