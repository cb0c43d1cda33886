//! Names and connections, in memory and over TCP.

use std::io::ErrorKind;

use proofhouse_wire::Net;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Each network, and a name to listen at.
fn networks() -> [(Net, &'static str); 2] {
    [(Net::memory(), "a.test:80"), (Net::Tcp, "127.0.0.1:0")]
}

#[tokio::test]
async fn an_address_has_one_listener_at_a_time() {
    for (net, at) in networks() {
        let listener = net.listen(at).await.unwrap();
        let authority = listener.authority().to_owned();
        assert!(!authority.ends_with(":0"), "{authority} is nowhere to connect to");
        let taken = net.listen(&authority).await.unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AddrInUse, "{authority}");
        drop(listener);
        assert_eq!(net.listen(&authority).await.unwrap().authority(), authority);
    }
}

#[tokio::test]
async fn where_nobody_listens_connections_are_refused() {
    let unknown = Net::memory().connect("nobody.test:80").await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::ConnectionRefused);
    assert!(unknown.to_string().contains("nobody.test:80"), "{unknown}");
    for (net, at) in networks() {
        let listener = net.listen(at).await.unwrap();
        let authority = listener.authority().to_owned();
        drop(listener);
        let gone = net.connect(&authority).await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::ConnectionRefused, "{authority}");
    }
}

#[tokio::test]
async fn two_networks_in_memory_do_not_know_each_other() {
    let (one, other) = (Net::memory(), Net::memory());
    let _listener = one.listen("a.test:80").await.unwrap();
    assert!(one.clone().connect("a.test:80").await.is_ok(), "a clone is the same network");
    assert!(other.connect("a.test:80").await.is_err());
    assert!(other.listen("a.test:80").await.is_ok());
}

#[tokio::test]
async fn bytes_go_both_ways_and_an_end_is_seen() {
    // More than a pipe holds at a time.
    let sent: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
    for (net, at) in networks() {
        let mut listener = net.listen(at).await.unwrap();
        let authority = listener.authority().to_owned();
        let echo = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            stream.write_all(&bytes).await.unwrap();
            stream.shutdown().await.unwrap();
        });
        let mut stream = net.connect(&authority).await.unwrap();
        stream.write_all(&sent).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).await.unwrap();
        assert!(received == sent, "{authority}: {} bytes came back", received.len());
        echo.await.unwrap();
    }
}
