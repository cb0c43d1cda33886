//! A client of MCP servers over Streamable HTTP, and what a turn makes of their tools.

mod channel;
mod client;
mod reply;

pub use channel::{BadMcpUrl, Channel, HttpChannel, McpUrl};
pub use client::{Client, McpError};
