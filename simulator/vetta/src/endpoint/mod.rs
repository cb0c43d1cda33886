//! The tool endpoint of a session: contributed tools over MCP's Streamable HTTP, for a loop on the second
//! road.
//!
//! `POST /v1/sessions/{id}/tools/mcp` speaks the revisions 2025-03-26, 2025-06-18 and 2025-11-25. It answers
//! every message at once with JSON, so there is no stream to open and no MCP session to keep: the session
//! of the path and the token that was minted for it say everything.

mod message;
mod mounts;
mod policy;
mod protocol;
mod revision;
mod serve;
mod session_tools;
mod source;
mod transport;

pub use message::{Fault, Message, MessageId};
pub use mounts::{Mount, Mounts};
pub use policy::{Asks, Endpoint, admit, is_loopback};
pub use protocol::{Answer, answer};
pub use revision::Revision;
pub use source::{Called, Listed, ToolSource};

pub(crate) use mounts::MountTable;
pub(crate) use serve::{PATH, open, serve, serve_at};
