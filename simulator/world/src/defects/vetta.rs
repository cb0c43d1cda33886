//! Defects of the Vetta server, topic by topic.

mod catalogue;
mod harness_object;
mod reading_one;
mod rows;
mod runnable;
mod structured_output;

use ::vetta::Parts;
use spec::Contract;

use super::{Edit, UnknownDefect, apply};

/// All built defects.
pub(super) const ALL: &[&[Edit<Parts>]] = &[
    catalogue::DEFECTS,
    harness_object::DEFECTS,
    reading_one::DEFECTS,
    runnable::DEFECTS,
    structured_output::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Vetta, ALL, ids, parts)
}
