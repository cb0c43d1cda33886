//! `proofhouse model`.

use std::path::PathBuf;

use clap::Args;
use model::{DEFAULT_SESSION, Host, Script};
use wire::{Clock, Seed};

use crate::{
    console::say,
    failure::{Done, Failure},
    listen::{address, asked_to_stop, listen, runtime},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The script: YAML or JSON.
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// Where to listen: HOST:PORT, or a port on this machine. Port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_parser = address)]
    listen: String,
    /// The seed of ids.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn model(arguments: &Arguments) -> Done {
    let script = Script::from_path(&arguments.script).map_err(|error| Failure(error.to_string()))?;
    runtime()?.block_on(async {
        let host = Host::new(Clock::wall(), Seed::of_run(arguments.seed));
        host.load(DEFAULT_SESSION, script);
        let listener = listen(&arguments.listen).await?;
        say(&format!("proofhouse model is ready at http://{}/v1", listener.authority()));
        model::serve(host.clone(), listener, asked_to_stop()).await;
        for turn in host.unused_turns(DEFAULT_SESSION) {
            say(&format!("turn `{turn}` of the script was never asked for"));
        }
        Ok(0)
    })
}
