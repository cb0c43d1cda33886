//! Environments, as a drive works in them: a credential, the rows that it shows, and the agents and
//! sessions that are written with it.

use engine::{Call, Driver, Halt, Key, Listening, Reply};
use serde_json::{Value, json};

use super::{
    agents::Agent,
    listing::{entries_of, mentions, next_page},
    rows::{FLAGS, flag, runnable, text},
};
use crate::percent::encoded;

/// The largest page that is asked for.
const PAGE: usize = 100;
/// The most pages that one list is read for: enough for an account on which many runs have been.
const PAGES_MAX: usize = 1_000;

/// The credentials whose environments are looked through for a row, in this order.
const CREDENTIALS: [&str; 2] = ["primary", "future"];

/// The credential of the second environment of a release, and the setting that holds its base URL.
pub(crate) const OTHER: &str = "other_environment";
/// See [`OTHER`].
pub(crate) const OTHER_URL: &str = "other_environment_url";

/// An environment: everything is asked with its credential.
pub(crate) struct Environment<'a> {
    driver: &'a Driver<'a>,
    credential: String,
    key: Key,
    /// The setting that holds its base URL, where it may have one of its own.
    url: Option<&'static str>,
    model: String,
    rows: Vec<Value>,
}

impl<'a> Environment<'a> {
    /// The environment of `credential`, without a look at its rows.
    pub(crate) fn unlisted(driver: &'a Driver<'a>, credential: &str) -> Result<Self, Halt> {
        let Some(model) = driver.facts().text("model") else {
            return Err(driver.unmet("a model that an agent may name: give `[settings] model`"));
        };
        let key = Key::Named(credential.to_owned().into());
        let (credential, model) = (credential.to_owned(), model.to_owned());
        Ok(Self { driver, credential, key, url: None, model, rows: Vec::new() })
    }

    /// The environment of a key that is in no description, because the check has made it.
    pub(crate) fn keyed(driver: &'a Driver<'a>, key: &str) -> Result<Self, Halt> {
        Ok(Self { key: Key::Raw(format!("Bearer {key}")), ..Self::unlisted(driver, "made")? })
    }

    /// The environment of `credential`. Its listing is recorded as `rows`, or `rows of CREDENTIAL`.
    pub(crate) async fn open(driver: &'a Driver<'a>, credential: &str) -> Result<Self, Halt> {
        Self::unlisted(driver, credential)?.listed().await
    }

    /// The second environment of the same release, where the target's description names one.
    pub(crate) async fn other(driver: &'a Driver<'a>) -> Result<Option<Self>, Halt> {
        if !driver.facts().credentials.contains(OTHER) {
            return Ok(None);
        }
        let other = Self { url: Some(OTHER_URL), ..Self::unlisted(driver, OTHER)? };
        other.listed().await.map(Some)
    }

    /// With the rows that it lists, of which there has to be one.
    async fn listed(mut self) -> Result<Self, Halt> {
        let (driver, credential) = (self.driver, self.credential.clone());
        let environment = &mut self;
        let label = if credential == "primary" { "rows".to_owned() } else { format!("rows of {credential}") };
        let reply = environment.send(&label, Call::get("/v1/harnesses")).await;
        let body = driver.need(&reply, "list the catalogue")?;
        let has_base = |row: &&Value| !text(row, "base").is_empty();
        environment.rows = entries_of(&body).into_iter().flatten().filter(has_base).cloned().collect();
        if environment.rows.is_empty() {
            return Err(driver.setup_failed(&reply, "list the catalogue", "harness objects in `data`"));
        }
        Ok(self)
    }

    /// The environment of the primary credential. Its listing is recorded as `rows`.
    pub(crate) async fn primary(driver: &'a Driver<'a>) -> Result<Self, Halt> {
        Self::open(driver, "primary").await
    }

    /// All environments that the target's description gives a credential for, the primary one first.
    pub(crate) async fn all(driver: &'a Driver<'a>) -> Result<Vec<Self>, Halt> {
        let mut all = Vec::new();
        for credential in CREDENTIALS {
            if credential == "primary" || driver.facts().credentials.contains(credential) {
                all.push(Self::open(driver, credential).await?);
            }
        }
        Ok(all)
    }

    /// The first environment that has a row of the `wanted` kind, and the plainest such row. A target
    /// without one is not concerned: `what` says what it lacks.
    pub(crate) async fn having(
        driver: &'a Driver<'a>,
        what: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Result<(Self, Value), Halt> {
        for environment in Self::all(driver).await? {
            if let Some(row) = plainest(&environment.rows, &wanted) {
                return Ok((environment, row));
            }
        }
        Err(driver.inapplicable(&format!("no environment publishes {what}"), "rows"))
    }

    /// The hand that asks.
    pub(crate) fn driver(&self) -> &'a Driver<'a> {
        self.driver
    }

    /// The credential by its name.
    pub(crate) fn credential(&self) -> &str {
        &self.credential
    }

    /// The model that agents name.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// All rows that were listed.
    pub(crate) fn rows(&self) -> &[Value] {
        &self.rows
    }

    /// The plainest row of the `wanted` kind, where there is one.
    pub(crate) fn find(&self, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        plainest(&self.rows, &wanted)
    }

    /// The plainest row of the `wanted` kind; where there is none, the plainest of all. For what has to hold
    /// on any loop.
    pub(crate) fn preferring(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        self.find(wanted).or_else(|| self.find(|_| true)).unwrap_or_default()
    }

    /// The bases of all rows of the `wanted` kind; where there are none, of all rows.
    pub(crate) fn all_preferring(&self, wanted: impl Fn(&Value) -> bool) -> Vec<String> {
        let bases = |wanted: &dyn Fn(&Value) -> bool| -> Vec<String> {
            self.rows.iter().filter(|row| wanted(row)).map(|row| text(row, "base").to_owned()).collect()
        };
        Some(bases(&wanted)).filter(|some| !some.is_empty()).unwrap_or_else(|| bases(&|_| true))
    }

    /// The plainest row of the `wanted` kind. A target without one is not concerned.
    pub(crate) fn pick(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Value, Halt> {
        self.find(wanted).ok_or_else(|| self.lacks(what))
    }

    /// The bases of all rows of the `wanted` kind, one or more, each once. A target without one is not
    /// concerned.
    pub(crate) fn pick_all(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Result<Vec<String>, Halt> {
        let mut bases: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| wanted(row)) {
            let base = text(row, "base");
            if !bases.iter().any(|known| known == base) {
                bases.push(base.to_owned());
            }
        }
        if bases.is_empty() { Err(self.lacks(what)) } else { Ok(bases) }
    }

    /// Ends the drive: the catalogue has no row of the kind that the check is about.
    pub(crate) fn lacks(&self, what: &str) -> Halt {
        self.driver.inapplicable(&format!("the catalogue publishes no {what}"), "rows")
    }

    /// Sends `call` with the credential of the environment.
    pub(crate) async fn send(&self, label: &str, call: Call) -> Reply {
        self.driver.send(label, self.addressed(call)).await
    }

    /// `call` with the key of the environment, at its base URL.
    fn addressed(&self, call: Call) -> Call {
        let call = call.with_key(self.key.clone());
        match self.url {
            Some(setting) => call.at(setting),
            None => call,
        }
    }

    /// Opens an event stream, and leaves it again.
    pub(crate) async fn listen(&self, label: &str, path: &str) {
        drop(self.driver.listen(label, self.addressed(Call::get(path))).await);
    }

    /// Opens an event stream, to follow it. `None` where its head did not come, or is not 200.
    pub(crate) async fn followed(&self, label: &str, path: &str) -> Option<Listening<'a>> {
        let feed = self.driver.listen(label, self.addressed(Call::get(path))).await;
        feed.filter(|feed| feed.status() == 200)
    }

    /// Writes an agent.
    pub(crate) async fn create(&self, label: &str, agent: &Agent) -> Reply {
        self.send(label, Call::post("/v1/agents", &agent.body())).await
    }

    /// Writes an agent as a step before the one under test. The answer is its id.
    pub(crate) async fn need_agent(&self, label: &str, agent: &Agent) -> Result<String, Halt> {
        let reply = self.create(label, agent).await;
        self.driver.need_text(&reply, "/id", "create an agent")
    }

    /// Changes an agent.
    pub(crate) async fn patch(&self, label: &str, agent: &str, change: &Value) -> Reply {
        self.send(label, Call::patch(path_of(agent), change)).await
    }

    /// Reads an agent.
    pub(crate) async fn read(&self, label: &str, agent: &str) -> Reply {
        self.send(label, Call::get(path_of(agent))).await
    }

    /// Starts a session of `agent`; `members` go into the body beside it.
    pub(crate) async fn start(&self, label: &str, agent: &str, members: &Value) -> Reply {
        let mut body = json!({ "agent": agent });
        for (name, value) in members.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.send(label, Call::post("/v1/sessions", &body)).await
    }

    /// Reads a session.
    pub(crate) async fn read_session(&self, label: &str, session: &str) -> Reply {
        self.send(label, Call::get(format!("/v1/sessions/{}", encoded(session)))).await
    }

    /// Starts a session that demands nothing, as a step before the one under test. The answer is its id.
    pub(crate) async fn need_session(&self, label: &str, agent: &str) -> Result<String, Halt> {
        let reply = self.start(label, agent, &json!({})).await;
        self.driver.need_text(&reply, "/id", "start a session that demands nothing")
    }

    /// Starts a session of an agent on `base` that demands nothing. A target that refuses every start
    /// ends here, so that a refusal later on says something.
    pub(crate) async fn need_twin(&self, base: &str) -> Result<(String, String), Halt> {
        let agent = self.need_agent("twin", &Agent::on(self, base)).await?;
        let session = self.need_session("start of the twin", &agent).await?;
        Ok((agent, session))
    }

    /// The twin, found again in the list of sessions.
    pub(crate) async fn need_listed_twin(&self, base: &str) -> Result<(), Halt> {
        let (agent, session) = self.need_twin(base).await?;
        self.need_listed(&agent, &session).await
    }

    /// Finds a session of `agent` in the list: a list in which a session is missing that was started, or
    /// that does not say whose a session is, could not show what a refusal leaves behind.
    pub(crate) async fn need_listed(&self, agent: &str, session: &str) -> Result<(), Halt> {
        let (last, entries) = self.list("sessions before", &sessions_of(agent)).await?;
        if entries.iter().any(|entry| text(entry, "id") == session && mentions(entry, agent)) {
            return Ok(());
        }
        let expected = "the session that was started, with its agent";
        Err(self.driver.setup_failed(&last, "find a session in the list", expected))
    }

    /// Reads the list of the sessions of `agent`, page by page, recorded as `label`.
    pub(crate) async fn list_sessions(&self, label: &str, agent: &str) -> Result<(), Halt> {
        self.list(label, &sessions_of(agent)).await.map(drop)
    }

    /// Reads the list of agents, page by page, recorded as `label`; `known`, the id of an agent, has to be
    /// in it.
    pub(crate) async fn list_agents(&self, label: &str, known: &str) -> Result<(), Halt> {
        let (last, entries) = self.list(label, "/v1/agents").await?;
        if entries.iter().any(|entry| text(entry, "id") == known) {
            return Ok(());
        }
        Err(self.driver.setup_failed(&last, "find an agent in the list", "the agent that was created"))
    }

    async fn list(&self, label: &str, path: &str) -> Result<(Reply, Vec<Value>), Halt> {
        let parameter = self.driver.facts().text("cursor_parameter").unwrap_or("cursor");
        // Accounts fill up, so large pages are asked for. A target need not take a limit.
        let mut first = with_limit(path);
        let mut reply = self.send(label, Call::get(&first)).await;
        if !reply.is_success() {
            path.clone_into(&mut first);
            reply = self.send(label, Call::get(path)).await;
        }
        let mut entries = Vec::new();
        for _ in 0..PAGES_MAX {
            let body = self.driver.need(&reply, "read a list")?;
            let Some(listed) = entries_of(&body) else {
                return Err(self.driver.setup_failed(&reply, "read a list", "entries in `data`"));
            };
            entries.extend(listed.iter().cloned());
            match next_page(&first, parameter, &body) {
                Some(page) => reply = self.send(label, Call::get(page)).await,
                None => return Ok((reply, entries)),
            }
        }
        let means = format!("an account in which GET {path} ends within {PAGES_MAX} pages");
        Err(self.driver.unmet(&means))
    }
}

fn path_of(agent: &str) -> String {
    format!("/v1/agents/{}", encoded(agent))
}

fn with_limit(path: &str) -> String {
    let and = if path.contains('?') { '&' } else { '?' };
    format!("{path}{and}limit={PAGE}")
}

fn sessions_of(agent: &str) -> String {
    format!("/v1/sessions?agent={}", encoded(agent))
}

/// Whether the platform operates the loop.
pub(crate) fn is_hosted(row: &Value) -> bool {
    text(row, "location") == "hosted"
}

/// Whether a session can run on the loop here, as the row says.
pub(crate) fn starts_here(row: &Value) -> bool {
    is_hosted(row) && runnable(row) == Some(true)
}

/// Whether the row says that the loop does not run here although the platform operates it.
pub(crate) fn is_dark(row: &Value) -> bool {
    is_hosted(row) && runnable(row) == Some(false)
}

/// Among the rows of the `wanted` kind the one that declares most, so that nothing but what the check is
/// about can stand in its way; the first one among equals.
fn plainest(rows: &[Value], wanted: &impl Fn(&Value) -> bool) -> Option<Value> {
    let declared = |row: &Value| FLAGS.iter().filter(|name| flag(row, name) == Some(true)).count();
    rows.iter().filter(|row| wanted(row)).rev().max_by_key(|row| declared(row)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_page_is_asked_for_beside_what_is_asked_already() {
        assert_eq!(with_limit("/v1/agents"), "/v1/agents?limit=100");
        assert_eq!(with_limit(&sessions_of("a b")), "/v1/sessions?agent=a%20b&limit=100");
    }

    #[test]
    fn the_plainest_row_declares_most_and_comes_first() {
        let row = |base: &str, flags: [bool; 4]| {
            let capabilities: Value =
                FLAGS.into_iter().zip(flags).map(|(name, on)| (name.to_owned(), json!(on))).collect();
            json!({"base": base, "capabilities": capabilities})
        };
        let rows = [
            row("none", [false; 4]),
            row("first", [false, true, true, true]),
            row("second", [false, true, true, true]),
            row("all", [true; 4]),
        ];
        let lacking = |row: &Value| flag(row, "approvals") == Some(false);
        assert_eq!(
            plainest(&rows, &lacking).map(|row| text(&row, "base").to_owned()).as_deref(),
            Some("first")
        );
        assert_eq!(plainest(&rows, &|_: &Value| false), None);
    }
}
