//! Where a server listens, and when it stops.

use crate::failure::Failure;

/// An address to listen at: `host:port`, or a port on this machine.
pub(crate) fn address(text: &str) -> Result<String, String> {
    if let Ok(port) = text.parse::<u16>() {
        return Ok(format!("127.0.0.1:{port}"));
    }
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.to_owned()),
        _ => Err("give HOST:PORT, or a port on this machine".to_owned()),
    }
}

/// Opens a listener.
pub(crate) async fn listen(address: &str) -> Result<wire::Listener, Failure> {
    wire::Net::Tcp.listen(address).await.map_err(|error| {
        Failure(format!(
            "cannot listen at {address}: {error}; give another --listen, or port 0 for a free one"
        ))
    })
}

/// Resolves at Ctrl-C, SIGTERM or SIGHUP.
pub(crate) async fn asked_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // A terminal that closes hangs up; what there is to say is said all the same.
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
        if let (Ok(mut terminate), Ok(mut hangup)) = signals {
            tokio::select! {
                biased;
                _ = interrupt => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}

/// A runtime on all cores, for serving.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}
