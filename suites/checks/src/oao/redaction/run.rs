//! The runs in which canaries are planted.

use engine::{Driver, Drove, Halt};
use model::{Answer, Conditions, ErrorStatus, Fault, Script, ToolCall, Turn};
use serde_json::{Map, Value, json};

use crate::{
    canary::Canary,
    oao::{
        agents::{Agent, need_agent, project},
        packages::INTAKE,
        runs::{BEGIN, Started, load, readable, settle, start},
    },
};

pub(super) const KEEPS: &str = "keep_secrets";
const GIVES_UP: &str = "give_it_up";
const BREAKS: &str = "break_down";
pub(super) const LIMIT_MS: u64 = 20_000;
/// The document, under a name that events may say.
pub(super) const PAPER: &str = "papers/manifest.txt";
/// Members of the result. Four of them have names that step summaries look for.
pub(super) const MEMBERS: [&str; 5] = ["answer", "path", "name", "url", "action"];

/// The canaries of a check, by channel.
pub(super) struct Planted<'a>(pub(super) &'a Driver<'a>);

impl Planted<'_> {
    pub(super) fn text(&self, channel: &str) -> String {
        Canary::of(&self.0.seed(), channel).text
    }

    /// Puts on record what was planted in which channel.
    pub(super) fn say(&self, channels: &[&str]) {
        let texts = channels.iter().map(|channel| ((*channel).to_owned(), json!(self.text(channel))));
        self.0.fact("canaries", Value::Object(texts.collect::<Map<String, Value>>()));
    }
}

/// Every channel of the big run.
const CHANNELS: [&str; 16] = [
    "system-prompt",
    "instructions",
    "task",
    "document",
    "parent-text",
    "scratch-text",
    "thinking",
    "invalid-result",
    "result-answer",
    "result-path",
    "result-name",
    "result-url",
    "result-action",
    "give-up-reason",
    "provider-error",
    "final-text",
];

/// An operation whose result has all of [`MEMBERS`].
pub(super) fn operation(key: &str, instructions: &str) -> Value {
    let member = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
    json!({
        "key": key,
        "description": format!("Handle papers: {key}."),
        "instructions": instructions,
        "resultSchema": {
            "type": "object",
            "properties": MEMBERS.iter().map(member).collect::<Map<String, Value>>(),
            "required": MEMBERS,
            "additionalProperties": false,
        },
        "timeoutMs": LIMIT_MS,
    })
}

/// A parent writes a document and calls three operations: one reads it and, after an invalid attempt,
/// finishes; one gives up after an invalid attempt; the model of the last one breaks down.
fn script(planted: &Planted<'_>) -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let of = |task: &str| Conditions::new().user_contains(task);
    let call = |id: &str, name: &str, arguments: Value| ToolCall::new(id, name, arguments);
    let document = format!("Manifest. {} is what it says.", planted.text("document"));
    let task = |name: &str| json!({"task": format!("{name} {}", planted.text("task"))});
    let invalid = json!({"surplus": planted.text("invalid-result")});
    let result: Map<String, Value> = MEMBERS
        .iter()
        .map(|name| ((*name).to_owned(), json!(planted.text(&format!("result-{name}")))))
        .collect();
    let provider = ErrorStatus { message: Some(planted.text("provider-error")), ..ErrorStatus::from(400) };
    Script::new(
        "a run full of canaries",
        [
            Turn::new(
                "parent-writes",
                Answer::new().text(planted.text("parent-text")).call(call(
                    "p_write",
                    "write",
                    json!({"path": PAPER, "content": document}),
                )),
            )
            .when(parent().no_tool_results()),
            Turn::new(
                "parent-calls",
                Answer::new()
                    .call(call("c_keep", KEEPS, task("keeper")))
                    .call(call("c_give", GIVES_UP, task("quitter")))
                    .call(call("c_break", BREAKS, task("breaker"))),
            )
            .when(parent().tool_result_for("p_write")),
            Turn::new("parent-ends", Answer::new().text(planted.text("final-text"))).when(
                parent().tool_result_for("c_keep").tool_result_for("c_give").tool_result_for("c_break"),
            ),
            Turn::new(
                "keep-reads",
                Answer::new()
                    .thinking(planted.text("thinking").as_str())
                    .text(planted.text("scratch-text"))
                    .call(call("k_read", "read", json!({"path": PAPER}))),
            )
            .when(of("keeper").no_tool_results()),
            Turn::new("keep-errs", Answer::new().call(call("k_bad", "finish", invalid.clone())))
                .when(of("keeper").tool_result_for("k_read")),
            Turn::new("keep-ends", Answer::new().call(call("k_end", "finish", Value::Object(result))))
                .when(of("keeper").tool_result_for("k_bad")),
            Turn::new("give-errs", Answer::new().call(call("g_bad", "finish", invalid)))
                .when(of("quitter").no_tool_results()),
            Turn::new(
                "give-ends",
                Answer::new().call(call(
                    "g_end",
                    "give_up",
                    json!({"reason": planted.text("give-up-reason")}),
                )),
            )
            .when(of("quitter").tool_result_for("g_bad")),
            Turn::new("break", Answer::new().text("It never says this."))
                .when(of("breaker"))
                .repeat()
                .fault(Fault { status: Some(provider), ..Fault::new() }),
        ],
    )
}

/// Publishes the agent of the big run and loads its script.
pub(super) async fn need_big_run(driver: &Driver<'_>) -> Result<Agent, Halt> {
    let planted = Planted(driver);
    planted.say(&CHANNELS);
    load(driver, script(&planted))?;
    let instructions = format!("Handle the papers. {}", planted.text("instructions"));
    let operations: Value =
        [KEEPS, GIVES_UP, BREAKS].iter().map(|key| operation(key, &instructions)).collect();
    let mut config = readable(driver, &operations);
    config["sandbox"]["capabilities"] = json!(["filesystem_read", "filesystem_write"]);
    let system = config["systemPrompt"].as_str().unwrap_or_default();
    config["systemPrompt"] = json!(format!("{system} {}", planted.text("system-prompt")));
    need_agent(driver, "publish", &config, "publish an agent with operations").await
}

/// Reads what is public of a run beside its events: the run and its timeline.
pub(super) async fn read_public(driver: &Driver<'_>, started: &Started) {
    driver.get("public", format!("{}/runs/{}", project(driver), started.run)).await;
    driver.get("public", format!("{}/runs/{}/timeline", project(driver), started.run)).await;
}

pub(super) async fn a_run_full_of_canaries(driver: &Driver<'_>) -> Drove {
    let agent = need_big_run(driver).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    read_public(driver, &started).await;
    Ok(())
}

pub(super) async fn a_skill_is_activated(driver: &Driver<'_>) -> Drove {
    let parent = || Conditions::new().user_contains(BEGIN);
    let scratch = || Conditions::new().user_contains("the-task-with-a-skill");
    let activate = ToolCall::new("activate", "activate_skill", json!({"name": INTAKE.name}));
    let result: Map<String, Value> = MEMBERS.iter().map(|name| ((*name).to_owned(), json!("done"))).collect();
    let script = Script::new(
        "a skill is activated",
        [
            Turn::new(
                "parent-calls",
                Answer::new().call(ToolCall::new("c_keep", KEEPS, json!({"task": "the-task-with-a-skill"}))),
            )
            .when(parent().no_tool_results()),
            Turn::new("parent-ends", Answer::new().text("Done.")).when(parent().tool_result_for("c_keep")),
            Turn::new("skill-activates", Answer::new().call(activate)).when(scratch().no_tool_results()),
            Turn::new(
                "skill-ends",
                Answer::new().call(ToolCall::new("k_end", "finish", Value::Object(result))),
            )
            .when(scratch().tool_result_for("activate")),
        ],
    );
    load(driver, script)?;
    let mut config = readable(driver, &json!([operation(KEEPS, "Use the Skill.")]));
    config["skillVersionIds"] = json!([driver.facts().text(INTAKE.setting).unwrap_or_default()]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with a Skill").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}
