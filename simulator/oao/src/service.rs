//! The service: parts, wiring and state.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use agent::ModelUrl;
use wire::{Clock, Ids, Net};

use crate::{
    agents::{Agents, Versions},
    approvals::Approvals,
    events::EventLog,
    http::{idempotency::Ledger, paging::Position},
    keys::Keyring,
    parts::Parts,
    runs::{Queue, Runs},
    sessions::Sessions,
    tool_calls::ToolCalls,
    webhooks::Webhooks,
};

/// What a service is connected to.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// The network over which the model is reached.
    pub net: Net,
    /// Where the model is. It may be set while the service runs; a run that starts without one fails.
    pub model_url: Arc<RwLock<Option<ModelUrl>>>,
    /// Who may do what.
    pub keyring: Keyring,
}

impl Wiring {
    /// The demo keyring, and no model yet.
    pub fn demo(net: Net) -> Self {
        Self { net, model_url: Arc::default(), keyring: Keyring::demo() }
    }

    /// Where the model is now.
    pub fn model_url(&self) -> Option<ModelUrl> {
        self.model_url.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the model's URL.
    pub fn set_model_url(&self, url: Option<ModelUrl>) {
        *self.model_url.write().unwrap_or_else(PoisonError::into_inner) = url;
    }
}

/// An OAO service. Clones are the same service.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    parts: Parts,
    clock: Clock,
    ids: Ids,
    wiring: Wiring,
    state: Mutex<State>,
    ledger: Mutex<Ledger>,
    events: EventLog,
    queue: Queue,
}

/// Everything that is stored, events aside.
pub(crate) struct State {
    pub(crate) agents: Agents,
    pub(crate) versions: Box<dyn Versions>,
    pub(crate) sessions: Sessions,
    pub(crate) runs: Runs,
    pub(crate) tool_calls: ToolCalls,
    pub(crate) approvals: Approvals,
    pub(crate) webhooks: Webhooks,
    sequence: u64,
}

impl State {
    /// The next place in lists.
    pub(crate) fn next_position(&mut self, clock: &Clock) -> Position {
        self.sequence += 1;
        Position { at_ms: clock.elapsed_ms(), sequence: self.sequence }
    }
}

impl Service {
    /// A service without any agent.
    pub fn new(parts: Parts, clock: Clock, ids: Ids, wiring: Wiring) -> Self {
        let state = State {
            agents: Agents::default(),
            versions: parts.versions.open(),
            sessions: Sessions::default(),
            runs: Runs::default(),
            tool_calls: ToolCalls::default(),
            approvals: Approvals::default(),
            webhooks: Webhooks::default(),
            sequence: 0,
        };
        let events = EventLog::new(parts.events.clone());
        Self(Arc::new(Inner {
            parts,
            clock,
            ids,
            wiring,
            state: Mutex::new(state),
            ledger: Mutex::new(Ledger::default()),
            events,
            queue: Queue::default(),
        }))
    }

    /// The service as a router, to be served on a listener.
    pub fn router(&self) -> axum::Router {
        crate::http::router(self)
    }

    /// The policies that it was made of.
    pub fn parts(&self) -> &Parts {
        &self.0.parts
    }

    /// What it is connected to.
    pub fn wiring(&self) -> &Wiring {
        &self.0.wiring
    }

    /// Its clock.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Its source of ids.
    pub fn ids(&self) -> &Ids {
        &self.0.ids
    }

    /// Its events.
    pub fn events(&self) -> &EventLog {
        &self.0.events
    }

    /// The agents whose runs stay queued.
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(crate) fn keyring(&self) -> &Keyring {
        &self.0.wiring.keyring
    }

    /// The state. It is never held over an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}
