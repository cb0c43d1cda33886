//! An operation has no settings of its own (OAO-07, OAO-22).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Turn};
use recording::{Judged, ModelTurn, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, create, need_agent},
    inherited_skills::not_listed,
    inner::{self, KEY, at_once, call, finish, has_mark, is_scratch, marked, offered, scratch},
    packages::{INTAKE, NOTES, Package, TABLES, mount},
    refusal::OTHER_REASONS,
    runs::{BEGIN, again, at, load, readable, results, settle, start},
    uploads,
};
use crate::table::checks;

checks! { Oao:
    "OAO-07-a" => skills_of_its_own, the_catalogue_is_whole;
    "OAO-22-a" => a_model_of_its_own, the_model_is_the_parents;
    "OAO-22-b" => capabilities_of_its_own, the_tools_are_the_parents;
    "OAO-22-c" => a_sandbox_of_its_own, the_files_are_the_parents;
}

/// The marks of the agent without the member, and of the one that has it.
const MARKS: [&str; 2] = ["plain", "extra"];

/// `config` with further members in its operation.
fn with_members(config: &Value, members: &[(&str, Value)]) -> Value {
    let mut config = config.clone();
    for (name, value) in members {
        config["harnessOperations"][0][*name] = value.clone();
    }
    config
}

/// Calls the operation as it should be; then publishes it with `members`, and calls that if it was accepted.
async fn attempt(driver: &Driver<'_>, config: Value, members: &[(&str, Value)]) -> Drove {
    load(driver, inner::script(at_once()))?;
    inner::publish_and_run(driver, "publish", &marked(config.clone(), MARKS[0])).await?;
    let extra = marked(with_members(&config, members), MARKS[1]);
    let reply = create(driver, "extra", &extra).await;
    let Some(agent) = reply.json.as_ref().filter(|_| reply.is_success()).and_then(Agent::of) else {
        return Ok(());
    };
    let started = start(driver, "start-extra", &agent).await?;
    settle(driver, &started).await
}

/// The member was refused, or it had no effect: in every scratch loop `holds`, which gives what is wrong.
fn no_effect(
    recording: &Recording,
    message: &str,
    holds: impl Fn(&ModelTurn, &ModelTurn) -> Result<(), (String, String)>,
) -> Judged {
    let attempt = recording.one("extra")?;
    let status = attempt.answer()?.status;
    let marks = match status {
        200..300 => &MARKS[..],
        400..500 if !OTHER_REASONS.contains(&status) => &MARKS[..1],
        _ => {
            let message = "a definition with an unknown member is not answered as a fault of the request";
            return Err(attempt.finding(message, "a 4xx, or a 2xx").into());
        }
    };
    let mut witness = attempt.witness();
    for mark in marks {
        let (outside, parent) = one(recording, mark, false)?;
        let (seen, inside) = one(recording, mark, true)?;
        if let Err((expected, got)) = holds(parent, inside) {
            return Err(at(&seen, message, expected, got).into());
        }
        witness = witness.and(outside.witness()).and(seen.witness());
    }
    Ok(witness)
}

/// The last request of the parent, or of the scratch loop, of the agent with this mark: it holds the most.
fn one<'a>(recording: &'a Recording, mark: &str, inside: bool) -> Result<(Seen<'a>, &'a ModelTurn), Verdict> {
    let fits = |turn: &ModelTurn| has_mark(turn, mark) && is_scratch(turn) == inside;
    match recording.model_turns().into_iter().rfind(|(_, turn)| fits(turn)) {
        Some(found) => Ok(found),
        None => {
            let expected = format!("a model request of the agent `{mark}`");
            Err(recording.one("run")?.finding("the operation was not run", expected).into())
        }
    }
}

const ALL: [&Package; 3] = [&INTAKE, &TABLES, &NOTES];

async fn skills_of_its_own(driver: &Driver<'_>) -> Drove {
    let config = mount(driver, readable(driver, &inner::operations()), &ALL);
    attempt(driver, config, &[("skills", json!([TABLES.name]))]).await
}

fn the_catalogue_is_whole(recording: &Recording, _: &Spec) -> Judged {
    no_effect(
        recording,
        "an operation narrowed the Skills of its scratch loop",
        |_, inside| match not_listed(inside, &ALL) {
            None => Ok(()),
            Some(missing) => Err((format!("the Skill {missing}"), inner::mounted(inside))),
        },
    )
}

async fn a_model_of_its_own(driver: &Driver<'_>) -> Drove {
    let Some(other) = driver.facts().text("model_preset_other") else {
        return Err(driver.unmet("another approved preset: give `[settings] model_preset_other`"));
    };
    let member = ("model", json!(other));
    attempt(driver, readable(driver, &inner::operations()), &[member]).await
}

fn the_model_is_the_parents(recording: &Recording, _: &Spec) -> Judged {
    no_effect(recording, "an operation had a model of its own", |parent, inside| {
        let model = |turn: &ModelTurn| turn.request["model"].to_string();
        if model(parent) == model(inside) { Ok(()) } else { Err((model(parent), model(inside))) }
    })
}

/// The version may read; the operation says that it may not, and may run commands.
async fn capabilities_of_its_own(driver: &Driver<'_>) -> Drove {
    let members = [("capabilities", json!(["shell"])), ("tools", json!(["bash"]))];
    attempt(driver, readable(driver, &inner::operations()), &members).await
}

fn the_tools_are_the_parents(recording: &Recording, _: &Spec) -> Judged {
    no_effect(recording, "an operation had tools of its own", |parent, inside| {
        let set = |turn| -> Vec<String> {
            let names = offered(turn).into_iter();
            names
                .filter(|name| ![KEY, "finish", "give_up", "task"].contains(name))
                .map(str::to_owned)
                .collect()
        };
        let (parent, inside) = (set(parent), set(inside));
        if parent == inside { Ok(()) } else { Err((format!("{parent:?}"), format!("{inside:?}"))) }
    })
}

/// The scratch loop of each agent reads a file that came with an earlier message of its session.
async fn a_sandbox_of_its_own(driver: &Driver<'_>) -> Drove {
    let setting = |name: &str| driver.facts().text(name).unwrap_or("default").to_owned();
    let sandbox = json!({
        "enabled": true, "provider": setting("sandbox_provider"), "snapshotId": setting("sandbox_snapshot"),
        "network": "none", "capabilities": ["filesystem_read"],
    });
    let config = readable(driver, &inner::operations());
    let plain = marked(config.clone(), MARKS[0]);
    let agent = need_agent(driver, "publish", &plain, "publish an agent with an operation").await?;
    read_inside(driver, &agent).await?;
    let extra = marked(with_members(&config, &[("sandbox", sandbox)]), MARKS[1]);
    let reply = create(driver, "extra", &extra).await;
    match reply.json.as_ref().filter(|_| reply.is_success()).and_then(Agent::of) {
        Some(agent) => read_inside(driver, &agent).await,
        None => Ok(()),
    }
}

async fn read_inside(driver: &Driver<'_>, agent: &Agent) -> Drove {
    let words =
        Turn::new("words", Answer::new().text("Taken.")).when(Conditions::new().user_contains(uploads::TAKE));
    load(driver, model::Script::new("words", [words]))?;
    let first = uploads::bring(driver, "start", agent).await?;
    let read = call("look", "read", json!({"path": uploads::path(&first)}));
    load(
        driver,
        inner::script(vec![
            Turn::new("scratch-1", read).when(scratch().no_tool_results()),
            Turn::new("scratch-2", finish()).when(scratch().tool_result_for("look")),
        ]),
    )?;
    let second = again(driver, "again", &first, BEGIN).await?;
    settle(driver, &second).await
}

fn the_files_are_the_parents(recording: &Recording, _: &Spec) -> Judged {
    let witness = no_effect(recording, "an operation had a sandbox of its own", |_, inside| {
        let text = results(inside, "look").join("\n");
        if text.contains(uploads::CONTENT) { Ok(()) } else { Err((uploads::CONTENT.to_owned(), text)) }
    })?;
    let two = |detail: &Value| {
        detail.pointer("/debug/sandboxes").and_then(Value::as_array).is_some_and(|list| list.len() > 1)
    };
    let mut all: Witness = witness.and(recording.one("detail")?.witness());
    for detail in recording.labelled("detail") {
        if detail.body().is_some_and(|body| two(&body)) {
            return Err(detail
                .finding("an operation had a sandbox of its own", "one sandbox in the session")
                .into());
        }
        all = all.and(detail.witness());
    }
    Ok(all)
}
