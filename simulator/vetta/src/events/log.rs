//! The log of a session.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::watch;
use wire::{Clock, Ids};

use super::Event;

/// The log of a session. Clones share it, so a stream can read it to the end after the session is gone.
#[derive(Clone, Debug)]
pub struct EventLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    session_id: String,
    clock: Clock,
    ids: Ids,
    book: Mutex<Book>,
    news: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Book {
    events: Vec<Event>,
    closed: bool,
}

impl EventLog {
    /// An empty log.
    pub fn new(session_id: &str, clock: &Clock, ids: &Ids) -> Self {
        let (clock, ids) = (clock.clone(), ids.clone());
        let (book, news) = (Mutex::default(), watch::Sender::new(()));
        Self(Arc::new(Inner { session_id: session_id.to_owned(), clock, ids, book, news }))
    }

    /// Adds an event, unless the log is closed. `members` that are no object are left out.
    pub fn push(&self, kind: &'static str, turn_id: Option<&str>, members: Value) {
        let mut book = self.0.book.lock().unwrap_or_else(PoisonError::into_inner);
        if book.closed {
            return;
        }
        // The id is drawn under the lock: the order of the ids is the order of the log.
        book.events.push(Event {
            id: self.0.ids.prefixed("evt_"),
            kind,
            session_id: self.0.session_id.clone(),
            turn_id: turn_id.map(str::to_owned),
            created_at: self.0.clock.rfc3339(),
            members: if let Value::Object(members) = members { members } else { Map::new() },
        });
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
