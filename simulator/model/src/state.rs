//! What a host holds: its sessions and its journal, changed together under one lock.

use std::{collections::BTreeMap, sync::Arc};

use http::Uri;
use wire::Seed;

use crate::{
    exchange::status_of,
    fault::{FaultPlace, break_reply},
    gate::{GateError, Ticket},
    journal::{Answered, Journal, JournalEntry, Outcome, Record},
    key,
    rejection::Rejection,
    reply::{Reply, Said},
    request::Asked,
    script::{Client, Script, Wrong},
    session::{Chosen, Played, Session},
    verdict::ClientVerdict,
};

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) sessions: BTreeMap<Arc<str>, Session>,
    pub(crate) journal: Journal,
    generations: u64,
    /// Verdicts on clients of sessions that are over; `None` when nobody wants them.
    pub(crate) past: Option<Vec<ClientVerdict>>,
}

/// A request as its wire reads it.
pub(crate) type Read = Result<Asked, Rejection>;

/// What happens to a request.
pub(crate) enum Fate {
    /// A turn answers it.
    Answer(Box<Due>),
    /// It gets an error.
    Error(Rejection),
}

/// An answer that is due, perhaps after a wait at a gate.
#[derive(Debug)]
pub(crate) struct Due {
    pub(crate) session: Arc<str>,
    pub(crate) generation: u64,
    pub(crate) sequence: u64,
    pub(crate) identity: u64,
    pub(crate) place: usize,
    pub(crate) reply: Arc<Reply>,
    pub(crate) wrong: Option<Wrong>,
    /// Where the fault stands that does it.
    pub(crate) fault: Option<FaultPlace>,
    pub(crate) ticket: Option<Ticket>,
    /// Whether the answer goes out at once and whole, so that the journal knows its end already.
    pub(crate) settled: bool,
}

/// What replies are made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mint {
    pub(crate) seed: Seed,
    pub(crate) created: i64,
}

impl Mint {
    /// What stands in the ids of the answer that the turn at `place` gives to a conversation. A turn that
    /// repeats gives each conversation ids of its own.
    pub(crate) fn token(&self, script: &Script, place: usize, identity: u64) -> String {
        token(self.of_turn(script, place), script.turn(place).repeat, identity)
    }

    /// What the ids of all answers of a turn follow from.
    pub(crate) fn of_turn(&self, script: &Script, place: usize) -> Seed {
        self.seed.child(script.name()).child(&script.turn_name(place))
    }
}

/// See [`Mint::token`].
pub(crate) fn token(of_turn: Seed, repeats: bool, identity: u64) -> String {
    if repeats { of_turn.child(&format!("{identity:016x}")).token() } else { of_turn.token() }
}

impl State {
    /// Starts a session afresh, and gives back what was there under its key before. Requests that it held get
    /// an error.
    pub(crate) fn load(&mut self, key: &str, script: Script) -> Option<Story> {
        let ended = self.drop_session(key);
        self.generations += 1;
        self.sessions.insert(key.into(), Session::new(script, self.generations));
        ended
    }

    /// Ends a session, and takes its journal out.
    pub(crate) fn drop_session(&mut self, key: &str) -> Option<Story> {
        let (records, dropped) = self.journal.take(key);
        let session = self.sessions.remove(key)?;
        session.changed.notify_waiters();
        Some(Story { script: session.script().clone(), played: session.played(), records, dropped })
    }

    /// The session in which `record` would be a miss while an answer to the same conversation is still on its
    /// way: whoever asks again has perhaps left that one, and nobody has noticed yet.
    /// With `sure`, whether it would be a miss does not matter.
    pub(crate) fn too_early(&self, record: &Record, asked: &Asked, sure: bool) -> Option<&Session> {
        let session = self.sessions.get(&record.session)?;
        let is_refused = session.script().client() == Client::Strict && !asked.complaints.is_empty();
        let may_be_left = !is_refused && session.is_under_way(record.identity);
        (may_be_left && (sure || !session.would_answer(record.identity, asked))).then_some(session)
    }

    pub(crate) fn session(&mut self, key: &str) -> Result<&mut Session, GateError> {
        self.sessions.get_mut(key).ok_or_else(|| GateError::NoSession(key.to_owned()))
    }

    /// The session that a request belongs to. Its key is shared with the session's own when there is one.
    pub(crate) fn session_of(
        &self,
        uri: &Uri,
        headers: &http::HeaderMap,
        read: &Read,
        body: &[u8],
    ) -> Arc<str> {
        let request = read.as_ref().ok().map(|asked| &asked.request);
        let key = key::of(uri, headers, request, body, |key| self.sessions.contains_key(key));
        match self.sessions.get_key_value(&*key) {
            Some((key, _)) => key.clone(),
            None => key.as_ref().into(),
        }
    }

    /// Decides at `now_ms` about a request and writes it into the journal. The record has come as far as its
    /// arrival.
    pub(crate) fn receive(&mut self, mut record: Record, read: &Read, mint: &Mint, now_ms: u64) -> Fate {
        record.sequence = self.journal.next_sequence();
        let fate = match read {
            Err(rejection) => {
                record.outcome = Outcome::Rejected;
                Fate::Error(rejection.clone())
            }
            Ok(asked) => self.choose(&mut record, asked, mint, now_ms),
        };
        if let Fate::Error(rejection) = &fate {
            record.error = Some(rejection.message.as_str().into());
            record.status = Some(rejection.status);
            record.answered_ms = Some(now_ms);
            record.ended_ms = Some(now_ms);
        } else if record.answered.as_ref().is_some_and(|answered| !answered.held) {
            record.answered_ms = Some(now_ms);
            let wrong = record.answered.as_ref().and_then(|answered| answered.wrong.as_ref());
            record.status = status_of(wrong.map(|(_, wrong)| wrong));
        }
        self.journal.add(record);
        fate
    }

    fn choose(&mut self, record: &mut Record, asked: &Asked, mint: &Mint, now_ms: u64) -> Fate {
        let key = record.session.clone();
        let Some(session) = self.sessions.get_mut(&key) else {
            record.outcome = Outcome::Missed;
            let message = format!("no session `{key}` is loaded; {}", key::HOW_NAMED);
            return Fate::Error(Rejection::no_turn(message));
        };
        record.script = Some(session.script().clone());
        if session.script().client() == Client::Strict
            && let Some(complaint) = asked.complaints.first()
        {
            record.outcome = Outcome::Rejected;
            return Fate::Error(complaint.clone());
        }
        let chosen = session.choose(&key, record.sequence, record.identity, asked);
        let chosen = chosen.and_then(|chosen| {
            let token = session.token(chosen.place, record.identity, mint);
            let reply = Reply::with(session.script(), chosen.place, token, mint.created, asked);
            reply.map(|reply| (chosen, reply)).map_err(|why| {
                session.give_back(&chosen);
                let turn = session.script().turn_name(chosen.place);
                format!("the answer of turn `{turn}` cannot be filled in: {why}")
            })
        });
        let (Chosen { place, retry, .. }, mut reply) = match chosen {
            Ok(chosen) => chosen,
            Err(why) => {
                record.outcome = Outcome::Missed;
                return Fate::Error(Rejection::no_turn(why));
            }
        };
        let calls = reply.blocks.iter().any(|block| matches!(block, Said::ToolCall(_)));
        let wrong: Option<(FaultPlace, Wrong)> =
            session.fault(place, record.identity, asked, calls, &mint.seed);
        if let Some((_, wrong)) = &wrong {
            break_reply(&mut reply, wrong);
        }
        let ticket = session.arrive(place);
        let waits = reply.stream.first_ms.unwrap_or(0) > 0;
        let settled = !asked.request.stream && wrong.is_none() && ticket.is_none() && !waits;
        let due = Due {
            session: key,
            generation: session.generation,
            sequence: record.sequence,
            identity: record.identity,
            place,
            reply: Arc::new(reply),
            wrong: wrong.as_ref().map(|(_, wrong)| wrong.clone()),
            fault: wrong.as_ref().map(|(at, _)| *at),
            ticket,
            settled,
        };
        if !settled {
            session.sets_out(place, record.identity);
        }
        if settled {
            record.outcome = Outcome::Answered;
            record.ended_ms = Some(now_ms);
            record.pieces_sent = 1;
        }
        record.answered = Some(Answered { place, retry, held: due.ticket.is_some(), wrong });
        Fate::Answer(Box::new(due))
    }

    /// Notes how an answer ended.
    pub(crate) fn end(&mut self, due: &Due, ending: &Ending) {
        self.journal.change(due.sequence, |record| {
            record.ended_ms = Some(ending.now_ms);
            record.outcome = ending.outcome;
            record.client_left = ending.client_left;
            record.pieces_sent = ending.pieces_sent;
        });
        let whole_and_sound = ending.outcome == Outcome::Answered;
        let session = self.sessions.get_mut(&due.session);
        if let Some(session) = session.filter(|session| session.generation == due.generation) {
            let spoiled = ending.outcome == Outcome::Broken;
            session.arrives(due.place, due.identity, whole_and_sound, spoiled);
            if let Some(number) = ending.waiting {
                session.leave(due.place, number);
            }
            session.changed.notify_waiters();
        }
    }

    /// The entries of one session as they are told, in order.
    pub(crate) fn entries(&self, session: &str, mint: &Mint) -> Vec<JournalEntry> {
        self.told(self.journal.of(session), mint)
    }

    /// Records as they are told. They are in order, and all of a session or of all sessions.
    pub(crate) fn told<'a>(
        &self,
        records: impl Iterator<Item = &'a Record>,
        mint: &Mint,
    ) -> Vec<JournalEntry> {
        // Per session and place, the last request that had used the turn so far.
        let mut used: BTreeMap<(&str, usize), u64> = BTreeMap::new();
        let mut entries = Vec::new();
        for record in records {
            let session: &str = &record.session;
            entries.push(record.told(mint, |place| used.get(&(session, place)).copied()));
            if let Some(answered) = &record.answered {
                used.insert((session, answered.place), record.sequence);
            }
        }
        entries
    }
}

/// A session as it was played, with its journal.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) script: Script,
    pub(crate) played: Played,
    pub(crate) records: Vec<Record>,
    /// How many records had to give way.
    pub(crate) dropped: u64,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    pub(crate) client_left: bool,
    pub(crate) pieces_sent: u32,
    pub(crate) now_ms: u64,
    /// The ticket of a request that was still waiting at its gate.
    pub(crate) waiting: Option<u64>,
}
