//! What a host tells about its sessions and their gates.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    gate::{GateError, GateState},
    host::Host,
    journal::Outcome,
};

/// How a session stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// Its key.
    pub key: String,
    /// The name of its script.
    pub script: String,
    /// How many turns that has.
    pub turns: usize,
    /// How many of them no request has chosen.
    pub unused: usize,
    /// How many requests belong to it, those included that the journal no longer holds.
    pub requests: u64,
}

/// Requests for a session that is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stray {
    /// The key that they name.
    pub key: String,
    /// Their sequence numbers.
    pub requests: Vec<u64>,
}

impl Host {
    /// All sessions, by key.
    pub fn sessions(&self) -> Vec<SessionState> {
        let state = self.state();
        let told = state.sessions.iter().map(|(key, session)| {
            let kept = u64::try_from(state.journal.of(key).count()).unwrap_or(u64::MAX);
            SessionState {
                key: key.to_string(),
                script: session.script().name().to_owned(),
                turns: session.script().turn_count(),
                unused: session.unused_turns().len(),
                requests: kept.saturating_add(state.journal.dropped_of(key)),
            }
        });
        told.collect()
    }

    /// Starts a session afresh with the same script, unplayed and with an empty journal. Requests that it
    /// held get an error. Says how many turns it has, when there is such a session.
    pub fn reset(&self, key: &str) -> Option<usize> {
        let (ended, turns) = {
            let mut state = self.state();
            let script = state.session(key).ok()?.script().clone();
            let turns = script.turn_count();
            (state.load(key, script), turns)
        };
        self.judge_ended(key, ended);
        Some(turns)
    }

    /// Keys that requests named and under which no session is loaded, in order: it never was, or it is over.
    pub fn strays(&self) -> Vec<Stray> {
        let state = self.state();
        let strays = state.journal.sessions().filter(|key| !state.sessions.contains_key(*key)).map(|key| {
            let asking = state.journal.of(key).filter(|record| record.outcome == Outcome::Missed);
            Stray { key: key.to_string(), requests: asking.map(|record| record.sequence).collect() }
        });
        strays.filter(|stray| !stray.requests.is_empty()).collect()
    }

    /// The gates of a session, by name.
    pub fn gates(&self, key: &str) -> Result<Vec<GateState>, GateError> {
        Ok(self.state().session(key)?.gates())
    }

    /// [`Host::wait_for_held`] until `limit` has passed. `None` when it passed.
    pub async fn wait_for_held_within(
        &self,
        key: &str,
        gate: &str,
        count: usize,
        limit: Duration,
    ) -> Option<Result<(), GateError>> {
        let clock = self.clock().clone();
        clock.within(limit, self.wait_for_held(key, gate, count)).await
    }
}
