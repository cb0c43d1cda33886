//! Runs in which the parent calls operations and nothing else, and what became of the calls.

use engine::{Driver, Drove};
use model::{Answer, Script, ScriptError, Turn};
use recording::{Judged, Seen, View, Witness};
use serde_json::{Value, json};

pub(crate) use super::{
    asking::{Asked, call as calling},
    runs::{parent, scratch},
};

use super::{
    agents::Agent,
    asking::{give_up_for, in_one_turn},
    runs::{asked, at, events_of, load, need_operations, results, settle, start},
};

/// The id of the parent's call, where there is one only.
pub(crate) const CALL: &str = "outer";
/// Its task. Scripts know the scratch loop by it.
pub(crate) const TASK: &str = "work-on-the-only-task";
/// The turn in which the parent has the results of all its calls.
pub(crate) const TOLD: &str = "parent-told";

/// An answer that gives the operation up.
pub(crate) fn giving_up(id: &str) -> Answer {
    give_up_for(id, "nothing more can be found out")
}

/// The parent asks for all of `calls` in one turn and ends once it has all their results.
pub(crate) fn script(
    calls: &[Asked<'_>],
    scratch: impl IntoIterator<Item = Turn>,
) -> Result<Script, ScriptError> {
    in_one_turn(["operations only", "parent-asks", TOLD], calls, scratch)
}

/// Publishes `operations`, runs the script and waits for the end of the run.
pub(crate) async fn play(
    driver: &Driver<'_>,
    operations: &Value,
    script: Result<Script, ScriptError>,
) -> Drove {
    load(driver, script)?;
    let agent = need_operations(driver, operations).await?;
    begin(driver, &agent).await
}

/// As [`play`], on an agent that is there already.
pub(crate) async fn begin(driver: &Driver<'_>, agent: &Agent) -> Drove {
    let started = start(driver, "start", agent).await?;
    settle(driver, &started).await
}

/// One call of one operation.
pub(crate) async fn play_one(
    driver: &Driver<'_>,
    operation: Value,
    scratch: impl IntoIterator<Item = Turn>,
) -> Drove {
    let key = operation["key"].as_str().unwrap_or_default().to_owned();
    play(driver, &json!([operation]), script(&[(CALL, &key, TASK)], scratch)).await
}

/// The terminal event of `call`, by its kind without `harness.operation_`.
pub(crate) fn terminal<'a>(view: &'a impl View, call: &str) -> Option<(&'static str, Seen<'a>, &'a Value)> {
    let kinds = [
        ("completed", "harness.operation_completed"),
        ("failed", "harness.operation_failed"),
        ("cancelled", "harness.operation_cancelled"),
        ("timed_out", "harness.operation_timed_out"),
    ];
    kinds.into_iter().find_map(|(name, kind)| {
        let events = events_of(view, kind).into_iter();
        let mut own = events.filter(|(_, event)| event["publicPayload"]["toolCallId"] == call);
        own.next().map(|(seen, event)| (name, seen, &event["publicPayload"]))
    })
}

/// What the parent was told of `call`, wherever it was told.
pub(crate) fn told<'a>(view: &'a impl View, call: &str) -> Option<(Seen<'a>, Vec<&'a str>)> {
    let turns = view.model_turns().into_iter();
    let mut told = turns.map(|(seen, turn)| (seen, results(turn, call)));
    told.find(|(_, texts)| !texts.is_empty())
}

/// How a call is judged that must not come to a result.
pub(crate) struct NoResult<'w> {
    /// The call.
    pub(crate) call: &'w str,
    /// The scripted turn in which the loop tries.
    pub(crate) tried: &'w str,
    /// What is wrong when it has a result.
    pub(crate) message: &'static str,
    /// The terminal events that are right.
    pub(crate) endings: &'w [&'w str],
}

/// Any terminal event but the one of success.
pub(crate) const NOT_COMPLETED: [&str; 3] = ["failed", "cancelled", "timed_out"];

impl NoResult<'_> {
    /// The loop tried; the call ended as it should, and nobody took anything for its result. Whether the
    /// parent goes on after such an end is its own affair (D5).
    pub(crate) fn judge(&self, view: &impl View, is_result: impl Fn(&Value) -> bool) -> Judged {
        let Self { call, tried, message, endings } = self;
        let (attempt, _) = super::runs::must_ask(view, tried, "the scratch loop did not begin")?;
        let told = told(view, call);
        if let Some((seen, texts)) = &told {
            let taken =
                texts.iter().find(|text| serde_json::from_str(text).is_ok_and(|value| is_result(&value)));
            if let Some(taken) = taken {
                return Err(at(seen, message, format!("no result for `{call}`"), *taken).into());
            }
        }
        let expected = format!("`{call}` ended by {}", endings.join(" or "));
        match terminal(view, call) {
            Some((ending, seen, payload)) if endings.contains(&ending) => {
                if payload["resultValidated"] != json!(false) {
                    return Err(seen
                        .finding("a call without a result says that it was validated", expected)
                        .into());
                }
                let witness = attempt.witness().and(seen.witness());
                Ok(told.into_iter().fold(witness, |witness, (seen, _)| witness.and(seen.witness())))
            }
            Some((_, seen, _)) => Err(seen.finding(*message, expected).into()),
            None => Err(view.one("run")?.finding("a call that began has no terminal event", expected).into()),
        }
    }
}

/// The finding that a scripted turn was asked for although it must not be.
pub(crate) fn must_not_ask(view: &impl View, turn: &str, message: &str) -> Result<(), recording::Verdict> {
    match asked(view, turn) {
        Some((seen, _)) => Err(seen.finding(message, format!("no model request for `{turn}`")).into()),
        None => Ok(()),
    }
}

/// All witnesses in one.
pub(crate) fn both(one: Witness, other: Seen<'_>) -> Witness {
    one.and(other.witness())
}
