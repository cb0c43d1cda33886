//! A client of OpenAI Chat Completions, streaming.

mod chunk;
mod client;
mod error;
mod url;

pub use chunk::{Completion, Usage};
pub use client::{Limits, ModelClient};
pub use error::ModelError;
pub use url::{BadModelUrl, ModelUrl};
