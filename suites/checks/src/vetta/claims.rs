//! The two-way audit of what the catalogue claims (VET-250).
//!
//! One check per capability goes through every loop: what is claimed is tried, and what is not claimed is demanded,
//! to see it refused. The cells of the audit and the verdict of the check are read from one recording.

mod cells;
mod evidence;
mod probe;
mod refused;

use engine::Check;
use recording::{ClaimAudit, Outcome};

use probe::Capability;

/// The checks of this topic.
pub(crate) fn checks() -> Vec<Check> {
    cells::CHECKS.to_vec()
}

/// The audit, as far as its checks are among `outcomes`; `None` where none of them is.
pub fn audit(outcomes: &[Outcome]) -> Option<ClaimAudit> {
    let of = |(id, capability): &(&str, Capability)| {
        let outcome = outcomes.iter().find(|outcome| outcome.id == *id)?;
        Some(cells::cells(&outcome.recording, *capability).unwrap_or_default())
    };
    let known: Vec<_> = cells::BY_CAPABILITY.iter().filter_map(of).collect();
    (!known.is_empty()).then(|| ClaimAudit(known.concat()))
}
