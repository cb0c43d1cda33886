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

/// The journal of a host. The oldest entries give way when it is full.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    records: VecDeque<Option<Record>>,
    /// The number of the first record that is kept.
    first: u64,
    sessions: BTreeMap<Arc<str>, Chapter>,
    kept: usize,
    bytes: usize,
    dropped: u64,
}

/// The part of one session.
#[derive(Debug, Default)]
struct Chapter {
    sequences: VecDeque<u64>,
    dropped: u64,
}

impl Journal {
    /// The number of the next entry.
    pub(crate) fn next_sequence(&self) -> u64 {
        self.first + u64::try_from(self.records.len()).unwrap_or(u64::MAX) + 1
    }

    /// Adds a record, which has the number that was next.
    pub(crate) fn add(&mut self, record: Record) {
        self.bytes += record.bytes();
        self.kept += 1;
        match self.sessions.get_mut(&record.session) {
            Some(chapter) => chapter.sequences.push_back(record.sequence),
            None => {
                let chapter = Chapter { sequences: VecDeque::from([record.sequence]), dropped: 0 };
                self.sessions.insert(record.session.clone(), chapter);
            }
        }
        self.records.push_back(Some(record));
        while self.kept > ENTRIES_MAX || (self.bytes > BYTES_MAX && self.kept > 1) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.records.pop_front() else { return };
        self.first += 1;
        let Some(record) = oldest else { return };
        self.kept -= 1;
        self.bytes -= record.bytes();
        self.dropped += 1;
        if let Some(chapter) = self.sessions.get_mut(&record.session) {
            // The oldest of all is the oldest of its session.
            chapter.sequences.pop_front();
            chapter.dropped += 1;
        }
    }

    fn place(&self, sequence: u64) -> Option<usize> {
        usize::try_from(sequence.checked_sub(self.first + 1)?).ok()
    }

    /// A record, if it is still there.
    pub(crate) fn get(&self, sequence: u64) -> Option<&Record> {
        self.records.get(self.place(sequence)?)?.as_ref()
    }

    /// Changes a record, if it is still there.
    pub(crate) fn change(&mut self, sequence: u64, change: impl FnOnce(&mut Record)) {
        let place = self.place(sequence);
        if let Some(record) = place.and_then(|place| self.records.get_mut(place)?.as_mut()) {
            change(record);
        }
    }

    /// Forgets the part of one session.
    pub(crate) fn forget(&mut self, session: &str) {
        let chapter = self.sessions.remove(session).unwrap_or_default();
        for sequence in chapter.sequences {
            let place = self.place(sequence);
            if let Some(record) = place.and_then(|place| self.records.get_mut(place)?.take()) {
                self.kept -= 1;
                self.bytes -= record.bytes();
            }
        }
        while self.records.front().is_some_and(Option::is_none) {
            self.records.pop_front();
            self.first += 1;
        }
    }

    /// The records of one session, in order.
    pub(crate) fn of(&self, session: &str) -> impl DoubleEndedIterator<Item = &Record> {
        let chapter = self.sessions.get(session).into_iter();
        chapter.flat_map(|chapter| &chapter.sequences).filter_map(|sequence| self.get(*sequence))
    }

    /// How many records of one session had to give way.
    pub(crate) fn dropped_of(&self, session: &str) -> u64 {
        self.sessions.get(session).map_or(0, |chapter| chapter.dropped)
    }

    /// All records, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().flatten()
    }

    /// How many records had to give way.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}
