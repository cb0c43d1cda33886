//! A tool that a loop may get, and who contributes such tools.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::Remote;
use crate::{Service, endpoint::Listed, sessions::Session, store::Scope, turns::TurnError};

/// Whence a tool comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The loop has it by itself.
    Native,
    /// The platform has it for its own loops.
    BuiltIn,
    /// A connected account, by its id.
    Connection(String),
    /// An MCP server of the agent, by its name.
    McpServer(String),
    /// The team that the agent leads.
    Team,
}

impl Origin {
    /// Whether the platform contributes it under the agent's policy, on either road.
    pub fn is_contributed(&self) -> bool {
        !matches!(self, Self::Native | Self::BuiltIn)
    }

    /// The word for it: `native`, `built_in`, `connection`, `mcp_server`, `team`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::BuiltIn => "built_in",
            Self::Connection(_) => "connection",
            Self::McpServer(_) => "mcp_server",
            Self::Team => "team",
        }
    }
}

/// Does the work of a tool. Policy, holds, events and the log of effects are not its affair.
pub type Run = Arc<dyn Fn(CallContext, Value) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// A tool that a loop may get.
#[derive(Clone)]
pub struct Candidate {
    /// The name by which the model calls it and the agent's policy speaks of it.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// Whence it comes.
    pub origin: Origin,
    /// What only a tool of another server has.
    pub remote: Option<Remote>,
    /// Does its work.
    pub run: Run,
}

impl Candidate {
    /// `tool` as a candidate.
    pub fn of(tool: Arc<dyn Tool>, origin: Origin) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.parameters(),
            origin,
            remote: None,
            run: Arc::new(move |context, arguments| tool.call(context, arguments)),
        }
    }

    /// The tool as a listing of MCP shows it.
    pub(crate) fn into_listed(self) -> Listed {
        let more = self.remote.map(|remote| remote.more).unwrap_or_default();
        Listed { name: self.name, description: self.description, schema: self.schema, more }
    }

    /// The same tool under another name.
    #[must_use]
    pub fn called(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }
}

/// What a contributor is told: the session as it is when the tools are wanted.
#[derive(Clone)]
pub struct Contributing {
    /// The service that the session belongs to.
    pub service: Service,
    /// The session. Its agent and its loop are those that the turn goes by.
    pub session: Session,
    /// To whom it belongs.
    pub(crate) scope: Scope,
    /// The turn for which they are wanted: `turn_…`.
    pub turn_id: String,
}

impl Contributing {
    /// The account that the session belongs to.
    pub fn account(&self) -> &str {
        self.scope.account()
    }
}

/// Contributes tools to a session: those of its MCP servers, its connections, its team.
pub trait Contributor: Send + Sync {
    /// The tools, in order. They are asked for anew for every turn. Where something that the session was
    /// admitted for cannot be had, that is an error, and the turn fails in the open.
    fn candidates(&self, to: Contributing) -> BoxFuture<'static, Result<Vec<Candidate>, TurnError>>;
}
