//! What the service remembers, by account and environment.

use std::collections::BTreeMap;

use crate::{Caller, agents::Agent, sessions::Session};

/// To whom an object belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scope {
    account: String,
    environment: String,
}

impl Scope {
    pub(crate) fn of(caller: &Caller) -> Self {
        Self { account: caller.account.clone(), environment: caller.environment.name.clone() }
    }

    pub(crate) fn account(&self) -> &str {
        &self.account
    }
}

/// Everything that is remembered. Ids sort in the order of creation, so the maps do too.
#[derive(Default)]
pub(crate) struct Store(BTreeMap<Scope, Shelf>);

/// The objects of one account in one environment.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) agents: BTreeMap<String, Agent>,
    pub(crate) sessions: BTreeMap<String, Session>,
}

impl Store {
    pub(crate) fn shelf(&mut self, scope: &Scope) -> &mut Shelf {
        self.0.entry(scope.clone()).or_default()
    }
}
