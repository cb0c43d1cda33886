//! A target at an address, in real time.

use std::time::Duration;

use engine::{
    Launch, LaunchError, Opened,
    target::{Description, DescriptionError, from_json},
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use recording::Lane;
use serde_json::json;
use wire::{
    Clock, Net, Seed,
    http::{Limits, Request, Response, send},
};

use crate::{HostedModel, model_server::ModelServer};

/// What a question to the control port may cost.
const CONTROL: Limits =
    Limits { head: Duration::from_secs(4), whole: Duration::from_secs(5), body_bytes_max: 1024 * 1024 };

/// A target that is reached by URL.
pub struct Address {
    description: Description,
    model: ModelServer,
}

/// An address that cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// The URL or the description is bad.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// The target describes itself badly.
    #[error("its answer to GET /_control/target is no target description: {0}")]
    Answer(DescriptionError),
    /// The operating system gave no runtime.
    #[error("cannot start a runtime: {0}")]
    Runtime(#[from] std::io::Error),
}

impl Address {
    /// The target of a description.
    pub fn described(description: Description) -> Result<Self, DescriptionError> {
        description.address()?;
        Ok(Self { description, model: ModelServer::default() })
    }

    /// Asks whoever is at `url` what it is. `None`: nobody there has a control port that says so.
    pub fn ask(url: &str) -> Result<Option<Self>, AddressError> {
        let probe = bare(url, spec::Contract::Vetta);
        let (authority, prefix) = probe.address()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let request = Request::new("GET", format!("{prefix}/_control/target"));
        let answer = runtime.block_on(send(&Net::Tcp, &authority, &request, CONTROL));
        let Ok(Response { status: 200, body, .. }) = answer else { return Ok(None) };
        let Ok(text) = std::str::from_utf8(&body) else { return Ok(None) };
        let mut description = match from_json(text) {
            Ok(description) => description,
            // Whoever names a contract means to describe itself, and is told what is wrong with it.
            Err(error) if names_a_contract(text) => return Err(AddressError::Answer(error)),
            Err(_) => return Ok(None),
        };
        // It is reached at the URL that was given, whatever it takes itself to be.
        description.url = url.to_owned();
        description.lane = Lane::Wall;
        Ok(Some(Self::described(description)?))
    }

    /// A target of which nothing is known but its URL: no credentials, no settings.
    pub fn unknown(url: &str, contract: spec::Contract) -> Result<Self, DescriptionError> {
        Self::described(bare(url, contract))
    }
}

fn names_a_contract(text: &str) -> bool {
    let answer = serde_json::from_str::<serde_json::Value>(text);
    answer.is_ok_and(|answer| answer.get("contract").is_some() && answer.get("url").is_some())
}

fn bare(url: &str, contract: spec::Contract) -> Description {
    Description {
        name: "unknown".to_owned(),
        version: "unknown".to_owned(),
        contract,
        url: url.to_owned(),
        lane: Lane::Wall,
        credentials: Default::default(),
        settings: Default::default(),
        claims: Default::default(),
        model: None,
        scope: Default::default(),
    }
}

impl Launch for Address {
    fn lane(&self) -> Lane {
        Lane::Wall
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        async move {
            let (authority, prefix) =
                self.description.address().map_err(|error| LaunchError::new(error.to_string()))?;
            let mut model = None;
            if let Some(wiring) = &self.description.model {
                let (host, url, started) = self.model.get(wiring, seed)?;
                if started && wiring.by_control {
                    point(&authority, &prefix, &url).await?;
                }
                model = Some(Box::new(HostedModel::new(host)) as Box<dyn engine::ModelPort>);
            }
            Ok(Opened {
                net: Net::Tcp,
                clock: Clock::wall(),
                authority,
                prefix,
                description: self.description.clone(),
                model,
                client: None,
                suite_defects: Vec::new(),
                keep: Box::new(()),
            })
        }
        .boxed_local()
    }

    fn confirm(&self) -> LocalBoxFuture<'_, Result<(), LaunchError>> {
        async move {
            let by_control = self.description.model.as_ref().is_some_and(|wiring| wiring.by_control);
            let (Some(ours), true) = (self.model.url(), by_control) else { return Ok(()) };
            let (authority, prefix) =
                self.description.address().map_err(|error| LaunchError::new(error.to_string()))?;
            match named(&authority, &prefix).await {
                Some(theirs) if theirs != ours => Err(LaunchError::new(format!(
                    "meanwhile somebody else, perhaps another run, pointed it at the model {theirs}; \
                     let runs on one target follow each other"
                ))),
                _ => Ok(()),
            }
        }
        .boxed_local()
    }
}

/// The model that the target says it calls; `None` where it does not say.
async fn named(authority: &str, prefix: &str) -> Option<String> {
    let request = Request::new("GET", format!("{prefix}/_control/model"));
    let answer = send(&Net::Tcp, authority, &request, CONTROL).await.ok()?;
    let body: serde_json::Value = serde_json::from_slice(&answer.body).ok()?;
    body.get("url")?.as_str().map(str::to_owned)
}

/// Tells the target which model to call.
async fn point(authority: &str, prefix: &str, url: &str) -> Result<(), LaunchError> {
    let body = json!({"url": url}).to_string();
    let request = Request::new("PUT", format!("{prefix}/_control/model")).json(body);
    match send(&Net::Tcp, authority, &request, CONTROL).await {
        Ok(answer) if (200..300).contains(&answer.status) => Ok(()),
        Ok(answer) => Err(LaunchError::new(format!(
            "its control port answered {} to PUT /_control/model: {}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        ))),
        Err(failure) => {
            Err(LaunchError::new(format!("its control port did not take the model's URL: {failure}")))
        }
    }
}
