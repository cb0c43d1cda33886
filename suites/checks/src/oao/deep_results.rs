//! How deep a result may be nested (OAO-304).

use engine::{Driver, Drove};
use model::{Answer, Turn};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    runs::{at, must_ask, operation},
    scripted::{calling, play, scratch, script, told},
};
use crate::table::checks;

checks! { Oao:
    "OAO-304-a" => one_is_deep_and_one_is_too_deep, only_the_first_is_a_result;
}

const KEY: &str = "dig_down";
const LIMIT_MS: u64 = 5_000;
/// A call, its task, and how many lists stand around the innermost word. The limit is 64, and where it begins to
/// be counted is left open.
const DEEP: (&str, &str, usize) = ("call_deep", "dig-as-deep-as-you-may", 40);
const TOO_DEEP: (&str, &str, usize) = ("call_too_deep", "dig-without-end", 90);

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!("innermost"), |inside, _| json!([inside]))
}

fn result(levels: usize) -> Value {
    json!({"answer": "dug", "found": nested(levels)})
}

/// Each loop hands its value in; the one whose value is refused hands in a flat one.
async fn one_is_deep_and_one_is_too_deep(driver: &Driver<'_>) -> Drove {
    let mut open = operation(KEY, LIMIT_MS);
    open["resultSchema"]["additionalProperties"] = json!(true);
    let hands_in = |turn: &str, (call, task, levels): (&str, &str, usize)| {
        let finish: Answer = calling(&format!("finish_{call}"), "finish", result(levels));
        Turn::new(turn, finish).when(scratch(task).no_tool_results())
    };
    let corrected = calling("finish_again", "finish", json!({"answer": "flat"}));
    let inside = [
        hands_in("deep", DEEP),
        hands_in("too-deep", TOO_DEEP),
        Turn::new("corrects", corrected)
            .when(scratch(TOO_DEEP.1).tool_result_for(format!("finish_{}", TOO_DEEP.0))),
    ];
    let calls = [DEEP, TOO_DEEP].map(|(call, task, _)| (call, KEY, task));
    play(driver, &json!([open]), script(&calls, inside)).await
}

fn only_the_first_is_a_result(recording: &Recording, _: &Spec) -> Judged {
    let (tried, _) = must_ask(recording, "too-deep", "the scratch loop did not begin")?;
    let values = |call: &str| -> Vec<Value> {
        let texts = told(recording, call).map(|(_, texts)| texts).unwrap_or_default();
        texts.into_iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
    };
    let run = recording.one("run")?;
    if !values(DEEP.0).contains(&result(DEEP.2)) {
        let message = "a result within the depth that is allowed did not reach the parent";
        return Err(run.finding(message, format!("a result nested {} deep for `{}`", DEEP.2, DEEP.0)).into());
    }
    let Some((seen, _)) = told(recording, TOO_DEEP.0) else {
        let expected = format!("a tool result for `{}`", TOO_DEEP.0);
        return Err(run.finding("a call was never answered", expected).into());
    };
    let too_deep = |value: &Value| value.get("found").is_some();
    if let Some(taken) = values(TOO_DEEP.0).into_iter().find(too_deep) {
        let message = "a value that is nested too deep became a result";
        let expected = format!("no result that is nested {} deep", TOO_DEEP.2);
        return Err(at(&seen, message, expected, taken.to_string()).into());
    }
    Ok(tried.witness().and(seen.witness()))
}
