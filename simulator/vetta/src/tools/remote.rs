//! What a tool of another server has beyond what every tool has.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::endpoint::Called;

/// What a tool of an MCP server has beside name, description and schema, and the whole of its last result:
/// a model is told a text, while whoever calls through an endpoint gets all of it.
#[derive(Clone, Debug, Default)]
pub struct Remote {
    /// Further members of the tool in a listing.
    pub more: Map<String, Value>,
    whole: Arc<Mutex<Option<Called>>>,
}

impl Remote {
    /// A tool with these further members.
    pub fn new(more: Map<String, Value>) -> Self {
        Self { more, whole: Arc::default() }
    }

    /// Keeps a result.
    pub fn keep(&self, called: Called) {
        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) = Some(called);
    }

    /// Takes the result that was kept last.
    pub fn take(&self) -> Option<Called> {
        self.whole.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
