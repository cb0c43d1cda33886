//! `proofhouse client-check`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use engine::{Check, Launch, Plan, Progress, Registry, Sampling, Selection, preflight, run as run_plan};
use recording::{Lane, Outcome};
use report::{Preflight, Replay, Report, RunFolder, Summary, explain, one_line};
use spec::Spec;
use targets::CommandClient;
use wire::{Clock, clock::Stopwatch};

use crate::{
    console::{bar, complain, say},
    failure::{Done, Failure},
    run::{is_worth_telling, say_contract, say_summary},
};

const AFTER_HELP: &str = "\
The command is run by `sh -c`, several times, each time against a catalogue of its own, with these variables:
  PROOFHOUSE_URL    the base URL of the catalogue
  PROOFHOUSE_KEY    the bearer key
  PROOFHOUSE_PICK   the base that somebody picks; not set where nothing is picked

For each choice that it shows it prints one line of JSON; lines that are no JSON object are not looked at:
  {\"base\": \"pi\", \"selectable\": true}
  {\"base\": \"sim-dark\", \"selectable\": false, \"why\": \"does not run here\"}

If the pick can be selected, a client that starts sessions writes an agent and starts one.

Examples:
  proofhouse client-check --command 'node picker.js'
  proofhouse client-check --command ./picker --check VET-21 --timeout 20

It leaves in --out what a run leaves: summary.json, and in vetta/ report.json, junit.xml and recording.jsonl.
Nothing is judged, and the exit code is 2, where the client does not run, does not end, asks for no list or
shows nothing.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The client under test, as a shell would run it.
    #[arg(long)]
    command: String,
    /// Checks to run: an id, a requirement's id, or a pattern with `*`. May be given several times.
    #[arg(long, value_name = "GLOB")]
    check: Vec<String>,
    /// How long one visit to a catalogue may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=30))]
    timeout: u64,
    /// The seed: one seed, one result.
    #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Where the run leaves its files.
    #[arg(long, value_name = "DIR", default_value = "target/proofhouse/client")]
    out: PathBuf,
}

pub(crate) fn client_check(arguments: &Arguments) -> Done {
    let spec = Spec::load()?;
    let registry = checks::client_registry();
    let checks = Selection::new(&arguments.check).of(&registry)?;
    let folder = RunFolder::create(&arguments.out)?;
    let stopwatch = Stopwatch::start();
    let client = CommandClient::new(&arguments.command, Duration::from_secs(arguments.timeout));
    let report = judged(arguments, &client, checks, &registry, &folder, spec)?;
    let summary = Summary::new(arguments.seed, stopwatch.elapsed_ms(), std::slice::from_ref(&report));
    folder.summary(&summary)?;
    say_summary(&summary, &folder);
    Ok(summary.exit_code)
}

fn judged(
    arguments: &Arguments,
    client: &CommandClient,
    checks: Vec<Check>,
    registry: &Registry,
    folder: &RunFolder,
    spec: &Spec,
) -> Result<Report, Failure> {
    let plan = Plan {
        checks,
        seed: arguments.seed,
        nonce: Clock::wall().now().as_nanosecond().to_string(),
        sampling: Sampling::of(Lane::Wall),
        // A client may keep something on the machine, so its visits follow each other.
        jobs: 1,
    };
    let replay = Replay {
        verb: "client-check",
        target: vec!["--command".to_owned(), arguments.command.clone()],
        seed: arguments.seed,
    };
    say(&format!("client: `{}`", arguments.command));
    let preflight = look(client, registry, &plan, spec);
    let stopwatch = Stopwatch::start();
    let outcomes = if preflight.passed { watched(&plan, client, spec)? } else { Vec::new() };
    let ms = stopwatch.elapsed_ms();
    let description = client.description();
    let report = Report::new(
        description.contract,
        description.facts(),
        plan.seed,
        preflight,
        &outcomes,
        &replay,
        spec,
    )
    .timed(&outcomes, ms);
    for outcome in outcomes.iter().filter(|outcome| is_worth_telling(outcome)) {
        say(&explain(outcome, &replay, spec));
    }
    match &report.preflight.reason {
        Some(reason) => {
            say(&format!("client: not judged: {reason}"));
            say(
                "  way out      `proofhouse client-check --help` says what a client is told and has to print\n",
            );
        }
        None => say_contract(&report, spec),
    }
    folder.contract(&report, &outcomes, &replay, &description.scope, spec)?;
    Ok(report)
}

fn look(client: &CommandClient, registry: &Registry, plan: &Plan, spec: &Spec) -> Preflight {
    let performed = preflight(client, registry, plan.seed, &plan.nonce, spec);
    let (passed, reason) = match performed {
        Ok(performed) if performed.passed() => (true, None),
        Ok(performed) => (false, Some(performed.words())),
        Err(error) => (false, Some(error.to_string())),
    };
    Preflight { passed, reason: reason.map(|reason| one_line(&reason)) }
}

fn watched(plan: &Plan, client: &CommandClient, spec: &Spec) -> Result<Vec<Outcome>, Failure> {
    let bar = bar(plan.checks.len(), "client");
    let mut watch = |Progress::Ended(outcome): Progress<'_>| {
        bar.inc(1);
        bar.set_message(outcome.id.clone());
        if bar.is_hidden() && is_worth_telling(outcome) {
            complain(&report::headline(outcome));
        }
    };
    let ran = run_plan(plan, client, spec, &mut watch)?;
    bar.finish_and_clear();
    Ok(ran.outcomes)
}
