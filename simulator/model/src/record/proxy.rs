//! The way of a request to the upstream, and of the answer back.

use std::io;

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use futures_util::stream;
use http::{Method, StatusCode, header, request::Parts};
use wire::http::{Failure, Open};

use super::{
    Fate, Recorder,
    secret::Secrets,
    taking::{Question, Taking},
    upstream::{NAME, headers_of},
};
use crate::{
    exchange,
    rejection::Rejection,
    router::{ANTHROPIC, spoken, wants_web_socket, wire_at},
    wires::{Wire, wire},
};

/// Passes a request on. What is asked of a model is recorded.
pub(super) async fn respond(recorder: Recorder, request: Request) -> Response {
    let target = format!("{} {}", request.method(), request.uri().path());
    let sequence = recorder.begin();
    let path = request.uri().path();
    let envelope = wire(spoken(path, request.headers().contains_key(ANTHROPIC)));
    let asks = wire_at(path).filter(|_| *request.method() == Method::POST);
    let is_upgrade = wants_web_socket(request.headers());
    let mut taking = Taking::new(recorder.clone(), sequence, target, None);
    let token = recorder.token(sequence);
    if is_upgrade {
        return refuse(&mut taking, envelope, &Rejection::no_upgrade(), &token);
    }
    let came_by = request.headers().get_all(header::VIA);
    if came_by.iter().any(|via| via.as_bytes().ends_with(NAME.as_bytes())) {
        return refuse(&mut taking, envelope, &Rejection::in_a_circle(), &token);
    }
    let (parts, bytes, question) = match asks {
        Some(name) => {
            let (parts, bytes, read) = exchange::arrive(wire(name), request).await;
            let secrets = Secrets::of(&parts.headers, &parts.uri);
            (parts, bytes, Some(read.map(|asked| Question { wire: name, asked, secrets })))
        }
        None => {
            let (parts, body) = request.into_parts();
            match to_bytes(body, exchange::BODY_BYTES_MAX).await {
                Ok(bytes) => (parts, bytes, None),
                Err(error) => {
                    let rejection = exchange::no_body(&error);
                    return refuse(&mut taking, envelope, &rejection, &token);
                }
            }
        }
    };
    match question {
        Some(Err(rejection)) if rejection.status == StatusCode::PAYLOAD_TOO_LARGE.as_u16() => {
            refuse(&mut taking, envelope, &rejection, &token)
        }
        Some(Err(rejection)) => {
            // The upstream may make more of it than we do; a turn it cannot be.
            let why = format!("the request cannot be read: {}", rejection.message);
            taking.unreadable(why);
            pass_on(recorder, parts, bytes, taking, envelope, &token).await
        }
        Some(Ok(question)) => {
            taking.asks(question);
            pass_on(recorder, parts, bytes, taking, envelope, &token).await
        }
        None => pass_on(recorder, parts, bytes, taking, envelope, &token).await,
    }
}

fn refuse(taking: &mut Taking, envelope: &'static dyn Wire, rejection: &Rejection, token: &str) -> Response {
    taking.ended(Some(rejection.status), Fate::Refused(rejection.message.clone()));
    exchange::error(envelope, rejection, token)
}

async fn pass_on(
    recorder: Recorder,
    parts: Parts,
    bytes: Bytes,
    mut taking: Taking,
    envelope: &'static dyn Wire,
    token: &str,
) -> Response {
    let upstream = recorder.passes_on_to();
    match upstream.ask(&parts, bytes, recorder.head()).await {
        Ok(open) => relayed(open, taking),
        Err(failure) => {
            let rejection = unreachable(&upstream.url(), &failure);
            taking.ended(Some(rejection.status), Fate::Unreachable(rejection.message.clone()));
            exchange::error(envelope, &rejection, token)
        }
    }
}

/// The error for a client whose upstream does not answer.
fn unreachable(url: &str, failure: &Failure) -> Rejection {
    let status = if matches!(failure, Failure::NoHead(_)) { 504 } else { 502 };
    Rejection {
        status,
        message: format!("the upstream {url} does not answer: {failure}; nothing was recorded"),
        param: None,
        code: Some("proofhouse_upstream".into()),
        kind: None,
        headers: Vec::new(),
    }
}

/// The answer as it came, piece by piece. The next piece is asked for once the one before it has gone out.
fn relayed(open: Open, mut taking: Taking) -> Response {
    taking.head(open.status, &open.headers);
    let status = StatusCode::from_u16(open.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = headers_of(&open);
    let pieces = stream::unfold(Some((open, taking)), |under_way| async {
        let (mut open, mut taking) = under_way?;
        match open.next().await {
            Some(Ok(bytes)) => {
                taking.bytes(&bytes);
                Some((Ok(bytes), Some((open, taking))))
            }
            Some(Err(failure)) => {
                taking.broken(&failure.to_string());
                Some((Err(io::Error::other(failure)), None))
            }
            None => {
                taking.end();
                None
            }
        }
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
