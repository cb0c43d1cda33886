//! Batches of every kind (OAO-299).

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::strategy::Strategy;
use recording::{CaseView, Judged, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    agents::{Agent, need_agent},
    generate::batches::{LONG, NEVER, Plan, Planned, SHORT, plans},
    lifecycle::{Ending, Event, Lifecycle, lifecycle, lifecycles, outcome, timeline},
    runs::{at, load, must_ask, operation, readable, results, start, value},
    watch::{Watch, record_requests, until_held},
};

/// The property checks of this topic.
pub(crate) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-299-p", contract: Contract::Oao, kind: Kind::Property(&ANY) }];

const ANY: Property = Property {
    prelude: |driver| Box::pin(two_agents(driver)),
    strategy: |known, number| {
        let known = known.clone();
        let case = move |mut input: Value| {
            let plan = Plan::of(&input);
            let agent = if plan.stop == "deadline" { "hasty" } else { "patient" };
            input["agent"] = known[agent].clone();
            Case {
                rule: format!("a batch in a run that is to be {}", plan.state()),
                input,
                expected: plan.expected(),
            }
        };
        plans(number).prop_map(case).boxed()
    },
    drive: |driver, case| Box::pin(one_batch(driver, case)),
    judge: as_the_model_says,
};

/// What is left to the runs of the agent that is in a hurry, in milliseconds.
const HASTE_MS: u64 = 2_000;
/// How much later than it is called off something may end, in milliseconds.
const GRACE_MS: u64 = 3_000;
/// How much a clock and the rounding of times may be out, in milliseconds.
const BLUR_MS: f64 = 50.0;

/// Two agents with the same operations: the runs of one have a minute, those of the other two seconds.
async fn two_agents(driver: &Driver<'_>) -> Result<Value, Halt> {
    let operations: Value = [SHORT, LONG].iter().map(|(key, limit)| operation(key, *limit)).collect();
    let patient = readable(driver, &operations);
    let mut hasty = patient.clone();
    hasty["limits"]["timeoutMs"] = json!(HASTE_MS);
    let patient = need_agent(driver, "publish patient", &patient, "publish an agent").await?;
    let hasty = need_agent(driver, "publish hasty", &hasty, "publish an agent whose runs have 2 s").await?;
    Ok(json!({"patient": patient.id, "hasty": hasty.id}))
}

async fn one_batch(driver: &Driver<'_>, case: &Case) -> Drove {
    let plan = Plan::of(&case.input);
    load(driver, plan.script())?;
    let id = case.input["agent"].as_str().unwrap_or_default().to_owned();
    let started = start(driver, "start", &Agent { id, version: String::new() }).await?;
    let watch = Watch::of(driver, &started);
    if plan.stop == "cancel" {
        until_held(driver, NEVER, plan.held()).await?;
        watch.cancel().await;
    }
    watch.settle("run").await;
    record_requests(driver).await
}

fn as_the_model_says(case: &CaseView<'_>, _: &Spec) -> Judged {
    let plan = Plan::of(&case.label().input);
    let run = case.one("run")?;
    let (begun, _) = must_ask(case, "parent-1", "the run did not ask the model")?;
    let mut witness = begun.witness();
    let calls: Vec<String> = plan.operations.iter().map(Planned::call).collect();
    if let Some(other) = lifecycles(case).into_iter().find(|life| !calls.contains(&life.call)) {
        let message = "an operation began that the parent had not called";
        return Err(at(&run, message, format!("{calls:?}"), other.call).into());
    }
    for planned in &plan.operations {
        witness = witness.and(one_call(case, &plan, planned, &run).map_err(|verdict| shown(case, verdict))?);
    }
    witness = witness.and(the_run(case, &plan, &run).map_err(|verdict| shown(case, verdict))?);
    Ok(witness.showing(timeline(case, &[])))
}

fn shown(case: &CaseView<'_>, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Fail(finding) => finding.showing(timeline(case, &[])).into(),
        verdict => verdict,
    }
}

/// Whether the end of a call may have been brought about by the end of its run instead of its own.
fn may_be_cut(plan: &Plan, planned: &Planned) -> bool {
    !plan.goes_on() && !planned.is_held()
}

fn one_call(case: &CaseView<'_>, plan: &Plan, planned: &Planned, run: &Seen<'_>) -> Judged {
    let call = planned.call();
    let life = lifecycle(case, &call);
    let (started, end) = match (life.started.as_slice(), life.end()) {
        ([started], Some(end)) if started.is_before(&end) => (started, end),
        _ => {
            let message =
                "an operation of a batch does not have one started event and then one terminal event";
            let got = format!("{} started, {} terminal", life.started.len(), life.ends.len());
            return Err(at(run, message, format!("one of each for `{call}`"), got).into());
        }
    };
    let ending = Ending::of(&end);
    let wanted = match planned.end() {
        "completed" => Ending::Completed,
        "failed" => Ending::Failed,
        _ => Ending::Stopped,
    };
    let is_cut = may_be_cut(plan, planned) && ending == Ending::Stopped;
    let validated = end.payload()["resultValidated"].as_bool() == Some(ending == Ending::Completed);
    if !(ending == wanted || is_cut) || !validated {
        let message = "an operation of a batch ended in another way than its loop did";
        let got = format!("{}, `resultValidated` {}", end.kind(), end.payload()["resultValidated"]);
        return Err(at(&end.seen, message, format!("`{call}` {}", planned.end()), got).into());
    }
    the_duration_fits(started, &end)?;
    let mut steps = life.steps.clone();
    steps.sort_by_key(|step| step.payload()["stepIndex"].as_u64());
    let indexes: Vec<u64> = steps.iter().filter_map(|step| step.payload()["stepIndex"].as_u64()).collect();
    let between = steps.iter().all(|step| started.is_before(step) && step.is_before(&end));
    if !between || !indexes.iter().copied().eq(0..steps.len() as u64) {
        let message = "the steps of an operation are not numbered 0, 1, 2 … between its start and its end";
        let expected = format!("0 to {} for `{call}`, between the two", steps.len().saturating_sub(1));
        return Err(at(run, message, expected, format!("{indexes:?}, between: {between}")).into());
    }
    if !is_cut && !may_be_cut(plan, planned) {
        what_its_loop_did(case, plan, planned, &life)?;
        what_its_tools_said(case, planned)?;
    }
    life.witness().ok_or_else(|| run.finding("no event of a call was seen", call).into())
}

/// The model requests of a loop and its steps are those of its script, and the request that it was aborted
/// in is dropped.
fn what_its_loop_did(
    case: &CaseView<'_>,
    plan: &Plan,
    planned: &Planned,
    life: &Lifecycle<'_>,
) -> Result<(), Verdict> {
    let run = case.one("run")?;
    let names = planned.turn_names();
    let mut before = 0;
    for (place, name) in names.iter().enumerate() {
        let message = "a loop of a batch did not take its turns one after the other";
        let (seen, asked) = must_ask(case, name, message)?;
        if asked.arrived_ms < before {
            return Err(at(&seen, message, format!("`{name}` after the answer before it"), "earlier").into());
        }
        before = asked.answered_ms.unwrap_or(u64::MAX);
        let wanted = if planned.is_held() && place + 1 == names.len() { "dropped" } else { "answered" };
        if outcome(asked) != wanted {
            let message = "a model request of a batch did not end as its operation did";
            return Err(at(&seen, message, format!("`{name}` {wanted}"), outcome(asked)).into());
        }
        let called_off_ms = called_off_ms(case, plan, asked.arrived_ms)?;
        if wanted == "dropped" && before > called_off_ms + GRACE_MS {
            let message = "an operation of a batch went on after it had been called off";
            let expected = format!("`{name}` dropped within {GRACE_MS} ms");
            return Err(at(&seen, message, expected, format!("{} ms later", before - called_off_ms)).into());
        }
    }
    let answered = names.len() - usize::from(planned.is_held());
    let of_model = |status: Option<&str>| {
        let models = life.steps.iter().filter(|step| step.text("stepKind") == "model");
        models.filter(|step| status.is_none_or(|status| step.text("status") == status)).count()
    };
    // A turn that was in flight at the abort leaves one step with an error, or none.
    let (all, good) = (of_model(None), of_model(Some("success")));
    let ids = planned.read_ids();
    let read: Vec<String> = ids
        .iter()
        .filter(|id| {
            life.steps.iter().filter(|step| step.text("stepId") == format!("tool:{id}")).count() == 1
        })
        .cloned()
        .collect();
    let has_spare = planned.is_held() && all == answered + 1;
    if good != answered || !(all == answered || has_spare) || read != ids {
        let message = "the steps of an operation are not what its loop did";
        let expected = format!("`{}`: {answered} model turns, tools {ids:?}", life.call);
        return Err(at(
            &run,
            message,
            expected,
            format!("{all} model steps, {good} of them good, tools {read:?}"),
        )
        .into());
    }
    Ok(())
}

/// When the operation whose last request came at `arrived_ms` is called off: by its own limit, by the
/// request to cancel the run, or by the deadline of the run. On the suite's clock.
fn called_off_ms(case: &CaseView<'_>, plan: &Plan, arrived_ms: u64) -> Result<u64, Verdict> {
    Ok(match plan.stop.as_str() {
        "cancel" => case.one("cancel")?.at_ms(),
        "deadline" => must_ask(case, "parent-1", "the run did not ask the model")?.1.arrived_ms + HASTE_MS,
        _ => arrived_ms + SHORT.1,
    })
}

/// All files that are read in one turn are the same one, so all are told the same.
fn what_its_tools_said(case: &CaseView<'_>, planned: &Planned) -> Result<(), Verdict> {
    let names = planned.turn_names();
    for (turn, count) in planned.reads.iter().enumerate().filter(|(_, count)| **count > 1) {
        let (seen, next) = must_ask(case, &names[turn + 1], "a loop of a batch did not take its turns")?;
        let told = |at: usize| results(next, &planned.read_id(turn, at));
        if told(0).is_empty() || (1..*count).any(|place| told(place) != told(0)) {
            let message = "equal calls of tools in one turn of a loop were told different things";
            let got = format!("{:?}", (0..*count).map(told).collect::<Vec<_>>());
            return Err(at(&seen, message, "the same for each", got).into());
        }
    }
    Ok(())
}

fn the_duration_fits(started: &Event<'_>, end: &Event<'_>) -> Result<(), Verdict> {
    let between = started.occurred_ms().zip(end.occurred_ms()).map(|(from, to)| to.saturating_sub(from));
    let took = end.payload()["durationMs"].as_f64();
    match between.zip(took) {
        Some((between, took)) if (0.0..=between as f64 + BLUR_MS).contains(&took) => Ok(()),
        other => {
            let message = "the duration of an operation does not fit the times of its events";
            let expected = "0 or more, and no more than the time between its events";
            Err(at(&end.seen, message, expected, format!("{other:?}")).into())
        }
    }
}

fn the_run(case: &CaseView<'_>, plan: &Plan, run: &Seen<'_>) -> Judged {
    let state = run.json()?["state"].as_str().unwrap_or_default().to_owned();
    let has_failure = plan.operations.iter().any(|each| each.end() != "completed");
    if plan.goes_on() && has_failure && state == "failed" {
        return Ok(run.witness().noting("D5: the run failed with an operation"));
    }
    if state != plan.state() {
        let message = "a run did not end in the state that it had to";
        return Err(at(run, message, plan.state(), state).into());
    }
    if plan.goes_on() {
        Ok(run.witness().and(what_the_parent_is_told(case, plan)?))
    } else {
        Ok(run.witness())
    }
}

fn what_the_parent_is_told(case: &CaseView<'_>, plan: &Plan) -> Result<Witness, Verdict> {
    let message = "the parent was not told the outcomes of its batch in the order of its calls";
    let (seen, told) = must_ask(case, "parent-2", "the run did not go on after its operations")?;
    let messages = told.request.get("messages").and_then(Value::as_array);
    let order: Vec<&str> =
        messages.into_iter().flatten().filter_map(|message| message.get("tool_call_id")?.as_str()).collect();
    let calls: Vec<String> = plan.operations.iter().map(Planned::call).collect();
    if order != calls {
        return Err(at(&seen, message, format!("{calls:?}"), format!("{order:?}")).into());
    }
    for planned in &plan.operations {
        let got = value(told, &planned.call());
        let is_right = match planned.end() {
            "completed" => got == Some(json!({"answer": planned.answer()})),
            _ => got.as_ref().is_none_or(|result| result.get("answer").is_none()),
        };
        if !is_right {
            let expected = format!("`{}` {}", planned.call(), planned.end());
            return Err(at(&seen, message, expected, format!("{got:?}")).into());
        }
    }
    Ok(seen.witness())
}
