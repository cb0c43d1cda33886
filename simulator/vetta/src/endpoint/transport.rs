//! What Streamable HTTP asks of a request, the body aside.

use crate::{Call, Refusal};

use super::Endpoint;

/// A page that a browser has open elsewhere must not reach the endpoint, even when it talks the browser
/// into calling this machine by another name.
pub(super) fn check_origin(policy: &Endpoint, call: &Call) -> Result<(), Refusal> {
    match call.header("origin") {
        Some(origin) if !(policy.takes_origin)(origin) => {
            let message = format!("requests of pages at `{origin}` are not taken here");
            Err(Refusal::forbidden("origin_not_allowed", Some("origin"), message))
        }
        _ => Ok(()),
    }
}

/// There is no stream to open with GET and no MCP session to end with DELETE.
pub(super) fn check_method(call: &Call) -> Result<(), Refusal> {
    if call.method == "POST" {
        return Ok(());
    }
    Err(Refusal::method_not_allowed("the endpoint takes POST; it has no stream and no MCP session"))
}

/// Content goes in and out as JSON.
pub(super) fn check_media(call: &Call) -> Result<(), Refusal> {
    let sent = call.header("content-type").unwrap_or("");
    if !media(sent).eq_ignore_ascii_case("application/json") {
        let message = format!("the content type is `{sent}`; send `application/json`");
        return Err(Refusal::unsupported_media(message));
    }
    let takes_json = ["application/json", "application/*", "*/*"].iter().any(|media| call.accepts(media));
    if call.header("accept").is_some() && !takes_json {
        let message = "answers are `application/json`; accept that, and `text/event-stream` as MCP has it";
        return Err(Refusal::not_acceptable(message));
    }
    Ok(())
}

fn media(value: &str) -> &str {
    value.split(';').next().unwrap_or("").trim()
}
