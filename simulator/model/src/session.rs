//! One session: a script, and how far it has been played.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use serde_json::Value;
use tokio::sync::Notify;

use crate::{
    gate::{Gate, GateError, Ticket},
    matching::differences,
    miss,
    request::ModelRequest,
    script::{Script, Turn, suggest},
};

/// SHA-256 of a request body and its wire: what a client sends again is the same to the byte.
pub(crate) type Digest = [u8; 32];

#[derive(Debug)]
pub(crate) struct Session {
    /// Tells this session from earlier ones of the same key.
    pub(crate) generation: u64,
    /// Told whenever a gate's queue has changed, and when the session is over.
    pub(crate) changed: Arc<Notify>,
    script: Arc<Script>,
    /// Per turn, the last request that chose it.
    used_by: Vec<Option<u64>>,
    /// Turns whose answers did not arrive, by request: a retry gets them again.
    abandoned: BTreeMap<Digest, VecDeque<usize>>,
    gates: BTreeMap<String, Gate>,
}

/// A turn that was chosen.
pub(crate) struct Chosen {
    pub(crate) turn: usize,
    pub(crate) retry: bool,
}

impl Session {
    pub(crate) fn new(script: Script, generation: u64) -> Self {
        let mut gates: BTreeMap<String, Gate> = BTreeMap::new();
        for turn in script.turns() {
            let Some(name) = &turn.hold else { continue };
            let gate = gates.entry(name.clone()).or_default();
            gate.opens_at =
                gate.opens_at.or(turn.after_arrivals.and_then(|count| usize::try_from(count).ok()));
        }
        Self {
            generation,
            changed: Arc::default(),
            used_by: vec![None; script.turns().len()],
            script: Arc::new(script),
            abandoned: BTreeMap::new(),
            gates,
        }
    }

    pub(crate) fn script(&self) -> Arc<Script> {
        self.script.clone()
    }

    fn turn(&self, index: usize) -> &Turn {
        &self.script.turns()[index]
    }

    /// Chooses the turn that answers `request`: the one that an identical request chose in vain, else
    /// the first unused one whose conditions hold. `Err` says why there is none.
    pub(crate) fn choose(
        &mut self,
        key: &str,
        sequence: u64,
        digest: &Digest,
        request: &ModelRequest,
        body: &Value,
    ) -> Result<Chosen, String> {
        if let Some(queue) = self.abandoned.get_mut(digest)
            && let Some(turn) = queue.pop_front()
        {
            if queue.is_empty() {
                self.abandoned.remove(digest);
            }
            self.used_by[turn] = Some(sequence);
            return Ok(Chosen { turn, retry: true });
        }
        let free = |index: &usize| self.used_by[*index].is_none() || self.turn(*index).repeat;
        let holds = |index: &usize| differences(&self.turn(*index).when, request, body).is_empty();
        match (0..self.used_by.len()).filter(free).find(holds) {
            Some(turn) => {
                self.used_by[turn] = Some(sequence);
                Ok(Chosen { turn, retry: false })
            }
            None => Err(miss::explain(key, &self.script, &self.used_by, request, body)),
        }
    }

    /// Notes that the answer of `turn` to a request did not arrive.
    pub(crate) fn abandon(&mut self, digest: Digest, turn: usize, waiting: Option<u64>) {
        self.abandoned.entry(digest).or_default().push_back(turn);
        if let Some(number) = waiting
            && let Some(gate) =
                self.script.turns()[turn].hold.as_ref().and_then(|name| self.gates.get_mut(name))
        {
            gate.leave(number);
            self.changed.notify_waiters();
        }
    }

    /// Joins the queue at the gate of `turn`; `None` when nothing holds it back.
    pub(crate) fn arrive(&mut self, turn: usize) -> Option<Ticket> {
        let gate = self.script.turns()[turn].hold.as_ref().and_then(|name| self.gates.get_mut(name))?;
        let ticket = gate.arrive();
        self.changed.notify_waiters();
        ticket
    }

    /// The gate called `name`; the error names the nearest one.
    pub(crate) fn gate(&mut self, key: &str, name: &str) -> Result<&mut Gate, GateError> {
        let names: Vec<&str> = self.gates.keys().map(String::as_str).collect();
        let fix = suggest(name, &names);
        self.gates.get_mut(name).ok_or_else(|| GateError::NoGate {
            session: key.to_owned(),
            gate: name.to_owned(),
            fix,
        })
    }

    /// Ids of the turns that nothing has chosen, in order.
    pub(crate) fn unused_turns(&self) -> Vec<String> {
        let turns = self.script.turns().iter().zip(&self.used_by);
        turns.filter(|(_, used)| used.is_none()).map(|(turn, _)| turn.id.clone()).collect()
    }
}
