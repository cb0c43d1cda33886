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
