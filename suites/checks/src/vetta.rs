//! The Vetta contract.

mod catalogue;
mod preflight;
mod refusal;
mod rows;

use engine::Check;

/// The checks of this contract, topic by topic.
pub(crate) fn checks() -> Vec<Check> {
    [catalogue::CHECKS].concat()
}

pub(crate) use preflight::preflight;
