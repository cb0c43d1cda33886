//! What a console leaves out of Skills (OAO-66-c).

use engine::{Driver, Drove};
use model::{Answer, ScriptError, ToolCall, Turn};
use recording::{Judged, Recording};
use serde_json::json;
use spec::Spec;

use super::{
    content::hunt_words,
    play::{CALL, KEY, LIMIT_MS, TASK, finish, rounds, scratch},
    view::look,
};
use crate::{
    oao::{
        agents::need_agent,
        runs::{load, must_ask, operation, readable, settle, start},
    },
    table::checks,
};

checks! { Oao:
    "OAO-66-c" => a_skill_is_used, nothing_of_the_skill;
}

/// A package of `fixtures/oao/skills`: the setting with its id on the target, its name, and one of its files.
const PACKAGE: (&str, &str, &str) = ("skill_intake", "shipment-intake", "references/checklist.md");
/// A word of its instructions and one of that file, which stand nowhere else.
const WORDS: [&str; 2] = ["amber-heron-intake", "granite-otter-checklist"];

fn script() -> Result<model::Script, ScriptError> {
    let (_, name, file) = PACKAGE;
    let call = |id: &str, tool: &str, arguments| Answer::new().call(ToolCall::new(id, tool, arguments));
    let activate = call("inner_1", "activate_skill", json!({"name": name}));
    let resource = call("inner_2", "read_skill_resource", json!({"name": name, "path": file}));
    let turns = vec![
        Turn::new("scratch-1", activate).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", resource).when(scratch(TASK).tool_result_for("inner_1")),
        Turn::new("scratch-3", finish("inner_3", "used")).when(scratch(TASK).tool_result_for("inner_2")),
    ];
    rounds(&[&[(CALL, KEY, TASK)]], turns)
}

async fn a_skill_is_used(driver: &Driver<'_>) -> Drove {
    load(driver, script())?;
    let mut config = readable(driver, &json!([operation(KEY, LIMIT_MS)]));
    config["skillVersionIds"] = json!([driver.facts().text(PACKAGE.0)]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a Skill").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &[CALL]).await;
    Ok(())
}

/// The model was told both words: else nothing could have leaked.
fn nothing_of_the_skill(recording: &Recording, _: &Spec) -> Judged {
    let (told, turn) = must_ask(recording, "scratch-3", "the scratch loop did not use its Skill")?;
    let heard = turn.journal.to_string();
    if let Some(word) = WORDS.iter().find(|word| !heard.contains(**word)) {
        return Err(told
            .finding("the scratch loop did not get the text of a Skill", format!("`{word}`"))
            .into());
    }
    let message = "the console shows the text of a Skill or of one of its files";
    Ok(hunt_words(recording, message, &WORDS.map(str::to_owned))?.and(told.witness()))
}
