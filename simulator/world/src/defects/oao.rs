//! Defects of the OAO server, topic by topic.

mod batches;
mod definition;
mod endings;
mod events;
mod mounting;
mod overlap;
mod result_schema;
mod scratch_loop;
mod versions;

use ::oao::Parts;
use spec::Contract;

use super::{Edit, UnknownDefect, apply};

/// All built defects.
pub(super) const ALL: &[&[Edit<Parts>]] = &[
    definition::DEFECTS,
    result_schema::DEFECTS,
    versions::DEFECTS,
    mounting::DEFECTS,
    scratch_loop::DEFECTS,
    overlap::DEFECTS,
    batches::DEFECTS,
    endings::DEFECTS,
    events::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Oao, ALL, ids, parts)
}
