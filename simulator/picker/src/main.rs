//! `proofhouse-picker`: lists what the catalogue at `PROOFHOUSE_URL` offers, one line per choice, and starts
//! `PROOFHOUSE_PICK` if it can be selected.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use proofhouse_picker::{Parts, Visit, defects, visit};
use wire::{Clock, Net};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            let _ = writeln!(io::stderr().lock(), "error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let parts = parts(env::args().skip(1))?;
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let required =
        |name: &str| variable(name).ok_or_else(|| format!("the environment variable `{name}` is not set"));
    let there = Visit {
        url: required("PROOFHOUSE_URL")?,
        key: required("PROOFHOUSE_KEY")?,
        pick: variable("PROOFHOUSE_PICK"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let mut show = |choice: &proofhouse_picker::Choice| {
        if written.is_ok() {
            written = writeln!(out, "{}", choice.line());
        }
    };
    let visited = runtime.block_on(visit(&Net::Tcp, &Clock::wall(), &there, &parts, &mut show));
    visited.map_err(|error| error.to_string())?;
    written.map_err(|error| format!("cannot write to standard output: {error}"))
}

/// `--defect NAME`, any number of times.
fn parts(mut arguments: impl Iterator<Item = String>) -> Result<Parts, String> {
    let mut parts = Parts::default();
    while let Some(argument) = arguments.next() {
        let name = match argument.as_str() {
            "--defect" => arguments.next().ok_or("--defect: give the NAME of a defect")?,
            other => return Err(format!("unknown argument `{other}`: there is only --defect NAME")),
        };
        defects::edit(&mut parts, &[name]).map_err(|error| error.to_string())?;
    }
    Ok(parts)
}
