//! Byte streams by name: in memory, or over TCP.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_rustls::client::TlsStream;

use crate::tls::Trust;

/// Bytes that an in-memory pipe holds before its writer has to wait.
const PIPE_BYTES: usize = 64 * 1024;
/// Connections that wait to be accepted, in memory.
const BACKLOG: usize = 256;

/// A network: where connections are opened and accepted.
#[derive(Clone, Debug)]
pub enum Net {
    /// Pipes in this process. Virtual time stays exact on it.
    Memory(MemoryNet),
    /// The machine's own TCP stack.
    Tcp,
    /// TLS over TCP, for clients only.
    Tls(Trust),
}

impl Net {
    /// A fresh in-memory network with nobody on it.
    pub fn memory() -> Self {
        Self::Memory(MemoryNet::default())
    }

    /// Opens a connection to `authority` (`host:port`).
    pub async fn connect(&self, authority: &str) -> io::Result<Stream> {
        match self {
            Self::Memory(net) => net.connect(authority).await,
            Self::Tcp => Ok(Stream::Tcp(tcp(authority).await?)),
            Self::Tls(trust) => {
                let stream = trust.secure(authority, tcp(authority).await?).await?;
                Ok(Stream::Tls(Box::new(stream)))
            }
        }
    }

    /// Listens at `authority`. Port 0 takes a free port over TCP.
    pub async fn listen(&self, authority: &str) -> io::Result<Listener> {
        match self {
            Self::Memory(net) => net.listen(authority),
            Self::Tcp => {
                let listener = TcpListener::bind(authority).await?;
                let address = listener.local_addr()?;
                Ok(Listener { authority: address.to_string(), inner: Inner::Tcp(listener) })
            }
            Self::Tls(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "nothing here serves over TLS: listen on plain TCP",
            )),
        }
    }
}

async fn tcp(authority: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(authority).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Names and the listeners behind them, in this process.
#[derive(Clone, Debug, Default)]
pub struct MemoryNet(Arc<Mutex<BTreeMap<String, mpsc::Sender<DuplexStream>>>>);

impl MemoryNet {
    async fn connect(&self, authority: &str) -> io::Result<Stream> {
        let door = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(authority).cloned();
        let refused =
            || io::Error::new(io::ErrorKind::ConnectionRefused, format!("nobody listens at {authority}"));
        let door = door.ok_or_else(refused)?;
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        door.send(theirs).await.map_err(|_| refused())?;
        Ok(Stream::Memory(ours))
    }

    fn listen(&self, authority: &str) -> io::Result<Listener> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if names.get(authority).is_some_and(|door| !door.is_closed()) {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, format!("{authority} is taken")));
        }
        let (door, inner) = mpsc::channel(BACKLOG);
        names.insert(authority.to_owned(), door);
        Ok(Listener { authority: authority.to_owned(), inner: Inner::Memory(inner) })
    }
}

/// An open door.
#[derive(Debug)]
pub struct Listener {
    authority: String,
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Memory(mpsc::Receiver<DuplexStream>),
    Tcp(TcpListener),
}

impl Listener {
    /// `host:port` under which this listener is reached.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The next connection, and its peer over TCP.
    pub async fn accept(&mut self) -> io::Result<(Stream, Peer)> {
        match &mut self.inner {
            Inner::Memory(inner) => {
                let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "the network is gone");
                Ok((Stream::Memory(inner.recv().await.ok_or_else(gone)?), Peer::Memory))
            }
            Inner::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // It fails when the peer has gone already, which reading shows as well.
                let _ = stream.set_nodelay(true);
                Ok((Stream::Tcp(stream), Peer::Tcp(peer)))
            }
        }
    }
}

/// Who is on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Somebody in this process.
    Memory,
    /// An address.
    Tcp(SocketAddr),
}

impl Peer {
    /// Whether the peer sits on this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Memory => true,
            Self::Tcp(address) => address.ip().to_canonical().is_loopback(),
        }
    }
}

/// One connection.
#[derive(Debug)]
pub enum Stream {
    /// A pipe in this process.
    Memory(DuplexStream),
    /// A TCP connection.
    Tcp(TcpStream),
    /// A TLS connection to a server.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Ends the connection with a reset (RST) over TCP; drops the pipe in memory. What was written and has
    /// not reached the peer yet is lost.
    pub fn reset(self) {
        let stream = match &self {
            Self::Memory(_) => return,
            Self::Tcp(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        };
        // It fails when the connection is gone, and then there is nothing to reset.
        let _ = stream.set_zero_linger();
    }

    /// Ends the connection in order: over TCP with a FIN, reading on until the peer ends it too. TCP answers
    /// bytes that nobody reads with a reset, which the peer could see in place of the end.
    pub async fn close(mut self) -> io::Result<()> {
        if let Self::Memory(_) = self {
            return Ok(());
        }
        self.shutdown().await?;
        let mut forgotten = [0; 256];
        while self.read(&mut forgotten).await? > 0 {}
        Ok(())
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Memory(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Memory(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Memory(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Memory(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
