//! The wires: one file or folder for each way of asking a model. A wire reads requests into the common
//! form and writes common answers in its own words; what is chosen, held, broken and journaled lies
//! elsewhere.

mod chat;
mod complaint;
mod event;
mod fields;
mod history;
mod messages;
mod pieces;
mod responses;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    headers::Headers,
    rejection::Rejection,
    reply::Reply,
    request::{Asked, Understood},
    router::ANTHROPIC,
    script::{ErrorEvent, WireName},
};

pub(crate) use chat::CHAT;
pub(crate) use event::{Event, Events};
pub(crate) use messages::MESSAGES;
pub(crate) use responses::RESPONSES;

/// One way of asking a model.
pub(crate) trait Wire: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> WireName;

    /// The header that carries the id of a request back.
    fn request_id_header(&self) -> &'static str;

    /// Headers of every answer: names in lower case, and values.
    fn headers(&self) -> &'static [(&'static str, &'static str)];

    /// Reads a request. `Err` when it cannot be read at all; what the real API refuses besides is a
    /// complaint, and what it does not know is tolerated and noted.
    fn read(&self, body: &Value) -> Result<Understood, Rejection>;

    /// The answer in one piece, as JSON.
    fn whole(&self, reply: &Reply, asked: &Asked) -> String;

    /// The answer as events. They are made one by one, so that a slow stream holds little memory.
    fn events(&self, reply: &Arc<Reply>, asked: &Asked) -> Events;

    /// An error in place of an answer, as JSON.
    fn error(&self, rejection: &Rejection, request_id: &str) -> Value;

    /// An error inside a stream, after `events` events.
    fn error_event(&self, error: &ErrorEvent, reply: &Reply, asked: &Asked) -> Event;
}

/// The wire of a name.
pub(crate) fn wire(name: WireName) -> &'static dyn Wire {
    match name {
        WireName::Chat => &CHAT,
        WireName::Responses => &RESPONSES,
        WireName::Messages => &MESSAGES,
    }
}

/// Reads a request with its headers.
pub(crate) fn understood(wire: &dyn Wire, body: &Value, headers: &Headers) -> Result<Understood, Rejection> {
    let mut understood = wire.read(body)?;
    if wire.name() == WireName::Messages && headers.get(ANTHROPIC).next().is_none() {
        let missing = Rejection::invalid(ANTHROPIC, None, format!("{ANTHROPIC}: header is required"));
        understood.complaints.insert(0, missing);
    }
    Ok(understood)
}
