//! The built-in simulator, and what is no harness at all, in this process and in virtual time.

use std::any::Any;

use engine::{
    ClientPort, Launch, LaunchError, Opened,
    target::{Description, from_json},
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use recording::Lane;
use spec::Contract;
use wire::{Clock, Listener, Net, Seed};
use world::{Plan, degenerate};

use crate::{
    HostedModel, Subjects,
    reference_client::{DegenerateClient, ReferenceClient},
};

/// Where the simulator listens on the in-memory network.
const SIMULATOR: &str = "simulator.test:80";
/// Where the suite's model listens on it.
const MODEL: &str = "model.test:80";

/// A network in memory, a clock in virtual time, and the suite's model: what each target here stands on.
struct Stage {
    net: Net,
    clock: Clock,
    model: model::Host,
}

impl Stage {
    fn new(seed: Seed) -> Self {
        let (net, clock) = (Net::memory(), Clock::virtual_time());
        let model = model::Host::new(clock.clone(), seed.child("model"));
        Self { net, clock, model }
    }

    async fn listen(&self, authority: &str) -> Result<Listener, LaunchError> {
        let failed = |error: std::io::Error| LaunchError::new(error.to_string());
        self.net.listen(authority).await.map_err(failed)
    }

    /// The target at [`SIMULATOR`], which is as `description` says and lives as long as `keep`.
    fn opened(self, description: &Description, client: Box<dyn ClientPort>, keep: Box<dyn Any>) -> Opened {
        Opened {
            net: self.net,
            clock: self.clock,
            authority: SIMULATOR.to_owned(),
            prefix: String::new(),
            description: description.clone(),
            model: Some(Box::new(HostedModel::new(self.model))),
            client: Some(client),
            suite_defects: Vec::new(),
            keep,
        }
    }
}

/// The simulator of a contract, perhaps with defects.
pub struct Simulator {
    contract: Contract,
    defects: Subjects,
    description: Description,
}

impl Simulator {
    /// The simulator of `contract` with these defects.
    pub fn new(contract: Contract, defects: &[impl AsRef<str>]) -> Result<Self, LaunchError> {
        Ok(Self { contract, defects: Subjects::of(contract, defects)?, description: described(contract)? })
    }
}

fn described(contract: Contract) -> Result<Description, LaunchError> {
    let description = world::describe(contract, &format!("http://{SIMULATOR}"), "virtual");
    from_json(&description.to_string()).map_err(|error| LaunchError::new(error.to_string()))
}

impl Launch for Simulator {
    fn lane(&self) -> Lane {
        Lane::Virtual
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        async move {
            let stage = Stage::new(seed);
            let listener = stage.listen(MODEL).await?;
            let serving = tokio::spawn(model::serve(stage.model.clone(), listener, std::future::pending()));
            let model_url = format!("http://{MODEL}/v1");
            let plan = Plan {
                contract: self.contract,
                defects: self.defects.server.clone(),
                net: stage.net.clone(),
                clock: stage.clock.clone(),
                seed: seed.child("world"),
                listen: SIMULATOR.to_owned(),
                model: Some(model_url.parse().map_err(|error| LaunchError::new(format!("{error}")))?),
                lane: "virtual",
            };
            let running = world::start(plan).await.map_err(|error| LaunchError::new(error.to_string()))?;
            let client = Box::new(ReferenceClient::new(&self.defects.client)?);
            let opened = stage.opened(&self.description, client, Box::new((running, serving)));
            Ok(Opened { suite_defects: self.defects.suite.clone(), ..opened })
        }
        .boxed_local()
    }
}

/// A target that is no harness, described as if it were the simulator of a contract.
pub struct Degenerate {
    kind: degenerate::Kind,
    description: Description,
}

impl Degenerate {
    /// The degenerate target called `kind`.
    pub fn new(contract: Contract, kind: &str) -> Result<Self, LaunchError> {
        let kind = degenerate::kind(kind).map_err(|error| LaunchError::new(error.to_string()))?;
        Ok(Self { kind, description: described(contract)? })
    }
}

impl Launch for Degenerate {
    fn lane(&self) -> Lane {
        Lane::Virtual
    }

    fn description(&self) -> &Description {
        &self.description
    }

    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>> {
        async move {
            // The model is there, so that no check is excused for want of one.
            let stage = Stage::new(seed);
            let listener = stage.listen(SIMULATOR).await?;
            let clock = stage.clock.clone();
            let serving = tokio::spawn(degenerate::serve(self.kind, listener, clock, std::future::pending()));
            // A server task that has not run yet would still be listening.
            tokio::task::yield_now().await;
            Ok(stage.opened(&self.description, Box::new(DegenerateClient(self.kind)), Box::new(serving)))
        }
        .boxed_local()
    }
}
