//! `proofhouse run`.

use std::{collections::BTreeMap, num::NonZeroUsize, path::PathBuf};

use clap::Args;
use engine::{
    Check, Kind, Plan, Progress, Registry, Sampling, Selection, preflight, run as run_plan,
    target::Description,
};
use recording::{Lane, Outcome, Status};
use report::{Preflight, Replay, Report, RunFolder, Summary, explain, one_line};
use spec::{Contract, Need, Spec};
use wire::{Clock, clock::Stopwatch};

use crate::{
    console::{bar, complain, counted, duration, say},
    failure::{Done, Failure},
    subject::{Subject, Target},
};

/// Checks at a time on a target in real time.
const JOBS_BY_URL: usize = 8;

const AFTER_HELP: &str = "\
Examples:
  proofhouse run                                    the built-in simulator, in this process
  proofhouse run --target target.toml               your server; examples: fixtures/targets
  proofhouse run --url http://127.0.0.1:4000        a simulator in another process
  proofhouse run --check 'VET-16*' --check OAO-11   some checks only; `proofhouse list` shows all

A run leaves in --out: summary.json, and per contract report.json, junit.xml and recording.jsonl.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Only this contract: oao or vetta.
    #[arg(long)]
    contract: Option<Contract>,
    /// Checks to run: an id, a requirement's id, or a pattern with `*`. May be given several times.
    #[arg(long, value_name = "GLOB")]
    check: Vec<String>,
    /// The one case of a property check to repeat.
    #[arg(long, value_name = "K")]
    case: Option<u64>,
    #[command(flatten)]
    subject: Subject,
    /// The seed: one seed, one result.
    #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Cases of each property check; 256 in process, 16 by URL.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    cases: Option<u64>,
    /// Checks at a time; one per core in process, 8 by URL.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Where the run leaves its files.
    #[arg(long, value_name = "DIR", default_value = "target/proofhouse/latest")]
    out: PathBuf,
}

/// How many of something to do at a time.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "give a whole number from 1 on".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let spec = Spec::load()?;
    let registry = checks::registry();
    let selected = select(arguments, &registry)?;
    let targets = arguments.subject.targets(arguments.contract)?;
    let folder = RunFolder::create(&arguments.out)?;
    let stopwatch = Stopwatch::start();
    let mut reports = Vec::new();
    for target in &targets {
        let contract = target.launch.description().contract;
        let checks: Vec<Check> =
            selected.iter().filter(|check| check.contract == contract).copied().collect();
        if checks.is_empty() && !arguments.check.is_empty() {
            continue;
        }
        reports.push(one_contract(arguments, target, checks, &registry, &folder, spec)?);
    }
    if reports.is_empty() {
        return Err(Failure(format!(
            "--check {}: no such check on this target",
            arguments.check.join(" --check ")
        )));
    }
    let summary = Summary::new(arguments.seed, stopwatch.elapsed_ms(), &reports);
    folder.summary(&summary)?;
    say_summary(&summary, &folder);
    Ok(summary.exit_code)
}

fn select(arguments: &Arguments, registry: &Registry) -> Result<Vec<Check>, Failure> {
    let mut checks = Selection::new(&arguments.check).of(registry)?;
    checks.retain(|check| arguments.contract.is_none_or(|only| only == check.contract));
    if checks.is_empty() && !arguments.check.is_empty() {
        return Err(Failure::nothing_matches(&arguments.check, arguments.contract));
    }
    if arguments.case.is_some() {
        checks.retain(|check| matches!(check.kind, Kind::Property(_)));
        if checks.is_empty() {
            return Err(Failure(
                "--case: only property checks have cases; name one with --check, as `--check '*-p'`"
                    .to_owned(),
            ));
        }
    }
    Ok(checks)
}

fn plan(arguments: &Arguments, checks: Vec<Check>, lane: Lane) -> Plan {
    let mut sampling = Sampling::of(lane);
    sampling.cases = arguments.cases.unwrap_or(sampling.cases);
    sampling.case = arguments.case;
    let jobs = arguments.jobs.map(NonZeroUsize::get).unwrap_or_else(|| match lane {
        Lane::Virtual => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        Lane::Wall => JOBS_BY_URL,
    });
    // On a shared target what this run creates must not be mistaken for what another one created.
    let nonce = match lane {
        Lane::Virtual => String::new(),
        Lane::Wall => Clock::wall().now().as_nanosecond().to_string(),
    };
    Plan { checks, seed: arguments.seed, nonce, sampling, jobs }
}

fn one_contract(
    arguments: &Arguments,
    target: &Target,
    checks: Vec<Check>,
    registry: &Registry,
    folder: &RunFolder,
    spec: &Spec,
) -> Result<Report, Failure> {
    let launch = target.launch.as_ref();
    let description = launch.description();
    let contract = description.contract;
    // Checks of clients are not about a harness, so they are run on one only where they are asked for.
    let is_about_it = |check: &Check| !arguments.check.is_empty() || !is_about_a_client(check.id, spec);
    let is_embedded = arguments.subject.is_embedded();
    let checks = checks.into_iter().filter(|check| is_embedded || is_about_it(check)).collect();
    let plan = plan(arguments, checks, launch.lane());
    let replay = Replay { verb: "run", target: arguments.subject.arguments(), seed: arguments.seed };
    say(&format!("{contract}: {}", who(arguments, target)));
    let preflight = look(target, registry, &plan, spec);
    let mut outcomes = Vec::new();
    let stopwatch = Stopwatch::start();
    if preflight.passed {
        outcomes = watched(&plan, target, contract, spec)?;
    }
    let ms = stopwatch.elapsed_ms();
    let report = Report::new(contract, description.facts(), plan.seed, preflight, &outcomes, &replay, spec)
        .with_claims(checks::vetta::claims::audit(&outcomes))
        .timed(&outcomes, ms);
    for outcome in outcomes.iter().filter(|outcome| is_worth_telling(outcome)) {
        say(&explain(outcome, &replay, spec));
    }
    // Whoever asks for some checks is shown the evidence of overlap also where they pass.
    if !arguments.check.is_empty() {
        say_timelines(&outcomes);
    }
    match &report.preflight.reason {
        Some(reason) => {
            say(&format!("{contract}: not judged: {reason}"));
            if let Some(way_out) = way_out(arguments, target) {
                say(&format!("  way out      {way_out}"));
            }
            say("");
        }
        None => say_contract(&report, spec),
    }
    folder.contract(&report, &outcomes, &replay, &description.scope, spec)?;
    Ok(report)
}

fn is_about_a_client(id: &str, spec: &Spec) -> bool {
    spec.check(id).is_some_and(|(_, entry)| entry.needs.contains(&Need::ClientUnderTest))
}

fn say_timelines(outcomes: &[Outcome]) {
    let passed = outcomes.iter().filter(|outcome| outcome.status == Status::Pass);
    for (id, timeline) in passed.filter_map(|outcome| Some((&outcome.id, outcome.verdict.timeline()?))) {
        say(&format!("  timeline of {id}"));
        report::bars(timeline).iter().for_each(|bar| say(&format!("    {bar}")));
    }
}

fn who(arguments: &Arguments, target: &Target) -> String {
    let Description { name, version, url, .. } = target.launch.description();
    if arguments.subject.is_embedded() {
        format!("{name} {version} in this process")
    } else if target.is_known {
        format!("{name} {version} at {url}")
    } else {
        format!("whatever answers at {url}")
    }
}

/// What to look at when a target that was described does not get through the happy path.
fn way_out(arguments: &Arguments, target: &Target) -> Option<&'static str> {
    if arguments.subject.is_embedded() || !target.is_known {
        return None;
    }
    Some(if target.launch.description().secret("primary").is_none() {
        "no request carried a key: give `[credentials] primary`"
    } else {
        "is the target up, and are `url`, `[credentials]` and `[settings]` right?"
    })
}

/// Without a description there is nothing to judge by, even if somebody there looks like a harness.
fn look(target: &Target, registry: &Registry, plan: &Plan, spec: &Spec) -> Preflight {
    let performed = preflight(target.launch.as_ref(), registry, plan.seed, &plan.nonce, spec);
    let (passed, reason) = match performed {
        Ok(performed) if performed.passed() => (true, None),
        Ok(performed) => (false, Some(performed.words())),
        Err(error) => (false, Some(error.to_string())),
    };
    let reason = reason.map(|reason| one_line(&reason));
    if target.is_known {
        return Preflight { passed, reason };
    }
    let way_out = "nobody there answers /_control/target with a description: give --target FILE";
    let reason = reason.map_or_else(|| way_out.to_owned(), |reason| format!("{reason}; {way_out}"));
    Preflight { passed: false, reason: Some(reason) }
}

fn watched(plan: &Plan, target: &Target, contract: Contract, spec: &Spec) -> Result<Vec<Outcome>, Failure> {
    let bar = bar(plan.checks.len(), contract.name());
    let mut watch = |Progress::Ended(outcome): Progress<'_>| {
        bar.inc(1);
        bar.set_message(outcome.id.clone());
        if bar.is_hidden() && is_worth_telling(outcome) {
            complain(&report::headline(outcome));
        }
    };
    let ran = run_plan(plan, target.launch.as_ref(), spec, &mut watch)?;
    bar.finish_and_clear();
    Ok(ran.outcomes)
}

pub(crate) fn is_worth_telling(outcome: &Outcome) -> bool {
    !matches!(outcome.status, Status::Pass | Status::NotApplicable | Status::ExpectedFail)
}

pub(crate) fn say_contract(report: &Report, spec: &Spec) {
    let by_id: BTreeMap<&str, Status> =
        report.checks.iter().map(|check| (check.id.as_str(), check.status)).collect();
    for topic in &spec.contract(report.contract).topics {
        let statuses = topic.requirements.iter().flat_map(|requirement| &requirement.checks);
        let statuses: Vec<Status> =
            statuses.filter_map(|check| by_id.get(check.id.as_str()).copied()).collect();
        if !statuses.is_empty() {
            let counts = recording::Counts::of(statuses);
            say(&format!("  {:<20} {}", topic.topic, counts_words(&counts.0)));
        }
    }
    say_timing(report);
    for check in report.checks.iter().filter(|check| check.status == Status::NotApplicable) {
        say(&format!("  not applicable: {}: {}", check.id, check.reason.as_deref().unwrap_or_default()));
    }
    if let Some(claims) = &report.claims {
        say("  what the catalogue claims, and what is there:");
        report::claim_table(claims).iter().for_each(|line| say(&format!("    {line}")));
    }
    if !report.shape_violations.is_empty() {
        let count = counted(report.shape_violations.len(), "message");
        say(&format!("  {count} without the shape of the schema; see shape_violations in report.json"));
    }
    say(&format!("  {} checks are built, {} are pending\n", report.built, report.pending));
}

/// The last words on the checks: how many, how fast, and which of them to look at for the time.
fn say_timing(report: &Report) {
    let checks = counted(report.checks.len(), "check");
    let counts = counts_words(&report.counts);
    let Some(timing) = &report.timing else {
        return say(&format!("  {checks}: {counts}"));
    };
    let per_second = timing.checks_per_second;
    // A tenth is worth reading only where there are few.
    let per_second = if per_second < 10.0 { format!("{per_second:.1}") } else { format!("{per_second:.0}") };
    say(&format!("  {checks} in {}: {counts}; {per_second} checks/s", duration(timing.duration_ms)));
    if timing.slowest.len() > 1 {
        let slow = timing.slowest.iter().map(|check| format!("{} {}", check.id, duration(check.duration_ms)));
        say(&format!("  slowest: {}", slow.collect::<Vec<_>>().join(", ")));
    }
}

pub(crate) fn counts_words(counts: &BTreeMap<Status, usize>) -> String {
    let parts =
        counts.iter().filter(|(_, count)| **count > 0).map(|(status, count)| format!("{count} {status}"));
    parts.collect::<Vec<_>>().join(", ")
}

pub(crate) fn say_summary(summary: &Summary, folder: &RunFolder) {
    let word = match summary.exit_code {
        0 => "conforming",
        1 => "not conforming",
        _ => "not judged",
    };
    let judged: usize = summary.contracts.iter().flat_map(|line| line.counts.values()).sum();
    let specified: usize = summary.contracts.iter().map(|line| line.built + line.pending).sum();
    say(&format!(
        "{word} (exit {}) in {}; {judged} of {specified} checks; seed {}; files in {}",
        summary.exit_code,
        duration(summary.duration_ms),
        summary.seed,
        folder.path().display()
    ));
}
