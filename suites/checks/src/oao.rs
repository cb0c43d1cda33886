//! The OAO contract.

mod acceptance;
mod agents;
mod canonical;
mod chaining;
mod definition;
mod follow_up;
mod generate;
mod keys;
mod limits;
mod loop_endings;
mod mounting;
mod nesting;
mod operations;
mod overlap;
mod pinning;
mod place;
mod preflight;
mod refusal;
mod result_schema;
mod results;
mod roomy;
mod runs;
mod schema_corpus;
mod schema_size;
mod scratch_loop;
mod scripted;
mod task_length;
mod values;
mod versions;
mod wording;

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
        results::CHECKS,
        nesting::CHECKS,
        chaining::CHECKS,
        pinning::CHECKS,
        task_length::CHECKS,
        values::CHECKS,
        values::PROPERTIES,
        loop_endings::CHECKS,
        wording::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
