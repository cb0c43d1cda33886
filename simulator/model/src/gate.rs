//! Gates: where answers wait until somebody lets them go.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// A gate that cannot be named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// No session is loaded under this key.
    #[error("no session `{0}` is loaded")]
    NoSession(String),
    /// The script of the session holds no turn at this gate.
    #[error("the script of session `{session}` has no gate `{gate}`; {fix}")]
    NoGate {
        /// The session.
        session: String,
        /// The gate that was named.
        gate: String,
        /// What gates there are.
        fix: String,
    },
}

/// How a gate stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateState {
    /// Its name.
    pub name: String,
    /// How many requests it holds now.
    pub held: usize,
    /// The most that it held at once.
    pub most_held: usize,
    /// Whether it is open: what comes is not held any more.
    pub open: bool,
}

/// One gate of one session. It opens once, for good.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// How many waiting requests open it; `None`: only a release does.
    pub(crate) opens_at: Option<usize>,
    open: bool,
    waiting: BTreeMap<u64, oneshot::Sender<()>>,
    next_ticket: u64,
    most_held: usize,
}

/// A place in the queue at a gate.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) number: u64,
    pub(crate) opened: oneshot::Receiver<()>,
}

impl Gate {
    /// Joins the queue; `None` when the gate is open already.
    pub(crate) fn arrive(&mut self) -> Option<Ticket> {
        if self.open {
            return None;
        }
        let (let_go, opened) = oneshot::channel();
        let number = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.insert(number, let_go);
        self.most_held = self.most_held.max(self.waiting.len());
        if self.opens_at.is_some_and(|count| self.waiting.len() >= count) {
            self.open();
        }
        Some(Ticket { number, opened })
    }

    /// Leaves the queue without an answer.
    pub(crate) fn leave(&mut self, number: u64) {
        self.waiting.remove(&number);
    }

    /// Opens the gate and lets the queue go in its order. Says how many that were.
    pub(crate) fn open(&mut self) -> usize {
        self.open = true;
        let queue = std::mem::take(&mut self.waiting);
        let count = queue.len();
        for let_go in queue.into_values() {
            // Whoever went away meanwhile is told by its own end of the connection.
            let _ = let_go.send(());
        }
        count
    }

    /// How many requests wait.
    pub(crate) fn held(&self) -> usize {
        self.waiting.len()
    }

    /// How it stands, under the name that it has in the script.
    pub(crate) fn told(&self, name: &str) -> GateState {
        GateState { name: name.to_owned(), held: self.held(), most_held: self.most_held, open: self.open }
    }

    /// Whether `count` requests wait, or waited before the gate opened.
    pub(crate) fn has_held(&self, count: usize) -> bool {
        self.held() >= count || (self.open && self.most_held >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_lets_its_queue_go_and_stays_open() {
        let mut gate = Gate::default();
        let (first, mut second) = (gate.arrive().unwrap(), gate.arrive().unwrap());
        gate.leave(first.number);
        assert_eq!(gate.held(), 1);
        assert!(second.opened.try_recv().is_err(), "it waits");
        assert_eq!(gate.open(), 1);
        assert_eq!(second.opened.try_recv(), Ok(()));
        assert!(gate.arrive().is_none(), "an open gate holds nobody");
        assert!(gate.has_held(2) && !gate.has_held(3));
    }

    #[test]
    fn a_gate_that_counts_opens_for_those_who_wait_and_not_for_those_who_left() {
        let mut gate = Gate { opens_at: Some(2), ..Gate::default() };
        let gone = gate.arrive().unwrap();
        gate.leave(gone.number);
        let mut first = gate.arrive().unwrap();
        assert!(first.opened.try_recv().is_err());
        let mut second = gate.arrive().unwrap();
        assert_eq!((first.opened.try_recv(), second.opened.try_recv()), (Ok(()), Ok(())));
        assert!(gate.arrive().is_none());
    }
}
