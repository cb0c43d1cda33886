//! What the events of operations say, member by member (OAO-294, 295, 297, 298).

use std::collections::BTreeSet;

use engine::{Driver, Drove};
use model::Turn;
use recording::{Judged, Recording, View, Witness};
use serde_json::Value;
use spec::Spec;

use super::{
    batch::{Asked, batch, finish, scratch, taking},
    endings::four_endings,
    events::{CALL, play, two_of_two_keys, two_reads_between_three_turns},
    lifecycle::{Event, feed, lifecycle, lifecycles},
    runs::{at, must_ask},
};
use crate::table::checks;

checks! { Oao:
    "OAO-294-a" => four_endings, payloads_have_their_members;
    "OAO-294-b" => four_endings, no_name_is_sensitive;
    "OAO-295-a" => two_of_two_keys, steps_are_numbered_and_named;
    "OAO-297-a" => a_fast_one_and_a_slow_one, durations_fit_their_times;
    "OAO-298-a" => two_reads_between_three_turns, model_events_name_their_step;
}

const STARTED: [&str; 4] = ["operationKey", "taskCharacters", "timeoutMs", "toolCallId"];
const ENDED: [&str; 6] =
    ["durationMs", "operationKey", "resultValidated", "taskCharacters", "timeoutMs", "toolCallId"];
const MODEL_STEP: [&str; 12] = [
    "cacheReadTokens",
    "cacheWriteTokens",
    "durationMs",
    "harnessToolCallId",
    "inputTokens",
    "operationKey",
    "outputTokens",
    "status",
    "stepId",
    "stepIndex",
    "stepKind",
    "summary",
];
const TOOL_STEP: [&str; 9] = [
    "durationMs",
    "harnessToolCallId",
    "operationKey",
    "status",
    "stepId",
    "stepIndex",
    "stepKind",
    "summary",
    "toolName",
];

/// The members that an event of an operation has; `None` for events of other kinds.
fn members_of(event: &Event<'_>) -> Option<&'static [&'static str]> {
    match event.kind() {
        "harness.operation_started" => Some(&STARTED),
        "harness.operation_step" if event.text("stepKind") == "model" => Some(&MODEL_STEP),
        "harness.operation_step" => Some(&TOOL_STEP),
        kind if kind.starts_with("harness.operation_") => Some(&ENDED),
        _ => None,
    }
}

fn payloads_have_their_members(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event of an operation has other members than its kind";
    let run = recording.one("run")?;
    let mut kinds = BTreeSet::new();
    let mut witness = run.witness();
    for event in feed(recording) {
        let Some(expected) = members_of(&event) else { continue };
        let mut got: Vec<&str> =
            event.payload().as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        got.sort_unstable();
        if got != expected {
            return Err(at(
                &event.seen,
                message,
                format!("{}: {expected:?}", event.kind()),
                format!("{got:?}"),
            )
            .into());
        }
        kinds.insert((event.kind(), event.text("stepKind")));
        witness = witness.and(event.seen.witness());
    }
    // Started, completed, failed, called off, and steps of both kinds, unless `finish` has no step.
    if kinds.len() < 5 {
        return Err(at(
            &run,
            "some kinds of events did not appear",
            "five kinds at least",
            format!("{kinds:?}"),
        )
        .into());
    }
    Ok(witness)
}

/// A name in the form in which it is compared: lower case, letters and digits only.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Whether a member of an event may not be called `name`. Counts of tokens may.
fn is_sensitive(name: &str) -> bool {
    const COUNTS: [&str; 6] =
        ["inputtoken", "outputtoken", "totaltoken", "reasoningtoken", "tokencount", "cachereadtoken"];
    const PARTS: [&str; 10] = [
        "authorization",
        "cookie",
        "password",
        "passwd",
        "secret",
        "rawprompt",
        "rawpayload",
        "toolpayload",
        "reasoning",
        "chainofthought",
    ];
    const WHOLE: [&str; 8] =
        ["apikey", "accesskey", "privatekey", "secretkey", "promptraw", "payloadraw", "cot", "signingkey"];
    const OF_TOKENS: [&str; 12] = [
        "",
        "access",
        "api",
        "auth",
        "bearer",
        "csrf",
        "id",
        "oauth",
        "personalaccess",
        "provider",
        "refresh",
        "session",
    ];
    let name = plain(name);
    let singular = name.strip_suffix('s').unwrap_or(&name);
    if COUNTS.iter().any(|count| singular.ends_with(count)) {
        return false;
    }
    PARTS.iter().any(|part| name.contains(part))
        || WHOLE.contains(&name.as_str())
        || singular.strip_suffix("token").is_some_and(|before| OF_TOKENS.contains(&before))
}

/// The path of a sensitive name at any depth.
fn sensitive_in(value: &Value, path: &str) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let path = format!("{path}/{name}");
            if is_sensitive(name) { Some(path) } else { sensitive_in(member, &path) }
        }),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| sensitive_in(item, &format!("{path}/{at}")))
        }
        _ => None,
    }
}

fn no_name_is_sensitive(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event has a member with a sensitive name";
    let run = recording.one("run")?;
    let mut witness = run.witness();
    let mut of_operations = 0;
    for event in feed(recording) {
        if let Some(path) = sensitive_in(event.payload(), "") {
            let expected = "no sensitive name at any depth";
            return Err(at(&event.seen, message, expected, format!("{path} in {}", event.kind())).into());
        }
        of_operations += usize::from(event.kind().starts_with("harness."));
        witness = witness.and(event.seen.witness());
    }
    if of_operations == 0 {
        return Err(run.finding("no event of an operation appeared", "events of four operations").into());
    }
    Ok(witness)
}

fn steps_are_numbered_and_named(recording: &Recording, _: &Spec) -> Judged {
    let message = "a step is not numbered or named as its kind is";
    let run = recording.one("run")?;
    let mut ids = BTreeSet::new();
    let mut witness = run.witness();
    let mut count = 0;
    for life in lifecycles(recording) {
        let mut steps = life.steps.clone();
        steps.sort_by_key(|step| step.payload()["stepIndex"].as_u64());
        for (index, step) in steps.iter().enumerate() {
            let (kind, id) = (step.text("stepKind"), step.text("stepId"));
            let prefix = match kind {
                "model" => "turn:",
                "tool" => "tool:",
                _ => "a known kind",
            };
            let is_right = id.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty())
                && step.payload()["stepIndex"].as_u64() == u64::try_from(index).ok()
                && ids.insert(id);
            if !is_right {
                let expected = format!("step {index} of `{}`, an id of its own in `{prefix}…`", life.call);
                let got = format!("{kind} step {}, id {id}", step.payload()["stepIndex"]);
                return Err(at(&step.seen, message, expected, got).into());
            }
            count += 1;
            witness = witness.and(step.seen.witness());
        }
    }
    // Three model turns of one loop and two of the other, and three tools.
    if count < 8 {
        return Err(at(&run, "some steps did not appear", "8 steps at least", count.to_string()).into());
    }
    Ok(witness)
}

const PAIR: [Asked<'_>; 2] = [("call_a", "first_half", "task-of-a"), ("call_b", "second_half", "task-of-b")];
/// How long the model takes over each of them.
const WAITS_MS: [u32; 2] = [100, 700];
/// How much a clock and the rounding of times may be out.
const BLUR_MS: u64 = 50;

async fn a_fast_one_and_a_slow_one(driver: &Driver<'_>) -> Drove {
    let turn = |((_, _, task), wait): (&Asked<'_>, u32)| {
        Turn::new(format!("scratch-{wait}"), finish("x")).when(scratch(task)).stream(taking(wait))
    };
    let turns = PAIR.iter().zip(WAITS_MS).map(turn).collect();
    play(driver, &PAIR, batch(&PAIR, turns)).await
}

/// A terminal event may come later than its call ended, never earlier (D7), and no call is faster than the
/// model that it waits for.
fn durations_fit_their_times(recording: &Recording, _: &Spec) -> Judged {
    let message = "the duration of an operation does not fit the times of its events";
    let (seen, _) = must_ask(recording, "parent-2", "the run did not go on after its operations")?;
    let mut witness = seen.witness();
    for ((call, _, _), wait) in PAIR.iter().zip(WAITS_MS) {
        let life = lifecycle(recording, call);
        let (Some(started), Some(end)) = (life.started.first(), life.end()) else {
            return Err(at(&seen, message, format!("a start and an end of `{call}`"), "not both").into());
        };
        let between = started.occurred_ms().zip(end.occurred_ms()).map(|(from, to)| to - from);
        let took = end.payload()["durationMs"].as_f64();
        let (Some(between), Some(took)) = (between, took) else {
            return Err(at(&end.seen, message, "times and a duration", "none").into());
        };
        let (least, blur) = (f64::from(wait), BLUR_MS as f64);
        if took < least - blur || took > between as f64 + blur {
            let expected =
                format!("{least} ms at least, and no more than the {between} ms between its events");
            return Err(at(&end.seen, message, expected, format!("{took} ms")).into());
        }
        if let Some(step) =
            life.steps.iter().find(|step| step.payload()["durationMs"].as_f64().is_none_or(|ms| ms < 0.0))
        {
            return Err(at(&step.seen, message, "a duration of 0 or more", "none").into());
        }
        witness = witness.and(life.witness().unwrap_or_else(|| seen.witness()));
    }
    Ok(witness)
}

/// The members of a model event that tie it to a step, each with the member of the step that it repeats.
const TIES: [(&str, &str); 5] = [
    ("harnessOperationKey", "operationKey"),
    ("harnessToolCallId", "harnessToolCallId"),
    ("harnessStepId", "stepId"),
    ("harnessStepIndex", "stepIndex"),
    ("harnessActionSummary", "summary"),
];

fn model_events_name_their_step(recording: &Recording, _: &Spec) -> Judged {
    let message = "a model event of an operation does not name its step";
    let (seen, _) = must_ask(recording, "scratch-3", "the scratch loop did not reach its third turn")?;
    let events = feed(recording);
    let ended = |event: &&Event<'_>| event.kind() == "model.invocation_completed";
    let of_call = |event: &&Event<'_>| event.text("harnessToolCallId") == CALL;
    let inner: Vec<&Event<'_>> = events.iter().filter(ended).filter(of_call).collect();
    let life = lifecycle(recording, CALL);
    let steps: Vec<&Event<'_>> = life.steps.iter().filter(|step| step.text("stepKind") == "model").collect();
    if steps.len() != 3 || inner.len() != 3 {
        let got = format!("{} model steps and {} model events", steps.len(), inner.len());
        return Err(at(&seen, message, "three of each for the call", got).into());
    }
    let mut witnesses: Vec<Witness> = vec![seen.witness()];
    for step in steps {
        let same = |event: &&&Event<'_>| event.text("harnessStepId") == step.text("stepId");
        let Some(event) = inner.iter().find(same) else {
            let expected = format!("a model event with `harnessStepId` {}", step.text("stepId"));
            return Err(at(&step.seen, message, expected, "none").into());
        };
        for (tie, member) in TIES {
            let (got, expected) = (&event.payload()[tie], &step.payload()[member]);
            if got != expected {
                return Err(at(&event.seen, message, format!("`{tie}` {expected}"), got.to_string()).into());
            }
        }
        witnesses.extend([step.seen.witness(), event.seen.witness()]);
    }
    Ok(Witness::all(witnesses).unwrap_or_else(|| seen.witness()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_of_tokens_are_fine_and_tokens_are_not() {
        for name in [
            "inputTokens",
            "cachedOutputTokens",
            "cacheReadTokens",
            "token_count",
            "totalTokens",
            "path",
            "idea",
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
        for name in [
            "token",
            "Tokens",
            "session-token",
            "apiKey",
            "API_KEY",
            "set-cookie",
            "clientSecret",
            "reasoning",
            "cot",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
        let deep = json!({"a": [{"b": {"idToken": 1}}]});
        assert_eq!(sensitive_in(&deep, ""), Some("/a/0/b/idToken".to_owned()));
    }
}
