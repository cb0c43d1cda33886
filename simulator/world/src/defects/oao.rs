//! Defects of the OAO server, topic by topic.

mod approvals;
mod batches;
mod caller_tools;
mod chaining;
mod console;
mod console_content;
mod definition;
mod delegates;
mod durability;
mod endings;
mod event_stream;
mod events;
mod files;
mod http_api;
mod inheritance;
mod loop_endings;
mod mounting;
mod nesting;
mod odd_json;
mod overlap;
mod pinning;
mod primitives;
mod redaction;
mod result_schema;
mod results;
mod run_states;
mod sandbox;
mod scratch_loop;
mod skills;
mod tasks;
mod values;
mod versions;
mod webhooks;
mod wording;
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
    durability::DEFECTS,
    primitives::DEFECTS,
    inheritance::DEFECTS,
    skills::DEFECTS,
    delegates::DEFECTS,
    console::DEFECTS,
    console_content::DEFECTS,
    redaction::DEFECTS,
    results::DEFECTS,
    nesting::DEFECTS,
    chaining::DEFECTS,
    pinning::DEFECTS,
    tasks::DEFECTS,
    values::DEFECTS,
    loop_endings::DEFECTS,
    wording::DEFECTS,
    odd_json::DEFECTS,
    batches::DEFECTS,
    endings::DEFECTS,
    events::DEFECTS,
    workspace::DEFECTS,
    sandbox::DEFECTS,
    files::DEFECTS,
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
