//! The fake model: it answers what a script says, holds answers at gates and keeps a journal.
//!
//! A [`Script`] says which turn answers which request. A [`Host`] keeps one session per key, each
//! with a script of its own, and serves them all from one router. Turns are chosen by what a request
//! says, never by how many came before it, so retries and parallel loops cannot shift the script.

mod admin;
mod arguments;
mod count;
mod delivery;
mod exchange;
mod export;
mod fault;
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod headers;
mod heads;
mod host;
pub mod import;
mod journal;
mod key;
mod matching;
mod miss;
mod models;
mod naming;
mod overview;
pub mod record;
mod rejection;
mod reply;
mod request;
mod resume;
mod router;
pub mod script;
mod secret_name;
mod session;
mod state;
mod stored;
mod verdict;
mod wires;

pub use export::{Export, Format, Selection, SelectionError};
pub use gate::{GateError, GateState};
pub use host::{Host, serve};
pub use journal::{JournalEntry, Outcome, PassedOver};
pub use key::DEFAULT_SESSION;
pub use matching::Difference;
pub use overview::{SessionState, Stray};
pub use reply::{Reply, Said, SentCall, SentThought};
pub use request::{CalledTool, Message, ModelRequest, OfferedTool, ThoughtBefore, ToolChoice};
pub use script::{Answer, Conditions, Conversation, ErrorStatus, Fault, Script, ScriptError, ToolCall, Turn};
pub use verdict::{
    AssertError, ClientVerdict, Expectations, Finding, Overall, RequestExpectation, RuleResult, Severity,
    Unmet, Where,
};
