//! The host: sessions, their scripts, gates and journal, and the server in front of them.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{extract::Request, response::Response};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use wire::{Clock, Listener, Seed, clock::Pace};

use crate::{
    exchange,
    gate::GateError,
    journal::{JournalEntry, Outcome},
    router,
    script::{Script, ScriptError},
    state::{Mint, State},
};

/// A fake model. Cloning it gives another handle to the same one.
#[derive(Clone, Debug)]
pub struct Host(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    /// When the clock started.
    started: Timestamp,
    mint: Mint,
    state: Mutex<State>,
    admin: axum::Router,
}

impl Host {
    /// A host without sessions. Ids in answers grow from `seed`, times are read off `clock`.
    pub fn new(clock: Clock, seed: Seed) -> Self {
        let mint = Mint { seed: seed.child("model"), created: clock.now().as_second() };
        let elapsed = SignedDuration::try_from(clock.elapsed()).unwrap_or(SignedDuration::ZERO);
        let started = clock.now().checked_sub(elapsed).unwrap_or(Timestamp::UNIX_EPOCH);
        Self(Arc::new(Inner { clock, started, mint, state: Mutex::default(), admin: crate::admin::routes() }))
    }

    /// Answers one HTTP request: the wires, bare and below `/s/{key}`, and the administration below
    /// `/_model/`.
    pub async fn respond(&self, request: Request) -> Response {
        router::respond(self.clone(), request).await
    }

    /// [`Host::respond`] for those who have a router.
    pub fn router(&self) -> axum::Router {
        let host = self.clone();
        axum::Router::new().fallback(move |request: Request| {
            let host = host.clone();
            async move { host.respond(request).await }
        })
    }

    /// Starts the session `key` with this script, unplayed and with an empty journal, whatever it was
    /// before. Requests that an earlier session of this key still held get an error.
    ///
    /// A key of 1 to 64 letters, digits, `-` and `_` can be named in every way that there is.
    pub fn load(&self, key: &str, script: Script) {
        let ended = self.state().load(key, script);
        self.judge_ended(key, ended);
    }

    /// [`Host::load`] with a script that is JSON.
    pub fn load_json(&self, key: &str, script: &Value) -> Result<(), ScriptError> {
        self.load(key, Script::from_json(script)?);
        Ok(())
    }

    /// Ends a session and forgets its journal. Requests that it held get an error. Says whether there
    /// was one.
    pub fn drop_session(&self, key: &str) -> bool {
        let ended = self.state().drop_session(key);
        let was_there = ended.is_some();
        self.judge_ended(key, ended);
        was_there
    }

    /// Opens a gate for good: what it holds is answered, what comes later is not held. Says how many
    /// requests were let go.
    pub fn release(&self, key: &str, gate: &str) -> Result<usize, GateError> {
        let mut state = self.state();
        let session = state.session(key)?;
        let changed = session.changed.clone();
        let count = session.gate(key, gate)?.open();
        changed.notify_waiters();
        Ok(count)
    }

    /// How many requests a gate holds now; 0 when there is no such gate.
    pub fn held(&self, key: &str, gate: &str) -> usize {
        let mut state = self.state();
        state.session(key).and_then(|session| session.gate(key, gate)).map_or(0, |gate| gate.held())
    }

    /// Waits until a gate holds `count` requests, or held them before it opened. It waits for ever if
    /// they do not come: give it a deadline with [`Clock::within`].
    pub async fn wait_for_held(&self, key: &str, gate: &str, count: usize) -> Result<(), GateError> {
        let (generation, changed) = {
            let mut state = self.state();
            let session = state.session(key)?;
            (session.generation, session.changed.clone())
        };
        loop {
            let change = changed.notified();
            tokio::pin!(change);
            // Registered before looking, so that a change in between is not missed.
            change.as_mut().enable();
            {
                let mut state = self.state();
                let session = state.session(key)?;
                if session.generation != generation {
                    return Err(GateError::NoSession(key.to_owned()));
                }
                if session.gate(key, gate)?.has_held(count) {
                    return Ok(());
                }
            }
            change.await;
        }
    }

    /// Waits until no request of a session is under way: each has its answer, or its client has left. A
    /// session that is over, or never was, has none.
    pub async fn wait_until_idle(&self, key: &str) {
        loop {
            let Ok(changed) = self.state().session(key).map(|session| session.changed.clone()) else {
                return;
            };
            let change = changed.notified();
            tokio::pin!(change);
            // Registered before looking, so that a change in between is not missed.
            change.as_mut().enable();
            if self.state().journal.of(key).all(|record| record.outcome != Outcome::Pending) {
                return;
            }
            change.await;
        }
    }

    /// Ids of the turns that no request has chosen, in order. Empty for an unknown session.
    pub fn unused_turns(&self, key: &str) -> Vec<String> {
        self.state().session(key).map(|session| session.unused_turns()).unwrap_or_default()
    }

    /// The requests of one session, in order of arrival. Requests for a key that was never loaded are
    /// found under that key.
    pub fn journal(&self, key: &str) -> Vec<JournalEntry> {
        self.state().entries(key, self.mint())
    }

    /// How many entries of one session gave way to newer ones of any session.
    pub fn journal_dropped(&self, key: &str) -> u64 {
        self.state().journal.dropped_of(key)
    }

    /// The requests of all sessions, in order of arrival, and how many older ones gave way to them.
    pub fn journal_of_all(&self) -> (Vec<JournalEntry>, u64) {
        let state = self.state();
        (state.told(state.journal.all(), self.mint()), state.journal.dropped())
    }

    pub(crate) fn is_loaded(&self, key: &str) -> bool {
        self.state().sessions.contains_key(key)
    }

    /// Whether the journal has something of this session.
    pub(crate) fn is_asked(&self, key: &str) -> bool {
        let state = self.state();
        state.journal.dropped_of(key) > 0 || state.journal.of(key).next().is_some()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.0.clock.elapsed_ms()
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// When the clock started. It is the same each time.
    pub(crate) fn started(&self) -> Timestamp {
        self.0.started
    }

    pub(crate) fn mint(&self) -> &Mint {
        &self.0.mint
    }

    /// A pace that begins now.
    pub(crate) fn pace(&self, first_ms: u32, gap_ms: u32) -> Pace {
        let ms = |count: u32| Duration::from_millis(u64::from(count));
        self.0.clock.pace(ms(first_ms), ms(gap_ms))
    }

    /// What stands in the request id of an answer that no turn gives.
    pub(crate) fn token(&self, parts: &[&[u8]]) -> String {
        exchange::token_of(&self.0.mint.seed, parts)
    }

    pub(crate) fn admin(&self) -> axum::Router {
        self.0.admin.clone()
    }
}

/// Serves `host` on `listener` until `stop` resolves. Open connections are dropped then.
pub async fn serve(host: Host, listener: Listener, stop: impl Future<Output = ()>) {
    let respond = move |request: Request| {
        let host = host.clone();
        async move { router::respond(host, request).await }
    };
    wire::serve::serve_with(listener, respond, None, stop).await;
}
