//! Sessions: started by admission, holding a snapshot of their agent.

mod draft;
mod policy;
mod session;
mod start;

pub use policy::{Opening, Sessions, open};
pub use session::{AgentSnapshot, Session, SessionStatus, Turn, TurnStatus};
pub use start::{Confirmation, Message, SessionRules, Start};

pub(crate) use draft::draft;
