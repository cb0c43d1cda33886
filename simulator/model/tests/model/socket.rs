//! A client that reads a raw socket and tells how it ended.

use std::time::Duration;

use model::{Host, Script};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use wire::{Clock, Net, Seed};

/// How long silence lasts until a client takes it for one.
const SILENCE: Duration = Duration::from_millis(300);

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The peer closed it.
    Closed,
    /// The peer reset it.
    Reset,
    /// It is open, and nothing comes.
    Silent,
}

/// What came over a socket.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ended: Ended,
}

impl Heard {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn head(&self) -> String {
        self.text().split("\r\n\r\n").next().unwrap_or_default().to_owned()
    }

    fn body_bytes(&self) -> &[u8] {
        let end = self.bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        end.map_or(&[], |end| &self.bytes[end + 4..])
    }

    /// The chunks of a chunked body, as they were sent, and whether its end was sent too.
    pub(crate) fn chunks(&self) -> (Vec<Vec<u8>>, bool) {
        let mut rest = self.body_bytes();
        let mut chunks = Vec::new();
        while let Some(end) = rest.windows(2).position(|bytes| bytes == b"\r\n") {
            let size =
                std::str::from_utf8(&rest[..end]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
            let Some(size) = size else { break };
            if size == 0 {
                return (chunks, true);
            }
            let from = end + 2;
            let to = (from + size).min(rest.len());
            chunks.push(rest[from..to].to_vec());
            rest = rest.get(to + 2..).unwrap_or_default();
        }
        (chunks, false)
    }

    /// The whole body of a chunked answer.
    pub(crate) fn stream(&self) -> String {
        String::from_utf8_lossy(&self.chunks().0.concat()).into_owned()
    }

    /// The body of an answer that is no stream.
    pub(crate) fn body(&self) -> Vec<u8> {
        self.body_bytes().to_vec()
    }
}

/// A host behind a TCP socket.
pub(crate) struct Behind {
    pub(crate) host: Host,
    pub(crate) authority: String,
}

impl Behind {
    pub(crate) async fn tcp() -> Self {
        let host = Host::new(Clock::wall(), Seed::of_run(7));
        let listener = Net::Tcp.listen("127.0.0.1:0").await.unwrap();
        let authority = listener.authority().to_owned();
        tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
        Self { host, authority }
    }

    pub(crate) fn load(&self, session: &str, script: &Value) {
        let script = Script::from_json(script).unwrap_or_else(|error| panic!("{error}"));
        self.host.load(session, script);
    }

    /// Posts a body and hears everything that comes, until the answer or the connection is over.
    pub(crate) async fn post(&self, path: &str, headers: &str, body: &str) -> Heard {
        let mut stream = TcpStream::connect(&self.authority).await.unwrap();
        let version = if path.contains("/v1/messages") { "anthropic-version: 2023-06-01\r\n" } else { "" };
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: model\r\ncontent-type: application/json\r\n{version}{headers}\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        hear(&mut stream).await
    }

    /// Asks on the chat wire.
    pub(crate) async fn chat(&self, session: &str, text: &str, stream: bool) -> Heard {
        let mut body = json!({
            "model": "gpt-x",
            "stream": stream,
            "messages": [{"role": "user", "content": text}],
            "tools": [{"type": "function", "function": {"name": "look"}}],
        });
        if stream {
            body["stream_options"] = json!({"include_usage": true});
        }
        self.post(&format!("/s/{session}/v1/chat/completions"), "", &body.to_string()).await
    }
}

async fn hear(stream: &mut TcpStream) -> Heard {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 * 1024];
    let ended = loop {
        match tokio::time::timeout(SILENCE, stream.read(&mut piece)).await {
            Err(_) => break Ended::Silent,
            Ok(Ok(0)) => break Ended::Closed,
            Ok(Ok(count)) => bytes.extend_from_slice(&piece[..count]),
            Ok(Err(_)) => break Ended::Reset,
        }
    };
    Heard { bytes, ended }
}
