//! Outcomes, counts and exit codes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Recording, Status, Verdict};

/// What became of one check in a run.
#[derive(Debug)]
pub struct Outcome {
    /// The check.
    pub id: String,
    /// Its status, with the expectations of the target's description applied.
    pub status: Status,
    /// Whether the description keeps an `untested` of this check out of the exit code.
    pub excused: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// What happened.
    pub recording: Recording,
    /// Machine time, in milliseconds.
    pub duration_ms: u64,
}

/// How many checks have each status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(pub BTreeMap<Status, usize>);

impl Counts {
    /// Counts the statuses.
    pub fn of(statuses: impl IntoIterator<Item = Status>) -> Self {
        let mut counts = BTreeMap::new();
        for status in statuses {
            *counts.entry(status).or_insert(0) += 1;
        }
        Self(counts)
    }

    /// How many have `status`.
    pub fn get(&self, status: Status) -> usize {
        self.0.get(&status).copied().unwrap_or(0)
    }
}

/// What a run says to whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// Everything that counts holds.
    Conforming,
    /// Something is broken, passes unexpectedly, or could not be tested.
    NotConforming,
    /// No judgement: the preflight failed, the input was bad, the suite failed, or no check ran.
    CouldNotJudge,
}

impl ExitCode {
    /// The number given to the operating system.
    pub fn code(self) -> u8 {
        match self {
            Self::Conforming => 0,
            Self::NotConforming => 1,
            Self::CouldNotJudge => 2,
        }
    }

    /// The exit code of a list of outcomes.
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut any = false;
        let mut worst = Self::Conforming;
        for outcome in outcomes {
            any |= outcome.status != Status::NotApplicable;
            worst = worst.max(match outcome.status {
                Status::Error => Self::CouldNotJudge,
                Status::Fail | Status::UnexpectedPass => Self::NotConforming,
                Status::Untested if !outcome.excused => Self::NotConforming,
                _ => Self::Conforming,
            });
        }
        if any { worst } else { Self::CouldNotJudge }
    }
}
