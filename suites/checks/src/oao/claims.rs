//! Claims of tool calls: fences, leases, and one holder at a time (OAO-248, 250, 251).

use std::time::Duration;

use engine::{Driver, Drove};
use futures_util::future::join_all;
use recording::{Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    callers::{
        LONG_LEASE_MS, TOOL_CALL, act, need_call, need_claim, need_tool, parent_calls_the_tool, refused,
        submit, success, tells,
    },
    runs::{Started, at, load, must_ask, results, settle, start},
};
use crate::table::checks;

checks! { Oao:
    "OAO-248-a" => a_released_claim_is_used, the_old_fence_is_refused;
    "OAO-250-a" => four_claim_at_once, one_gets_it;
    "OAO-251-a" => a_lease_runs_out, another_may_claim;
    "OAO-251-b" => a_claim_is_released, another_may_claim;
    "OAO-251-c" => a_lease_is_renewed, nobody_else_may_claim;
}

const RUN_MS: u64 = 60_000;
const SHORTEST_LEASE_MS: u64 = 1_000;
const CLAIMS: usize = 4;

/// A run that waits for its caller, and the id of the tool call.
async fn waiting(driver: &Driver<'_>) -> Result<(Started, String), engine::Halt> {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    Ok((started, call))
}

fn of(holder: &str) -> Value {
    json!({"total": if holder == "first" { 1 } else { 2 }})
}

async fn a_released_claim_is_used(driver: &Driver<'_>) -> Drove {
    let (started, call) = waiting(driver).await?;
    let first = need_claim(driver, "first claim", &call, LONG_LEASE_MS).await?;
    act(driver, "release", &call, "release", &json!({"fence": first})).await;
    let second = need_claim(driver, "second claim", &call, LONG_LEASE_MS).await?;
    submit(driver, "stale result", &call, &first, &success(of("first"))).await;
    submit(driver, "result", &call, &second, &success(of("second"))).await;
    settle(driver, &started).await
}

fn the_old_fence_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let message = "the result of a claim that no longer holds was taken";
    let (first, second) = (recording.one("first claim")?, recording.one("second claim")?);
    if first.json()?["fence"] == second.json()?["fence"] {
        return Err(second.finding("two claims have the same fence", "another fence than the first").into());
    }
    let stale = recording.one("stale result")?;
    refused(&stale, message, 409, "conflict")?;
    let good = recording.one("result")?;
    good.answer()?;
    if !good.is_success() {
        return Err(good.finding("the result of the claim that holds was refused", "202").into());
    }
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let texts = results(told, TOOL_CALL);
    if tells(&texts, &of("second")) {
        return Ok(stale.witness().and(good.witness()).and(seen.witness()));
    }
    Err(at(&seen, message, of("second").to_string(), format!("{texts:?}")).into())
}

async fn four_claim_at_once(driver: &Driver<'_>) -> Drove {
    let (_, call) = waiting(driver).await?;
    let body = json!({"leaseMs": LONG_LEASE_MS});
    join_all((0..CLAIMS).map(|_| act(driver, "claim", &call, "claim", &body))).await;
    driver.record_model("model")
}

fn one_gets_it(recording: &Recording, _: &Spec) -> Judged {
    let claims = super::refusal::numbered(recording.labelled("claim"), CLAIMS, "claims")?;
    for claim in &claims {
        claim.answer()?;
    }
    let (held, others): (Vec<_>, Vec<_>) = claims.iter().partition(|claim| claim.is_success());
    if held.len() != 1 {
        let message = "a tool call was not claimed by one caller alone";
        let got = format!("{} of {CLAIMS} claims succeeded", held.len());
        return Err(claims[0].finding_got(message, "one claim that succeeds", got).into());
    }
    for other in others {
        refused(other, "a claim of a call that is held is not answered as a conflict", 409, "conflict")?;
    }
    Ok(Witness::all(claims.iter().map(|claim| claim.witness())).unwrap_or_else(|| claims[0].witness()))
}

async fn a_lease_runs_out(driver: &Driver<'_>) -> Drove {
    let (_, call) = waiting(driver).await?;
    need_claim(driver, "first claim", &call, SHORTEST_LEASE_MS).await?;
    driver.clock().pause(Duration::from_millis(SHORTEST_LEASE_MS + 500)).await;
    act(driver, "second claim", &call, "claim", &json!({"leaseMs": LONG_LEASE_MS})).await;
    driver.record_model("model")
}

async fn a_claim_is_released(driver: &Driver<'_>) -> Drove {
    let (_, call) = waiting(driver).await?;
    let fence = need_claim(driver, "first claim", &call, LONG_LEASE_MS).await?;
    let released = act(driver, "release", &call, "release", &json!({"fence": fence})).await;
    driver.need(&released, "release a claim that holds")?;
    act(driver, "second claim", &call, "claim", &json!({"leaseMs": LONG_LEASE_MS})).await;
    driver.record_model("model")
}

fn another_may_claim(recording: &Recording, _: &Spec) -> Judged {
    let (first, second) = (recording.one("first claim")?, recording.one("second claim")?);
    second.answer()?;
    let message = "a call whose claim is over cannot be claimed";
    if !second.is_success() {
        return Err(second.finding(message, "200 with a new fence").into());
    }
    if first.json()?["fence"] == second.json()?["fence"] {
        return Err(second.finding("two claims have the same fence", "another fence than the first").into());
    }
    Ok(first.witness().and(second.witness()))
}

async fn a_lease_is_renewed(driver: &Driver<'_>) -> Drove {
    let (_, call) = waiting(driver).await?;
    let fence = need_claim(driver, "first claim", &call, 2 * SHORTEST_LEASE_MS).await?;
    let body = json!({"fence": fence, "leaseMs": LONG_LEASE_MS});
    let renewed = act(driver, "renewal", &call, "renew", &body).await;
    driver.need(&renewed, "renew a claim that holds")?;
    driver.clock().pause(Duration::from_millis(2 * SHORTEST_LEASE_MS + 500)).await;
    act(driver, "second claim", &call, "claim", &json!({"leaseMs": LONG_LEASE_MS})).await;
    driver.record_model("model")
}

fn nobody_else_may_claim(recording: &Recording, _: &Spec) -> Judged {
    let second = recording.one("second claim")?;
    refused(&second, "a claim that was renewed ended with its first lease", 409, "conflict")?;
    Ok(recording.one("renewal")?.witness().and(second.witness()))
}
