//! `proofhouse`: is this harness what its contract says?

mod client_check;
mod console;
mod demo;
mod explain;
mod failure;
mod judge;
mod list;
mod listen;
mod model;
mod prove;
mod run;
mod simulate;
mod specification;
mod subject;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

const AFTER_HELP: &str = "\
First steps:
  proofhouse run                         judge the built-in simulator, in this process
  proofhouse run --target target.toml    judge your server; examples: fixtures/targets
  proofhouse explain VET-16              what a requirement says, and which checks test it
  proofhouse simulate --contract vetta   a harness to build a client against

Exit codes:
  0  everything that counts holds
  1  something is broken, passes unexpectedly, or could not be tested
  2  nothing was judged: bad input, a target that is no harness, or a failure of the suite itself";

/// Conformance suite and simulator for agent harnesses.
// Without `about`, so that this line is said and not the description of the package.
#[derive(Debug, Parser)]
#[command(name = "proofhouse", version, propagate_version = true, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Judge a target; without one, the built-in simulator.
    Run(run::Arguments),
    /// Judge a client of the harness catalogue.
    ClientCheck(client_check::Arguments),
    /// Judge a recording again, without the target.
    Judge(judge::Arguments),
    /// Show that every check can fail: checks against defects.
    Prove(prove::Arguments),
    /// List requirements, checks, defects and open points.
    List(list::Arguments),
    /// Show one requirement, check, defect or open point.
    Explain(explain::Arguments),
    /// Print a contract in a form that other programs read.
    Spec(specification::Arguments),
    /// Serve a contract, correctly or with named defects.
    Simulate(simulate::Arguments),
    /// Serve a fake model that answers as a script says.
    Model(model::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        Verb::Run(arguments) => run::run(&arguments),
        Verb::ClientCheck(arguments) => client_check::client_check(&arguments),
        Verb::Judge(arguments) => judge::judge(&arguments),
        Verb::Prove(arguments) => prove::prove(&arguments),
        Verb::List(arguments) => list::list(&arguments),
        Verb::Explain(arguments) => explain::explain(&arguments),
        Verb::Spec(arguments) => specification::specification(&arguments),
        Verb::Simulate(arguments) => simulate::simulate(&arguments),
        Verb::Model(arguments) => model::model(&arguments),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure(reason)) => {
            console::complain(&format!("error: {reason}"));
            ExitCode::from(recording::ExitCode::CouldNotJudge.code())
        }
    }
}
