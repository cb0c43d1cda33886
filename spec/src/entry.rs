//! The shapes of the specification files.

use serde::{Deserialize, Serialize};

use crate::Contract;

/// How binding a requirement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Breaking it fails the check.
    Must,
    /// Breaking it is a warning.
    Should,
    /// Either way is conformant; the report says which one was taken.
    May,
}

impl Level {
    /// The word used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        }
    }
}

/// Where a requirement comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The document.
    pub kind: SourceKind,
    /// The heading or section in it.
    pub place: String,
}

/// A kind of source document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// The published page of the contract.
    Seed,
    /// Facts of the real product beyond its page.
    Product,
}

/// What a check needs of its target or of its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// Vetta: reads of the catalogue.
    Catalogue,
    /// Vetta: agent writes and session starts.
    Admission,
    /// Vetta: a catalogue row of a kind that not every deploy has.
    FixtureRow,
    /// Vetta: a turn that can be steered.
    Turn,
    /// Vetta: a loop that reaches contributed tools through a session endpoint.
    SecondRoad,
    /// Vetta: two environments of one release.
    TwoEnvironments,
    /// Vetta: a key of a second account.
    SecondAccount,
    /// Vetta: ids that a chooser knows and the catalogue does not publish.
    ReservedIds,
    /// Vetta: the list of bases that the deploy is known to publish.
    ExpectedCatalogue,
    /// OAO: publication of agent versions.
    Publication,
    /// OAO: runs of a session.
    Run,
    /// OAO: the console's view of a session.
    ConsoleView,
    /// OAO: Skills mounted on a version.
    Skills,
    /// OAO: mounted MCP tools.
    Mcp,
    /// OAO: delegates.
    Delegates,
    /// OAO: a schema keyword known to lie outside the supported subset.
    UnsupportedKeyword,
    /// A model endpoint that the suite hosts and the target calls.
    SteerableModel,
    /// The optional test-control port.
    ControlPort,
    /// A client or chooser under test.
    ClientUnderTest,
    /// The suite itself as the subject.
    SuiteItself,
}

impl Need {
    /// The word used in files and reports.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// The status that a defect gives its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DefectStatus {
    /// The check fails.
    Fail,
    /// The check warns.
    Warn,
}

impl DefectStatus {
    /// The word used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Warn => "warn",
        }
    }
}

/// A check that turns red beside the one that a defect is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideEffect {
    /// The other check.
    pub check: String,
    /// Why that is right: what the defect also breaks.
    pub because: String,
}

/// A named way to break one requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// Its name, unique over both contracts.
    pub id: String,
    /// What the broken implementation does.
    pub does: String,
    /// The status it must give its check.
    pub status: DefectStatus,
    /// The message its check must give; absent while the check is pending.
    pub message: Option<String>,
    /// Other checks that it turns red.
    #[serde(default)]
    pub side_effects: Vec<SideEffect>,
}

/// One executable test of a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its id: the requirement's, and a letter (`p` for a property).
    pub id: String,
    /// A readable name.
    pub slug: String,
    /// What it does.
    pub does: String,
    /// What must be seen.
    pub expects: String,
    /// What it needs.
    pub needs: Vec<Need>,
    /// Whether it changes what other checks rely on, and so has a shared target to itself while it runs.
    #[serde(default)]
    pub exclusive: bool,
    /// Why it is not built yet; absent once it is.
    pub pending: Option<String>,
    /// The defect that proves it.
    pub defect: Defect,
}

impl Check {
    /// Whether the check exists as code.
    pub fn is_built(&self) -> bool {
        self.pending.is_none()
    }
}

/// One normative statement of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its id, never reused.
    pub id: String,
    /// A readable name.
    pub slug: String,
    /// How binding it is.
    pub level: Level,
    /// Where it comes from.
    pub source: Source,
    /// Whether it follows from the source by a step of reasoning.
    pub derived: bool,
    /// The statement, in our words.
    pub statement: String,
    /// Open points that bear on it.
    #[serde(default)]
    pub open_points: Vec<String>,
    /// Why no test can show it, where none can.
    #[serde(default)]
    pub excluded: Option<String>,
    /// The checks that test it.
    pub checks: Vec<Check>,
}

/// The requirements on one topic: one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// The contract.
    pub contract: Contract,
    /// The topic: the name of the file, and of the suite.
    pub topic: String,
    /// The topic in words.
    pub title: String,
    /// What belongs to it.
    pub requirements: Vec<Requirement>,
}

/// A question that the documents leave open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenPoint {
    /// Its id: `U..` and `W..` for silence and ambiguity, `D..` for disagreement of sources.
    pub id: String,
    /// What is open.
    pub question: String,
    /// What the reference does.
    pub reference: String,
    /// Answers that must not fail a vendor, beside the reference's.
    pub accepts: Vec<String>,
    /// Requirements on which it bears.
    pub requirements: Vec<String>,
}

/// The file of open points of a contract.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenPoints {
    pub(crate) contract: Contract,
    pub(crate) open_points: Vec<OpenPoint>,
}
