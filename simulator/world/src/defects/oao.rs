//! Defects of the OAO server, topic by topic.

mod console;
mod console_content;
mod definition;
mod delegates;
mod durability;
mod inheritance;
mod mounting;
mod overlap;
mod primitives;
mod result_schema;
mod scratch_loop;
mod skills;
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
    durability::DEFECTS,
    primitives::DEFECTS,
    inheritance::DEFECTS,
    skills::DEFECTS,
    delegates::DEFECTS,
    console::DEFECTS,
    console_content::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Oao, ALL, ids, parts)
}
