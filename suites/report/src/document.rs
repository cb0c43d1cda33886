//! `report.json`.

use std::collections::BTreeMap;

use recording::{
    ClaimAudit, Counts, ExitCode, Finding, Outcome, ShapeViolation, Status, TargetFacts, Verdict, Witness,
    shape_violations,
};
use serde::{Deserialize, Serialize};
use spec::{Contract, Spec};

use crate::{Replay, Timing};

/// The version of the format.
const SCHEMA: &str = "proofhouse.report/1";

/// The suite that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// Its version.
    pub version: String,
    /// The commit that it was built from.
    pub commit: String,
}

impl Suite {
    /// This build.
    pub fn this() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), commit: env!("PROOFHOUSE_COMMIT").to_owned() }
    }
}

/// Whether the target got through the happy path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preflight {
    /// Whether it did.
    pub passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One check in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLine {
    /// Its id.
    pub id: String,
    /// What became of it.
    pub status: Status,
    /// The requirements that it tests.
    pub requirements: Vec<String>,
    /// The verdict in words; null for a pass without a remark.
    pub reason: Option<String>,
    /// The entries of the recording that earned a pass; null otherwise.
    pub witness: Option<Witness>,
    /// What is wrong, for a red check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// Machine time, in milliseconds.
    pub duration_ms: u64,
    /// The command that repeats it.
    pub replay: String,
}

/// One requirement in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequirementLine {
    /// Its id.
    pub id: String,
    /// `must`, `should` or `may`.
    pub level: String,
    /// The worst applicable status of its checks; null where none of them ran.
    pub status: Option<Status>,
    /// Its checks that ran.
    pub checks: Vec<String>,
    /// Its checks that are not built yet.
    pub pending: Vec<String>,
}

/// What became of one contract on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the format.
    pub schema: String,
    /// The suite.
    pub suite: Suite,
    /// What is known of the target. No secrets.
    pub target: TargetFacts,
    /// The contract.
    pub contract: Contract,
    /// The seed.
    pub seed: u64,
    /// The exit code of this contract.
    pub exit_code: u8,
    /// Whether the target got through the happy path.
    pub preflight: Preflight,
    /// Checks by status; every status is there.
    pub counts: BTreeMap<Status, usize>,
    /// Checks that exist as code, and those that do not yet.
    pub built: usize,
    /// See `built`.
    pub pending: usize,
    /// Requirements, in the order of the specification.
    pub requirements: Vec<RequirementLine>,
    /// Checks, in the order in which they were planned.
    pub checks: Vec<CheckLine>,
    /// What became of each capability of each loop, where that was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<ClaimAudit>,
    /// Messages of the target that do not have the shape of their schema. They decide no check by themselves.
    pub shape_violations: Vec<ShapeViolation>,
    /// How long the checks took; absent where none ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

impl Report {
    /// Makes the report of a run.
    pub fn new(
        contract: Contract,
        target: TargetFacts,
        seed: u64,
        preflight: Preflight,
        outcomes: &[Outcome],
        replay: &Replay,
        spec: &Spec,
    ) -> Self {
        let counts = Counts::of(outcomes.iter().map(|outcome| outcome.status));
        let exit = if preflight.passed { ExitCode::of(outcomes) } else { ExitCode::CouldNotJudge };
        let (built, pending) = spec.counts(contract);
        Self {
            schema: SCHEMA.to_owned(),
            suite: Suite::this(),
            target,
            contract,
            seed,
            exit_code: exit.code(),
            preflight,
            counts: Status::ALL.into_iter().map(|status| (status, counts.get(status))).collect(),
            built,
            pending,
            requirements: requirements(contract, outcomes, spec),
            checks: outcomes.iter().map(|outcome| line(outcome, replay, spec)).collect(),
            claims: None,
            shape_violations: shapes(contract, outcomes),
            timing: None,
        }
    }

    /// The same report with an audit of claims.
    #[must_use]
    pub fn with_claims(self, claims: Option<ClaimAudit>) -> Self {
        Self { claims, ..self }
    }

    /// The same report of checks that took `duration_ms` of the machine's time together.
    #[must_use]
    pub fn timed(self, outcomes: &[Outcome], duration_ms: u64) -> Self {
        Self { timing: Timing::of(outcomes, duration_ms), ..self }
    }
}

/// The envelope of a refusal is specified for OAO; for Vetta it is an open point (U01), so a vendor's own
/// is not held against ours.
fn shapes(contract: Contract, outcomes: &[Outcome]) -> Vec<ShapeViolation> {
    let with_refusals = contract == Contract::Oao;
    // A schema of ours that does not compile is found by a test, and is no affair of a target.
    outcomes
        .iter()
        .flat_map(|outcome| shape_violations(&outcome.recording, with_refusals).unwrap_or_default())
        .collect()
}

fn line(outcome: &Outcome, replay: &Replay, spec: &Spec) -> CheckLine {
    let requirement = spec.check(&outcome.id).map(|(requirement, _)| requirement.id.clone());
    CheckLine {
        id: outcome.id.clone(),
        status: outcome.status,
        requirements: requirement.into_iter().collect(),
        reason: outcome.verdict.reason(),
        witness: match &outcome.verdict {
            Verdict::Pass(witness) => Some(witness.clone()),
            _ => None,
        },
        finding: outcome.verdict.finding().cloned(),
        duration_ms: outcome.duration_ms,
        replay: replay.command(outcome),
    }
}

/// A parent is never better than its worst applicable child.
fn requirements(contract: Contract, outcomes: &[Outcome], spec: &Spec) -> Vec<RequirementLine> {
    let by_id: BTreeMap<&str, Status> =
        outcomes.iter().map(|outcome| (outcome.id.as_str(), outcome.status)).collect();
    let lines = spec.requirements(contract).map(|(_, requirement)| {
        let ran: Vec<(&str, Status)> = requirement
            .checks
            .iter()
            .filter_map(|check| Some((check.id.as_str(), *by_id.get(check.id.as_str())?)))
            .collect();
        RequirementLine {
            id: requirement.id.clone(),
            level: requirement.level.name().to_owned(),
            status: ran.iter().map(|(_, status)| *status).min(),
            checks: ran.iter().map(|(id, _)| (*id).to_owned()).collect(),
            pending: requirement
                .checks
                .iter()
                .filter(|check| !check.is_built())
                .map(|check| check.id.clone())
                .collect(),
        }
    });
    lines.filter(|line| !line.checks.is_empty() || !line.pending.is_empty()).collect()
}
