//! A Skill is guidance, and an operation is a loop (OAO-05, OAO-09).

use engine::{Driver, Drove};
use model::{Answer, ScriptError, Turn};
use recording::{Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    inner::{
        self, OUTER, at_once, call, finish, has_mark, is_scratch, marked, must_scratch, offered, parent,
        said, scratch,
    },
    packages::{INTAKE, NAMED_TOOL, NOTES, TABLES, mount},
    runs::{BEGIN, at, events_of, load, must_ask, readable, results, value},
};
use crate::table::checks;

checks! { Oao:
    "OAO-05-a" => with_and_without_a_skill, the_same_tools_are_offered;
    "OAO-05-b" => the_parent_activates, the_guidance_stays_in_the_conversation;
    "OAO-09-a" => a_hint_is_not_followed, the_operation_completes;
    "OAO-09-b" => an_unmounted_skill_is_named, the_attempt_fails_inside;
}

/// The tools that come with Skills as such.
const FOR_SKILLS: [&str; 2] = ["activate_skill", "read_skill_resource"];

async fn with_and_without_a_skill(driver: &Driver<'_>) -> Drove {
    load(driver, inner::script(at_once()))?;
    let bare = readable(driver, &inner::operations());
    let skilled = mount(driver, bare.clone(), &[&NOTES]);
    inner::publish_and_run(driver, "publish", &marked(bare, "bare")).await?;
    inner::publish_and_run(driver, "publish-skilled", &marked(skilled, "skilled")).await.map(drop)
}

fn the_same_tools_are_offered(recording: &Recording, _: &Spec) -> Judged {
    let message = "a Skill changed which tools can be called";
    let mut witness: Option<Witness> = None;
    for inside in [false, true] {
        let mut sets = Vec::new();
        for mark in ["bare", "skilled"] {
            let fits = |turn: &recording::ModelTurn| has_mark(turn, mark) && is_scratch(turn) == inside;
            let found = recording.model_turns().into_iter().find(|(_, turn)| fits(turn));
            let Some((seen, turn)) = found else {
                let run = recording.one("run")?;
                return Err(run
                    .finding("the run did not ask the model", format!("a request of `{mark}`"))
                    .into());
            };
            let set: Vec<&str> =
                offered(turn).into_iter().filter(|name| !FOR_SKILLS.contains(name)).collect();
            witness = Some(witness.map_or_else(|| seen.witness(), |before| before.and(seen.witness())));
            sets.push((seen, turn, set));
        }
        if let [(_, _, bare), (seen, turn, skilled)] = sets.as_slice()
            && (bare != skilled || skilled.contains(&NAMED_TOOL))
        {
            return Err(inner::at_tools(seen, turn, message, format!("{bare:?}")).into());
        }
    }
    witness.ok_or_else(|| recording::Verdict::Error { reason: "nothing was compared".to_owned() })
}

async fn the_parent_activates(driver: &Driver<'_>) -> Drove {
    let activate = call("activate", "activate_skill", json!({"name": INTAKE.name}));
    let script = model::Script::new(
        "the parent activates",
        [
            Turn::new("parent-1", activate).when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for("activate")),
        ],
    );
    inner::run(driver, &mount(driver, inner::without_operations(driver), &[&INTAKE]), script).await
}

fn the_guidance_stays_in_the_conversation(recording: &Recording, _: &Spec) -> Judged {
    let message = "the activation of a Skill did more than put its text into the conversation";
    let events = recording.events("events");
    let operation = |event: &Value| event["kind"].as_str().is_some_and(|kind| kind.starts_with("harness."));
    if let Some((seen, event)) = events.iter().find(|(_, event)| operation(event)) {
        return Err(at(seen, message, "no event of an operation", event["kind"].to_string()).into());
    }
    let elsewhere = |turn: &recording::ModelTurn| is_scratch(turn) || !said(turn).contains(BEGIN);
    if let Some((seen, turn)) = recording.model_turns().into_iter().find(|(_, turn)| elsewhere(turn)) {
        return Err(at(&seen, message, "no conversation beside the one that is open", said(turn)).into());
    }
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let whole = format!("{}\n{}", inner::system(told), said(told));
    if !whole.contains(INTAKE.word) {
        return Err(at(&seen, message, format!("the text with the word {}", INTAKE.word), whole).into());
    }
    Ok(seen.witness())
}

async fn a_hint_is_not_followed(driver: &Driver<'_>) -> Drove {
    let instructions = format!("Activate the skill {} first. Then return the answer.", INTAKE.name);
    let config = mount(driver, readable(driver, &inner::instructed(&instructions)), &[&INTAKE]);
    inner::run(driver, &config, inner::script(at_once())).await
}

fn the_operation_completes(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation did not complete because a Skill was not activated";
    must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let completed = events_of(recording, "harness.operation_completed");
    match completed.first() {
        Some((event, _)) if value(told, OUTER) == Some(json!({"answer": "found"})) => {
            Ok(seen.witness().and(event.witness()))
        }
        _ => {
            Err(at(&seen, message, "the result that was handed in", format!("{:?}", results(told, OUTER)))
                .into())
        }
    }
}

/// The two names that the loop tries: a Skill that exists and is not mounted, and one that nobody has.
const TRIES: [(&str, &str); 2] = [("try_unmounted", TABLES.name), ("try_unknown", "no-such-skill")];

fn tries() -> Result<model::Script, ScriptError> {
    let both = TRIES.iter().fold(Answer::new(), |answer, (id, name)| {
        answer.call(model::ToolCall::new(*id, "activate_skill", json!({"name": name})))
    });
    let after = TRIES.iter().fold(scratch(), |when, (id, _)| when.tool_result_for(*id));
    inner::script(vec![
        Turn::new("plain", finish()).when(scratch().system_contains("[plain]")),
        Turn::new("scratch-1", both).when(scratch().no_tool_results()),
        Turn::new("scratch-2", finish()).when(after),
    ])
}

/// An agent whose instructions name a Skill that is mounted is run first, so that a target which only refuses
/// the other one is known to run at all.
async fn an_unmounted_skill_is_named(driver: &Driver<'_>) -> Drove {
    load(driver, tries())?;
    let plain = format!("Activate the `{}` skill first. Then return the answer.", INTAKE.name);
    let plain = mount(driver, readable(driver, &inner::instructed(&plain)), &[&INTAKE]);
    inner::publish_and_run(driver, "publish-plain", &marked(plain, "plain")).await?;
    let instructions = format!("Activate the `{}` skill first. Then return the answer.", TABLES.name);
    let config = mount(driver, readable(driver, &inner::instructed(&instructions)), &[&INTAKE]);
    let reply = super::agents::create(driver, "publish", &config).await;
    // A refusal is judged; there is nothing to run then.
    let Some(agent) = reply.json.as_ref().filter(|_| reply.is_success()).and_then(super::agents::Agent::of)
    else {
        return Ok(());
    };
    let started = super::runs::start(driver, "start", &agent).await?;
    super::runs::settle(driver, &started).await
}

fn the_attempt_fails_inside(recording: &Recording, _: &Spec) -> Judged {
    let publish = recording.one("publish")?;
    publish.answer()?;
    if !publish.is_success() {
        let message = "instructions that name a Skill which is not mounted were refused";
        return Err(publish.finding(message, "a 2xx").into());
    }
    let message = "the activation of a Skill that is not mounted did not fail as that of an unknown one";
    let (seen, inside) = must_ask(recording, "scratch-2", message)?;
    for (id, name) in TRIES {
        let text = results(inside, id).join("\n");
        if text.contains(TABLES.word) {
            return Err(at(&seen, message, format!("no text of `{name}`"), text).into());
        }
    }
    let failed = |event: &Value| {
        let payload = &event["publicPayload"];
        payload["toolName"] == "activate_skill" && payload["status"] == "error"
    };
    let steps: Vec<_> = events_of(recording, "harness.operation_step")
        .into_iter()
        .filter(|(_, event)| failed(event))
        .collect();
    if steps.len() != TRIES.len() {
        return Err(at(&seen, message, "two steps that ended in an error", format!("{}", steps.len())).into());
    }
    Ok(steps.iter().fold(seen.witness(), |witness, (step, _)| witness.and(step.witness())))
}
