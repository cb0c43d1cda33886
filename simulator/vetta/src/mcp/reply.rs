//! The answer to one request, in JSON or in an event stream.

use serde_json::Value;
use wire::{http::Response, sse::Parser};

use super::McpError;

/// The response with the id `id` in an answer: its result, or the error that the server gave.
pub(super) fn result(response: &Response, id: u64) -> Result<Value, McpError> {
    let messages = messages(response)?;
    let ours = messages.into_iter().find(|message| message["id"] == id && message.get("method").is_none());
    let Some(mut message) = ours else {
        return Err(McpError::Unreadable("the answer holds no response to the request".to_owned()));
    };
    match message.get("error") {
        Some(error) => Err(McpError::Refused {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or("no message").to_owned(),
        }),
        None => Ok(message["result"].take()),
    }
}

fn messages(response: &Response) -> Result<Vec<Value>, McpError> {
    let text = std::str::from_utf8(&response.body).map_err(unreadable)?;
    if !header(response, "content-type").unwrap_or("").starts_with("text/event-stream") {
        return one_or_more(text);
    }
    let mut parser = Parser::default();
    // A server may end the stream right after the last line.
    let mut frames = parser.push(text.as_bytes());
    frames.extend(parser.push(b"\n\n"));
    let mut messages = Vec::new();
    for data in frames.into_iter().filter_map(|frame| frame.data).filter(|data| !data.is_empty()) {
        messages.extend(one_or_more(&data)?);
    }
    Ok(messages)
}

fn one_or_more(text: &str) -> Result<Vec<Value>, McpError> {
    match serde_json::from_str(text).map_err(unreadable)? {
        Value::Array(messages) => Ok(messages),
        message => Ok(vec![message]),
    }
}

fn unreadable(why: impl std::fmt::Display) -> McpError {
    McpError::Unreadable(why.to_string())
}

/// The first header called `name` (lower case).
pub(super) fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(media: &str, body: &str) -> Result<Value, McpError> {
        let headers = vec![("content-type".to_owned(), media.to_owned())];
        result(&Response { status: 200, headers, body: body.to_owned().into() }, 2)
    }

    #[test]
    fn the_response_is_found_among_other_messages() {
        let ours = r#"{"jsonrpc":"2.0","id":2,"result":{"a":1}}"#;
        let told = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        let asked = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let wanted = Ok(json!({"a": 1}));
        assert_eq!(answered("application/json", ours), wanted);
        assert_eq!(answered("application/json; charset=utf-8", &format!("[{told},{ours}]")), wanted);
        let stream = format!(": hi\n\nid: 1\ndata:\n\ndata: {told}\n\ndata: {asked}\n\ndata: {ours}\n");
        assert_eq!(answered("text/event-stream", &stream), wanted);
        assert!(matches!(answered("text/event-stream", ""), Err(McpError::Unreadable(_))));
        assert!(matches!(answered("text/html", "<p>"), Err(McpError::Unreadable(_))));
        let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}"#;
        let refused = McpError::Refused { code: -32602, message: "no".into() };
        assert_eq!(answered("application/json", error), Err(refused));
    }
}
