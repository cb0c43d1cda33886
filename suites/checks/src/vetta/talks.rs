//! Sessions whose model plays a script.

use std::time::Duration;

use engine::{Call, Driver, Halt, Listening, Reply};
use model::{Answer, Conditions, Script, ScriptError, ToolCall, Turn};
use recording::{ModelTurn, Seen, Verdict, View};
use serde_json::{Value, json};

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    rows::text,
};
use crate::percent::encoded;

/// What the user says. Scripts know a coordinator by it.
pub(crate) const BEGIN: &str = "begin-the-work";
/// Until a turn that nothing stands in the way of must be over.
pub(crate) const OVER: Duration = Duration::from_secs(15);
/// Between two looks at a session whose events cannot be followed.
const LOOK: Duration = Duration::from_millis(200);
/// The events that end a turn (open points U20, U25).
const ENDS: [&str; 3] = ["turn.completed", "turn.failed", "turn.cancelled"];

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

/// Loads what the model answers to this check.
pub(crate) fn load(driver: &Driver<'_>, turns: impl IntoIterator<Item = Turn>) -> Result<(), Halt> {
    let script: Result<Script, ScriptError> = Script::new("contributed tools", turns);
    let script = script.map_err(|error| driver.broken(format!("the script is broken: {error}")))?;
    driver.model()?.load(driver.token(), &script.to_json()).map_err(|error| driver.broken(error))
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

/// A session, and its events as they come.
pub(crate) struct Talk<'e, 'a> {
    environment: &'e Environment<'a>,
    /// Its id.
    pub(crate) session: String,
    feed: Option<Listening<'a>>,
}

impl<'e, 'a> Talk<'e, 'a> {
    /// Starts a session of `agent` as a step before the one under test, and follows it: its events are
    /// recorded as `events`.
    pub(crate) async fn need(
        environment: &'e Environment<'a>,
        label: &str,
        agent: &Agent,
    ) -> Result<Self, Halt> {
        let agent = environment.need_agent(&format!("{label}: agent"), agent).await?;
        let session = environment.need_session(&format!("{label}: start"), &agent).await?;
        let driver = environment.driver();
        let path = format!("/v1/sessions/{}/events", encoded(&session));
        let call = Call::get(path).key_named(environment.credential().to_owned());
        // Events that are only polled have no stream (open point U24); the session is looked at then.
        let feed = driver.listen("events", call).await.filter(|feed| feed.status() == 200);
        Ok(Self { environment, session, feed })
    }

    fn path(&self, below: &str) -> String {
        format!("/v1/sessions/{}{below}", encoded(&self.session))
    }

    /// Says [`BEGIN`] as a step before the one under test.
    pub(crate) async fn begin(&self) -> Result<(), Halt> {
        let reply = self.say("message", BEGIN).await;
        self.environment.driver().need(&reply, "send a message to a session").map(drop)
    }

    /// Says something.
    pub(crate) async fn say(&self, label: &str, content: &str) -> Reply {
        let call = Call::post(self.path("/messages"), &json!({ "content": content }));
        self.environment.send(label, call).await
    }

    /// Reads the session.
    pub(crate) async fn read(&self, label: &str) -> Reply {
        self.environment.read_session(label, &self.session).await
    }

    /// Reads the list of its threads.
    pub(crate) async fn threads(&self, label: &str) -> Reply {
        self.environment.send(label, Call::get(self.path("/threads"))).await
    }

    /// Waits until the turn is over, `within` at most, and says whether it is.
    pub(crate) async fn over(&mut self, within: Duration) -> bool {
        self.until(within, &ENDS).await
    }

    /// Waits for one of the events `kinds`, `within` at most, and says whether it came.
    pub(crate) async fn until(&mut self, within: Duration, kinds: &[&str]) -> bool {
        let Some(feed) = &mut self.feed else { return self.rests(within).await };
        let is_wanted = |kind: &str| kinds.contains(&kind);
        feed.until(within, |event| event.data["type"].as_str().is_some_and(is_wanted)).await.is_some()
    }

    /// Waits until the session says that no turn is on, `within` at most, and says whether it does.
    pub(crate) async fn rests(&self, within: Duration) -> bool {
        let driver = self.environment.driver();
        let rests = async {
            while self.read("look").await.text("/status") == Some("running") {
                driver.clock().pause(LOOK).await;
            }
        };
        driver.clock().within(within, rests).await.is_some()
    }

    /// Begins and waits for the end of the turn. A turn that does not end is judged by what was seen of it.
    pub(crate) async fn begin_and_end(&mut self) -> Result<(), Halt> {
        self.begin().await?;
        self.over(OVER).await;
        Ok(())
    }

    /// Begins, waits for the end of the turn, and records what the model was asked.
    pub(crate) async fn play(&mut self) -> Result<(), Halt> {
        self.begin_and_end().await?;
        self.environment.driver().record_model("model")
    }
}

/// The names of the tools that a model request offers.
pub(crate) fn offered(turn: &ModelTurn) -> Vec<&str> {
    let tools = turn.request.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(|tool| tool.get("name")?.as_str()).collect()
}

/// The requests of the agents that are [`marked`] so.
pub(crate) fn of_mark<'r>(view: &'r impl View, mark: &str) -> Vec<(Seen<'r>, &'r ModelTurn)> {
    let mark = format!("[{mark}]");
    let system = |turn: &ModelTurn| turn.request.get("system").and_then(Value::as_str).map(str::to_owned);
    let turns = view.model_turns().into_iter();
    turns.filter(|(_, turn)| system(turn).is_some_and(|system| system.contains(&mark))).collect()
}

/// The first request that the scripted turn `id` answered.
pub(crate) fn asked<'r>(view: &'r impl View, id: &str) -> Option<(Seen<'r>, &'r ModelTurn)> {
    view.model_turns().into_iter().find(|(_, turn)| turn.turn.as_deref() == Some(id))
}

/// The first request of all; a finding at the message where the model was never asked.
pub(crate) fn must_ask<'r>(view: &'r impl View) -> Result<(Seen<'r>, &'r ModelTurn), Verdict> {
    match view.model_turns().into_iter().next() {
        Some(found) => Ok(found),
        None => Err(view.one("message")?.finding("the loop did not ask its model", "a model request").into()),
    }
}

/// A finding at a model request that says which tools it offers.
pub(crate) fn at_tools(
    (seen, turn): (&Seen<'_>, &ModelTurn),
    message: &str,
    expected: impl Into<String>,
) -> recording::Finding {
    seen.finding_got(message, expected, format!("{:?}", offered(turn)))
}
