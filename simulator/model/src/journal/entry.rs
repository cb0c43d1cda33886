//! An entry of the journal, as it is told.

use serde::{Deserialize, Serialize};

use crate::{matching::Difference, reply::Reply, request::ModelRequest};

/// One request and what became of it. Times are milliseconds on the host's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Its number on this host, from 1.
    pub sequence: u64,
    /// The session it belongs to.
    pub session: String,
    /// Method and path with query: `POST /v1/chat/completions`.
    pub target: String,
    /// The headers of the request, in order; those that hold secrets without their values.
    pub headers: Vec<(String, String)>,
    /// When it had arrived whole.
    pub arrived_ms: u64,
    /// When its answer began; `None` while it is held and for ever when the client left before.
    pub answered_ms: Option<u64>,
    /// When its answer was handed over whole, or was over, or the client was gone.
    pub ended_ms: Option<u64>,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether the client left before the answer was over.
    pub client_left: bool,
    /// The status that was answered; `None` when none was.
    pub status: Option<u16>,
    /// What it says; `None` when it cannot be read.
    pub request: Option<ModelRequest>,
    /// The same for all requests that say the same conversation; empty when it cannot be read.
    pub identity: String,
    /// The body as it was sent; what is not UTF-8 is replaced.
    pub body: String,
    /// The turn that answers it: `turn`, or `conversation/turn`.
    pub turn: Option<String>,
    /// The turns that stand before that one and why they do not answer, or all of them when none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<PassedOver>,
    /// Whether the turn was chosen before, for the same conversation, and that answer did not arrive whole
    /// and sound.
    pub retry: bool,
    /// The gate that holds or held it.
    pub gate: Option<String>,
    /// What went wrong with the answer on purpose: the name of the fault's field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What the turn expected and the request does not say, and what the real API would have refused.
    pub findings: Vec<Difference>,
    /// What is sent for the turn.
    pub answer: Option<Reply>,
    /// How many pieces of the answer went out: events, or 1 for an answer in one piece.
    pub pieces_sent: u32,
    /// Why it got an error: the message that was sent.
    pub error: Option<String>,
}

/// A turn that does not answer a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassedOver {
    /// The turn.
    pub turn: String,
    /// The request that had used it by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<u64>,
    /// The conditions that the request does not keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is held at a gate, or its answer is on its way.
    Pending,
    /// The whole answer of its turn was handed over.
    Answered,
    /// A fault of the script spoiled the answer.
    Broken,
    /// No turn answers it.
    Missed,
    /// The real API would refuse it too.
    Rejected,
    /// The client left before the answer was whole.
    Dropped,
    /// It asks for something else than an answer of the model: a token count, say.
    Served,
}
