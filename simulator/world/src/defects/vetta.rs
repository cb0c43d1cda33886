//! Defects of the Vetta server, topic by topic.

use ::vetta::Parts;
use spec::Contract;

use super::{Edit, UnknownDefect, apply};

/// All built defects.
pub(super) const ALL: &[&[Edit<Parts>]] = &[];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Vetta, ALL, ids, parts)
}
