//! A server that knows no HTTP: it reads a request head and writes the bytes that it was given.

use proofhouse_wire::{Net, Stream};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinHandle,
};

/// Where it listens.
pub(crate) const AT: &str = "server.test:80";

/// What it does once it has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Closes the connection.
    Close,
    /// Waits until the client does.
    Wait,
}

/// Takes one connection. Gives the head of the request once the connection is over.
pub(crate) async fn answer(net: &Net, bytes: &'static [u8], then: Then) -> JoinHandle<String> {
    let mut listener = net.listen(AT).await.unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = head(&mut stream).await;
        stream.write_all(bytes).await.unwrap();
        if then == Then::Wait {
            // The end of the client's bytes: it has let go of the connection.
            while stream.read(&mut [0; 64]).await.unwrap_or(0) > 0 {}
        }
        head
    })
}

async fn head(stream: &mut Stream) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}
