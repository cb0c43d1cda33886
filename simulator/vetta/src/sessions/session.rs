//! What a session is made of.

use std::collections::BTreeSet;

use agent::{Cancel, Message};
use serde::Serialize;
use serde_json::Value;
use tokio::task::AbortHandle;

use super::Start;
use crate::{
    agents::AgentConfig, approvals::Holds, environment::Row, events::EventLog, sandbox::Sandbox,
    team::Report, turns::TurnError,
};

/// A session. It keeps the agent and the loop as they were when it was started, so that a later write of
/// the agent does not reach it (open point U52).
#[derive(Clone, Debug)]
pub struct Session {
    /// `sess_…`
    pub id: String,
    /// The agent that was admitted.
    pub agent: AgentSnapshot,
    /// The loop that serves the session.
    pub row: Row,
    /// What the start asked for.
    pub start: Start,
    /// Where it stands.
    pub status: SessionStatus,
    /// The last turn, running or over.
    pub last_turn: Option<Turn>,
    /// The typed answer of the last turn.
    pub structured_output: Option<Value>,
    /// What has been said, calls and their results included, oldest first.
    pub conversation: Vec<Message>,
    /// The calls that are or were held.
    pub holds: Holds,
    /// The machine that it has now.
    pub sandbox: Option<Sandbox>,
    /// The session of the coordinator, where this is a thread.
    pub coordinator: Option<String>,
    /// The threads of its team that are not over.
    pub open_threads: BTreeSet<String>,
    /// What threads have to report and the loop has not been told.
    pub reports: Vec<Report>,
    /// What has happened.
    pub log: EventLog,
    /// RFC 3339.
    pub created_at: String,
    /// Calls the running turn off.
    pub(crate) cancel: Option<Cancel>,
    /// The task of the running turn.
    pub(crate) task: Option<AbortHandle>,
}

/// An agent at the moment of a start.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSnapshot {
    /// `agent_…`
    pub id: String,
    /// Its version then.
    pub version: u64,
    /// Its configuration then.
    pub config: AgentConfig,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It waits for a message.
    Idle,
    /// A turn is on.
    Running,
    /// A turn waits for a decision.
    RequiresAction,
    /// Idle, with threads of its team still open.
    Parked,
    /// It cannot go on.
    Failed,
    /// It is over.
    Ended,
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// `turn_…`
    pub id: String,
    /// Where it stands.
    pub status: TurnStatus,
    /// Why it failed.
    pub error: Option<TurnError>,
}

/// Where a turn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// It is on.
    Running,
    /// It ended well.
    Completed,
    /// It ended with an error.
    Failed,
    /// It was ended from outside.
    Cancelled,
}
