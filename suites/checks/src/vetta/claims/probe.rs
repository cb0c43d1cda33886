//! Trying a capability on every loop, and demanding what is not claimed.

use std::time::Duration;

use engine::{Call, Driver, Drove, Halt, Received};
use model::{Answer, Conditions, Script, ToolCall, Turn, script::Stream};
use serde_json::{Value, json};

use super::super::{
    agents::{Agent, required_answer},
    agents_times_rows::{Stands, stands},
    environments::{Environment, is_hosted},
    rows::{flag, text},
};
use crate::percent::encoded;

/// Until a turn must have come to where it is looked at.
const TURN: Duration = Duration::from_secs(20);
/// What is said on every loop, in enough words for several pieces.
const ANSWER: &str = "The parcel left on Monday, and nobody has signed for it so far.";

/// A capability flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capability {
    Approvals,
    StructuredOutput,
    StreamingDeltas,
    InjectedTools,
}

impl Capability {
    /// Its name on the wire.
    pub(super) fn flag(self) -> &'static str {
        match self {
            Self::Approvals => "approvals",
            Self::StructuredOutput => "structured_output",
            Self::StreamingDeltas => "streaming_deltas",
            Self::InjectedTools => "injected_tools",
        }
    }

    /// `agent` with the demand for it, as far as an agent makes it.
    fn demanded_by(self, agent: Agent, member: &str) -> Agent {
        match self {
            Self::Approvals => agent.asking(),
            Self::InjectedTools => agent.leading(member),
            Self::StructuredOutput | Self::StreamingDeltas => agent,
        }
    }

    /// The members of a start that demand it.
    fn on_start(self) -> Value {
        if self == Self::StructuredOutput { required_answer() } else { json!({}) }
    }

    /// What the model answers on the loop `base`.
    fn answers(self, driver: &Driver<'_>, base: &str) -> Vec<Turn> {
        let asked = || Conditions::new().last_user_contains(said(base));
        let call = |tool: &str, arguments: Value| {
            let id = format!("call-{base}");
            let told = Turn::new(format!("{base}-told"), Answer::new().text(ANSWER));
            let ask = Turn::new(base, Answer::new().call(ToolCall::new(id.clone(), tool, arguments)));
            vec![told.when(asked().tool_result_for(&id)), ask.when(asked())]
        };
        let word = |setting: &str, reference: &'static str| {
            driver.facts().text(setting).unwrap_or(reference).to_owned()
        };
        match self {
            Self::Approvals => {
                call(&word("write_tool", "write"), json!({"path": "probe.txt", "content": "probe"}))
            }
            Self::StructuredOutput => {
                call(&word("submit_tool", "submit"), json!({word("submit_argument", "value"): typed()}))
            }
            Self::StreamingDeltas | Self::InjectedTools => {
                let pieces = Stream { piece_chars: Some(8), ..Stream::default() };
                vec![Turn::new(base, Answer::new().text(ANSWER)).when(asked()).stream(pieces)]
            }
        }
    }
}

/// The typed answer that the model hands in.
pub(super) fn typed() -> Value {
    json!({"count": 3})
}

/// What is said on the loop `base`. No such text is the beginning of another one.
pub(super) fn said(base: &str) -> String {
    format!("This is said on <{base}>.")
}

/// The loops are looked through in every environment: each in the first one in which it runs, or else in the first
/// one that has it.
fn rows_of(environments: &[Environment<'_>], capability: Capability) -> Vec<(usize, Value)> {
    let mut rows: Vec<(usize, Value)> = Vec::new();
    for (at, environment) in environments.iter().enumerate() {
        let says_enough = |row: &&Value| stands(row).is_some() && flag(row, capability.flag()).is_some();
        for row in environment.rows().iter().filter(says_enough) {
            let runs = |row: &Value| stands(row) == Some(Stands::Here);
            match rows.iter_mut().find(|(_, known)| text(known, "base") == text(row, "base")) {
                None => rows.push((at, row.clone())),
                Some(known) if !runs(&known.1) && runs(row) => *known = (at, row.clone()),
                Some(_) => {}
            }
        }
    }
    rows
}

/// Goes through every loop.
pub(super) async fn every_loop(driver: &Driver<'_>, capability: Capability) -> Drove {
    let mut environments = Environment::all(driver).await?;
    environments.extend(Environment::other(driver).await?);
    let rows = rows_of(&environments, capability);
    if rows.is_empty() {
        let reason = format!("no row says where its loop stands and whether it has `{}`", capability.flag());
        return Err(driver.inapplicable(&reason, "rows"));
    }
    let steers = driver.has_model();
    if steers {
        load(driver, capability, &rows)?;
    }
    for (at, environment) in environments.iter().enumerate() {
        if rows.iter().all(|(place, _)| *place != at) {
            continue;
        }
        let host = environment.preferring(is_hosted);
        let member = environment.need_agent("member", &Agent::on(environment, text(&host, "base"))).await?;
        for (_, row) in rows.iter().filter(|(place, _)| *place == at) {
            let probe = Probe { environment, capability, row, member: &member, steers };
            probe.record();
            probe.run().await?;
        }
    }
    if steers { driver.record_model("model") } else { Ok(()) }
}

fn load(driver: &Driver<'_>, capability: Capability, rows: &[(usize, Value)]) -> Result<(), Halt> {
    let turns = rows.iter().flat_map(|(_, row)| capability.answers(driver, text(row, "base")));
    let script = Script::new("one answer per loop", turns)
        .map_err(|error| driver.broken(format!("the script is broken: {error}")))?;
    driver.model()?.load(driver.token(), &script.to_json()).map_err(|error| driver.broken(error))
}

struct Probe<'p, 'd> {
    environment: &'p Environment<'d>,
    capability: Capability,
    row: &'p Value,
    member: &'p str,
    steers: bool,
}

impl Probe<'_, '_> {
    fn base(&self) -> &str {
        text(self.row, "base")
    }

    fn label(&self, what: &str) -> String {
        format!("{what}: {}", self.base())
    }

    fn stands(&self) -> Option<Stands> {
        stands(self.row)
    }

    fn claims(&self) -> bool {
        flag(self.row, self.capability.flag()) == Some(true)
    }

    /// What the judge has to know of the loop.
    fn record(&self) {
        let stands = match self.stands() {
            Some(Stands::Here) => "here",
            Some(Stands::Dark) => "dark",
            _ => "local",
        };
        let fact = json!({"claimed": self.claims(), "stands": stands, "steers": self.steers});
        self.environment.driver().fact(&self.label("loop"), fact);
    }

    async fn run(&self) -> Drove {
        let here = self.stands() == Some(Stands::Here);
        if self.claims() || self.capability == Capability::StreamingDeltas {
            // What does not run here can be neither tried nor, where it cannot be demanded, missed.
            return if here && self.steers { self.tried().await } else { Ok(()) };
        }
        if self.capability == Capability::InjectedTools
            && let Some(connection) = self.environment.driver().facts().text("connection")
        {
            let agent = Agent::on(self.environment, self.base()).acting_through(connection);
            self.demanded("connection", agent).await?;
        }
        let agent = self.capability.demanded_by(Agent::on(self.environment, self.base()), self.member);
        match self.demanded("demand", agent).await? {
            Some(session) if here && self.steers => self.talked(&session).await,
            _ => Ok(()),
        }
    }

    /// Uses the capability.
    async fn tried(&self) -> Drove {
        let agent = self.capability.demanded_by(Agent::on(self.environment, self.base()), self.member);
        let written = self.environment.create(&self.label("write"), &agent).await;
        let Some(agent) = written.text("/id").filter(|_| written.is_success()) else { return Ok(()) };
        let start = self.environment.start(&self.label("start"), agent, &self.capability.on_start()).await;
        match start.text("/id").filter(|_| start.is_success()) {
            Some(session) => self.talked(session).await,
            None => Ok(()),
        }
    }

    /// Demands what is not claimed, and looks at everything that a refusal must not leave behind. The answer
    /// is the session, where there is one.
    async fn demanded(&self, what: &str, agent: Agent) -> Result<Option<String>, Halt> {
        let environment = self.environment;
        let name = environment.driver().fresh();
        environment.send(&self.label(&format!("{what} balance before")), Call::get("/v1/balance")).await;
        let written =
            environment.create(&self.label(&format!("{what} write")), &agent.with("name", json!(name))).await;
        let mut session = None;
        match written.text("/id").filter(|_| written.is_success()) {
            Some(id) => {
                let label = self.label(&format!("{what} start"));
                let start = environment.start(&label, id, &self.capability.on_start()).await;
                session = start.text("/id").filter(|_| start.is_success()).map(str::to_owned);
                environment.list_sessions(&self.label(&format!("{what} sessions")), id).await?;
            }
            None => {
                environment.list_agents(&self.label(&format!("{what} agents")), self.member).await?;
            }
        }
        environment.send(&self.label(&format!("{what} balance after")), Call::get("/v1/balance")).await;
        Ok(session)
    }

    /// Says something, and follows what happens to where it can be judged.
    async fn talked(&self, session: &str) -> Drove {
        let (environment, driver) = (self.environment, self.environment.driver());
        let events = format!("/v1/sessions/{}/events", encoded(session));
        let Some(mut feed) = environment.followed(&self.label("events"), &events).await else {
            return Ok(());
        };
        let message = json!({"content": said(self.base())});
        let path = format!("/v1/sessions/{}/messages", encoded(session));
        environment.send(&self.label("say"), Call::post(path, &message)).await;
        let pending = driver.facts().text("pending_event").unwrap_or(super::evidence::PENDING);
        let over = |received: &Received| super::evidence::is_over(driver.facts(), &received.data);
        let met =
            feed.until(TURN, |received| text(&received.data, "type") == pending || over(received)).await;
        if met.as_ref().is_some_and(|met| text(&met.data, "type") == pending) {
            self.effects(session).await;
            // Nobody is to wait for ever.
            let path = format!("/v1/sessions/{}/interrupt", encoded(session));
            environment.send(&self.label("interrupt"), Call::post(path, &json!({}))).await;
            let _ = feed.until(TURN, over).await;
        }
        environment.read_session(&self.label("session"), session).await;
        Ok(())
    }

    /// What the tools have done by now, where the control port tells.
    async fn effects(&self, session: &str) {
        let driver = self.environment.driver();
        if driver.facts().list("control").contains(&"effects") {
            let call = Call::control("GET", &format!("/effects?session={}", encoded(session)));
            driver.send(&self.label("effects"), call).await;
        }
    }
}
