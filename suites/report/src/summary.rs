//! `summary.json`.

use std::collections::BTreeMap;

use recording::Status;
use serde::{Deserialize, Serialize};
use spec::Contract;

use crate::{Report, Suite, Timing};

/// One contract in a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContractLine {
    /// The contract.
    pub contract: Contract,
    /// Its exit code.
    pub exit_code: u8,
    /// Checks by status.
    pub counts: BTreeMap<Status, usize>,
    /// Checks that exist as code.
    pub built: usize,
    /// Checks that do not yet.
    pub pending: usize,
    /// Why nothing was judged, where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preflight: Option<String>,
    /// How long its checks took; absent where none ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The version of the format.
    pub schema: String,
    /// The suite.
    pub suite: Suite,
    /// The seed.
    pub seed: u64,
    /// The exit code: the largest of the contracts'.
    pub exit_code: u8,
    /// Machine time, in milliseconds.
    pub duration_ms: u64,
    /// The contracts.
    pub contracts: Vec<ContractLine>,
}

impl Summary {
    /// The summary of a run's reports.
    pub fn new(seed: u64, duration_ms: u64, reports: &[Report]) -> Self {
        let line = |report: &Report| ContractLine {
            contract: report.contract,
            exit_code: report.exit_code,
            counts: report.counts.clone(),
            built: report.built,
            pending: report.pending,
            preflight: report.preflight.reason.clone(),
            timing: report.timing.clone(),
        };
        Self {
            schema: "proofhouse.summary/1".to_owned(),
            suite: Suite::this(),
            seed,
            exit_code: reports.iter().map(|report| report.exit_code).max().unwrap_or(2),
            duration_ms,
            contracts: reports.iter().map(line).collect(),
        }
    }
}
