//! Tools through the endpoint of a session (VET-39 to VET-42).

use engine::{Call, Driver, Drove, Halt, Receiver};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, NAMED_TOOL},
    environments::Environment,
    roads::{at_tools, first_asked, offered, on_road, play, says},
    rows::flag,
    talk::load,
    tool_endpoint::{Answered, ToolEndpoint, listed},
    tool_server::{self, CLOSED, OPEN, calls},
};
use crate::{percent::encoded, table::checks};

checks! { Vetta:
    "VET-39-a" => one_session_calls_at_another, nothing_is_listed_or_run;
    "VET-39-b" => session_ends_before_the_call, the_call_is_refused;
    "VET-40-a" => tools_of_a_process_are_seen, native_and_contributed_are_there;
    "VET-41-a" => everything_is_enabled, no_built_in_is_listed;
    "VET-41-b" => built_in_is_called_by_name, it_is_an_unknown_tool;
    "VET-42-a" => one_tool_is_on_ask, it_is_not_listed;
    "VET-42-b" => tool_on_ask_is_called, it_is_an_error_at_once;
}

const CROSSED: &str = "the credential of one session opens the tool endpoint of another";
const RAN_ACROSS: &str = "a tool was run for a session with the credential of another";
const OUTLIVED: &str = "the tool endpoint of a session that was deleted still answers";
const NOT_LISTED: &str = "the tool endpoint does not list what is contributed to the session";
const NATIVE_MISSING: &str = "a loop on the second road lost native tools to the contributed ones";
const CONTRIBUTED_MISSING: &str = "a loop on the second road is not offered what is contributed";
const BUILT_IN_LISTED: &str = "the tool endpoint lists a built-in of the platform";
const BUILT_IN_CALLABLE: &str = "a built-in of the platform can be called at the tool endpoint";
const ASK_LISTED: &str = "a contributed tool on `ask` is listed on the second road";
const ASK_RAN: &str = "a contributed tool on `ask` was run on the second road";
const ASK_HANGS: &str = "a call of a contributed tool on `ask` waits for a decision on the second road";

/// Native tools where the target's description names none: a shell, a file tool, a search tool.
const NATIVE: [&str; 3] = ["shell", "read", "grep"];

/// A session on the second road whose agent has the server of the suite and the policy `tools`.
struct Set<'a> {
    environment: Environment<'a>,
    server: Receiver<'a>,
    agent: String,
}

impl<'a> Set<'a> {
    async fn up(driver: &'a Driver<'a>, tools: Value) -> Result<Self, Halt> {
        let environment = Environment::primary(driver).await?;
        let base = on_road(&environment, "second_road", |row| flag(row, "injected_tools") == Some(true))?;
        let server = tool_server::open(driver).await?;
        let agent = Agent::on(&environment, &base)
            .with("mcp_servers", tool_server::servers(&server))
            .with("tools", tools);
        let agent = environment.need_agent("agent", &agent).await?;
        Ok(Self { environment, server, agent })
    }

    async fn session(&self, label: &str) -> Result<String, Halt> {
        self.environment.need_session(label, &self.agent).await
    }

    async fn endpoint(&self, name: &'static str, session: &str) -> Result<ToolEndpoint<'a>, Halt> {
        ToolEndpoint::need(self.environment.driver(), name, session).await
    }

    /// The endpoint of a new session, a conversation with it begun and its tools listed as `list`.
    async fn listed(&self) -> Result<(String, ToolEndpoint<'a>), Halt> {
        let session = self.session("start").await?;
        let mut endpoint = self.endpoint("endpoint", &session).await?;
        endpoint.hello("hello").await;
        endpoint.list("list").await;
        Ok((session, endpoint))
    }
}

fn all_allowed() -> Value {
    json!({"permission": "allow"})
}

fn asking() -> Value {
    json!({"permission": "allow", "overrides": {CLOSED: "ask"}})
}

/// The listing `label`, in which [`OPEN`] has to be: an endpoint that lists nothing shows nothing.
fn listing<'r>(view: &'r impl View, label: &str) -> Result<(Seen<'r>, Vec<String>), Verdict> {
    let list = view.one(label)?;
    match listed(&list) {
        Some(names) if names.iter().any(|name| name == OPEN) => Ok((list, names)),
        _ => Err(list.finding(NOT_LISTED, format!("`{OPEN}` in the list")).into()),
    }
}

async fn one_session_calls_at_another(driver: &Driver<'_>) -> Drove {
    let set = Set::up(driver, all_allowed()).await?;
    let (first, second) = (set.session("start").await?, set.session("other start").await?);
    let mut own = set.endpoint("endpoint", &first).await?;
    let other = set.endpoint("other_endpoint", &second).await?;
    own.hello("hello").await;
    own.list("list").await;
    let mut across = other.with_token_of(&own);
    across.hello("across: hello").await;
    across.list("across: list").await;
    across.call("across: call", OPEN, &json!({"ticket": driver.token()})).await;
    set.server.record();
    Ok(())
}

fn nothing_is_listed_or_run(recording: &Recording, _: &Spec) -> Judged {
    let (list, _) = listing(recording, "list")?;
    let mut witness = list.witness();
    for label in ["across: hello", "across: list", "across: call"] {
        let seen = recording.one(label)?;
        let status = seen.answer()?.status;
        if ![401, 403, 404].contains(&status) {
            return Err(seen.finding(CROSSED, "401, 403 or 404").into());
        }
        witness = witness.and(seen.witness());
    }
    match calls(recording, OPEN).first() {
        Some((call, _)) => Err(call.finding(RAN_ACROSS, format!("no call of `{OPEN}`")).into()),
        None => Ok(witness),
    }
}

async fn session_ends_before_the_call(driver: &Driver<'_>) -> Drove {
    let set = Set::up(driver, all_allowed()).await?;
    let (session, endpoint) = set.listed().await?;
    let path = format!("/v1/sessions/{}", encoded(&session));
    let deleted = set.environment.send("delete", Call::delete(path)).await;
    if !deleted.is_success() {
        return Err(driver.setup_failed(&deleted, "delete a session", "a 2xx answer"));
    }
    endpoint.list("late: list").await;
    endpoint.call("late: call", OPEN, &json!({"ticket": driver.token()})).await;
    set.server.record();
    Ok(())
}

fn the_call_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let (list, _) = listing(recording, "list")?;
    let mut witness = list.witness();
    for label in ["late: list", "late: call"] {
        let seen = recording.one(label)?;
        if !matches!(Answered::of(&seen), Answered::Refused(..)) || seen.answer()?.status >= 500 {
            return Err(seen.finding(OUTLIVED, "a refusal").into());
        }
        witness = witness.and(seen.witness());
    }
    match calls(recording, OPEN).first() {
        Some((call, _)) => Err(call.finding(OUTLIVED, format!("no call of `{OPEN}`")).into()),
        None => Ok(witness),
    }
}

async fn tools_of_a_process_are_seen(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let base = on_road(&environment, "second_road", |row| flag(row, "injected_tools") == Some(true))?;
    let server = tool_server::open(driver).await?;
    load(driver, "one answer", [says("says")])?;
    let agent = Agent::on(&environment, &base).with("mcp_servers", tool_server::servers(&server));
    play(&environment, &agent).await
}

fn native_and_contributed_are_there(recording: &Recording, _: &Spec) -> Judged {
    let (seen, turn) = first_asked(recording)?;
    let names = offered(turn);
    let told = recording.target.list("native_tools");
    let native = if told.is_empty() { NATIVE.to_vec() } else { told };
    if !native.iter().all(|tool| names.contains(tool)) {
        return Err(at_tools((&seen, turn), NATIVE_MISSING, native.join(", ")).into());
    }
    // A process may put the name of the endpoint in front of a tool's own name.
    if !names.iter().any(|name| name.ends_with(OPEN)) {
        return Err(at_tools((&seen, turn), CONTRIBUTED_MISSING, format!("`{OPEN}`")).into());
    }
    Ok(seen.witness())
}

async fn everything_is_enabled(driver: &Driver<'_>) -> Drove {
    Set::up(driver, all_allowed()).await?.listed().await.map(drop)
}

fn no_built_in_is_listed(recording: &Recording, _: &Spec) -> Judged {
    let (list, names) = listing(recording, "list")?;
    // The names of the other built-ins are for the implementation to choose (open point U44).
    if names.iter().any(|name| name == NAMED_TOOL) {
        return Err(list.finding(BUILT_IN_LISTED, format!("no `{NAMED_TOOL}` in the list")).as_warning());
    }
    Ok(list.witness())
}

async fn built_in_is_called_by_name(driver: &Driver<'_>) -> Drove {
    let set = Set::up(driver, all_allowed()).await?;
    let (_, endpoint) = set.listed().await?;
    let arguments = json!({"path": "report.txt"});
    endpoint.call("unknown", &unknown(driver.token()), &arguments).await;
    endpoint.call("built-in", NAMED_TOOL, &arguments).await;
    Ok(())
}

/// The name of a tool that nobody has.
fn unknown(token: &str) -> String {
    format!("no_tool_{token}")
}

/// A name that nobody has shows how the endpoint answers to one, and it has to answer in the same way here.
fn it_is_an_unknown_tool(recording: &Recording, _: &Spec) -> Judged {
    let (list, _) = listing(recording, "list")?;
    let (other, built_in) = (recording.one("unknown")?, recording.one("built-in")?);
    if !Answered::of(&other).is_error() {
        return Err(other.finding("a tool that nobody has can be called", "an error").into());
    }
    let kind = |seen: &Seen<'_>, name: &str| match Answered::of(seen) {
        Answered::Result(result) => (None, None, Some(result.to_string().replace(name, "NAME"))),
        Answered::Refused(status, code) => (Some(status), code, None),
        Answered::Nothing => (None, None, None),
    };
    if kind(&other, &unknown(&recording.token)) != kind(&built_in, NAMED_TOOL) {
        let expected = format!("what a tool that nobody has is answered: {}", other.summary());
        return Err(built_in.finding(BUILT_IN_CALLABLE, expected).as_warning());
    }
    Ok(list.witness().and(other.witness()).and(built_in.witness()))
}

async fn one_tool_is_on_ask(driver: &Driver<'_>) -> Drove {
    Set::up(driver, asking()).await?.listed().await.map(drop)
}

fn it_is_not_listed(recording: &Recording, _: &Spec) -> Judged {
    let (list, names) = listing(recording, "list")?;
    if names.iter().any(|name| name == CLOSED) {
        return Err(list.finding(ASK_LISTED, format!("no `{CLOSED}` in the list")).into());
    }
    Ok(list.witness())
}

async fn tool_on_ask_is_called(driver: &Driver<'_>) -> Drove {
    let set = Set::up(driver, asking()).await?;
    let (session, endpoint) = set.listed().await?;
    endpoint.call("asked", CLOSED, &json!({"ticket": driver.token()})).await;
    set.server.record();
    set.environment.read_session("session", &session).await;
    Ok(())
}

fn it_is_an_error_at_once(recording: &Recording, _: &Spec) -> Judged {
    let (list, _) = listing(recording, "list")?;
    if let Some((call, _)) = calls(recording, CLOSED).first() {
        return Err(call.finding(ASK_RAN, format!("no call of `{CLOSED}`")).into());
    }
    let (asked, session) = (recording.one("asked")?, recording.one("session")?);
    match Answered::of(&asked) {
        Answered::Nothing => return Err(asked.finding(ASK_HANGS, "an error").into()),
        answered if !answered.is_error() => return Err(asked.finding(ASK_RAN, "an error").into()),
        _ => {}
    }
    if session.json()?["status"] == "requires_action" {
        return Err(session.finding(ASK_HANGS, "no decision that is waited for").into());
    }
    Ok(Witness::and(list.witness().and(asked.witness()), session.witness()))
}
