//! One turn of a script.

use serde::{Deserialize, Serialize};

use super::{Answer, Conditions, Fault, Stream};

/// One turn: when it is taken, what it expects, what holds it back and what it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Its id, unique in the script: letters, digits, `-` and `_`, 64 at most.
    pub id: String,
    /// What a request must say for this turn to answer it.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub when: Conditions,
    /// What the request should say besides. A request that does not is answered all the same, and the
    /// journal says what was wrong.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub expect: Conditions,
    /// Whether the turn answers any number of requests. Otherwise it answers one in a session.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub repeat: bool,
    /// The gate that holds the answer back until it is released.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The gate opens by itself once it holds this many requests of the session, 1 or more.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub after_arrivals: Option<u32>,
    /// How the answer is cut into events and when they are sent.
    #[serde(default, skip_serializing_if = "Stream::is_default")]
    pub stream: Stream,
    /// The answer.
    pub answer: Answer,
    /// What is broken on purpose; the first that applies is taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

impl Turn {
    /// A turn that answers `answer` to any request, once.
    pub fn new(id: impl Into<String>, answer: Answer) -> Self {
        Self {
            id: id.into(),
            when: Conditions::new(),
            expect: Conditions::new(),
            repeat: false,
            hold: None,
            after_arrivals: None,
            stream: Stream::default(),
            answer,
            faults: Vec::new(),
        }
    }

    /// Answers such requests only.
    #[must_use]
    pub fn when(mut self, conditions: Conditions) -> Self {
        self.when = conditions;
        self
    }

    /// Notes a finding when the request is not like this.
    #[must_use]
    pub fn expect(mut self, conditions: Conditions) -> Self {
        self.expect = conditions;
        self
    }

    /// Answers any number of requests.
    #[must_use]
    pub fn repeat(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Holds the answer back at `gate`.
    #[must_use]
    pub fn hold(mut self, gate: impl Into<String>) -> Self {
        self.hold = Some(gate.into());
        self
    }

    /// Opens the gate of this turn once it holds `count` requests.
    #[must_use]
    pub fn after_arrivals(mut self, count: u32) -> Self {
        self.after_arrivals = Some(count);
        self
    }

    /// Streams the answer in this way.
    #[must_use]
    pub fn stream(mut self, stream: Stream) -> Self {
        self.stream = stream;
        self
    }

    /// Breaks answers of this turn on purpose, unless an earlier fault does.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }
}
