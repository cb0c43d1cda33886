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

    pub(crate) fn environment(&self) -> &str {
        &self.environment
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
    /// The threads of coordinators: run like sessions, and seen through their coordinator alone.
    pub(crate) threads: BTreeMap<String, Session>,
}

impl Shelf {
    /// The session or thread of this id.
    pub(crate) fn session_mut(&mut self, id: &str) -> Option<&mut Session> {
        let Self { sessions, threads, .. } = self;
        find(sessions, threads, id)
    }
}

/// The session or thread of this id.
pub(crate) fn find<'a>(
    sessions: &'a mut BTreeMap<String, Session>,
    threads: &'a mut BTreeMap<String, Session>,
    id: &str,
) -> Option<&'a mut Session> {
    sessions.get_mut(id).or_else(|| threads.get_mut(id))
}

impl Store {
    pub(crate) fn shelf(&mut self, scope: &Scope) -> &mut Shelf {
        self.0.entry(scope.clone()).or_default()
    }
}
