//! What the summaries of steps say, and how long they may be (OAO-296).

use engine::{Driver, Drove};
use model::{Answer, ToolCall, Turn};
use recording::{Judged, Recording};
use serde_json::json;
use spec::Spec;

use super::{
    batch::{Asked, batch, finish, read, scratch},
    events::play,
    lifecycle::lifecycle,
    runs::{at, must_ask},
};
use crate::table::checks;

checks! { Oao:
    "OAO-296-a" => many_ways_to_ask, model_turns_follow_the_grammar;
    "OAO-296-b" => many_ways_to_ask, tools_are_cut_to_their_limits;
}

const ONE: [Asked<'_>; 1] = [("outer_call", "look_around", "look-around-everywhere")];
/// The longest value and the longest command that a summary shows, in UTF-16 units.
const VALUE_MAX: usize = 240;
const COMMAND_MAX: usize = 80;

fn long_path() -> String {
    format!("{}.txt", "p".repeat(VALUE_MAX + 60))
}

fn long_command() -> String {
    format!("{} --flag one two", "c".repeat(COMMAND_MAX + 20))
}

/// One tool, two tools in one batch, words only, and the result.
async fn many_ways_to_ask(driver: &Driver<'_>) -> Drove {
    let of = || scratch(ONE[0].2);
    let both =
        read("both", &["short.txt"]).call(ToolCall::new("run", "bash", json!({"command": long_command()})));
    let turns = vec![
        Turn::new("scratch-1", read("long", &[&long_path()])).when(of().no_tool_results()),
        Turn::new("scratch-2", both).when(of().tool_result_for("long_0")),
        Turn::new("scratch-3", Answer::new().text("Nearly there.")).when(of().tool_result_for("both_0")),
        Turn::new("scratch-4", finish("seen")).when(of().has_tool_results()),
    ];
    play(driver, &ONE, batch(&ONE, turns)).await
}

fn model_turns_follow_the_grammar(recording: &Recording, _: &Spec) -> Judged {
    let message = "the summary of a model turn is none of the fixed ones";
    let (seen, _) = must_ask(recording, "scratch-4", "the scratch loop did not reach its last turn")?;
    let expected = [
        "Requested read.",
        "Requested read, bash in one tool batch.",
        "The scratch model produced an internal response without requesting a tool.",
        "Returned the structured result for validation.",
    ];
    let life = lifecycle(recording, ONE[0].0);
    let mut steps: Vec<_> = life.steps.iter().filter(|step| step.text("stepKind") == "model").collect();
    steps.sort_by_key(|step| step.payload()["stepIndex"].as_u64());
    let got: Vec<&str> = steps.iter().map(|step| step.text("summary")).collect();
    if got != expected {
        let differs = got.iter().zip(expected).position(|(got, expected)| *got != expected);
        let place = differs.unwrap_or(expected.len() - 1);
        let what =
            got.get(place).map_or_else(|| format!("{} model steps", got.len()), |got| (*got).to_owned());
        return Err(at(&seen, message, expected[place], what).into());
    }
    Ok(steps.iter().fold(seen.witness(), |witness, step| witness.and(step.seen.witness())))
}

/// What a summary may show: the tool alone, or the tool and what it is about, cut.
fn tools_are_cut_to_their_limits(recording: &Recording, _: &Spec) -> Judged {
    let message = "the summary of a tool shows more than its limit";
    let (seen, _) = must_ask(recording, "scratch-4", "the scratch loop did not reach its last turn")?;
    let life = lifecycle(recording, ONE[0].0);
    let shown = [
        ("read", vec![long_path()[..VALUE_MAX].to_owned(), "short.txt".to_owned()]),
        ("bash", vec![long_command()[..COMMAND_MAX].to_owned()]),
        ("finish", Vec::new()),
    ];
    let mut witness = seen.witness();
    let mut reads = 0;
    for step in life.steps.iter().filter(|step| step.text("stepKind") == "tool") {
        let (tool, summary) = (step.text("toolName"), step.text("summary"));
        let values = shown.iter().find(|(name, _)| *name == tool).map_or(&[][..], |(_, values)| values);
        let is_fine =
            summary == tool || values.iter().any(|value| summary == format!("{tool} \u{b7} {value}"));
        if !is_fine {
            let expected = format!("`{tool}`, or `{tool} \u{b7} ` and one of {values:?}");
            return Err(at(&step.seen, message, expected, summary).into());
        }
        reads += usize::from(tool == "read");
        witness = witness.and(step.seen.witness());
    }
    if reads != 2 {
        return Err(at(&seen, "some steps did not appear", "two steps of `read`", reads.to_string()).into());
    }
    Ok(witness)
}
