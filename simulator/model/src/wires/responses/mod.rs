//! OpenAI Responses.

mod complaint;
mod events;
mod input;
mod output;
mod read;
mod response;
mod tools;

use std::sync::Arc;

use serde_json::Value;

use super::{
    Event, Events, Wire,
    chat::{CHAT, OPENAI_HEADERS},
};
use crate::{
    rejection::Rejection,
    reply::Reply,
    request::{Asked, Understood},
    script::{ErrorEvent, WireName},
};

/// The wire of `POST /v1/responses`.
pub(crate) static RESPONSES: Responses = Responses;

/// See [`RESPONSES`].
#[derive(Debug)]
pub(crate) struct Responses;

impl Wire for Responses {
    fn name(&self) -> WireName {
        WireName::Responses
    }

    fn request_id_header(&self) -> &'static str {
        "x-request-id"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        OPENAI_HEADERS
    }

    fn read(&self, body: &Value) -> Result<Understood, Rejection> {
        read::request(body)
    }

    fn whole(&self, reply: &Reply, asked: &Asked) -> String {
        response::Response::of(reply, asked).ended(reply)
    }

    fn events(&self, reply: &Arc<Reply>, asked: &Asked) -> Events {
        events::of(reply.clone(), asked)
    }

    fn error(&self, rejection: &Rejection, request_id: &str) -> Value {
        CHAT.error(rejection, request_id)
    }

    fn error_event(&self, error: &ErrorEvent, reply: &Reply, asked: &Asked) -> Event {
        events::error(error, reply, asked)
    }
}
