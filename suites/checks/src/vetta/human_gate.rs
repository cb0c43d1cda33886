//! Whatever order decisions, repeats, late answers, an interrupt and the deletion come in, a held call runs at
//! most once, and never without a yes (VET-200-p).

use std::time::Duration;

use engine::{Call, Case, Check, Driver, Drove, Halt, Kind, Property};
use model::{Answer, Conditions, ToolCall, Turn};
use proptest::{
    collection::vec,
    sample::select,
    strategy::{BoxedStrategy, Just, Strategy},
};
use recording::{CaseView, Judged, View};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::Evidence,
    rows::{flag, text},
    talk::{Talk, happened, load, must_ask},
    words::{Decision, Words},
};
use crate::percent::encoded;

/// The check of this file.
pub(crate) const CHECKS: &[Check] = &[Check {
    id: "VET-200-p",
    contract: Contract::Vetta,
    kind: Kind::Property(&Property {
        prelude: |driver| Box::pin(asking_agent_is_written(driver)),
        strategy,
        drive: |driver, case| Box::pin(order_is_played(driver, case)),
        judge: each_call_runs_as_it_may,
    }),
}];

const NOT_ASKED: &str = "a message did not reach the model";
const NOT_HELD: &str = "calls on `ask` do not wait for a decision";
const WITHOUT_YES: &str = "a held call ran although the first that was decided about it was no yes";
const MORE_THAN_ONCE: &str = "a held call ran more than once";
const NOT_RUN: &str = "a held call did not run although it was allowed and nothing ended its turn";

/// Calls that wait side by side.
const CALLS: usize = 2;
/// The most steps of a case.
const STEPS_MAX: usize = 6;
/// Long enough for an allowed call to run.
const PAUSE: Duration = Duration::from_millis(300);
const BEGIN: &str = "write-both-notes;";

fn path_of(call: usize) -> String {
    format!("gate-note-{call}.txt")
}

/// What somebody does while calls wait, or afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Allow(usize),
    Deny(usize),
    Interrupt,
    Delete,
    Wait,
}

impl Step {
    fn word(self) -> String {
        match self {
            Self::Allow(call) => format!("allow {call}"),
            Self::Deny(call) => format!("deny {call}"),
            Self::Interrupt => "interrupt".to_owned(),
            Self::Delete => "delete".to_owned(),
            Self::Wait => "wait".to_owned(),
        }
    }

    fn of(word: &str) -> Self {
        let (verb, call) = word.split_once(' ').unwrap_or((word, "0"));
        let call = call.parse().unwrap_or_default();
        match verb {
            "allow" => Self::Allow(call),
            "deny" => Self::Deny(call),
            "interrupt" => Self::Interrupt,
            "delete" => Self::Delete,
            _ => Self::Wait,
        }
    }
}

/// The first steps that are gone through in turn, so that few cases reach all of them.
const FIRST: [Step; 6] =
    [Step::Deny(0), Step::Allow(0), Step::Interrupt, Step::Deny(1), Step::Delete, Step::Wait];
const ANY: [Step; 9] = [
    Step::Allow(0),
    Step::Allow(1),
    Step::Allow(0),
    Step::Allow(1),
    Step::Deny(0),
    Step::Deny(1),
    Step::Interrupt,
    Step::Delete,
    Step::Wait,
];

fn strategy(_: &Value, number: u64) -> BoxedStrategy<Case> {
    let at = usize::try_from(number).unwrap_or(usize::MAX) % FIRST.len();
    (Just(FIRST[at]), vec(select(&ANY[..]), 1..STEPS_MAX))
        .prop_map(|(first, rest)| case(&[&[first], &rest[..]].concat()))
        .boxed()
}

/// How often each call may run, and has to. What is decided about it first counts, by whoever decides; an
/// interrupt and a deletion say no to all that waits. A call that was allowed has to run where nothing ends the
/// turn before all calls are decided about and some time has passed.
fn case(steps: &[Step]) -> Case {
    let mut decided: [Option<bool>; CALLS] = [None; CALLS];
    let mut ended = false;
    let mut settled = false;
    for step in steps {
        match *step {
            Step::Allow(call) => _ = decided[call].get_or_insert(true),
            Step::Deny(call) => _ = decided[call].get_or_insert(false),
            Step::Interrupt | Step::Delete => {
                ended |= !settled;
                decided.iter_mut().for_each(|each| _ = each.get_or_insert(false));
            }
            Step::Wait => settled |= decided.iter().all(Option::is_some),
        }
    }
    settled |= decided.iter().all(Option::is_some);
    let calls: Vec<Value> = decided
        .iter()
        .map(|decided| {
            let may = *decided == Some(true);
            json!({"most": u8::from(may), "least": u8::from(may && settled && !ended)})
        })
        .collect();
    let words: Vec<String> = steps.iter().map(|step| step.word()).collect();
    Case { rule: words.join(", "), input: json!({ "steps": words }), expected: json!(calls) }
}

async fn asking_agent_is_written(driver: &Driver<'_>) -> Result<Value, Halt> {
    driver.control("effects")?;
    driver.model()?;
    let environment = Environment::primary(driver).await?;
    let holds = |row: &Value| starts_here(row) && flag(row, "approvals") == Some(true);
    let row = environment.pick("runnable loop that can hold calls", holds)?;
    let tool = Words(driver.facts()).text("write_tool");
    let policy = json!({"permission": "allow", "overrides": {tool: "ask"}});
    let agent = Agent::on(&environment, text(&row, "base")).with("tools", policy);
    let agent = environment.need_agent("agent", &agent).await?;
    driver.remember("agent", agent);
    Ok(Value::Null)
}

/// The model asks for both calls in one turn, and is content once it has their results.
fn script(words: Words<'_>) -> [Turn; 2] {
    let begun = || Conditions::new().last_user_contains(BEGIN);
    let id = |call: usize| format!("gate-{call}");
    let told = (0..CALLS).fold(begun(), |when, call| when.tool_result_for(id(call)));
    let asks = (0..CALLS).fold(Answer::new(), |answer, call| {
        let arguments = words.arguments("write_arguments", &[&path_of(call), "noted"]);
        answer.call(ToolCall::new(id(call), words.text("write_tool"), arguments))
    });
    [
        Turn::new("told", Answer::new().text("Done.")).when(told),
        Turn::new("asks", asks).when(begun().no_tool_results()),
    ]
}

async fn order_is_played(driver: &Driver<'_>, case: &Case) -> Drove {
    let environment = Environment::unlisted(driver, "primary")?;
    let words = Words(driver.facts());
    let agent = driver.remembered("agent").unwrap_or_default();
    load(driver, "two calls", script(words))?;
    let session = environment.need_session("start", &agent).await?;
    let mut talk = Talk::open(&environment, &session, "").await;
    talk.need_say(BEGIN).await?;
    let mut calls: Vec<Option<String>> = vec![None; CALLS];
    let _ = talk
        .until(|event| {
            if let Some(call) = words.pending(event) {
                let at = (0..CALLS).find(|at| event.to_string().contains(&path_of(*at)));
                at.into_iter().for_each(|at| calls[at] = Some(call.to_owned()));
            }
            calls.iter().all(Option::is_some) || words.is_over(event)
        })
        .await;
    for word in case.input["steps"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let decide = |call: usize| calls.get(call).cloned().flatten();
        match Step::of(word) {
            Step::Allow(call) => answered(&talk, word, decide(call), Decision::Allow).await?,
            Step::Deny(call) => answered(&talk, word, decide(call), Decision::Deny).await?,
            Step::Interrupt => drop(talk.interrupt(word).await),
            Step::Delete => deleted(&environment, word, &session).await,
            Step::Wait => driver.clock().pause(PAUSE).await,
        }
    }
    driver.clock().pause(PAUSE).await;
    talk.effects("effects").await?;
    driver.record_model("model")?;
    deleted(&environment, "clean", &session).await;
    Ok(())
}

async fn answered(
    talk: &Talk<'_>,
    label: &str,
    call: Option<String>,
    decision: Decision,
) -> Result<(), Halt> {
    match call {
        Some(call) => talk.decide(label, &call, decision).await.map(drop),
        None => Ok(()),
    }
}

async fn deleted(environment: &Environment<'_>, label: &str, session: &str) {
    environment.send(label, Call::delete(format!("/v1/sessions/{}", encoded(session)))).await;
}

fn each_call_runs_as_it_may(view: &CaseView<'_>, _: &Spec) -> Judged {
    let words = Words(&view.recording().target);
    let mut evidence = Evidence::default();
    evidence.see(&must_ask(view, ("asks", ""), NOT_ASKED)?.0);
    let pending: Vec<_> =
        happened(view, "").into_iter().filter(|(_, event)| words.pending(event).is_some()).collect();
    if pending.len() < CALLS {
        let expected = format!("{CALLS} events `{}`", words.text("pending_event"));
        return Err(view.one("say")?.finding(NOT_HELD, expected).into());
    }
    pending.iter().for_each(|(seen, _)| evidence.see(seen));
    let effects = view.one("effects")?;
    let body = effects.json()?;
    let done = body["effects"].as_array().cloned().unwrap_or_default();
    for (call, expected) in view.label().expected.as_array().into_iter().flatten().enumerate() {
        let path = path_of(call);
        let count = done.iter().filter(|effect| effect["arguments"].to_string().contains(&path)).count();
        let (most, least) = (expected["most"].as_u64(), expected["least"].as_u64());
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let message = match (most, least) {
            (Some(0), _) if count > 0 => WITHOUT_YES,
            (Some(most), _) if count > most => MORE_THAN_ONCE,
            (_, Some(least)) if count < least => NOT_RUN,
            _ => continue,
        };
        let expected = format!("`{path}` written {expected} times");
        return Err(effects.finding_got(message, expected, format!("{count} times")).into());
    }
    evidence.see(&effects);
    evidence.judged()
}
