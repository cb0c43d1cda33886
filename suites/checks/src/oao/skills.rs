//! Skills at run time (OAO-210 to OAO-214, OAO-218).

use engine::{Driver, Drove};
use model::{Answer, Script, ToolCall, Turn};
use recording::{Judged, ModelTurn, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    inner::{self, has_mark, marked, mounted, offered, parent, said},
    packages::{CARRIERS, CHECKLIST, INTAKE, NOTES, Package, TABLES, mount},
    runs::{at, events_of, load, must_ask, results},
    toolset,
};
use crate::table::checks;

checks! { Oao:
    "OAO-210-a" => a_skill_is_activated, its_text_comes_with_the_activation;
    "OAO-211-a" => files_of_two_skills, only_the_mounted_one_is_read;
    "OAO-212-a" => an_unknown_skill_is_activated, the_run_goes_on;
    "OAO-213-a" => files_of_two_skills, events_say_that_and_not_what;
    "OAO-214-a" => three_versions, the_tools_follow_what_is_mounted;
    "OAO-218-a" => one_toolset_twice, each_binding_has_its_tools;
}

/// The parent makes these calls one after the other.
fn sequence(calls: &[ToolCall]) -> Result<Script, model::ScriptError> {
    let mut turns = Vec::new();
    let mut when = parent().no_tool_results();
    for (at, call) in calls.iter().enumerate() {
        turns.push(Turn::new(format!("parent-{}", at + 1), Answer::new().call(call.clone())).when(when));
        when = parent().tool_result_for(call.id.clone().unwrap_or_default());
    }
    turns.push(Turn::new("parent-end", Answer::new().text("Done.")).when(when));
    Script::new("one after the other", turns)
}

fn activation(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, "activate_skill", json!({"name": name}))
}

fn reading(id: &str, package: &Package, path: &str) -> ToolCall {
    ToolCall::new(id, "read_skill_resource", json!({"name": package.name, "path": path}))
}

fn skilled(driver: &Driver<'_>, packages: &[&Package]) -> Value {
    mount(driver, inner::without_operations(driver), packages)
}

fn whole(turn: &ModelTurn) -> String {
    format!("{}\n{}", mounted(turn), said(turn))
}

async fn a_skill_is_activated(driver: &Driver<'_>) -> Drove {
    let script = sequence(&[activation("activate", INTAKE.name)]);
    inner::run(driver, &skilled(driver, &[&INTAKE, &NOTES]), script).await
}

fn its_text_comes_with_the_activation(recording: &Recording, _: &Spec) -> Judged {
    let message = "the model had the instructions of a Skill before it was activated";
    let (before, first) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    for package in [&INTAKE, &NOTES] {
        for text in [package.name, package.description()] {
            if !mounted(first).contains(text) {
                let message = "a mounted Skill is not listed with its name and description";
                return Err(at(&before, message, text, mounted(first)).into());
            }
        }
        if whole(first).contains(package.word) {
            return Err(at(
                &before,
                message,
                format!("nothing of the text of {}", package.name),
                whole(first),
            )
            .into());
        }
    }
    let (after, told) = must_ask(recording, "parent-end", "the activation had no answer")?;
    if !whole(told).contains(INTAKE.word) {
        let message = "the activation of a Skill did not bring its instructions";
        return Err(at(&after, message, format!("the word {}", INTAKE.word), said(told)).into());
    }
    if whole(told).contains(NOTES.word) {
        return Err(at(&after, message, format!("nothing of the text of {}", NOTES.name), whole(told)).into());
    }
    Ok(before.witness().and(after.witness()))
}

async fn files_of_two_skills(driver: &Driver<'_>) -> Drove {
    let calls = [
        activation("activate", INTAKE.name),
        reading("read_own", &INTAKE, CHECKLIST.0),
        reading("read_other", &TABLES, CARRIERS.0),
    ];
    inner::run(driver, &skilled(driver, &[&INTAKE]), sequence(&calls)).await
}

fn only_the_mounted_one_is_read(recording: &Recording, _: &Spec) -> Judged {
    let message = "a file of a Skill that is not mounted could be read";
    let (seen, told) = must_ask(recording, "parent-end", "the file of a Skill had no answer")?;
    let own = results(told, "read_own").join("\n");
    if !own.contains(CHECKLIST.1) {
        let message = "a file of a mounted Skill could not be read";
        return Err(at(&seen, message, format!("the word {}", CHECKLIST.1), own).into());
    }
    let other = results(told, "read_other").join("\n");
    if other.is_empty() || other.contains(CARRIERS.1) {
        return Err(at(&seen, message, "a tool error", other).into());
    }
    Ok(seen.witness())
}

async fn an_unknown_skill_is_activated(driver: &Driver<'_>) -> Drove {
    let script = sequence(&[activation("unknown", "no-such-skill"), activation("activate", INTAKE.name)]);
    inner::run(driver, &skilled(driver, &[&INTAKE]), script).await
}

fn the_run_goes_on(recording: &Recording, _: &Spec) -> Judged {
    let message = "the activation of an unknown Skill was not an ordinary tool error";
    let (seen, told) = must_ask(recording, "parent-end", message)?;
    let text = results(told, "activate").join("\n");
    if !text.contains(INTAKE.word) {
        return Err(at(&seen, message, "the next activation with its text", text).into());
    }
    let run = recording.one("run")?;
    if run.json()?["state"] != "completed" {
        return Err(run.finding(message, "a completed run").into());
    }
    let events = events_of(recording, "skill.activated");
    let flags: Vec<&Value> = events.iter().map(|(_, event)| &event["publicPayload"]["success"]).collect();
    if flags != [&json!(false), &json!(true)] {
        return Err(at(
            &seen,
            message,
            "one activation that failed and one that did not",
            format!("{flags:?}"),
        )
        .into());
    }
    Ok(events.iter().fold(seen.witness(), |witness, (event, _)| witness.and(event.witness())))
}

/// What an event of a Skill may say.
const KEYS: [&str; 4] = ["name", "path", "success", "durationMs"];

fn events_say_that_and_not_what(recording: &Recording, _: &Spec) -> Judged {
    let message = "an event of a Skill says more than which one was used";
    let (ended, _) = must_ask(recording, "parent-end", "the file of a Skill had no answer")?;
    let mut witness = ended.witness();
    for (kind, argument) in [("skill.activated", "name"), ("skill.resource_read", "path")] {
        let events = events_of(recording, kind);
        if events.is_empty() {
            return Err(ended
                .finding_got("the use of a Skill is not published", format!("`{kind}`"), "none")
                .into());
        }
        for (seen, event) in events {
            let payload = event["publicPayload"].as_object().cloned().unwrap_or_default();
            if let Some(more) = payload.keys().find(|key| !KEYS.contains(&key.as_str())) {
                return Err(seen.finding(message, format!("no `{more}`")).into());
            }
            let shown = [argument, "success", "durationMs"].iter().all(|key| payload.contains_key(*key));
            if !shown {
                return Err(seen
                    .finding(
                        "the event of a Skill lacks a member",
                        format!("{argument}, success, durationMs"),
                    )
                    .into());
            }
            witness = witness.and(seen.witness());
        }
    }
    for (seen, event) in recording.events("events") {
        let text = event.to_string();
        if [INTAKE.word, CHECKLIST.1, CARRIERS.1].iter().any(|word| text.contains(*word)) {
            return Err(seen.finding(message, "nothing of a Skill's text in any event").into());
        }
    }
    Ok(witness)
}

/// Marks, what is mounted, and which of the two tools there have to be.
const VERSIONS: [(&str, &[&Package], [bool; 2]); 3] = [
    ("without", &[], [false, false]),
    ("fileless", &[&NOTES], [true, false]),
    ("with-files", &[&INTAKE, &NOTES], [true, true]),
];

async fn three_versions(driver: &Driver<'_>) -> Drove {
    let words = Turn::new("parent", Answer::new().text("Done.")).when(parent()).repeat();
    load(driver, Script::new("words", [words]))?;
    for (mark, packages, _) in VERSIONS {
        inner::publish_and_run(driver, &format!("publish {mark}"), &marked(skilled(driver, packages), mark))
            .await?;
    }
    Ok(())
}

fn the_tools_follow_what_is_mounted(recording: &Recording, _: &Spec) -> Judged {
    let message = "the tools for Skills do not follow what is mounted";
    let mut witness: Option<Witness> = None;
    for (mark, _, wanted) in VERSIONS {
        let found = recording.model_turns().into_iter().find(|(_, turn)| has_mark(turn, mark));
        let Some((seen, turn)) = found else {
            return Err(recording
                .one("run")?
                .finding("the run did not ask the model", format!("a request of `{mark}`"))
                .into());
        };
        let there = ["activate_skill", "read_skill_resource"].map(|name| offered(turn).contains(&name));
        if there != wanted {
            let words = wanted.map(|wanted| if wanted { "is" } else { "is not" });
            let expected =
                format!("activate_skill {} there, read_skill_resource {} there", words[0], words[1]);
            return Err(inner::at_tools(&seen, turn, message, expected).into());
        }
        witness = Some(witness.map_or_else(|| seen.witness(), |before| before.and(seen.witness())));
    }
    witness.ok_or_else(|| Verdict::Error { reason: "nothing was run".to_owned() })
}

const NAMESPACES: [&str; 2] = ["front_desk", "back_desk"];

async fn one_toolset_twice(driver: &Driver<'_>) -> Drove {
    let tool = driver.facts().text("mcp_tool").unwrap_or_default().to_owned();
    let both = NAMESPACES.iter().fold(Answer::new(), |answer, namespace| {
        answer.call(ToolCall::new(*namespace, format!("mcp__{namespace}__{tool}"), json!({})))
    });
    let after = NAMESPACES.iter().fold(parent(), |when, namespace| when.tool_result_for(*namespace));
    let script = Script::new(
        "both bindings",
        [
            Turn::new("parent-1", both).when(parent().no_tool_results()),
            Turn::new("parent-end", Answer::new().text("Done.")).when(after),
        ],
    );
    let config = toolset::bind(driver, inner::without_operations(driver), &NAMESPACES);
    inner::run(driver, &config, script).await
}

/// What the tool answers is the target's affair, and so is whether it takes these arguments.
fn each_binding_has_its_tools(recording: &Recording, _: &Spec) -> Judged {
    let message = "a binding of a toolset does not mount its tools under its namespace";
    let (before, first) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    for namespace in NAMESPACES {
        let tool = toolset::name(recording, namespace);
        if !offered(first).contains(&tool.as_str()) {
            return Err(inner::at_tools(&before, first, message, format!("the tool `{tool}`")).into());
        }
    }
    let (after, told) = must_ask(recording, "parent-end", "a tool of a toolset had no answer")?;
    for namespace in NAMESPACES {
        if results(told, namespace).is_empty() {
            let got = format!("{:?}", results(told, namespace));
            return Err(at(&after, message, format!("a result for the tool of `{namespace}`"), got).into());
        }
    }
    Ok(before.witness().and(after.witness()))
}
