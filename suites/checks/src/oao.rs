//! The OAO contract.

mod acceptance;
mod agents;
mod canonical;
mod definition;
mod files;
mod generate;
mod keys;
mod limits;
mod mounting;
mod operations;
mod overlap;
mod place;
mod preflight;
mod refusal;
mod result_schema;
mod runs;
mod sandbox;
mod sandboxed;
mod schema_corpus;
mod schema_size;
mod scratch_loop;
mod versions;
mod workspace;

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
        workspace::CHECKS,
        sandbox::CHECKS,
        files::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
