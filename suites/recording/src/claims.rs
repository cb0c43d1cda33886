//! The two-way audit of what a catalogue claims: one cell per loop and capability.

use serde::{Deserialize, Serialize};

/// What became of one claim, or of its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimOutcome {
    /// Claimed, and seen to work.
    ClaimedProven,
    /// Claimed, and seen not to work.
    ClaimedBroken,
    /// Not claimed, and whoever demands it is refused as the contract says. What cannot be demanded is
    /// absent.
    RefusedCorrectly,
    /// Not claimed, and whoever demands it is refused with a wrong status, without a field, with an effect, or
    /// not at all.
    RefusedWrongly,
    /// Not claimed, and it works all the same.
    WorksUnclaimed,
    /// Not tested, because a means is missing.
    NotTested,
}

impl ClaimOutcome {
    /// A short phrase for a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::ClaimedProven => "proven",
            Self::ClaimedBroken => "claimed, broken",
            Self::RefusedCorrectly => "refused",
            Self::RefusedWrongly => "wrongly refused",
            Self::WorksUnclaimed => "works unclaimed",
            Self::NotTested => "not tested",
        }
    }
}

/// One loop and one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimCell {
    /// The loop.
    pub base: String,
    /// The capability flag.
    pub capability: String,
    /// What became of it.
    pub outcome: ClaimOutcome,
    /// Why, where the outcome alone does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The check whose recording shows it.
    pub check: String,
    /// The entries of that recording.
    pub entries: Vec<usize>,
}

/// All cells, capability by capability, each in the order of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimAudit(pub Vec<ClaimCell>);

impl ClaimAudit {
    /// The cell of `base` and `capability`.
    pub fn get(&self, base: &str, capability: &str) -> Option<&ClaimCell> {
        self.0.iter().find(|cell| cell.base == base && cell.capability == capability)
    }

    /// The loops, in order, each once.
    pub fn bases(&self) -> Vec<&str> {
        let mut bases: Vec<&str> = Vec::new();
        for cell in &self.0 {
            if !bases.contains(&cell.base.as_str()) {
                bases.push(&cell.base);
            }
        }
        bases
    }

    /// The capabilities, in order, each once.
    pub fn capabilities(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for cell in &self.0 {
            if !names.contains(&cell.capability.as_str()) {
                names.push(&cell.capability);
            }
        }
        names
    }
}
