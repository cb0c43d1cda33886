//! The Vetta contract.

mod admission;
mod agents;
mod agents_times_rows;
mod approvals;
mod billing;
mod catalogue;
mod catalogue_in_use;
pub mod claims;
mod clients;
mod contributed_tools;
mod deltas;
mod demands;
mod demands_met;
mod early_guards;
mod environments;
mod evidence;
mod generated_catalogues;
mod harness_object;
mod held_calls;
mod human_gate;
mod injected_tools;
mod listing;
mod made_environments;
mod patches;
mod preflight;
mod reading_one;
mod reads;
mod refusal;
mod roads;
mod rows;
mod runnable;
mod sandboxes;
mod second_road;
mod selection;
mod streaming;
mod structured_output;
pub mod suite_itself;
mod talk;
mod teams;
mod tool_endpoint;
mod tool_server;
mod two_environments;
mod typed_turns;
mod vocabulary;
mod words;

use engine::Check;

/// The checks of this contract, topic by topic.
pub(crate) fn checks() -> Vec<Check> {
    [checks_of_targets(), checks_of_clients(), claims::checks(), suite_itself::checks()].concat()
}

/// Those whose subject is a client.
pub(crate) fn checks_of_clients() -> Vec<Check> {
    [clients::CHOICES, clients::REQUESTS].concat()
}

/// Those whose subject is a harness.
pub(crate) fn checks_of_targets() -> Vec<Check> {
    [
        admission::CHECKS,
        agents_times_rows::CHECKS,
        approvals::CHECKS,
        billing::CHECKS,
        catalogue::CHECKS,
        catalogue_in_use::CHECKS,
        contributed_tools::CHECKS,
        deltas::CHECKS,
        demands_met::CHECKS,
        early_guards::CHECKS,
        generated_catalogues::CHECKS,
        harness_object::CHECKS,
        held_calls::CHECKS,
        human_gate::CHECKS,
        injected_tools::CHECKS,
        patches::CHECKS,
        reading_one::CHECKS,
        runnable::CHECKS,
        sandboxes::CHECKS,
        second_road::CHECKS,
        selection::CHECKS,
        streaming::CHECKS,
        structured_output::CHECKS,
        teams::CHECKS,
        two_environments::CHECKS,
        typed_turns::CHECKS,
        vocabulary::CHECKS,
    ]
    .concat()
}

pub(crate) use clients::preflight as client_preflight;
pub(crate) use preflight::preflight;
