//! Loops by their road, and sessions on them whose model plays a script.

use std::time::Duration;

use engine::{Driver, Halt};
use model::{Answer, Conditions, ToolCall, Turn};
use recording::{Finding, ModelTurn, Seen, Verdict, View};
use serde_json::{Value, json};

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    rows::text,
    talk::Talk,
};

/// What the user says. Scripts know a coordinator by it.
pub(crate) const BEGIN: &str = "begin-the-work";

/// The base of a loop that `road` (`first_road` or `second_road`) lists and that is of the `wanted` kind. A
/// target without one is not concerned: the road is not on the wire, so its description has to say it.
pub(crate) fn on_road(
    environment: &Environment<'_>,
    road: &str,
    wanted: impl Fn(&Value) -> bool,
) -> Result<String, Halt> {
    let bases = environment.driver().facts().list(road);
    let fits = |row: &Value| bases.contains(&text(row, "base")) && starts_here(row) && wanted(row);
    let row = environment.find(fits);
    row.map(|row| text(&row, "base").to_owned())
        .ok_or_else(|| environment.lacks(&format!("loop of that kind that `[settings] {road}` names")))
}

/// An agent on `base` whose requests can be told by `[MARK]` in their system text.
pub(crate) fn marked(environment: &Environment<'_>, base: &str, mark: &str) -> Agent {
    let system = format!("Answer briefly. [{mark}] {}", environment.driver().marker());
    Agent::bare(environment, base).with("system", json!(system))
}

/// The turn `id`, which says something and calls nothing, as often as it is asked for.
pub(crate) fn says(id: &str) -> Turn {
    Turn::new(id, Answer::new().text("Done.")).repeat()
}

/// An answer that calls one tool.
pub(crate) fn calling(id: &str, tool: &str, arguments: impl Into<Value>) -> Answer {
    Answer::new().call(ToolCall::new(id, tool, arguments))
}

/// The loop calls `tool` once and ends: turns `calls` and `told`.
pub(crate) fn calls_once(tool: &str, arguments: impl Into<Value>) -> Vec<Turn> {
    vec![
        Turn::new("calls", calling("c1", tool, arguments)).when(Conditions::new().no_tool_results()),
        Turn::new("told", Answer::new().text("Done.")).when(Conditions::new().tool_result_for("c1")),
    ]
}

/// Starts a session of `agent` as a step before the one under test, and follows it; `of` stands at the end of
/// all labels.
pub(crate) async fn need_talk<'a>(
    environment: &Environment<'a>,
    agent: &Agent,
    of: &str,
) -> Result<Talk<'a>, Halt> {
    let agent = environment.need_agent(&format!("agent{of}"), agent).await?;
    let session = environment.need_session(&format!("start{of}"), &agent).await?;
    Ok(Talk::open(environment, &session, of).await)
}

/// Starts a session of `agent`, says [`BEGIN`], waits for the end of the turn and records what the model was
/// asked. A turn that does not end is judged by what was seen of it.
pub(crate) async fn play(environment: &Environment<'_>, agent: &Agent) -> Result<(), Halt> {
    let mut talk = need_talk(environment, agent, "").await?;
    talk.turn(BEGIN).await?;
    environment.driver().record_model("model")
}

/// Whether the turn is over `within` so long.
pub(crate) async fn is_over(driver: &Driver<'_>, talk: &mut Talk<'_>, within: Duration) -> bool {
    driver.clock().within(within, talk.until_over()).await.flatten().is_some()
}

/// The names of the tools that a model request offers.
pub(crate) fn offered(turn: &ModelTurn) -> Vec<&str> {
    let tools = turn.request.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(|tool| tool.get("name")?.as_str()).collect()
}

/// The first request of an agent that is [`marked`] so.
pub(crate) fn of_mark<'r>(view: &'r impl View, mark: &str) -> Option<(Seen<'r>, &'r ModelTurn)> {
    let mark = format!("[{mark}]");
    let says_so = |turn: &ModelTurn| turn.request["system"].as_str().is_some_and(|text| text.contains(&mark));
    view.model_turns().into_iter().find(|(_, turn)| says_so(turn))
}

/// The first request that the scripted turn `id` answered.
pub(crate) fn asked<'r>(view: &'r impl View, id: &str) -> Option<(Seen<'r>, &'r ModelTurn)> {
    view.model_turns().into_iter().find(|(_, turn)| turn.turn.as_deref() == Some(id))
}

/// The first request of all; a finding at the message where the model was never asked.
pub(crate) fn first_asked<'r>(view: &'r impl View) -> Result<(Seen<'r>, &'r ModelTurn), Verdict> {
    match view.model_turns().into_iter().next() {
        Some(found) => Ok(found),
        None => Err(view.one("say")?.finding("the loop did not ask its model", "a model request").into()),
    }
}

/// A finding at a model request that says which tools it offers.
pub(crate) fn at_tools(
    (seen, turn): (&Seen<'_>, &ModelTurn),
    message: &str,
    expected: impl Into<String>,
) -> Finding {
    seen.finding_got(message, expected, format!("{:?}", offered(turn)))
}
