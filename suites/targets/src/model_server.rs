//! The suite's model for a target in real time: one for the whole process.
//!
//! Test runners drive checks from many threads, each with a runtime of its own. A target calls one model,
//! so all of them have to steer the same one; it lives on a thread of its own.

use std::{
    sync::{OnceLock, mpsc},
    thread,
};

use engine::{LaunchError, target::ModelWiring};
use model::Host;
use tokio::sync::oneshot;
use wire::{Clock, Net, Seed};

/// A model that is started when it is first asked for, and ends with its owner.
#[derive(Debug, Default)]
pub(crate) struct ModelServer(OnceLock<Result<Served, LaunchError>>);

#[derive(Debug)]
struct Served {
    host: Host,
    url: String,
    // Dropping it stops the thread.
    _stop: oneshot::Sender<()>,
}

impl ModelServer {
    /// The base URL under which the target reaches the model, once that has been started.
    pub(crate) fn url(&self) -> Option<&str> {
        self.0.get()?.as_ref().ok().map(|served| served.url.as_str())
    }

    /// The model, the base URL under which the target reaches it, and whether this call started it.
    pub(crate) fn get(&self, wiring: &ModelWiring, seed: Seed) -> Result<(Host, String, bool), LaunchError> {
        let mut started = false;
        let served = self.0.get_or_init(|| {
            started = true;
            start(wiring, seed)
        });
        served.as_ref().map(|served| (served.host.clone(), served.url.clone(), started)).map_err(Clone::clone)
    }
}

fn start(wiring: &ModelWiring, seed: Seed) -> Result<Served, LaunchError> {
    let (ready, told) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let wiring = wiring.clone();
    let serve = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                return drop(ready.send(Err(LaunchError::new(format!("cannot start a runtime: {error}")))));
            }
        };
        runtime.block_on(async {
            let listener = match Net::Tcp.listen(&wiring.listen).await {
                Ok(listener) => listener,
                Err(error) => {
                    let reason = format!("[model] listen: cannot listen at {}: {error}; give HOST:PORT, with port 0 for a free one", wiring.listen);
                    return drop(ready.send(Err(LaunchError::new(reason))));
                }
            };
            let url =
                wiring.public_url.clone().unwrap_or_else(|| format!("http://{}/v1", listener.authority()));
            let host = Host::new(Clock::wall(), seed.child("model"));
            if ready.send(Ok((host.clone(), url))).is_ok() {
                // An owner that is dropped says nothing; the channel closes.
                model::serve(host, listener, async { drop(stopped.await) }).await;
            }
        });
    };
    thread::Builder::new()
        .name("proofhouse-model".to_owned())
        .spawn(serve)
        .map_err(|error| LaunchError::new(format!("cannot start a thread: {error}")))?;
    let gone = |_| LaunchError::new("the model's thread ended before it was ready");
    let (host, url) = told.recv().map_err(gone)??;
    Ok(Served { host, url, _stop: stop })
}
