//! What a host holds: its sessions and its journal, changed together under one lock.

use std::{collections::BTreeMap, sync::Arc};

use http::{HeaderMap, Uri};
use serde_json::Value;

use crate::{
    gate::{GateError, Ticket},
    journal::{Journal, JournalEntry, Outcome},
    key,
    matching::differences,
    rejection::Rejection,
    reply::Reply,
    request::ModelRequest,
    script::Script,
    session::{Chosen, Digest, Session},
};

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) journal: Journal,
    generations: u64,
}

/// A request that has arrived whole.
pub(crate) struct Arrival<'a> {
    pub(crate) target: String,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: String,
    pub(crate) digest: Digest,
    /// What the wire made of it.
    pub(crate) read: &'a Read,
}

/// A request as its wire reads it, with the body as JSON.
pub(crate) type Read = Result<(ModelRequest, Value), Rejection>;

/// What happens to a request.
pub(crate) enum Fate {
    /// A turn answers it.
    Answer(Box<Due>),
    /// It gets an error.
    Error(Rejection),
}

/// An answer that is due, perhaps after a wait at a gate.
pub(crate) struct Due {
    pub(crate) session: String,
    pub(crate) generation: u64,
    pub(crate) sequence: u64,
    pub(crate) digest: Digest,
    pub(crate) turn: usize,
    pub(crate) reply: Reply,
    pub(crate) ticket: Option<Ticket>,
}

/// What replies are made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mint {
    pub(crate) seed: wire::Seed,
    pub(crate) created: i64,
}

impl State {
    /// Starts a session afresh. Requests that the earlier one held get an error.
    pub(crate) fn load(&mut self, key: &str, script: Script) {
        self.drop_session(key);
        self.generations += 1;
        self.sessions.insert(key.to_owned(), Session::new(script, self.generations));
    }

    /// Ends a session and forgets its journal.
    pub(crate) fn drop_session(&mut self, key: &str) -> bool {
        self.journal.forget(key);
        let session = self.sessions.remove(key);
        session.inspect(|session| session.changed.notify_waiters()).is_some()
    }

    pub(crate) fn session(&mut self, key: &str) -> Result<&mut Session, GateError> {
        self.sessions.get_mut(key).ok_or_else(|| GateError::NoSession(key.to_owned()))
    }

    /// Decides about a request and writes its line in the journal.
    pub(crate) fn receive(&mut self, arrival: Arrival<'_>, now_ms: u64, mint: Mint) -> Fate {
        let Arrival { target, uri, headers, body, digest, read } = arrival;
        let request = read.as_ref().ok().map(|(request, _)| request);
        let session = key::of(uri, headers, request, &body, |key| self.sessions.contains_key(key));
        let sequence = self.journal.next_sequence();
        let mut entry = JournalEntry {
            sequence,
            session: session.clone(),
            target,
            arrived_ms: now_ms,
            answered_ms: None,
            ended_ms: None,
            outcome: Outcome::Pending,
            request: request.cloned(),
            body,
            turn: None,
            retry: false,
            gate: None,
            findings: Vec::new(),
            answer: None,
            error: None,
        };
        let fate = match read {
            Err(rejection) => {
                entry.outcome = Outcome::Rejected;
                Fate::Error(rejection.clone())
            }
            Ok((request, json)) => self.choose(&mut entry, digest, request, json, mint),
        };
        if let Fate::Error(rejection) = &fate {
            entry.error = Some(rejection.message.clone());
            entry.answered_ms = Some(now_ms);
            entry.ended_ms = Some(now_ms);
        } else if entry.gate.is_none() {
            entry.answered_ms = Some(now_ms);
        }
        self.journal.add(entry);
        fate
    }

    /// Notes how an answer ended.
    pub(crate) fn end(&mut self, due: &Due, outcome: Outcome, now_ms: u64) {
        self.journal.change(due.sequence, |entry| {
            entry.ended_ms = Some(now_ms);
            entry.outcome = outcome;
        });
    }

    fn choose(
        &mut self,
        entry: &mut JournalEntry,
        digest: Digest,
        request: &ModelRequest,
        json: &Value,
        mint: Mint,
    ) -> Fate {
        let key = entry.session.as_str();
        let Some(session) = self.sessions.get_mut(key) else {
            entry.outcome = Outcome::Missed;
            let message = format!("no session `{key}` is loaded; {}", key::HOW_NAMED);
            return Fate::Error(Rejection::no_turn(message));
        };
        let Chosen { turn: index, retry } = match session.choose(key, entry.sequence, &digest, request, json)
        {
            Ok(chosen) => chosen,
            Err(why) => {
                entry.outcome = Outcome::Missed;
                return Fate::Error(Rejection::no_turn(why));
            }
        };
        let script: Arc<Script> = session.script();
        let turn = &script.turns()[index];
        let reply = Reply::of(turn, &script, &mint.seed, mint.created, &request.model);
        let ticket = session.arrive(index);
        entry.turn = Some(turn.id.clone());
        entry.retry = retry;
        entry.findings = differences(&turn.expect, request, json);
        entry.answer = Some(reply.clone());
        entry.gate = ticket.is_some().then(|| turn.hold.clone()).flatten();
        Fate::Answer(Box::new(Due {
            session: entry.session.clone(),
            generation: session.generation,
            sequence: entry.sequence,
            digest,
            turn: index,
            reply,
            ticket,
        }))
    }
}
