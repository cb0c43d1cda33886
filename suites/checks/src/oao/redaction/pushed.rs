//! What pushes never hold (OAO-300).

use std::time::Duration;

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::Value;
use spec::Spec;

use super::{ENDS, Public, none_of, planted, run::need_big_run, took_place};
use crate::{
    oao::{
        callers::run_id,
        runs::{settle, start},
        webhooks::{create, definition, delete},
    },
    table::checks,
};

checks! { Oao:
    "OAO-300-c" => a_run_that_is_pushed, nothing_that_was_planted_is_pushed;
}

/// The events of a run come within this time.
const PUSHED: Duration = Duration::from_secs(20);
/// The last events of a run come a little after it has settled.
const AFTER: Duration = Duration::from_secs(2);

async fn a_run_that_is_pushed(driver: &Driver<'_>) -> Drove {
    driver.claimed("webhooks")?;
    let agent = need_big_run(driver).await?;
    let receiver = driver.receiver("push", Vec::new()).await?;
    let created = create(driver, "create", &definition(driver, receiver.url())).await;
    let id = driver.need_text(&created, "/id", "create a webhook")?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    receiver.wait_for(1, PUSHED).await;
    driver.clock().pause(AFTER).await;
    receiver.record();
    delete(driver, &id).await;
    Ok(())
}

/// Bodies and heads of all pushes.
fn texts(recording: &Recording) -> Vec<Public<'_>> {
    let of_push = |seen: Seen<'_>| {
        let push = seen.value().cloned().unwrap_or_default();
        let body = push["body"].as_str().unwrap_or_default().to_owned();
        [body, push["headers"].to_string()]
    };
    let pushes = recording.labelled("push").into_iter();
    pushes.flat_map(|seen| of_push(seen).map(|text| (seen, text))).collect()
}

fn nothing_that_was_planted_is_pushed(recording: &Recording, _: &Spec) -> Judged {
    let message = "what a run was given or said is pushed to the endpoint of a webhook";
    let mut witness = took_place(recording)?;
    let texts = texts(recording);
    none_of(texts.clone(), message, &planted(recording, |_| true)?)?;
    // A call that was never pushed could not leak. Others may run calls of the same names.
    let run = run_id(recording)?;
    for (call, kind) in ENDS {
        let ends = |body: &Value| {
            let events = body["data"]["events"].as_array().into_iter().flatten();
            events.into_iter().any(|event| {
                event["kind"] == kind
                    && event["aggregateId"] == run.as_str()
                    && event["publicPayload"]["toolCallId"] == call
            })
        };
        let pushed = texts.iter().find(|(_, text)| serde_json::from_str(text).is_ok_and(|body| ends(&body)));
        let Some((seen, _)) = pushed else {
            let message = "the end of an operation was not pushed";
            let got = format!("{} pushes without it", texts.len() / 2);
            let created = recording.one("create")?;
            return Err(Verdict::from(created.finding_got(message, format!("{kind} of `{call}`"), got)));
        };
        witness = witness.and(seen.witness());
    }
    Ok(witness)
}
