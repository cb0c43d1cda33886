//! The checks: each one's drive and judge side by side, one file per topic of the specification.
//!
//! A drive talks to the target through [`engine::Driver`] and decides nothing. A judge decides from the
//! recording and talks to nobody. No check knows the simulator: this crate does not depend on it.

mod canary;
#[cfg(test)]
mod handmade;
#[cfg(test)]
mod judges;
pub mod oao;
mod percent;
mod table;
pub mod vetta;

use engine::Registry;
use spec::Contract;

/// The names of the defects of the suite itself.
pub fn suite_defects() -> Vec<&'static str> {
    vetta::suite_itself::defects::ids()
}

/// The checks of a client of the catalogue, in the order of the specification.
pub fn client_registry() -> Registry {
    let all = registry();
    let of_clients = vetta::checks_of_clients();
    let is_one = |check: &engine::Check| of_clients.iter().any(|each| each.id == check.id);
    Registry {
        checks: all.checks.into_iter().filter(is_one).collect(),
        preflight: |_| vetta::client_preflight(),
    }
}

/// All checks that are built, in the order of the specification.
pub fn registry() -> Registry {
    let mut checks: Vec<engine::Check> = oao::checks().into_iter().chain(vetta::checks()).collect();
    if let Ok(spec) = spec::Spec::load() {
        let order: Vec<&str> = Contract::ALL
            .into_iter()
            .flat_map(|contract| spec.checks(contract))
            .map(|(_, _, entry)| entry.id.as_str())
            .collect();
        checks.sort_by_key(|check| order.iter().position(|id| *id == check.id));
    }
    Registry {
        checks,
        preflight: |contract| match contract {
            Contract::Oao => oao::preflight(),
            Contract::Vetta => vetta::preflight(),
        },
    }
}
