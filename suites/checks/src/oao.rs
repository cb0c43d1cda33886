//! The OAO contract.

mod acceptance;
mod agents;
mod answers;
mod asking;
mod authorisation;
mod batch;
mod call_approvals;
mod caller_results;
mod caller_tools;
mod callers;
mod canonical;
mod chaining;
mod claims;
mod console;
mod deep_results;
mod definition;
mod delegation;
mod durability;
mod endings;
mod event_stream;
mod events;
mod files;
mod follow_up;
mod generate;
mod idempotency;
mod inheritance;
mod inherited_skills;
mod inner;
mod keys;
mod lifecycle;
mod limits;
mod lists;
mod loop_endings;
mod mounting;
mod nesting;
mod no_settings;
mod odd_json;
mod operations;
mod overlap;
mod overlap_any;
mod overlap_many;
mod packages;
mod payloads;
mod pinning;
mod place;
mod preflight;
mod redaction;
mod refusal;
mod result_schema;
mod results;
mod roomy;
mod run_states;
mod runs;
mod sandbox;
mod sandboxed;
mod schema_corpus;
mod schema_size;
mod scratch_is_no_session;
mod scratch_loop;
mod scripted;
mod sequence;
mod skill_or_operation;
mod skills;
mod subagents;
mod summaries;
mod task_length;
mod toolset;
mod toolset_calls;
mod uploads;
mod values;
mod versions;
mod watch;
mod webhook_pace;
mod webhook_rules;
mod webhooks;
mod wording;
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
        durability::CHECKS,
        skill_or_operation::CHECKS,
        no_settings::CHECKS,
        subagents::CHECKS,
        scratch_is_no_session::CHECKS,
        inheritance::CHECKS,
        inherited_skills::CHECKS,
        skills::CHECKS,
        &console::checks(),
        &redaction::checks(),
        results::CHECKS,
        nesting::CHECKS,
        chaining::CHECKS,
        pinning::CHECKS,
        task_length::CHECKS,
        values::CHECKS,
        values::PROPERTIES,
        deep_results::CHECKS,
        loop_endings::CHECKS,
        wording::CHECKS,
        odd_json::CHECKS,
        overlap_many::CHECKS,
        overlap_any::PROPERTIES,
        sequence::CHECKS,
        endings::CHECKS,
        events::CHECKS,
        payloads::CHECKS,
        summaries::CHECKS,
        workspace::CHECKS,
        sandbox::CHECKS,
        files::CHECKS,
        idempotency::CHECKS,
        authorisation::CHECKS,
        answers::CHECKS,
        lists::CHECKS,
        event_stream::CHECKS,
        run_states::CHECKS,
        caller_tools::CHECKS,
        claims::CHECKS,
        caller_results::CHECKS,
        toolset_calls::CHECKS,
        call_approvals::CHECKS,
        webhooks::CHECKS,
        webhook_rules::CHECKS,
        webhook_pace::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
