//! Events that are pushed: signatures, retries, filters, order (OAO-260 to 264).

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use engine::{Call, Driver, Drove, Halt, Receiver, Response};
use hmac::{Hmac, KeyInit, Mac};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use sha2::Sha256;
use spec::Spec;

use super::{
    agents::{Agent, project},
    runs::{BEGIN, Started, load, need_operations, operation, settle, start},
};
use crate::{percent::encoded, table::checks};

checks! { Oao:
    "OAO-260-a" => everything_is_pushed, each_push_is_signed;
    "OAO-261-a" => the_first_push_fails, it_comes_again_under_its_id;
    "OAO-261-b" => the_first_push_is_put_off, it_comes_no_sooner;
    "OAO-262-a" => one_family_is_wanted, nothing_else_comes;
    "OAO-263-a" => the_endpoint_is_gone, nothing_more_comes;
    "OAO-264-a" => everything_is_pushed, in_order_and_without_a_gap;
}

/// The events of a run come within this time.
const PUSHED: Duration = Duration::from_secs(20);
/// What the endpoint asks for when it puts a push off.
const PUT_OFF_S: u64 = 5;
const KEY: &str = "say_it";
const TASK: &str = "say-it-now";

/// The key with which pushes to this check are signed.
fn key(driver: &Driver<'_>) -> [u8; 32] {
    driver.seed().child("signing").bytes()
}

/// A webhook's definition that sends to `url`.
pub(crate) fn definition(driver: &Driver<'_>, url: &str) -> Value {
    json!({
        "displayName": driver.fresh(),
        "endpointUrl": url,
        "signingSecret": format!("whsec_{}", STANDARD.encode(key(driver))),
        "deliverFrom": "now",
    })
}

/// Posts `definition` as a new webhook.
pub(crate) async fn create(driver: &Driver<'_>, label: &str, definition: &Value) -> engine::Reply {
    let call = Call::post(format!("{}/event-webhooks", project(driver)), definition);
    driver.send(label, call.header("idempotency-key", driver.fresh())).await
}

pub(crate) fn path(driver: &Driver<'_>, id: &str) -> String {
    format!("{}/event-webhooks/{}", project(driver), encoded(id))
}

/// Deletes a webhook again: a project may have a few only.
pub(crate) async fn delete(driver: &Driver<'_>, id: &str) {
    let call = Call::delete(path(driver, id));
    driver.send("delete", call.header("idempotency-key", driver.fresh())).await;
}

/// An endpoint, its webhook, and an agent with an operation.
pub(crate) struct Wired<'a> {
    pub(crate) receiver: Receiver<'a>,
    pub(crate) id: String,
    agent: Agent,
}

/// Wires an endpoint that gives `answers` to the events of `kinds`, and an agent whose operation says one thing.
pub(crate) async fn wire<'a>(
    driver: &'a Driver<'_>,
    answers: Vec<Response>,
    kinds: Option<&[&str]>,
) -> Result<Wired<'a>, Halt> {
    connect(driver, KEY, script(), answers, kinds).await
}

/// As [`wire`], for all events of an agent with the operation `key`, whose model follows `script`.
pub(crate) async fn wire_to<'a>(
    driver: &'a Driver<'_>,
    key: &str,
    script: Result<Script, model::ScriptError>,
    answers: Vec<Response>,
) -> Result<Wired<'a>, Halt> {
    connect(driver, key, script, answers, None).await
}

async fn connect<'a>(
    driver: &'a Driver<'_>,
    key: &str,
    script: Result<Script, model::ScriptError>,
    answers: Vec<Response>,
    kinds: Option<&[&str]>,
) -> Result<Wired<'a>, Halt> {
    driver.claimed("webhooks")?;
    load(driver, script)?;
    let agent = need_operations(driver, &json!([operation(key, 20_000)])).await?;
    let receiver = driver.receiver("push", answers).await?;
    let mut definition = definition(driver, receiver.url());
    if let Some(kinds) = kinds {
        definition["eventKinds"] = json!(kinds);
    }
    let created = create(driver, "create", &definition).await;
    let id = driver.need_text(&created, "/id", "create a webhook")?;
    Ok(Wired { receiver, id, agent })
}

fn script() -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let outer = Answer::new().call(ToolCall::new("outer", KEY, json!({"task": TASK})));
    let finish = Answer::new().call(ToolCall::new("done", "finish", json!({"answer": "said"})));
    Script::new(
        "one operation",
        [
            Turn::new("parent-1", outer).when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for("outer")),
            Turn::new("scratch", finish).when(Conditions::new().user_contains(TASK)),
        ],
    )
}

/// Runs a session and waits until so many pushes have come in all.
pub(crate) async fn run(driver: &Driver<'_>, wired: &Wired<'_>, pushes: usize) -> Result<Started, Halt> {
    let started = start(driver, "start", &wired.agent).await?;
    settle(driver, &started).await?;
    wired.receiver.wait_for(pushes, PUSHED).await;
    Ok(started)
}

async fn everything_is_pushed(driver: &Driver<'_>) -> Drove {
    let wired = wire(driver, Vec::new(), None).await?;
    run(driver, &wired, 1).await?;
    // The last events of a run come a little after it has settled.
    driver.clock().pause(Duration::from_secs(2)).await;
    wired.receiver.record();
    delete(driver, &wired.id).await;
    Ok(())
}

/// The pushes, of which there is at least one.
pub(crate) fn pushes(recording: &Recording) -> Result<Vec<(Seen<'_>, &Value)>, Verdict> {
    let pushes: Vec<_> =
        recording.labelled("push").into_iter().filter_map(|seen| Some((seen, seen.value()?))).collect();
    if pushes.is_empty() {
        let created = recording.one("create")?;
        let message = "nothing was pushed to the endpoint of a webhook";
        return Err(created.finding_got(message, "the events of a run", "no request").into());
    }
    Ok(pushes)
}

pub(crate) fn body(push: &Value) -> Value {
    push["body"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

pub(crate) fn events(push: &Value) -> Vec<Value> {
    body(push)["data"]["events"].as_array().cloned().unwrap_or_default()
}

pub(crate) fn header<'a>(push: &'a Value, name: &str) -> &'a str {
    push["headers"][name].as_str().unwrap_or_default()
}

/// HMAC-SHA256. Its only error is a key length, and HMAC takes all of them.
fn hmac(key: &[u8], message: &str) -> Vec<u8> {
    let code = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(message).finalize());
    code.map(|code| code.into_bytes().to_vec()).unwrap_or_default()
}

fn all(seen: impl IntoIterator<Item = Witness>) -> Judged {
    Witness::all(seen).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}

fn each_push_is_signed(recording: &Recording, _: &Spec) -> Judged {
    let message = "a push is not signed with the key of its webhook";
    let created = recording.one("create")?;
    let sent = created.sent().unwrap_or_default();
    let secret = sent["signingSecret"].as_str().and_then(|text| text.strip_prefix("whsec_"));
    let key = secret.and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
    let pushes = pushes(recording)?;
    for (seen, push) in &pushes {
        let (id, at) = (header(push, "webhook-id"), header(push, "webhook-timestamp"));
        let text = push["body"].as_str().unwrap_or_default();
        let signature = format!("v1,{}", STANDARD.encode(hmac(&key, &format!("{id}.{at}.{text}"))));
        let signed = header(push, "webhook-signature").split(' ').any(|each| each == signature);
        if !signed {
            let expected = format!("`webhook-signature` with {signature}");
            let got = header(push, "webhook-signature");
            return Err(seen.finding_got(message, expected, got).into());
        }
        if id.is_empty() || body(push)["data"]["batchId"] != id || at.parse::<u64>().is_err() {
            let message = "a push does not name its batch and its time";
            let expected = "`webhook-id` as `batchId`, and `webhook-timestamp` in seconds";
            return Err(seen.finding(message, expected).into());
        }
    }
    all(pushes.iter().map(|(seen, _)| seen.witness()))
}

async fn the_first_push_fails(driver: &Driver<'_>) -> Drove {
    let wired = wire(driver, vec![Response::status(500)], None).await?;
    run(driver, &wired, 2).await?;
    delete(driver, &wired.id).await;
    Ok(())
}

fn it_comes_again_under_its_id(recording: &Recording, _: &Spec) -> Judged {
    let message = "a push that failed did not come again under its id";
    let pushes = pushes(recording)?;
    let (first, push) = &pushes[0];
    let Some((second, again)) = pushes.get(1) else {
        return Err(first.finding_got(message, "a second push", "no further push").into());
    };
    let same = header(push, "webhook-id") == header(again, "webhook-id");
    if !same || body(push)["data"]["events"] != body(again)["data"]["events"] {
        let expected = format!("the same events under `webhook-id: {}`", header(push, "webhook-id"));
        return Err(second.finding(message, expected).into());
    }
    Ok(first.witness().and(second.witness()))
}

async fn the_first_push_is_put_off(driver: &Driver<'_>) -> Drove {
    let later = Response::status(503).header("retry-after", PUT_OFF_S.to_string());
    let wired = wire(driver, vec![later], None).await?;
    run(driver, &wired, 2).await?;
    delete(driver, &wired.id).await;
    Ok(())
}

fn it_comes_no_sooner(recording: &Recording, _: &Spec) -> Judged {
    let message = "a push came again sooner than its endpoint had asked for";
    let pushes = pushes(recording)?;
    let (first, push) = &pushes[0];
    let Some((second, again)) = pushes.get(1) else {
        return Err(first.finding_got(message, "a second push", "no further push").into());
    };
    let at = |push: &Value| push["arrivedMs"].as_u64().unwrap_or_default();
    let waited = at(again).saturating_sub(at(push));
    if waited + 50 < PUT_OFF_S * 1000 {
        let got = format!("a second push after {waited} ms");
        return Err(second.finding_got(message, format!("none within {PUT_OFF_S} s"), got).into());
    }
    Ok(first.witness().and(second.witness()))
}

async fn one_family_is_wanted(driver: &Driver<'_>) -> Drove {
    let wired = wire(driver, Vec::new(), Some(&["harness.*"])).await?;
    run(driver, &wired, 1).await?;
    driver.clock().pause(Duration::from_secs(2)).await;
    wired.receiver.record();
    delete(driver, &wired.id).await;
    Ok(())
}

fn nothing_else_comes(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event was pushed that the webhook does not want";
    let pushes = pushes(recording)?;
    let mut kinds = Vec::new();
    for (seen, push) in &pushes {
        for event in events(push) {
            let kind = event["kind"].as_str().unwrap_or_default().to_owned();
            if !kind.starts_with("harness.") {
                return Err(seen.finding_got(message, "kinds of `harness.*`", kind).into());
            }
            kinds.push(kind);
        }
    }
    let wanted = ["harness.operation_started", "harness.operation_completed"];
    if wanted.iter().all(|kind| kinds.iter().any(|other| other == kind)) {
        return all(pushes.iter().map(|(seen, _)| seen.witness()));
    }
    let message = "an event that the webhook wants was not pushed";
    Err(pushes[0].0.finding_got(message, format!("{wanted:?}"), format!("{kinds:?}")).into())
}

async fn the_endpoint_is_gone(driver: &Driver<'_>) -> Drove {
    let wired = wire(driver, vec![Response::status(410)], None).await?;
    let started = run(driver, &wired, 1).await?;
    let message = json!({"message": "And again."});
    let next = Call::post(format!("{}/sessions/{}/runs", project(driver), started.session), &message);
    driver.send("next", next.header("idempotency-key", driver.fresh())).await;
    // Twice as long as the first retry would take.
    wired.receiver.wait_for(2, Duration::from_secs(5)).await;
    driver.get("webhook", path(driver, &wired.id)).await;
    delete(driver, &wired.id).await;
    Ok(())
}

fn nothing_more_comes(recording: &Recording, _: &Spec) -> Judged {
    let message = "an endpoint that is gone was pushed to again";
    let pushes = pushes(recording)?;
    if let Some((seen, _)) = pushes.get(1) {
        return Err(seen.finding_got(message, "one push", format!("{} pushes", pushes.len())).into());
    }
    let webhook = recording.one("webhook")?;
    let shown = webhook.json()?;
    if shown["status"] != "disabled" || shown["disabledReason"] != "endpoint_gone" {
        let expected = "the status `disabled` for `endpoint_gone`";
        return Err(webhook.finding("a webhook whose endpoint is gone does not say so", expected).into());
    }
    Ok(pushes[0].0.witness().and(webhook.witness()))
}

fn in_order_and_without_a_gap(recording: &Recording, _: &Spec) -> Judged {
    let message = "events were pushed out of order";
    let pushes = pushes(recording)?;
    let position = |event: &Value| -> Option<u64> { event["projectPosition"].as_str()?.parse().ok() };
    let mut last = 0;
    let mut ids = Vec::new();
    for (seen, push) in &pushes {
        for event in events(push) {
            let at = position(&event).unwrap_or_default();
            if at <= last {
                let got = format!("position {at} after {last}");
                return Err(seen.finding_got(message, "ascending positions", got).into());
            }
            last = at;
            ids.push(event["id"].clone());
        }
    }
    for (_, event) in recording.events("events") {
        if !ids.contains(&event["id"]) {
            let message = "an event of the stream was not pushed";
            let expected = format!("the event {} ({})", event["id"], event["kind"]);
            return Err(pushes[0].0.finding(message, expected).into());
        }
    }
    all(pushes.iter().map(|(seen, _)| seen.witness()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test case 2 of RFC 4231.
    #[test]
    fn a_known_code() {
        let hex: String =
            hmac(b"Jefe", "what do ya want for nothing?").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
