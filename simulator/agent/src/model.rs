//! A client of three wires, streaming: OpenAI Chat Completions, OpenAI Responses and Anthropic Messages.

mod chat;
mod client;
mod completion;
mod dialect;
mod error;
mod messages;
mod responses;
mod url;

pub use client::{Limits, ModelClient};
pub use completion::{Completion, Usage};
pub use dialect::Dialect;
pub use error::ModelError;
pub use url::{BadModelUrl, ModelUrl};
