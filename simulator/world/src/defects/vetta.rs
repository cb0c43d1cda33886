//! Defects of the Vetta server, topic by topic.

mod admission;
mod approvals;
mod billing;
mod catalogue;
mod catalogue_in_use;
mod claims;
mod deltas;
mod early_guards;
mod harness_object;
mod held_calls;
mod injected_tools;
mod reading_one;
mod rows;
mod runnable;
mod sandboxes;
mod second_road;
mod selection;
mod sequences;
mod steps;
mod streaming;
mod structured_output;
mod teams;
mod two_environments;
mod typed_turns;
mod vocabulary;

use ::vetta::Parts;
use spec::Contract;

use super::{Edit, UnknownDefect, apply};

/// All built defects.
pub(super) const ALL: &[&[Edit<Parts>]] = &[
    admission::DEFECTS,
    approvals::DEFECTS,
    billing::DEFECTS,
    catalogue::DEFECTS,
    catalogue_in_use::DEFECTS,
    claims::DEFECTS,
    deltas::DEFECTS,
    early_guards::DEFECTS,
    harness_object::DEFECTS,
    held_calls::DEFECTS,
    injected_tools::DEFECTS,
    reading_one::DEFECTS,
    runnable::DEFECTS,
    sandboxes::DEFECTS,
    second_road::DEFECTS,
    selection::DEFECTS,
    sequences::DEFECTS,
    streaming::DEFECTS,
    structured_output::DEFECTS,
    teams::DEFECTS,
    two_environments::DEFECTS,
    typed_turns::DEFECTS,
    vocabulary::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Vetta, ALL, ids, parts)
}
