//! Defects of the OAO server, topic by topic.

mod definition;
mod files;
mod mounting;
mod overlap;
mod result_schema;
mod sandbox;
mod scratch_loop;
mod versions;
mod workspace;

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
    workspace::DEFECTS,
    sandbox::DEFECTS,
    files::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Oao, ALL, ids, parts)
}
