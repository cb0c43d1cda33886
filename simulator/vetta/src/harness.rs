//! The harness object of the catalogue, as it is on the wire.

use serde::{Deserialize, Serialize};

/// One published loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Key of the entry: the value that an agent puts in `harness`, and the `{id}` of the read endpoint.
    pub base: String,
    /// Name for display in a chooser.
    pub label: String,
    /// Who operates the loop.
    pub location: Location,
    /// What a turn is charged to.
    pub billing: Billing,
    /// How settled the contract is. A `preview` loop runs.
    pub status: Maturity,
    /// Where the loop runs, hence what idling costs.
    pub execution: Execution,
    /// Whether a session on it can run in the environment that is addressed.
    pub runnable: bool,
    /// What a session on it may demand.
    pub capabilities: Capabilities,
}

/// Who operates a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// The platform.
    Hosted,
    /// The caller's machine and signed-in account; out of reach for a hosted session.
    Local,
}

/// What a turn is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// The credit balance.
    Usage,
    /// The account that is signed in already.
    Account,
}

/// How settled the contract of a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maturity {
    /// Settled.
    Ga,
    /// It may still move.
    Preview,
}

/// Where a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execution {
    /// Inside the session: nothing is held between turns.
    Isolate,
    /// On a micro-VM that the session keeps between turns.
    Sandbox,
    /// On the caller's machine.
    Local,
}

/// The four capability flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// A tool call can be held until somebody decides.
    pub approvals: bool,
    /// A required typed answer is enforced.
    pub structured_output: bool,
    /// Answers are announced in pieces.
    pub streaming_deltas: bool,
    /// What the platform contributes reaches the loop's model.
    pub injected_tools: bool,
}

/// A capability that can be demanded. `streaming_deltas` is not among them: it is only ever observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// See [`Capabilities::approvals`].
    Approvals,
    /// See [`Capabilities::structured_output`].
    StructuredOutput,
    /// See [`Capabilities::injected_tools`].
    InjectedTools,
}

impl Capability {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approvals => "approvals",
            Self::StructuredOutput => "structured_output",
            Self::InjectedTools => "injected_tools",
        }
    }
}

impl Capabilities {
    /// Whether `capability` is declared.
    pub fn has(&self, capability: Capability) -> bool {
        match capability {
            Capability::Approvals => self.approvals,
            Capability::StructuredOutput => self.structured_output,
            Capability::InjectedTools => self.injected_tools,
        }
    }
}
