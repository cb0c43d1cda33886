//! The OAO contract.

mod acceptance;
mod agents;
mod canonical;
mod console;
mod definition;
mod delegation;
mod durability;
mod generate;
mod inheritance;
mod inherited_skills;
mod inner;
mod keys;
mod limits;
mod mounting;
mod no_settings;
mod operations;
mod overlap;
mod packages;
mod place;
mod preflight;
mod refusal;
mod result_schema;
mod runs;
mod schema_corpus;
mod schema_size;
mod scratch_is_no_session;
mod scratch_loop;
mod skill_or_operation;
mod skills;
mod subagents;
mod toolset;
mod uploads;
mod versions;

use engine::Check;

/// The checks of this contract, topic by topic.
pub(crate) fn checks() -> Vec<Check> {
    [
        definition::CHECKS,
        definition::PROPERTIES,
        keys::CHECKS,
        limits::CHECKS,
        result_schema::CHECKS,
        result_schema::PROPERTIES,
        schema_corpus::CHECKS,
        schema_size::CHECKS,
        versions::CHECKS,
        mounting::CHECKS,
        scratch_loop::CHECKS,
        overlap::CHECKS,
        durability::CHECKS,
        skill_or_operation::CHECKS,
        no_settings::CHECKS,
        subagents::CHECKS,
        scratch_is_no_session::CHECKS,
        inheritance::CHECKS,
        inherited_skills::CHECKS,
        skills::CHECKS,
        &console::checks(),
    ]
    .concat()
}

pub(crate) use preflight::preflight;
