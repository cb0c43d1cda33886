//! `proofhouse simulate`.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use model::Host;
use serde_json::Value;
use spec::Contract;
use wire::{
    Clock, Net, Seed,
    http::{Limits, Request, send},
};
use world::{Plan, Running, degenerate};

use crate::{
    console::{complain, say},
    demo,
    failure::{Done, Failure},
    listen::{address, asked_to_stop, listen, runtime},
};

/// What a request to the control port of the process itself may cost.
const CONTROL: Limits =
    Limits { head: Duration::from_secs(4), whole: Duration::from_secs(5), body_bytes_max: 1024 * 1024 };

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The contract to serve: oao or vetta.
    #[arg(long)]
    contract: Contract,
    /// Where to listen: HOST:PORT, or a port on this machine. Port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_parser = address)]
    listen: String,
    /// A defect, by name; may be given several times. `proofhouse list` names them.
    #[arg(long, value_name = "NAME")]
    defect: Vec<String>,
    /// Be no harness at all, in this way: `echo`, `html-page` … A wrong KIND is told all of them.
    #[arg(long, value_name = "KIND", conflicts_with_all = ["defect", "model"])]
    degenerate: Option<String>,
    /// The model to call, `http://host:port/v1`. Without one, a built-in model answers.
    #[arg(long, value_name = "URL")]
    model: Option<String>,
    /// One more environment of contract `vetta`, with the catalogue of a file such as those in
    /// fixtures/vetta/environments. Its key is `sk_sim_ada_NAME`. May be given several times.
    #[arg(long, value_name = "NAME=FILE", conflicts_with = "degenerate", value_parser = catalogue)]
    catalogue: Vec<(String, PathBuf)>,
    /// The seed of ids.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn simulate(arguments: &Arguments) -> Done {
    match &arguments.degenerate {
        Some(kind) => {
            let kind = degenerate::kind(kind)?;
            runtime()?.block_on(serve_degenerate(arguments, kind))
        }
        None => runtime()?.block_on(serve(arguments)),
    }
}

fn catalogue(text: &str) -> Result<(String, PathBuf), String> {
    let is_plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    match text.split_once('=') {
        Some((name, file)) if is_plain(name) && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("give NAME=FILE, with a NAME of letters, digits, `-` and `_`".to_owned()),
    }
}

/// Serves the environment in `file` as `name`, before anybody is told that the simulator is ready.
async fn open(running: &Running, name: &str, file: &Path) -> Result<(), Failure> {
    let within = |words: String| Failure(format!("--catalogue: {}: {words}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| within(error.to_string()))?;
    let mut environment: Value = serde_json::from_str(&text).map_err(|error| within(error.to_string()))?;
    if let Some(members) = environment.as_object_mut() {
        members.insert("name".to_owned(), Value::from(name));
    }
    let request = Request::new("POST", "/_control/environments").json(environment.to_string());
    let answer = send(&Net::Tcp, &running.authority, &request, CONTROL).await;
    let answer = answer.map_err(|failure| within(failure.to_string()))?;
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match body.pointer("/error/message").and_then(Value::as_str) {
        _ if answer.status == 201 => Ok(()),
        Some(reason) => Err(within(reason.trim_start_matches("the body: ").to_owned())),
        None => {
            Err(Failure("--catalogue: this contract has no catalogues; `--contract vetta` has".to_owned()))
        }
    }
}

async fn serve(arguments: &Arguments) -> Done {
    world::defects::check(arguments.contract, &arguments.defect)?;
    let (clock, seed) = (Clock::wall(), Seed::of_run(arguments.seed));
    let model = match &arguments.model {
        Some(url) => url.clone(),
        None => demo_model(&clock, seed).await?,
    };
    let plan = Plan {
        contract: arguments.contract,
        defects: arguments.defect.clone(),
        net: Net::Tcp,
        clock,
        seed,
        listen: arguments.listen.clone(),
        model: Some(model.parse().map_err(|error| Failure(format!("--model: {error}")))?),
        lane: "wall",
    };
    let running = world::start(plan).await.map_err(|error| match error {
        world::StartError::Listen { .. } => {
            Failure(format!("{error}; give another --listen, or port 0 for a free one"))
        }
        error => error.into(),
    })?;
    for (name, file) in &arguments.catalogue {
        open(&running, name, file).await?;
    }
    say(&format!("proofhouse simulator of contract {} is ready at {}", arguments.contract, running.url));
    // One line for whoever reads standard output; a person gets the way on beside it.
    if io::stdout().is_terminal() {
        hints(&running.url, &running.description);
        for (name, _) in &arguments.catalogue {
            complain(&format!("  environment   {name} has the key sk_sim_ada_{name}"));
        }
    }
    asked_to_stop().await;
    running.stop().await;
    Ok(0)
}

fn hints(url: &str, description: &Value) {
    complain(&format!("  judge it     proofhouse run --url {url}"));
    if let Some(key) = description.pointer("/credentials/primary/value").and_then(Value::as_str) {
        complain(&format!("  call it      with the header `authorization: Bearer {key}`"));
    }
    complain(&format!("  the rest     {url}/_control/target has the other keys and the settings"));
}

async fn demo_model(clock: &Clock, seed: Seed) -> Result<String, Failure> {
    let host = Host::new(clock.clone(), seed.child("model"));
    host.load(model::DEFAULT_SESSION, demo::script()?);
    let listener = listen("127.0.0.1:0").await?;
    let url = format!("http://{}/v1", listener.authority());
    tokio::spawn(model::serve(host, listener, std::future::pending()));
    Ok(url)
}

async fn serve_degenerate(arguments: &Arguments, kind: degenerate::Kind) -> Done {
    let listener = listen(&arguments.listen).await?;
    let name = degenerate::KINDS.iter().find(|(_, each)| *each == kind).map_or("", |(name, _)| name);
    say(&format!("proofhouse degenerate target {name} is ready at http://{}", listener.authority()));
    degenerate::serve(kind, listener, Clock::wall(), asked_to_stop()).await;
    Ok(0)
}
