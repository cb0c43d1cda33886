//! What the runtime keeps of scratch conversations: no sessions, and nothing that the API lists.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The record of one scratch conversation, below the session whose run called the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// The parent session.
    pub parent_session_id: String,
    /// The run.
    pub run_id: String,
    /// The call.
    pub tool_call_id: String,
    /// The operation.
    pub operation_key: String,
    /// Whether the conversation is over.
    pub ended: bool,
}

/// All records. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Records(Arc<Mutex<BTreeMap<String, Record>>>);

/// Marks a record as ended when it is dropped, however the conversation ended.
pub(super) struct Open {
    records: Records,
    id: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(record) = self.records.all().get_mut(&self.id) {
            record.ended = true;
        }
    }
}

impl Records {
    pub(super) fn open(&self, record: Record) -> Open {
        let id = record.id.clone();
        self.all().insert(id.clone(), record);
        Open { records: self.clone(), id }
    }

    /// The records below a session, in the order of their ids.
    pub fn of_session(&self, session_id: &str) -> Vec<Record> {
        self.all().values().filter(|record| record.parent_session_id == session_id).cloned().collect()
    }

    /// The record of this id.
    pub fn get(&self, id: &str) -> Option<Record> {
        self.all().get(id).cloned()
    }

    /// Deletes the records of one call.
    pub fn forget(&self, run_id: &str, tool_call_id: &str) {
        self.all().retain(|_, record| record.run_id != run_id || record.tool_call_id != tool_call_id);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
