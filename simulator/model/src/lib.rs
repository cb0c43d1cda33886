//! The fake model: it answers what a script says, holds answers at gates and keeps a journal.
//!
//! A [`Script`] says which turn answers which request. A [`Host`] keeps one session per key, each
//! with a script of its own, and serves them all from one router. Turns are chosen by what a request
//! says, never by how many came before it, so retries and parallel loops cannot shift the script.

mod admin;
mod exchange;
mod gate;
mod host;
mod journal;
mod key;
mod matching;
mod miss;
mod rejection;
mod reply;
mod request;
mod router;
pub mod script;
mod session;
mod state;
mod wires;

pub use gate::GateError;
pub use host::{Host, serve};
pub use journal::{JournalEntry, Outcome};
pub use key::DEFAULT_SESSION;
pub use matching::Difference;
pub use reply::{Reply, SentCall};
pub use request::{CalledTool, Message, ModelRequest, OfferedTool};
pub use script::{Answer, Conditions, Script, ScriptError, ToolCall, Turn};
