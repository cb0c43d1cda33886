//! Defects of the OAO server, topic by topic.

mod approvals;
mod caller_tools;
mod definition;
mod event_stream;
mod http_api;
mod mounting;
mod overlap;
mod result_schema;
mod run_states;
mod scratch_loop;
mod versions;
mod webhooks;

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
    http_api::DEFECTS,
    event_stream::DEFECTS,
    run_states::DEFECTS,
    caller_tools::DEFECTS,
    approvals::DEFECTS,
    webhooks::DEFECTS,
];

/// Applies the defects called `ids`.
pub fn edit(parts: &mut Parts, ids: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    apply(Contract::Oao, ALL, ids, parts)
}
