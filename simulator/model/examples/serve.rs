//! Serves a script over TCP: `cargo run -p proofhouse-model --example serve -- SCRIPT [LISTEN]`.

use std::{error::Error, process::ExitCode};

use proofhouse_model::{DEFAULT_SESSION, Host, Script, serve};
use wire::{Clock, Net, Seed};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let script = arguments.next().ok_or("usage: serve SCRIPT [LISTEN]")?;
    let listen = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let host = Host::new(Clock::wall(), Seed::of_run(0));
    host.load(DEFAULT_SESSION, Script::from_path(script)?);
    let listener = Net::Tcp.listen(&listen).await?;
    println!("http://{}/v1", listener.authority());
    serve(host, listener, async {
        // Without a signal to wait for, serving ends at once, which is the best that is left.
        let _ = tokio::signal::ctrl_c().await;
    })
    .await;
    Ok(())
}
