//! The Vetta contract.

mod admission;
mod agents;
mod agents_times_rows;
mod approvals;
mod billing;
mod catalogue;
mod catalogue_in_use;
mod deltas;
mod demands;
mod demands_met;
mod early_guards;
mod environments;
mod evidence;
mod harness_object;
mod held_calls;
mod injected_tools;
mod listing;
mod preflight;
mod reading_one;
mod reads;
mod refusal;
mod rows;
mod runnable;
mod sandboxes;
mod selection;
mod streaming;
mod structured_output;
mod talk;
mod typed_turns;
mod vocabulary;
mod words;

use engine::Check;

/// The checks of this contract, topic by topic.
pub(crate) fn checks() -> Vec<Check> {
    [
        admission::CHECKS,
        agents_times_rows::CHECKS,
        approvals::CHECKS,
        billing::CHECKS,
        catalogue::CHECKS,
        catalogue_in_use::CHECKS,
        deltas::CHECKS,
        demands_met::CHECKS,
        early_guards::CHECKS,
        harness_object::CHECKS,
        held_calls::CHECKS,
        injected_tools::CHECKS,
        reading_one::CHECKS,
        runnable::CHECKS,
        sandboxes::CHECKS,
        selection::CHECKS,
        streaming::CHECKS,
        structured_output::CHECKS,
        typed_turns::CHECKS,
        vocabulary::CHECKS,
    ]
    .concat()
}

pub(crate) use preflight::preflight;
