//! Everything that was asked of the model, in order.

mod entry;
mod record;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

pub use entry::{JournalEntry, Outcome, PassedOver};
pub(crate) use record::{Answered, Record, kept};

/// The most entries that are kept.
const ENTRIES_MAX: usize = 10_000;
/// The most bytes of requests that are kept.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// The journal of a host. When it is full, the oldest entries of the session that takes most of it give way, so
/// that a session which asks much costs nobody else anything.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    records: BTreeMap<u64, Record>,
    /// The number of the last record.
    last: u64,
    sessions: BTreeMap<Arc<str>, Chapter>,
    bytes: usize,
    dropped: u64,
}

/// The part of one session.
#[derive(Debug, Default)]
struct Chapter {
    sequences: VecDeque<u64>,
    bytes: usize,
    dropped: u64,
}

impl Journal {
    /// The number of the next entry.
    pub(crate) fn next_sequence(&self) -> u64 {
        self.last + 1
    }

    /// Adds a record, which has the number that was next.
    pub(crate) fn add(&mut self, record: Record) {
        let bytes = record.bytes();
        self.bytes += bytes;
        self.last = record.sequence;
        if !self.sessions.contains_key(&record.session) {
            self.sessions.insert(record.session.clone(), Chapter::default());
        }
        if let Some(chapter) = self.sessions.get_mut(&record.session) {
            chapter.sequences.push_back(record.sequence);
            chapter.bytes += bytes;
        }
        self.records.insert(record.sequence, record);
        while self.records.len() > ENTRIES_MAX && self.drop_one(|chapter| chapter.sequences.len()) {}
        while self.bytes > BYTES_MAX && self.records.len() > 1 && self.drop_one(|chapter| chapter.bytes) {}
    }

    /// Drops the oldest record of the session of which there is most, of two such the one that began first.
    fn drop_one(&mut self, size: impl Fn(&Chapter) -> usize) -> bool {
        let begun = |chapter: &Chapter| chapter.sequences.front().copied().unwrap_or(u64::MAX);
        // The newest record stays: its answer has yet to go out.
        let others = self.sessions.values_mut().filter(|chapter| begun(chapter) < self.last);
        let largest = others.max_by_key(|chapter| (size(chapter), std::cmp::Reverse(begun(chapter))));
        let Some(chapter) = largest else { return false };
        let Some(record) = chapter.sequences.pop_front().and_then(|oldest| self.records.remove(&oldest))
        else {
            return false;
        };
        chapter.dropped += 1;
        chapter.bytes -= record.bytes();
        self.bytes -= record.bytes();
        self.dropped += 1;
        true
    }

    /// A record, if it is still there.
    pub(crate) fn get(&self, sequence: u64) -> Option<&Record> {
        self.records.get(&sequence)
    }

    /// Changes a record, if it is still there.
    pub(crate) fn change(&mut self, sequence: u64, change: impl FnOnce(&mut Record)) {
        if let Some(record) = self.records.get_mut(&sequence) {
            change(record);
        }
    }

    /// Takes the part of one session out: its records in order, and how many had to give way before.
    pub(crate) fn take(&mut self, session: &str) -> (Vec<Record>, u64) {
        let chapter = self.sessions.remove(session).unwrap_or_default();
        self.bytes -= chapter.bytes;
        let records = chapter.sequences.iter().filter_map(|sequence| self.records.remove(sequence)).collect();
        (records, chapter.dropped)
    }

    /// The records of one session, in order.
    pub(crate) fn of(&self, session: &str) -> impl DoubleEndedIterator<Item = &Record> {
        let chapter = self.sessions.get(session).into_iter();
        chapter.flat_map(|chapter| &chapter.sequences).filter_map(|sequence| self.get(*sequence))
    }

    /// The keys of the sessions that have been asked.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &Arc<str>> {
        self.sessions.keys()
    }

    /// How many records of one session had to give way.
    pub(crate) fn dropped_of(&self, session: &str) -> u64 {
        self.sessions.get(session).map_or(0, |chapter| chapter.dropped)
    }

    /// All records, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// How many records had to give way.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}
