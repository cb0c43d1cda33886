//! The headers of answers: made once for each wire, and copied for each answer.

use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{
    router::open_to_browsers,
    script::WireName,
    wires::{Wire, wire},
};

/// The headers of every answer on a wire. Two of them stand in their place and are filled in for each answer:
/// the id of the request, and the content type unless it is JSON.
pub(crate) fn of(spoken: &dyn Wire) -> HeaderMap {
    match spoken.name() {
        WireName::Chat => CHAT.clone(),
        WireName::Responses => RESPONSES.clone(),
        WireName::Messages => MESSAGES.clone(),
    }
}

static CHAT: LazyLock<HeaderMap> = LazyLock::new(|| made(wire(WireName::Chat)));
static RESPONSES: LazyLock<HeaderMap> = LazyLock::new(|| made(wire(WireName::Responses)));
static MESSAGES: LazyLock<HeaderMap> = LazyLock::new(|| made(wire(WireName::Messages)));

fn made(wire: &dyn Wire) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in wire.headers() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(HeaderName::from_static(wire.request_id_header()), HeaderValue::from_static(""));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    open_to_browsers(&mut headers, None);
    headers
}
