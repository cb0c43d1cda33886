//! The wires: one file or folder for each way of asking a model. A wire reads requests into the common
//! form and writes common answers in its own words; what is chosen, held and journaled lies elsewhere.

mod chat;
mod pieces;

use serde_json::Value;

use crate::{rejection::Rejection, reply::Reply, request::ModelRequest};

pub(crate) use chat::CHAT;

/// One way of asking a model.
pub(crate) trait Wire: Send + Sync {
    /// The name in journals.
    fn name(&self) -> &'static str;

    /// The header that carries the id of a request back.
    fn request_id_header(&self) -> &'static str;

    /// Reads a request. What the real API refuses is refused here; what it does not know is tolerated
    /// and noted.
    fn read(&self, body: &Value) -> Result<ModelRequest, Rejection>;

    /// Whether a request wants its answer streamed.
    fn wants_stream(&self, body: &Value) -> bool {
        body["stream"] == Value::Bool(true)
    }

    /// The answer in one piece.
    fn whole(&self, reply: &Reply) -> Value;

    /// The answer to the request `body` as server-sent events, one text each.
    fn events(&self, reply: &Reply, body: &Value) -> Vec<String>;

    /// An error.
    fn error(&self, rejection: &Rejection) -> Value;
}
