//! The entries of a recording.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::BodyRef;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds on the world's clock since the check began.
    pub at_ms: u64,
    /// The name under which the judge finds it. Several entries may share one.
    pub label: String,
    /// The case to which it belongs, in a property check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// What happened.
    pub what: What,
}

impl Entry {
    /// The stored bodies that the entry names.
    pub fn bodies(&self) -> Vec<&BodyRef> {
        let What::Exchange(exchange) = &self.what else { return Vec::new() };
        let answered = match &exchange.outcome {
            Reception::Answered(answer) => answer.body.as_ref(),
            Reception::Failed { .. } => None,
        };
        exchange.question.body.iter().chain(answered).collect()
    }
}

/// The kinds of things that happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A request of the suite and its answer. For a stream: its head; the frames follow as events.
    Exchange(Box<Exchange>),
    /// A frame of an event stream that the suite reads.
    Event {
        /// The `id` field.
        id: Option<String>,
        /// The `event` field.
        event: Option<String>,
        /// The `data` field as JSON, or as a string where it is not JSON.
        data: Value,
    },
    /// A request of the target to the model, and what the model sent.
    Model(Box<ModelTurn>),
    /// Something that the drive knows and the judge needs.
    Fact(Value),
    /// A case of a property check begins.
    Case(CaseLabel),
    /// The drive went no further.
    Stop(Stop),
    /// The recording is whole. It is the last entry.
    End {
        /// How many entries came before.
        entries: usize,
    },
}

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// What was asked.
    pub question: Question,
    /// What came back.
    pub outcome: Reception,
}

/// A request of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Method, in upper case.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers as sent, secrets replaced by the name of the credential.
    pub headers: Vec<(String, String)>,
    /// Body, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyRef>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reception {
    /// An answer.
    Answered(Answer),
    /// None.
    Failed {
        /// What kind of failure.
        kind: FailureKind,
        /// The failure in words.
        reason: String,
    },
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Nobody took the connection.
    Connect,
    /// The connection broke, or its bytes were no HTTP.
    Broken,
    /// A deadline fired.
    Deadline,
    /// The body was larger than what is read.
    TooLarge,
    /// The suite could not word the request.
    Unsendable,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body; absent for the head of a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyRef>,
}

/// A request of the target to the model, as the model's journal holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelTurn {
    /// Order of arrival within the check, from 0.
    pub sequence: u64,
    /// Arrival, in milliseconds on the world's clock.
    pub arrived_ms: u64,
    /// When the last byte of the answer was sent; absent if that never happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_ms: Option<u64>,
    /// The scripted turn that answered; absent where none matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The request in the model's normalised form: `model`, `messages`, `tools` …
    pub request: Value,
    /// The whole journal entry.
    pub journal: Value,
}

/// The name of a case and what is known of it by construction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseLabel {
    /// Its number within the check, or `N/shrunk`.
    pub case: String,
    /// The rule that it keeps or breaks.
    pub rule: String,
    /// The generated input.
    pub input: Value,
    /// The answer that a conforming target gives.
    pub expected: Value,
}

/// Why a drive went no further.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A step before the one under test did not succeed.
    Setup {
        /// The step in words.
        step: String,
        /// What it had to give.
        expected: String,
    },
    /// A means that the check needs is not offered.
    Unmet {
        /// The means, and how to offer it.
        means: String,
    },
    /// The target does not have what the check is about; the entry named by `evidence` shows it.
    Inapplicable {
        /// What it does not have.
        reason: String,
        /// The label of the entry that shows it.
        evidence: String,
    },
    /// The check did not end within its budget.
    Budget {
        /// The budget.
        ms: u64,
    },
    /// The suite itself failed.
    Broken {
        /// How.
        reason: String,
    },
}
