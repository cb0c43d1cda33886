//! The OAO contract.

mod preflight;

use engine::Check;

/// The checks of this contract, topic by topic.
pub(crate) fn checks() -> Vec<Check> {
    Vec::new()
}

pub(crate) use preflight::preflight;
