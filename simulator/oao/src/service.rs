//! The service: parts, wiring and state.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use agent::ModelUrl;
use wire::{Clock, Ids, Net};

use crate::{
    agents::{Agents, Versions},
    approvals::Approvals,
    durability::Orders,
    events::EventLog,
    http::{idempotency::Ledger, paging::Position},
    keys::Keyring,
    operations::Records,
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
    deaths: Arc<Orders>,
    records: Records,
    queue: Queue,
}

/// Everything that is stored, events aside.
pub(crate) struct State {
    pub(crate) agents: Agents,
    pub(crate) versions: Box<dyn Versions>,
    pub(crate) sessions: Sessions,
    pub(crate) runs: Runs,
    default_preset: String,
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
            default_preset: parts.catalogue.default_preset.clone(),
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
            deaths: Arc::default(),
            records: Records::default(),
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

    /// The deaths that are ordered of the workers of its runs.
    pub fn deaths(&self) -> &Arc<Orders> {
        &self.0.deaths
    }

    /// How many ends are on record for each call of a run, by the model's own id of the call.
    pub fn recorded_ends(&self, run_id: &str) -> Vec<(String, usize)> {
        let state = self.state();
        let run = state.runs.by_id(run_id);
        run.map_or_else(Vec::new, |run| {
            run.ends.counts().map(|(call, ends)| (call.to_owned(), ends)).collect()
        })
    }

    /// What is kept of scratch conversations.
    pub fn records(&self) -> &Records {
        &self.0.records
    }

    /// The preset that the project proposes now.
    pub fn default_preset(&self) -> String {
        self.state().default_preset.clone()
    }

    /// Lets the project propose another preset, and gives the one that it proposed before.
    pub fn set_default_preset(&self, preset: &str) -> String {
        std::mem::replace(&mut self.state().default_preset, preset.to_owned())
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
