//! An HTTP/1.1 client that hides nothing: one connection per request, no pool, no redirect, no retry.

use std::{io, time::Duration};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use crate::{Net, tls};

/// A request as the suite words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Method, in upper case.
    pub method: String,
    /// Path and query, from the root of the server: `/v1/harnesses?limit=1`.
    pub path: String,
    /// Header names and values, in order. `host` is added by the client.
    pub headers: Vec<(String, String)>,
    /// Body; `None` sends no body at all.
    pub body: Option<Bytes>,
    /// Whether header names are written in Title-Case; lower case otherwise.
    pub title_case: bool,
}

impl Request {
    /// A request without headers or body.
    pub fn new(method: &str, path: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
            title_case: false,
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets a JSON body and its content type.
    #[must_use]
    pub fn json(self, body: impl Into<Bytes>) -> Self {
        let mut request = self.header("content-type", "application/json");
        request.body = Some(body.into());
        request
    }
}

/// An answer, read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header names (lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
}

/// What an exchange may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the head of the answer has arrived, connecting included.
    pub head: Duration,
    /// Until the body has ended.
    pub whole: Duration,
    /// The largest body that is read.
    pub body_bytes_max: usize,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody took the connection.
    #[error("cannot connect to {authority}: {reason}")]
    Connect {
        /// `host:port`.
        authority: String,
        /// The operating system's word.
        reason: String,
    },
    /// The server that took the connection is not to be trusted.
    #[error("no trust in {authority}: {reason}")]
    Untrusted {
        /// `host:port`.
        authority: String,
        /// What is wrong with its certificate, and what to do about it.
        reason: String,
    },
    /// The request cannot be written in HTTP.
    #[error("cannot be sent: {0}")]
    Unsendable(String),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The head of the answer did not come in time.
    #[error("no answer within {} ms", .0.as_millis())]
    NoHead(Duration),
    /// The body did not end in time.
    #[error("the body had not ended after {} ms", .0.as_millis())]
    NoEnd(Duration),
    /// The body is larger than what is read.
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
}

/// An answer whose head has arrived and whose body is read piece by piece. Dropping it closes the
/// connection.
#[derive(Debug)]
pub struct Open {
    /// Status code.
    pub status: u16,
    /// Header names (lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    body: Incoming,
    _connection: AbortOnDrop,
}

impl Open {
    /// The next piece of the body; `None` at its end.
    pub async fn next(&mut self) -> Option<Result<Bytes, Failure>> {
        loop {
            match self.body.frame().await? {
                Ok(frame) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
                Err(error) => return Some(Err(Failure::Broken(chain(&error)))),
            }
        }
    }
}

/// Sends `request` to `authority` and reads the whole answer.
pub async fn send(
    net: &Net,
    authority: &str,
    request: &Request,
    limits: Limits,
) -> Result<Response, Failure> {
    let whole = async {
        let mut open = open(net, authority, request, limits.head).await?;
        let mut body = Vec::new();
        while let Some(piece) = open.next().await {
            body.extend_from_slice(&piece?);
            if body.len() > limits.body_bytes_max {
                return Err(Failure::TooLarge(limits.body_bytes_max));
            }
        }
        Ok(Response { status: open.status, headers: std::mem::take(&mut open.headers), body: body.into() })
    };
    tokio::time::timeout(limits.whole, whole).await.unwrap_or(Err(Failure::NoEnd(limits.whole)))
}

/// Sends `request` to `authority` and waits for the head of the answer, `head` at most.
pub async fn open(net: &Net, authority: &str, request: &Request, head: Duration) -> Result<Open, Failure> {
    tokio::time::timeout(head, exchange(net, authority, request)).await.unwrap_or(Err(Failure::NoHead(head)))
}

async fn exchange(net: &Net, authority: &str, request: &Request) -> Result<Open, Failure> {
    let message = encode(host(net, authority), request)?;
    let stream = net.connect(authority).await.map_err(|error| no_connection(net, authority, &error))?;
    let broken = |error: hyper::Error| Failure::Broken(chain(&error));
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .title_case_headers(request.title_case)
        .handshake::<_, Full<Bytes>>(TokioIo::new(stream))
        .await
        .map_err(broken)?;
    let connection = AbortOnDrop(tokio::spawn(async move {
        // What goes wrong here reaches the sender or the body.
        let _ = connection.await;
    }));
    let response = sender.send_request(message).await.map_err(broken)?;
    let (parts, body) = response.into_parts();
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect();
    Ok(Open { status: parts.status.as_u16(), headers, body, _connection: connection })
}

/// What the header `host` says: without the port that `https` means anyway, which some servers insist on.
fn host<'a>(net: &Net, authority: &'a str) -> &'a str {
    match net {
        Net::Tls(_) => authority.strip_suffix(":443").unwrap_or(authority),
        Net::Memory(_) | Net::Tcp => authority,
    }
}

fn no_connection(net: &Net, authority: &str, error: &io::Error) -> Failure {
    let authority = authority.to_owned();
    if let Some(reason) = tls::distrust(error) {
        return Failure::Untrusted { authority, reason };
    }
    let is_tls = matches!(net, Net::Tls(_)) && error.raw_os_error().is_none();
    let hint = if is_tls { "; does it speak TLS, and HTTP/1.1 over it?" } else { "" };
    Failure::Connect { authority, reason: format!("{error}{hint}") }
}

fn encode(authority: &str, request: &Request) -> Result<http::Request<Full<Bytes>>, Failure> {
    let unsendable = |what: &str, why: &dyn std::fmt::Display| Failure::Unsendable(format!("{what}: {why}"));
    let method = Method::from_bytes(request.method.as_bytes()).map_err(|why| unsendable("method", &why))?;
    let uri: Uri = request.path.parse().map_err(|why| unsendable("path", &why))?;
    let mut message = http::Request::new(Full::new(request.body.clone().unwrap_or_default()));
    *message.method_mut() = method;
    *message.uri_mut() = uri;
    let headers = message.headers_mut();
    headers.insert("host", HeaderValue::from_str(authority).map_err(|why| unsendable("host", &why))?);
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|why| unsendable("header name", &why))?;
        headers.append(name, HeaderValue::from_str(value).map_err(|why| unsendable("header value", &why))?);
    }
    Ok(message)
}

/// The task that drives a connection; it ends with its owner.
#[derive(Debug)]
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
