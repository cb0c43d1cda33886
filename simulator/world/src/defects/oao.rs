//! Defects of the OAO server, topic by topic.

mod definition;
mod result_schema;
mod versions;

use ::oao::Parts;
use spec::Contract;

use super::{Edit, UnknownDefect, apply};

/// All built defects.
pub(super) const ALL: &[&[Edit<Parts>]] = &[definition::DEFECTS, result_schema::DEFECTS, versions::DEFECTS];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Oao, ALL, ids, parts)
}
