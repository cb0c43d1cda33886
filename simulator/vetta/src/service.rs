//! The service: parts, clock, ids, turns and what it remembers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use wire::{Clock, Ids, serve::HeadFilter};

use crate::{
    Environment, Keyring, Parts, Turns,
    billing::Balances,
    endpoint::{self, MountTable},
    http::{Replays, router},
    store::{Scope, Store},
    tools::Effects,
};

/// A running Vetta service. Clones share everything.
#[derive(Clone)]
pub struct Service(Arc<Core>);

/// What the handlers and the turns of one service share.
pub(crate) struct Core {
    pub(crate) parts: Parts,
    pub(crate) clock: Clock,
    pub(crate) ids: Ids,
    pub(crate) turns: Arc<dyn Turns>,
    pub(crate) replays: Replays,
    pub(crate) mounts: MountTable,
    pub(crate) effects: Effects,
    pub(crate) balances: Balances,
    store: Mutex<Store>,
    keyring: Mutex<Arc<Keyring>>,
}

impl Service {
    /// A service that remembers nothing yet. The parts are fixed from here on.
    pub fn new(parts: Parts, clock: Clock, ids: Ids, turns: Arc<dyn Turns>) -> Self {
        let turns = parts.turns.wraps.iter().fold(turns, |turns, wrap| wrap(turns));
        let (replays, mounts, effects, balances) = Default::default();
        let (store, keyring) = (Mutex::default(), Mutex::new(Arc::new(parts.keyring.clone())));
        let core = Core { parts, clock, ids, turns, replays, mounts, effects, balances, store, keyring };
        Self(Arc::new(core))
    }

    /// Serves one more environment, to whoever has `key`, which stands for `account` in it. `false`: there is
    /// one of this name, or the key is taken, and nothing has changed.
    #[must_use = "`false` means that nothing is served under this key"]
    pub fn open(&self, environment: Environment, key: &str, account: &str) -> bool {
        let mut keyring = self.0.keyring.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken =
            keyring.iter().any(|(known, caller)| known == key || caller.environment.name == environment.name);
        if !is_taken {
            Arc::make_mut(&mut keyring).grant(key, account, Arc::new(environment));
        }
        !is_taken
    }

    pub(crate) fn of(core: &Arc<Core>) -> Self {
        Self(core.clone())
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.0
    }

    /// What its tools have done.
    pub fn effects(&self) -> &Effects {
        &self.0.effects
    }

    /// The routes of the contract, for [`wire::serve::serve`]. Turns run as tasks of the runtime that
    /// serves it.
    pub fn router(&self) -> Router {
        router(&self.0)
    }

    /// The tool endpoint of a session: its path and its token. `None` for a session that has none, or that
    /// is over. No client of the contract is told: it is between the platform and the session's loop.
    pub fn tool_endpoint(&self, session_id: &str) -> Option<(String, String)> {
        let mounts = self.0.mounts.lock();
        let (token, mount) = mounts.of_session(session_id)?;
        Some((endpoint::PATH.replace("{id}", &mount.session_id), token.to_owned()))
    }

    /// The change of request heads that goes with [`Service::router`].
    pub fn head_filter(&self) -> Option<HeadFilter> {
        self.0.parts.http.head_filter.clone()
    }
}

impl Core {
    /// The keys that are known now.
    pub(crate) fn keyring(&self) -> Arc<Keyring> {
        self.keyring.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The environment of a scope.
    pub(crate) fn environment(&self, scope: &Scope) -> Option<Arc<Environment>> {
        let keyring = self.keyring();
        let mut callers = keyring.iter().map(|(_, caller)| caller);
        let found = callers.find(|caller| {
            caller.account == scope.account() && caller.environment.name == scope.environment()
        });
        found.map(|caller| caller.environment.clone())
    }

    /// What is remembered. Never held over an await.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
