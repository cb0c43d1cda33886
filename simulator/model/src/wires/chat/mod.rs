//! OpenAI Chat Completions.

mod read;
mod write;

use serde_json::{Value, json};

use super::Wire;
use crate::{rejection::Rejection, reply::Reply, request::ModelRequest};

/// The wire of `POST /v1/chat/completions`.
pub(crate) static CHAT: Chat = Chat;

/// See [`CHAT`].
pub(crate) struct Chat;

impl Wire for Chat {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn request_id_header(&self) -> &'static str {
        "x-request-id"
    }

    fn read(&self, body: &Value) -> Result<ModelRequest, Rejection> {
        read::request(body)
    }

    fn whole(&self, reply: &Reply) -> Value {
        write::whole(reply)
    }

    fn events(&self, reply: &Reply, body: &Value) -> Vec<String> {
        write::events(reply, body["stream_options"]["include_usage"] == Value::Bool(true))
    }

    fn error(&self, rejection: &Rejection) -> Value {
        let Rejection { message, param, code, .. } = rejection;
        json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
    }
}
