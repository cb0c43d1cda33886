//! The OAO contract.

mod acceptance;
mod agents;
mod batch;
mod canonical;
mod definition;
mod endings;
mod events;
mod generate;
mod keys;
mod lifecycle;
mod limits;
mod mounting;
mod operations;
mod overlap;
mod overlap_any;
mod overlap_many;
mod payloads;
mod place;
mod preflight;
mod refusal;
mod result_schema;
mod runs;
mod schema_corpus;
mod schema_size;
mod scratch_loop;
mod sequence;
mod summaries;
mod versions;
mod watch;

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
        overlap_many::CHECKS,
        overlap_any::PROPERTIES,
        sequence::CHECKS,
        endings::CHECKS,
        events::CHECKS,
        payloads::CHECKS,
        summaries::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
