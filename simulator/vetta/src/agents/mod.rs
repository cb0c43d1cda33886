//! Agents: stored configuration, returned as it was written.

mod config;
mod fields;
mod normalise;
mod policy;

pub use config::{Agent, AgentConfig, McpServer, Member, Multiagent, Permission, Tools};
pub use normalise::{AgentRules, normalise};
pub use policy::{Agents, Verb, Writing, apply, judge, merge};

pub(crate) use fields::Fields;
