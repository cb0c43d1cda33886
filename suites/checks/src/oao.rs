//! The OAO contract.

mod acceptance;
mod agents;
mod answers;
mod authorisation;
mod call_approvals;
mod caller_results;
mod caller_tools;
mod callers;
mod canonical;
mod claims;
mod definition;
mod event_stream;
mod generate;
mod idempotency;
mod keys;
mod limits;
mod lists;
mod mounting;
mod operations;
mod overlap;
mod place;
mod preflight;
mod refusal;
mod result_schema;
mod run_states;
mod runs;
mod schema_corpus;
mod schema_size;
mod scratch_loop;
mod versions;
mod webhook_rules;
mod webhooks;

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
        idempotency::CHECKS,
        authorisation::CHECKS,
        answers::CHECKS,
        lists::CHECKS,
        event_stream::CHECKS,
        run_states::CHECKS,
        caller_tools::CHECKS,
        claims::CHECKS,
        caller_results::CHECKS,
        call_approvals::CHECKS,
        webhooks::CHECKS,
        webhook_rules::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
