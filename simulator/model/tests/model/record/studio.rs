//! A recorder on an in-memory network, and upstreams for it.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use model::{
    Host, Script,
    record::{self, Exchange, Fate, Options, Recorder},
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wire::{
    Clock, Net, Seed, Stream,
    http::{Failure, Limits, Open, Request, Response},
};

pub(crate) const UPSTREAM: &str = "upstream.test:80";
const RECORDER: &str = "recorder.test:80";
const LIMITS: Limits =
    Limits { head: Duration::from_secs(900), whole: Duration::from_secs(900), body_bytes_max: 64 << 20 };

/// A recorder that is being served, its network and its folder.
pub(crate) struct Studio {
    pub(crate) net: Net,
    pub(crate) clock: Clock,
    pub(crate) folder: TempDir,
    pub(crate) recorder: Recorder,
    told: Arc<Mutex<Vec<Exchange>>>,
}

impl Studio {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A studio whose options are changed first.
    pub(crate) async fn with(change: impl FnOnce(&mut Options)) -> Self {
        let (net, clock, folder) = (Net::memory(), Clock::virtual_time(), tempfile::tempdir().unwrap());
        let mut options = Options::new(folder.path().join("script.json"), format!("http://{UPSTREAM}/v1"));
        options.net = Some(net.clone());
        change(&mut options);
        let told = Arc::<Mutex<Vec<Exchange>>>::default();
        let listening = told.clone();
        let recorder = Recorder::telling(clock.clone(), options, move |exchange| {
            listening.lock().unwrap().push(exchange.clone());
        });
        let recorder = recorder.unwrap();
        let listener = net.listen(RECORDER).await.unwrap();
        tokio::spawn(record::serve(recorder.clone(), listener, std::future::pending()));
        Self { net, clock, folder, recorder, told }
    }

    /// A fake model as the upstream, with the seed of every other one.
    pub(crate) async fn upstream(&self, script: Script) -> Host {
        let host = Host::new(self.clock.clone(), Seed::of_run(7));
        host.load(model::DEFAULT_SESSION, script);
        let listener = self.net.listen(UPSTREAM).await.unwrap();
        tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
        host
    }

    /// An upstream that answers each connection with the next of these bytes and closes it. It gives what it was
    /// asked.
    pub(crate) async fn canned(&self, answers: Vec<Vec<u8>>) -> Arc<Mutex<Vec<String>>> {
        let mut listener = self.net.listen(UPSTREAM).await.unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let asking = asked.clone();
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = request(&mut stream).await;
                asking.lock().unwrap().push(request);
                stream.write_all(&answer).await.unwrap();
            }
        });
        asked
    }

    /// An upstream that answers one connection with these bytes and leaves it open.
    pub(crate) async fn hanging(&self, answer: Vec<u8>) {
        let mut listener = self.net.listen(UPSTREAM).await.unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            request(&mut stream).await;
            stream.write_all(&answer).await.unwrap();
            std::future::pending::<()>().await;
        });
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("script.json")
    }

    /// The script as it was written.
    pub(crate) fn script(&self) -> Script {
        Script::from_path(self.file()).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn json(&self) -> Value {
        self.script().to_json()
    }

    pub(crate) async fn try_send(&self, request: Request) -> Result<Response, Failure> {
        wire::http::send(&self.net, RECORDER, &request, LIMITS).await
    }

    pub(crate) async fn send(&self, request: Request) -> Response {
        self.try_send(request).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(post(path, body)).await
    }

    pub(crate) async fn open(&self, path: &str, body: &Value) -> Open {
        wire::http::open(&self.net, RECORDER, &post(path, body), LIMITS.head).await.unwrap()
    }

    /// What became of every exchange so far.
    pub(crate) fn fates(&self) -> Vec<Fate> {
        self.told.lock().unwrap().iter().map(|exchange| exchange.fate.clone()).collect()
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().iter().map(ToString::to_string).collect()
    }

    /// Lets the other tasks run until so many exchanges have ended.
    pub(crate) async fn until_told(&self, count: usize) {
        for _ in 0..1000 {
            if self.told.lock().unwrap().len() >= count {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("only {:?} ended", self.told());
    }
}

pub(crate) fn post(path: &str, body: &Value) -> Request {
    let request = Request::new("POST", path).json(body.to_string());
    if path.contains("/v1/messages") { request.header("anthropic-version", "2023-06-01") } else { request }
}

/// A request, head and body.
async fn request(stream: &mut Stream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(bytes).unwrap();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).map(|length| length.parse());
    let mut body = vec![0; length.unwrap_or(Ok(0)).unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    head + &String::from_utf8(body).unwrap()
}

/// An answer with a body in one piece.
pub(crate) fn answer(status: &str, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

/// An answer as a stream of chunks, with its proper end if it `ends`.
pub(crate) fn chunked(chunks: &[&str], ends: bool) -> Vec<u8> {
    let mut bytes =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for chunk in chunks {
        bytes.extend_from_slice(format!("{:x}\r\n{chunk}\r\n", chunk.len()).as_bytes());
    }
    if ends {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    bytes
}

/// A chunk of a chat completion that says `text`.
pub(crate) fn saying(text: &str) -> String {
    let delta =
        serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    format!("data: {delta}\n\n")
}

/// The chunk that tells the end of a chat completion, without `[DONE]`.
pub(crate) fn finish(reason: &str) -> String {
    let delta = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    format!("data: {delta}\n\n")
}
