//! A part of the journal, taken at one moment.

use std::{collections::BTreeMap, sync::Arc};

use super::{Selection, SelectionError};
use crate::{
    host::Host,
    journal::{JournalEntry, Record},
    state::{Mint, State},
};

/// The entries that were wanted, and what is known about the journal as a whole. The records are copies
/// that share their bodies with the journal.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The session; `None`: all of them.
    pub(super) session: Option<String>,
    /// The name of its script, when it is loaded.
    pub(super) script: Option<String>,
    /// The turns of its script that no request chose.
    pub(super) unused_turns: Vec<String>,
    /// How many entries the journal has lost.
    pub(super) dropped: u64,
    /// How many entries there are in here.
    pub(super) count: usize,
    /// The last entry in here, when the limit left some out.
    pub(super) next_since: Option<u64>,
    steps: std::vec::IntoIter<Step>,
    /// Per session and place, the last request that had chosen the turn so far.
    used: BTreeMap<(Arc<str>, usize), u64>,
    mint: Mint,
}

/// One request of the journal, in order.
#[derive(Debug)]
struct Step {
    session: Arc<str>,
    sequence: u64,
    place: Option<usize>,
    /// The whole of it, when it is wanted.
    record: Option<Record>,
}

impl Excerpt {
    pub(super) fn of(host: &Host, selection: &Selection) -> Result<Self, SelectionError> {
        let state = host.state();
        let session = selection.session.as_deref().and_then(|key| state.sessions.get(key));
        selection.checked(session.map(|session| session.script()))?;
        let mut steps = Vec::new();
        let (mut count, mut last, mut next_since) = (0, 0, None);
        for record in records(&state, selection.session.as_deref()) {
            let wanted = selection.wants(record);
            let full = selection.limit.is_some_and(|limit| count >= limit);
            if wanted && full {
                next_since = Some(last);
                break;
            }
            if wanted {
                count += 1;
                last = record.sequence;
            }
            steps.push(Step {
                session: record.session.clone(),
                sequence: record.sequence,
                place: record.answered.as_ref().map(|answered| answered.place),
                record: wanted.then(|| record.clone()),
            });
        }
        Ok(Self {
            session: selection.session.clone(),
            script: session.map(|session| session.script().name().to_owned()),
            unused_turns: session.map(|session| session.unused_turns()).unwrap_or_default(),
            dropped: match &selection.session {
                Some(key) => state.journal.dropped_of(key),
                None => state.journal.dropped(),
            },
            count,
            next_since,
            steps: steps.into_iter(),
            used: BTreeMap::new(),
            mint: *host.mint(),
        })
    }

    /// The next entry: the record, and the entry as it is told.
    pub(super) fn next(&mut self) -> Option<(Record, JournalEntry)> {
        loop {
            let Step { session, sequence, place, record } = self.steps.next()?;
            let told = record.map(|record| {
                let used = |place| self.used.get(&(session.clone(), place)).copied();
                let entry = record.told(&self.mint, used);
                (record, entry)
            });
            if let Some(place) = place {
                self.used.insert((session, place), sequence);
            }
            if told.is_some() {
                return told;
            }
        }
    }

    pub(super) fn mint(&self) -> &Mint {
        &self.mint
    }
}

fn records<'a>(state: &'a State, session: Option<&'a str>) -> Box<dyn Iterator<Item = &'a Record> + 'a> {
    match session {
        Some(key) => Box::new(state.journal.of(key)),
        None => Box::new(state.journal.all()),
    }
}
