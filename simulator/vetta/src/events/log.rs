//! The log of a session.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::{Map, Value};
use tokio::sync::watch;
use wire::{Clock, Ids};

use super::Event;
use crate::environment::Row;

/// What is about to be written into a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The member `type`.
    pub kind: &'static str,
    /// The turn in which it happened.
    pub turn_id: Option<String>,
    /// Members beyond those of every event.
    pub members: Map<String, Value>,
}

/// From what happened in a session on a loop to what the log says of it, in order.
pub type Scribe = Arc<dyn Fn(&Row, Entry) -> Vec<Entry> + Send + Sync>;

/// The log of a session. Clones share it, so a stream can read it to the end after the session is gone.
#[derive(Clone)]
pub struct EventLog(Arc<Inner>);

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog").field("session_id", &self.0.session_id).finish_non_exhaustive()
    }
}

struct Inner {
    session_id: String,
    row: Row,
    scribe: Scribe,
    clock: Clock,
    ids: Ids,
    book: Mutex<Book>,
    above: OnceLock<(EventLog, String)>,
    news: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Book {
    events: Vec<Event>,
    closed: bool,
}

impl EventLog {
    /// An empty log of a session on `row`, written by `scribe`.
    pub fn new(session_id: &str, (row, scribe): (&Row, &Scribe), clock: &Clock, ids: &Ids) -> Self {
        let (clock, ids) = (clock.clone(), ids.clone());
        let (book, news) = (Mutex::default(), watch::Sender::new(()));
        let (session_id, row, scribe) = (session_id.to_owned(), row.clone(), scribe.clone());
        let above = OnceLock::new();
        Self(Arc::new(Inner { session_id, row, scribe, clock, ids, book, above, news }))
    }

    /// From now on, what somebody has to decide about stands in the log `above` as well, with the thread
    /// `thread_id` from which it comes: nobody reads the log of a thread.
    pub(crate) fn rise_to(&self, above: &Self, thread_id: &str) {
        // A thread has one coordinator, so the first one stays.
        let _ = self.0.above.set((above.clone(), thread_id.to_owned()));
    }

    /// Adds an event, unless the log is closed. `members` that are no object are left out.
    pub fn push(&self, kind: &'static str, turn_id: Option<&str>, members: Value) {
        let mut book = self.0.book.lock().unwrap_or_else(PoisonError::into_inner);
        if book.closed {
            return;
        }
        let members = if let Value::Object(members) = members { members } else { Map::new() };
        if let Some((above, thread_id)) = self.0.above.get().filter(|_| kind == "tool.confirmation_required")
        {
            let mut members = members.clone();
            members.insert("thread_id".to_owned(), Value::String(thread_id.clone()));
            above.push(kind, None, Value::Object(members));
        }
        let entry = Entry { kind, turn_id: turn_id.map(str::to_owned), members };
        // The id is drawn under the lock: the order of the ids is the order of the log.
        for entry in (self.0.scribe)(&self.0.row, entry) {
            book.events.push(Event {
                id: self.0.ids.prefixed("evt_"),
                kind: entry.kind,
                session_id: self.0.session_id.clone(),
                turn_id: entry.turn_id,
                created_at: self.0.clock.rfc3339(),
                members: entry.members,
            });
        }
        drop(book);
        self.0.news.send_replace(());
    }

    /// Nothing follows any more.
    pub fn close(&self) {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.0.news.send_replace(());
    }

    /// Whether the log is closed.
    pub fn is_closed(&self) -> bool {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner).closed
    }

    /// What has happened so far, oldest first.
    pub fn events(&self) -> Vec<Event> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner).events.clone()
    }

    /// The event at `at`, and whether the log is closed.
    pub(crate) fn at(&self, at: usize) -> (Option<Event>, bool) {
        let book = self.0.book.lock().unwrap_or_else(PoisonError::into_inner);
        (book.events.get(at).cloned(), book.closed)
    }

    /// Changes whenever an event is added or the log is closed.
    pub(crate) fn news(&self) -> watch::Receiver<()> {
        self.0.news.subscribe()
    }
}
