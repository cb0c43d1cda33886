//! Everything that was asked of the model, in order.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{matching::Difference, reply::Reply, request::ModelRequest};

/// The most entries that are kept.
const ENTRIES_MAX: usize = 10_000;
/// The most bytes of request bodies that are kept.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One request and what became of it. Times are milliseconds on the host's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Its number on this host, from 1.
    pub sequence: u64,
    /// The session it belongs to.
    pub session: String,
    /// Method and path with query: `POST /v1/chat/completions`.
    pub target: String,
    /// When it had arrived whole.
    pub arrived_ms: u64,
    /// When its answer began; `None` while it is held and for ever when the client left before.
    pub answered_ms: Option<u64>,
    /// When its answer was handed over whole, or the client was gone.
    pub ended_ms: Option<u64>,
    /// What became of it.
    pub outcome: Outcome,
    /// What it says; `None` when it cannot be read.
    pub request: Option<ModelRequest>,
    /// The body as it was sent; what is not UTF-8 is replaced.
    pub body: String,
    /// The turn that answers it.
    pub turn: Option<String>,
    /// Whether the turn was chosen before, for the same request, and that answer did not arrive.
    pub retry: bool,
    /// The gate that holds or held it.
    pub gate: Option<String>,
    /// What the turn expected and the request does not say.
    pub findings: Vec<Difference>,
    /// What is sent for the turn.
    pub answer: Option<Reply>,
    /// Why it got an error: the message that was sent.
    pub error: Option<String>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is held at a gate, or its answer is on its way.
    Pending,
    /// The whole answer of its turn was handed over.
    Answered,
    /// No turn answers it.
    Missed,
    /// The real API would refuse it too.
    Rejected,
    /// The client left before the answer was whole.
    Dropped,
}

/// The journal of a host. The oldest entries give way when it is full.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: BTreeMap<u64, JournalEntry>,
    sessions: BTreeMap<String, Chapter>,
    last: u64,
    body_bytes: usize,
    dropped: u64,
}

/// The part of one session.
#[derive(Debug, Default)]
struct Chapter {
    sequences: VecDeque<u64>,
    dropped: u64,
}

impl Journal {
    /// The number of the next entry.
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    pub(crate) fn add(&mut self, entry: JournalEntry) {
        self.body_bytes += entry.body.len();
        self.sessions.entry(entry.session.clone()).or_default().sequences.push_back(entry.sequence);
        self.entries.insert(entry.sequence, entry);
        while self.entries.len() > ENTRIES_MAX || (self.body_bytes > BODY_BYTES_MAX && self.entries.len() > 1)
        {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((_, entry)) = self.entries.pop_first() else { return };
        self.body_bytes -= entry.body.len();
        self.dropped += 1;
        if let Some(chapter) = self.sessions.get_mut(&entry.session) {
            // The oldest of all is the oldest of its session.
            chapter.sequences.pop_front();
            chapter.dropped += 1;
        }
    }

    /// Changes an entry, if it is still there.
    pub(crate) fn change(&mut self, sequence: u64, change: impl FnOnce(&mut JournalEntry)) {
        self.entries.get_mut(&sequence).map(change);
    }

    /// Forgets the part of one session.
    pub(crate) fn forget(&mut self, session: &str) {
        let chapter = self.sessions.remove(session).unwrap_or_default();
        for sequence in chapter.sequences {
            if let Some(entry) = self.entries.remove(&sequence) {
                self.body_bytes -= entry.body.len();
            }
        }
    }

    /// The entries of one session, and how many older ones had to give way.
    pub(crate) fn of(&self, session: &str) -> (Vec<JournalEntry>, u64) {
        let Some(chapter) = self.sessions.get(session) else { return (Vec::new(), 0) };
        let entries =
            chapter.sequences.iter().filter_map(|sequence| self.entries.get(sequence)).cloned().collect();
        (entries, chapter.dropped)
    }

    /// All entries, and how many older ones had to give way.
    pub(crate) fn all(&self) -> (Vec<JournalEntry>, u64) {
        (self.entries.values().cloned().collect(), self.dropped)
    }
}
