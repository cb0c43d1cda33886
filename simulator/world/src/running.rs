//! Bringing a world up.

use axum::Router;
use serde_json::Value;
use spec::Contract;
use tokio::{sync::oneshot, task::JoinHandle};
use wire::{Clock, Net, Seed, serve::HeadFilter};

use crate::{ModelAddress, control, defects::UnknownDefect, describe, oao_server, vetta_server};

/// What to bring up.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The contract to serve.
    pub contract: Contract,
    /// Defects, by name. They are fixed from here on.
    pub defects: Vec<String>,
    /// The network.
    pub net: Net,
    /// The clock.
    pub clock: Clock,
    /// Everything random grows from it.
    pub seed: Seed,
    /// Where to listen: `host:port`.
    pub listen: String,
    /// The model to call from the start.
    pub model: Option<agent::ModelUrl>,
    /// `virtual` or `wall`, for the description.
    pub lane: &'static str,
}

/// A world that cannot be brought up.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A defect does not exist.
    #[error(transparent)]
    Defect(#[from] UnknownDefect),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {reason}")]
    Listen {
        /// `host:port`.
        address: String,
        /// The operating system's word.
        reason: String,
    },
    /// A fixture that ships with the simulator is broken.
    #[error("a fixture of the simulator is broken: {0}")]
    Fixture(String),
}

/// The server of a contract, ready to be served.
pub(crate) struct Assembled {
    pub(crate) router: Router,
    pub(crate) head_filter: Option<HeadFilter>,
    /// What the control port can do for this contract: routes below `/_control`.
    pub(crate) control: Router,
}

/// A world that is up. It stops when dropped.
#[derive(Debug)]
pub struct Running {
    /// `host:port`.
    pub authority: String,
    /// `http://host:port`.
    pub url: String,
    /// The target description.
    pub description: Value,
    /// The model that it calls.
    pub model: ModelAddress,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
}

impl Running {
    /// Stops serving and waits until that has happened.
    pub async fn stop(mut self) {
        if let Some(stop) = self.stop.take() {
            // A server that ended already has nobody to tell.
            let _ = stop.send(());
        }
        let _ = (&mut self.server).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Brings a world up. Call it inside the runtime that is to serve it.
pub async fn start(plan: Plan) -> Result<Running, StartError> {
    let model = ModelAddress::default();
    if let Some(url) = plan.model.clone() {
        model.set(url);
    }
    let assembled = match plan.contract {
        Contract::Oao => oao_server::assemble(&plan, &model)?,
        Contract::Vetta => vetta_server::assemble(&plan, &model)?,
    };
    let listener = plan
        .net
        .listen(&plan.listen)
        .await
        .map_err(|error| StartError::Listen { address: plan.listen.clone(), reason: error.to_string() })?;
    let authority = listener.authority().to_owned();
    let url = format!("http://{authority}");
    let description = describe(plan.contract, &url, plan.lane);
    let control =
        control::Control { contract: plan.contract, description: description.clone(), model: model.clone() };
    let router = control::in_front_of(assembled.router, control, assembled.control);
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(wire::serve::serve(listener, router, assembled.head_filter, async {
        // Dropped without a word stops it too.
        let _ = stopped.await;
    }));
    Ok(Running { authority, url, description, model, stop: Some(stop), server })
}
