//! Connections that end badly, as a peer sees them that knows no HTTP.

use std::{convert::Infallible, future::Future, io, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    response::Response,
};
use futures_util::{StreamExt, stream};
use proofhouse_wire::{
    Clock, Net, Stream,
    serve::{Hangup, Line, serve_with},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinHandle,
};

use crate::raw::AT;

/// Longer than any of these exchanges.
const LONG: Duration = Duration::from_secs(20);
const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Closed,
    Reset,
}

async fn serving<F>(
    net: &Net,
    at: &str,
    handler: impl Fn(Request) -> F + Clone + Send + Sync + 'static,
) -> Server
where
    F: Future<Output = Response> + Send + 'static,
{
    let listener = net.listen(at).await.unwrap();
    let authority = listener.authority().to_owned();
    let task = tokio::spawn(serve_with(listener, handler, None, std::future::pending()));
    Server { net: net.clone(), authority, task }
}

struct Server {
    net: Net,
    authority: String,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Sends `bytes`, waits, and reads to the end.
    async fn ask(&self, bytes: &[u8], wait: Duration) -> (String, End) {
        let mut stream = self.net.connect(&self.authority).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        Clock::wall().pause(wait).await;
        read(&mut stream).await
    }
}

async fn read(stream: &mut Stream) -> (String, End) {
    let mut bytes = Vec::new();
    let end = Clock::wall().within(LONG, stream.read_to_end(&mut bytes)).await.expect("no end");
    let end = match end.map_err(|error| error.kind()) {
        Ok(_) => End::Closed,
        Err(io::ErrorKind::ConnectionReset) => End::Reset,
        Err(other) => panic!("{other:?}"),
    };
    (String::from_utf8(bytes).unwrap(), end)
}

fn networks() -> [(Net, &'static str); 2] {
    [(Net::memory(), AT), (Net::Tcp, "127.0.0.1:0")]
}

fn line(request: &Request) -> Line {
    request.extensions().get::<Line>().unwrap().clone()
}

/// `count` pieces of `size` bytes, and then an error, after a reset if `end` says so.
fn pieces(line: Line, count: usize, size: usize, end: End) -> Body {
    let pieces = stream::repeat(Bytes::from("x".repeat(size))).take(count).map(Ok);
    let fall = stream::once(async move {
        if end == End::Reset {
            line.reset();
        }
        Err(io::Error::other("on purpose"))
    });
    Body::from_stream(pieces.chain(fall))
}

/// What must have arrived: `count` chunks of `size` bytes and no last one.
fn chunks(count: usize, size: usize) -> String {
    format!("{size:X}\r\n{}\r\n", "x".repeat(size)).repeat(count)
}

#[tokio::test]
async fn a_response_that_hangs_up_is_never_written() {
    for (net, at) in networks() {
        for (hangup, end) in [(Hangup::Close, End::Closed), (Hangup::Reset, End::Reset)] {
            let end = if at == AT { End::Closed } else { end };
            let server = serving(&net, at, move |_| async move {
                Response::builder().extension(hangup).body(Body::from("unseen")).unwrap()
            })
            .await;
            assert_eq!(server.ask(GET, Duration::ZERO).await, (String::new(), end), "{hangup:?} at {at}");
            drop(server);
            Clock::wall().pause(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test]
async fn what_was_yielded_before_an_error_arrives_and_no_last_chunk() {
    for (net, at) in networks() {
        for end in [End::Closed, End::Reset] {
            for count in [0, 1, 3, 400] {
                let server = serving(&net, at, move |request| async move {
                    Response::new(pieces(line(&request), count, 90, end))
                })
                .await;
                let end = if at == AT { End::Closed } else { end };
                let (text, ended) = server.ask(GET, Duration::ZERO).await;
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
                assert!(body == chunks(count, 90), "{count} at {at}: {} bytes came", body.len());
                assert_eq!(ended, end, "{count} at {at}");
                drop(server);
                Clock::wall().pause(Duration::from_millis(1)).await;
            }
        }
    }
}

#[tokio::test]
async fn a_whole_answer_can_be_cut_inside() {
    let server = serving(&Net::Tcp, "127.0.0.1:0", |request| async move {
        let body = pieces(line(&request), 1, 40, End::Closed);
        Response::builder().header("content-length", "100").body(body).unwrap()
    })
    .await;
    let (text, end) = server.ask(GET, Duration::ZERO).await;
    let expected = format!("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{}", "x".repeat(40));
    assert_eq!((text, end), (expected, End::Closed));
}

#[tokio::test]
async fn a_peer_that_reads_late_loses_nothing_that_its_receive_buffer_holds() {
    for end in [End::Closed, End::Reset] {
        let server = serving(&Net::Tcp, "127.0.0.1:0", move |request| async move {
            Response::new(pieces(line(&request), 500, 100, end))
        })
        .await;
        let (text, ended) = server.ask(GET, Duration::from_millis(150)).await;
        assert!(text.ends_with(&chunks(500, 100)), "{} bytes came", text.len());
        assert_eq!(ended, end);
    }
}

#[tokio::test]
async fn a_close_is_seen_as_one_by_a_peer_that_is_still_sending() {
    let server = serving(&Net::Tcp, "127.0.0.1:0", |_| async {
        Response::builder().extension(Hangup::Close).body(Body::empty()).unwrap()
    })
    .await;
    let mut stream = Net::Tcp.connect(&server.authority).await.unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n").await.unwrap();
    for _ in 0..30 {
        stream.write_all(&[b' '; 10_000]).await.unwrap();
        Clock::wall().pause(Duration::from_millis(1)).await;
    }
    assert_eq!(read(&mut stream).await, (String::new(), End::Closed));
}

#[tokio::test]
async fn an_answer_before_it_on_the_same_connection_is_whole() {
    // The long one does not fit into the buffers of the network while nobody reads.
    for (hangup, length, expected) in
        [(Hangup::Close, 12_000_000, End::Closed), (Hangup::Reset, 40_000, End::Reset)]
    {
        let server = serving(&Net::Tcp, "127.0.0.1:0", move |request: Request| async move {
            match request.uri().path() {
                "/first" => Response::new(Body::from("y".repeat(length))),
                _ => Response::builder().extension(hangup).body(Body::empty()).unwrap(),
            }
        })
        .await;
        let both = b"GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n";
        let (text, end) = server.ask(both, Duration::from_millis(20)).await;
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("content-length: {length}")), "{head}");
        assert!(body == "y".repeat(length), "{hangup:?}: {} bytes came", body.len());
        assert_eq!(end, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_dropped_when_its_reader_goes() {
    let net = Net::memory();
    let answers = Arc::new(());
    let handler = answers.clone();
    let _server = serving(&net, AT, move |_| {
        let held = handler.clone();
        let silence = stream::pending::<Result<Bytes, Infallible>>().inspect(move |_| drop(held.clone()));
        async { Response::new(Body::from_stream(silence)) }
    })
    .await;
    let clock = Clock::virtual_time();
    let mut stream = net.connect(AT).await.unwrap();
    let idle = Arc::strong_count(&answers);
    stream.write_all(GET).await.unwrap();
    clock.pause(Duration::from_millis(1)).await;
    assert!(Arc::strong_count(&answers) > idle);
    drop(stream);
    clock.pause(Duration::from_millis(1)).await;
    assert!(Arc::strong_count(&answers) < idle + 1, "the answer is still there");
}
