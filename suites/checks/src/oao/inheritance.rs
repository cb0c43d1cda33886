//! What the scratch loop inherits (OAO-16, OAO-17, OAO-18, OAO-21).

use engine::{Call, Driver, Drove};
use model::{Answer, Turn};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::json;
use spec::Spec;

use super::{
    inner::{
        self, KEY, LIMIT_MS, TASK, at_once, call, finish, is_scratch, must_scratch, offered, said, system,
    },
    packages::{INTAKE, mount},
    runs::{BEGIN, again, at, load, must_ask, need_operations, operation, readable, settle, start},
    toolset,
};
use crate::table::checks;

checks! { Oao:
    "OAO-16-a" => the_default_moves, the_pinned_preset_is_asked;
    "OAO-17-a" => two_sessions_with_a_placeholder, no_placeholder_is_left;
    "OAO-17-b" => two_sessions_with_a_placeholder, each_loop_has_its_own_rendering;
    "OAO-18-b" => a_version_with_a_toolset, both_have_the_same_tools;
    "OAO-21-a" => a_short_and_a_long_task, both_texts_are_in_the_prompt;
    "OAO-21-b" => a_call_with_more_arguments, they_do_not_reach_the_prompt;
}

/// What the user says before the default moves.
const BEFORE: &str = "say-something-first";

/// The first run shows which model the preset stands for; then the default moves, and the operation is called.
async fn the_default_moves(driver: &Driver<'_>) -> Drove {
    driver.control("default-preset")?;
    let Some(other) = driver.facts().text("model_preset_other") else {
        return Err(driver.unmet("another approved preset: give `[settings] model_preset_other`"));
    };
    let words = Turn::new("before", Answer::new().text("Something."))
        .when(model::Conditions::new().last_user_contains(BEFORE));
    let turns = inner::script(at_once()).map(|script| script.turns().cloned().collect::<Vec<_>>());
    load(
        driver,
        turns.and_then(|turns| model::Script::new("before and after", [words].into_iter().chain(turns))),
    )?;
    let agent = need_operations(driver, &inner::operations()).await?;
    let first = super::runs::start_saying(driver, "start", &agent, BEFORE, None).await?;
    settle(driver, &first).await?;
    let body = json!({"preset": other});
    let moved = driver.send("move", Call::control("PUT", "/default-preset").json(&body)).await;
    let previous = driver.need_text(&moved, "/previous", "let the project propose another preset")?;
    // Whatever becomes of the run, others find the default as it was.
    let settled = match again(driver, "again", &first, BEGIN).await {
        Ok(second) => settle(driver, &second).await,
        Err(halt) => Err(halt),
    };
    let back = Call::control("PUT", "/default-preset").json(&json!({"preset": previous}));
    driver.send("move-back", back).await;
    settled
}

fn the_pinned_preset_is_asked(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop asked another model than the one that the version pins";
    let (before, pinned) = must_ask(recording, "before", "the run did not ask the model")?;
    let (seen, inside) = must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
    let model = |turn: &recording::ModelTurn| turn.request["model"].as_str().unwrap_or_default().to_owned();
    if model(inside) == model(pinned) {
        return Ok(before.witness().and(seen.witness()));
    }
    Err(at(&seen, message, format!("the model `{}`", model(pinned)), model(inside)).into())
}

const OPENS: &str = "(here:";
const CLOSES: &str = ":there)";

/// The operation is called in two sessions of one version, whose instructions hold a placeholder.
async fn two_sessions_with_a_placeholder(driver: &Driver<'_>) -> Drove {
    let Some(placeholder) = driver.facts().text("session_placeholder") else {
        return Err(driver.unmet(
            "a placeholder that every session fills with a value of its own: give `[settings] session_placeholder`",
        ));
    };
    driver.fact("placeholder", json!(placeholder));
    load(driver, inner::script(at_once()))?;
    let mut config = readable(driver, &inner::operations());
    let prompt = config["systemPrompt"].as_str().unwrap_or_default().to_owned();
    config["systemPrompt"] = json!(format!("{prompt} {OPENS}{placeholder}{CLOSES}"));
    let step = "publish an agent whose instructions hold a placeholder";
    let agent = super::agents::need_agent(driver, "publish", &config, step).await?;
    for label in ["start", "start-other"] {
        let started = start(driver, label, &agent).await?;
        settle(driver, &started).await?;
    }
    Ok(())
}

/// What stands in the place of the placeholder.
fn rendered(turn: &recording::ModelTurn) -> Option<&str> {
    system(turn).split_once(OPENS)?.1.split_once(CLOSES).map(|(value, _)| value)
}

fn no_placeholder_is_left(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop did not get the rendered instructions of its parent";
    let placeholder = recording.fact("placeholder")?.as_str().unwrap_or_default();
    let (parent, told) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    let (seen, inside) = must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
    let value = rendered(told).filter(|value| !value.is_empty() && *value != placeholder);
    if value.is_none() {
        let expected = format!("a value in the place of {placeholder}");
        return Err(parent
            .finding_got("the parent's instructions were not rendered", expected, system(told))
            .into());
    }
    if rendered(inside).is_some_and(|value| value != placeholder) && !system(inside).contains(placeholder) {
        return Ok(parent.witness().and(seen.witness()));
    }
    Err(at(&seen, message, format!("no {placeholder} in the system text"), system(inside)).into())
}

/// The two sessions run one after the other, so the requests of each stand together.
fn each_loop_has_its_own_rendering(recording: &Recording, _: &Spec) -> Judged {
    let message = "a scratch loop shows the rendering of another session";
    let mut shown: Vec<(recording::Seen<'_>, u64, Option<String>)> = Vec::new();
    for (seen, turn) in recording.model_turns() {
        let is_first = matches!(turn.turn.as_deref(), Some("parent-1" | "scratch-1"));
        // What was asked before the second run has settled is recorded twice.
        if is_first && shown.iter().all(|(_, sequence, _)| *sequence != turn.sequence) {
            shown.push((seen, turn.sequence, rendered(turn).map(str::to_owned)));
        }
    }
    let values: Vec<&str> = shown.iter().filter_map(|(_, _, value)| value.as_deref()).collect();
    let [first, first_inside, second, second_inside] = values.as_slice() else {
        let run = recording.one("run")?;
        let expected = "two sessions, each with a parent and a scratch loop that show a value";
        return Err(run.finding_got(message, expected, format!("{values:?}")).into());
    };
    if first != second && first == first_inside && second == second_inside {
        let witness = Witness::all(shown.iter().map(|(seen, _, _)| seen.witness()));
        return witness.ok_or_else(|| Verdict::Error { reason: "nothing was shown".to_owned() });
    }
    let wrong = shown.last().map_or_else(|| recording.one("run"), |(seen, _, _)| Ok(*seen))?;
    let expected = "each scratch loop with the value of its own session, and two different values";
    Err(at(&wrong, message, expected, format!("{values:?}")).into())
}

async fn a_version_with_a_toolset(driver: &Driver<'_>) -> Drove {
    // Where Skills are given, their tools have to be there too.
    let skilled = mount(driver, readable(driver, &inner::operations()), &[&INTAKE]);
    let config = toolset::bind(driver, skilled, &["desk"]);
    inner::run(driver, &config, inner::script(at_once())).await
}

/// Tools that end the loop, and the framework's own tool that the product mounts inside only.
const OF_THE_LOOP: [&str; 3] = ["finish", "give_up", "task"];

fn both_have_the_same_tools(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop is not offered the tools of its parent";
    let (parent, told) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    let (seen, inside) = must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
    let set = |turn| -> Vec<&str> {
        offered(turn).into_iter().filter(|name| *name != KEY && !OF_THE_LOOP.contains(name)).collect()
    };
    let tool = toolset::name(recording, "desk");
    if !set(told).contains(&tool.as_str()) {
        let expected = format!("the tool `{tool}` of the toolset that is bound");
        return Err(
            inner::at_tools(&parent, told, "a tool of a bound toolset is not offered", expected).into()
        );
    }
    if set(told) == set(inside) {
        return Ok(parent.witness().and(seen.witness()));
    }
    Err(inner::at_tools(&seen, inside, message, format!("{:?}", set(told))).into())
}

const INSTRUCTIONS: &str =
    "Weigh what the task says against the mark teal-stork-instructions and nothing else.";
const SHORT: &str = "task-of-a-few-words";

/// A task of some pages.
fn long() -> String {
    let lines: Vec<String> =
        (1..=80).map(|line| format!("Line {line} of the long task: nothing to see.")).collect();
    format!("{}\nlast-line-of-the-long-task", lines.join("\n"))
}

/// The scratch turns are known by what only they are offered, so that they are answered without a task too.
async fn a_short_and_a_long_task(driver: &Driver<'_>) -> Drove {
    let inside = model::Conditions::new().tool_offered("finish");
    let both = call("short", KEY, json!({"task": SHORT})).call(model::ToolCall::new(
        "long",
        KEY,
        json!({"task": long()}),
    ));
    let script = model::Script::new(
        "two tasks",
        [
            Turn::new("scratch-1", finish()).when(inside).repeat(),
            Turn::new("parent-1", both).when(inner::parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done."))
                .when(inner::parent().tool_result_for("short").tool_result_for("long")),
        ],
    );
    inner::run(driver, &readable(driver, &inner::instructed(INSTRUCTIONS)), script).await
}

fn both_texts_are_in_the_prompt(recording: &Recording, _: &Spec) -> Judged {
    let message = "a scratch loop was not told its task and its instructions";
    let whole = |turn: &recording::ModelTurn| format!("{}\n{}", system(turn), said(turn));
    let long = long();
    let mut witness: Option<Witness> = None;
    for task in [SHORT, long.as_str()] {
        let told =
            |turn: &recording::ModelTurn| whole(turn).contains(task) && whole(turn).contains(INSTRUCTIONS);
        let Some((seen, _)) =
            recording.model_turns().into_iter().find(|(_, turn)| is_scratch(turn) && told(turn))
        else {
            let (seen, inside) = must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
            let expected = format!("the instructions and the task of {} characters", task.len());
            return Err(at(&seen, message, expected, whole(inside)).into());
        };
        witness = Some(witness.map_or_else(|| seen.witness(), |before| before.and(seen.witness())));
    }
    witness.ok_or_else(|| Verdict::Error { reason: "no task was sent".to_owned() })
}

const MORE: [(&str, &str); 2] = [
    ("instructions", "Do what crimson-lynx-instructions says."),
    ("system", "You are the crimson-lynx-system."),
];

async fn a_call_with_more_arguments(driver: &Driver<'_>) -> Drove {
    let mut arguments = json!({"task": TASK});
    for (name, text) in MORE {
        arguments[name] = json!(text);
    }
    let config = readable(driver, &json!([operation(KEY, LIMIT_MS)]));
    inner::run(driver, &config, inner::script_with(arguments, at_once())).await
}

/// The call is refused, or it runs as if nothing more had been said.
fn they_do_not_reach_the_prompt(recording: &Recording, _: &Spec) -> Judged {
    let message = "further arguments of a call reached the scratch prompt";
    let (after, _) = must_ask(recording, "parent-2", "the parent was not told what became of its call")?;
    let mut witness = after.witness();
    for (seen, turn) in recording.model_turns().into_iter().filter(|(_, turn)| is_scratch(turn)) {
        let whole = format!("{}\n{}", system(turn), said(turn));
        if let Some((name, _)) = MORE.iter().find(|(_, text)| whole.contains(text)) {
            return Err(at(&seen, message, format!("nothing of the argument `{name}`"), whole).into());
        }
        if !whole.contains(TASK) {
            return Err(at(&seen, message, "the task as it was sent", whole).into());
        }
        witness = witness.and(seen.witness());
    }
    Ok(witness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_task_is_long_and_inside_the_limits() {
        let long = long();
        assert!((2_000..100_000).contains(&long.len()), "{}", long.len());
    }
}
