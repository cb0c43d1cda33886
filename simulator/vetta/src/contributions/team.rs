//! The tools of a coordinator.

use std::sync::Arc;

use agent::ToolOutcome;
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    agents::Member,
    service::Core,
    sessions::Session,
    store::Scope,
    team,
    tools::{Candidate, Contributing, Contributor, Origin, Run},
    turns::TurnError,
};

/// Hands a task to an agent of the team.
pub const SEND: &str = "send_to_agent";
/// Waits for what the team has to report.
pub const WAIT: &str = "wait_for_agents";

/// Contributes to sessions whose agent leads a team. Threads lead none: a team has one level.
#[derive(Clone, Copy, Debug)]
pub struct Team;

impl Contributor for Team {
    fn candidates(&self, to: Contributing) -> BoxFuture<'static, Result<Vec<Candidate>, TurnError>> {
        let session = &to.session;
        let team = session.agent.config.multiagent.as_ref().filter(|_| session.coordinator.is_none());
        let tools = team.map(|team| {
            let roster = team.agents.iter().map(|member| Peer::of(session, member)).collect();
            let desk = CoordinatorDesk {
                core: to.service.core().clone(),
                scope: to.scope.clone(),
                session_id: session.id.clone(),
            };
            vec![send(&desk, session, roster), wait(&desk, session)]
        });
        std::future::ready(Ok(tools.unwrap_or_default())).boxed()
    }
}

/// An agent that a task can be handed to.
#[derive(Clone)]
struct Peer {
    id: String,
    /// The version that the roster stays on.
    version: Option<u64>,
}

impl Peer {
    fn of(session: &Session, member: &Member) -> Self {
        match member {
            Member::Id(id) => Self { id: id.clone(), version: None },
            Member::Agent { id, version } => Self { id: id.clone(), version: *version },
            Member::Oneself => Self { id: session.agent.id.clone(), version: None },
        }
    }
}

/// The session of a coordinator, in the hands of its tools.
#[derive(Clone)]
struct CoordinatorDesk {
    core: Arc<Core>,
    scope: Scope,
    session_id: String,
}

fn send(desk: &CoordinatorDesk, session: &Session, roster: Vec<Peer>) -> Candidate {
    let ids: Vec<&str> = roster.iter().map(|peer| peer.id.as_str()).collect();
    let schema = json!({
        "type": "object",
        "properties": {
            "agent": {"type": "string", "enum": ids},
            "message": {"type": "string"},
        },
        "required": ["agent", "message"],
        "additionalProperties": false,
    });
    let opens = (desk.core.parts.teams.opens)(&session.row);
    let desk = desk.clone();
    let run: Run =
        Arc::new(move |_, arguments| std::future::ready(delegate(&desk, &roster, opens, &arguments)).boxed());
    let description = "Hands a task to an agent of the team, which works on it in a thread of its own. \
                       Returns the id of the thread at once.";
    candidate(SEND, description, schema, run)
}

fn delegate(desk: &CoordinatorDesk, roster: &[Peer], opens: bool, arguments: &Value) -> ToolOutcome {
    let (Some(agent), Some(message)) = (arguments["agent"].as_str(), arguments["message"].as_str()) else {
        return ToolOutcome::failed("InvalidArguments", "`agent` and `message` have to be strings");
    };
    let Some(peer) = roster.iter().find(|peer| peer.id == agent) else {
        let ids: Vec<&str> = roster.iter().map(|peer| peer.id.as_str()).collect();
        let message = format!("`{agent}` is not in the team, which is {}", ids.join(", "));
        return ToolOutcome::failed("InvalidArguments", message);
    };
    if !opens {
        return ToolOutcome::Done(json!({"status": "queued"}).to_string());
    }
    match team::open(&desk.core, &desk.scope, &desk.session_id, (agent, peer.version), message) {
        Ok(thread_id) => ToolOutcome::Done(json!({"thread_id": thread_id, "status": "running"}).to_string()),
        Err(refusal) => ToolOutcome::failed("Refused", refusal.message),
    }
}

fn wait(desk: &CoordinatorDesk, session: &Session) -> Candidate {
    let schema = json!({
        "type": "object",
        "properties": {"threads": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": false,
    });
    let waits = (desk.core.parts.teams.waits)(&session.row);
    let desk = desk.clone();
    let run: Run = Arc::new(move |_, arguments| {
        let desk = desk.clone();
        async move { desk.reports(waits, &arguments).await }.boxed()
    });
    let description = if waits {
        "Waits until the threads that are named, or all of them, are over, and returns what they report."
    } else {
        "Returns what the threads report so far. It does not wait: end the turn, and it goes on when one of \
         them is over."
    };
    candidate(WAIT, description, schema, run)
}

impl CoordinatorDesk {
    /// What the threads report. Where the loop can hold a call, not before all that are wanted are over.
    async fn reports(&self, waits: bool, arguments: &Value) -> ToolOutcome {
        loop {
            match self.look(waits, arguments) {
                Ok(outcome) => return outcome,
                // A log that is closed belongs to a session that is over, which the next look sees.
                Err(mut news) => {
                    if news.changed().await.is_err() {
                        return ToolOutcome::aborted();
                    }
                }
            }
        }
    }

    /// What there is to say now, or what to wait for.
    fn look(&self, waits: bool, arguments: &Value) -> Result<ToolOutcome, watch::Receiver<()>> {
        let wanted: Option<Vec<&str>> =
            arguments["threads"].as_array().map(|ids| ids.iter().filter_map(Value::as_str).collect());
        let is_wanted = |id: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(&id));
        let mut store = self.core.store();
        let Some(session) = store.shelf(&self.scope).sessions.get_mut(&self.session_id) else {
            return Ok(ToolOutcome::aborted());
        };
        let open: Vec<String> = session.open_threads.iter().filter(|id| is_wanted(id)).cloned().collect();
        if waits && !open.is_empty() {
            return Err(session.log.news());
        }
        let (ours, others): (Vec<_>, Vec<_>) =
            session.reports.drain(..).partition(|report| is_wanted(&report.thread_id));
        session.reports = others;
        let status = if open.is_empty() { "completed" } else { "not_waiting" };
        let reports: Vec<Value> = ours.iter().map(team::Report::to_value).collect();
        Ok(ToolOutcome::Done(json!({"status": status, "open_threads": open, "threads": reports}).to_string()))
    }
}

fn candidate(name: &str, description: &str, schema: Value, run: Run) -> Candidate {
    let (name, description) = (name.to_owned(), description.to_owned());
    Candidate { name, description, schema, origin: Origin::Team, remote: None, run }
}
