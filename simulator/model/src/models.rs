//! The models that there are, in the words of whoever asks.
//!
//! A script answers any model unless a condition of it names one, so a model of any name is there when it
//! is asked for by name. Listed are a stand-in and those that the conditions of the session name.

use std::collections::BTreeSet;

use axum::{
    Json,
    extract::{Query, Request},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{exchange, host::Host, key, rejection::Rejection, script::WireName, wires::wire};

/// Where models are listed; each has its name behind it.
const PATH: &str = "/v1/models";
/// The model that is listed besides those that scripts ask for.
const MODEL: &str = "fake-model";
/// When a model came out, on the Messages wire: the API gives this instant when it does not know.
const CREATED: &str = "1970-01-01T00:00:00Z";
/// The most models of a page.
const LIMIT_MAX: usize = 1000;
/// The models of a page when nobody says how many.
const LIMIT: usize = 20;

/// Whether models are asked for at a path, which has lost its session.
pub(crate) fn are_at(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers `GET /v1/models` and `GET /v1/models/{name}`; `path` has lost its session.
pub(crate) fn respond(host: &Host, request: Request, path: &str, spoken: WireName) -> Response {
    let created = host.mint().created;
    let name = path.strip_prefix(PATH).and_then(|rest| rest.strip_prefix('/'));
    let told = match (name, spoken) {
        (Some(name), WireName::Messages) => Ok(entry(&decoded(name))),
        (Some(name), _) => Ok(openai_entry(&decoded(name), created)),
        (None, WireName::Messages) => page(&listed(host, &request), &request),
        (None, _) => {
            let data: Vec<Value> =
                listed(host, &request).iter().map(|name| openai_entry(name, created)).collect();
            Ok(json!({"object": "list", "data": data}))
        }
    };
    match told {
        Ok(told) => Json(told).into_response(),
        Err(rejection) => exchange::refuse(host, wire(spoken), request, rejection),
    }
}

/// The names that are listed, in order.
fn listed(host: &Host, request: &Request) -> Vec<String> {
    let mut names = BTreeSet::from([MODEL.to_owned()]);
    let mut state = host.state();
    let session =
        key::of(request.uri(), request.headers(), None, b"", |key| state.sessions.contains_key(key))
            .into_owned();
    if let Ok(session) = state.session(&session) {
        let script = session.script();
        for place in 0..script.turn_count() {
            let conversation = script.conversation(script.conversation_of(place));
            names.extend(conversation.and_then(|one| one.when.model.clone()));
            names.extend(script.turn(place).when.model.clone());
        }
    }
    names.into_iter().collect()
}

fn openai_entry(name: &str, created: i64) -> Value {
    json!({"id": name, "object": "model", "created": created, "owned_by": "proofhouse"})
}

fn entry(name: &str) -> Value {
    json!({
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": CREATED,
        "lifecycle": "active",
        "deprecated_at": null,
        "retires_at": null,
        "line": null,
        "capabilities": null,
        "max_input_tokens": null,
        "max_tokens": null,
    })
}

/// Which page is asked for.
#[derive(Default, Deserialize)]
struct Wanted {
    limit: Option<usize>,
    after_id: Option<String>,
    before_id: Option<String>,
}

/// A page of models as the Messages wire tells it.
fn page(names: &[String], request: &Request) -> Result<Value, Rejection> {
    let invalid = |param: &str, why: String| Rejection::invalid(param, None, format!("{param}: {why}"));
    let Query(wanted) = Query::<Wanted>::try_from_uri(request.uri())
        .map_err(|error| invalid("query", format!("it cannot be read: {error}")))?;
    let limit = wanted.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(invalid("limit", format!("a number from 1 to {LIMIT_MAX} is required")));
    }
    let find = |param: &str, id: &str| {
        let place = names.iter().position(|name| name == id);
        place.ok_or_else(|| invalid(param, format!("there is no model `{id}` on any page")))
    };
    let (shown, has_more) = match (wanted.after_id, wanted.before_id) {
        (Some(_), Some(_)) => return Err(invalid("before_id", "it excludes `after_id`".to_owned())),
        (None, Some(id)) => {
            let end = find("before_id", &id)?;
            let start = end.saturating_sub(limit);
            (&names[start..end], start > 0)
        }
        (after, None) => {
            let start = after.map_or(Ok(0), |id| find("after_id", &id).map(|place| place + 1))?;
            let end = start.saturating_add(limit).min(names.len());
            (&names[start..end], end < names.len())
        }
    };
    Ok(json!({
        "data": shown.iter().map(|name| entry(name)).collect::<Vec<_>>(),
        "has_more": has_more,
        "first_id": shown.first(),
        "last_id": shown.last(),
    }))
}

/// A part of a path without its escapes. What is no escape, or no UTF-8 behind it, is left as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &rest[3..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::{are_at, decoded};

    #[test]
    fn escapes_are_undone_and_all_else_is_left() {
        let cases = [
            ("gpt-x", "gpt-x"),
            ("openai%2Fgpt%20x", "openai/gpt x"),
            ("openai/gpt", "openai/gpt"),
            ("%c5%BC", "ż"),
            ("100%", "100%"),
            ("%zz%2", "%zz%2"),
            ("%ff", "%ff"),
        ];
        for (part, name) in cases {
            assert_eq!(decoded(part), name);
        }
    }

    #[test]
    fn models_are_at_their_path_and_below() {
        assert!(are_at("/v1/models") && are_at("/v1/models/a/b"));
        assert!(!are_at("/v1/modelsx") && !are_at("/v1") && !are_at("/x/v1/models"));
    }
}
