//! Where a turn is seen: its messages, what it costs, and what is kept of the conversation.

use std::sync::{Arc, Mutex, PoisonError};

use agent::{Message, Usage};
use serde_json::json;

use crate::{environment::Row, tools::Desk};

/// Where a turn tells what happens in it. Clones are one stage.
#[derive(Clone)]
pub struct Stage(Arc<Inner>);

struct Inner {
    desk: Desk,
    row: Row,
    streaming: bool,
    /// The message that is being said.
    message_id: Mutex<Option<String>>,
}

impl Stage {
    pub(crate) fn new(desk: Desk, row: Row, streaming: bool) -> Self {
        Self(Arc::new(Inner { desk, row, streaming, message_id: Mutex::default() }))
    }

    /// The next piece of the message that is being said.
    pub fn say(&self, piece: &str) {
        if self.0.streaming && !piece.is_empty() {
            let members = json!({"message_id": self.message_id(), "delta": {"text": piece}});
            self.0.desk.push("message.delta", members);
        }
    }

    /// The message is whole; what is said after it belongs to another one. Nothing said is no message.
    pub fn complete(&self, text: &str) {
        if !text.is_empty() {
            let message = json!({"role": "assistant", "text": text});
            let members = json!({"message_id": self.message_id(), "message": message});
            self.0.desk.push("message.completed", members);
        }
        self.break_off();
    }

    /// The message that is being said ends here, whole or not.
    pub fn break_off(&self) {
        self.lock().take();
    }

    /// Keeps messages for the turns to come.
    pub fn keep(&self, messages: &[Message]) {
        self.0.desk.session(|session| session.conversation.extend_from_slice(messages));
    }

    /// One answer of the model has cost this.
    pub fn spend(&self, usage: &Usage) {
        let core = &self.0.desk.core;
        let credits = (core.parts.bills.charge)(&self.0.row, usage);
        core.balances.draw(self.0.desk.scope.account(), credits);
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.0.desk
    }

    fn message_id(&self) -> String {
        self.lock().get_or_insert_with(|| self.0.desk.core.ids.prefixed("msg_")).clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.0.message_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
