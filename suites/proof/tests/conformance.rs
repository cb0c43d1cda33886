//! The suite as trials of `cargo test` and nextest: against the built-in simulator, or against the
//! target that `PROOFHOUSE_TARGET` describes.

use std::{num::NonZeroUsize, process::ExitCode, sync::Arc};

use engine::{Launch, Plan, Sampling, TrialPlan, target, trials};
use libtest_mimic::{Arguments, Trial};
use recording::{Lane, Outcome};
use report::Replay;
use spec::{Contract, Spec};
use targets::{Address, Simulator};

/// The seed of all trials.
const SEED: u64 = 1;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match collect() {
        // A description that leaves no check would be a silent green; a filter that matches nothing is not.
        Ok(trials) if trials.is_empty() => fail("no check applies to the target"),
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(reason) => fail(&reason),
    }
}

fn fail(reason: &str) -> ExitCode {
    eprintln!("error: {reason}");
    ExitCode::from(recording::ExitCode::CouldNotJudge.code())
}

fn collect() -> Result<Vec<Trial>, String> {
    let spec = Spec::load().map_err(|error| error.to_string())?;
    let targets = match std::env::var_os("PROOFHOUSE_TARGET") {
        Some(path) => vec![described(&path.to_string_lossy())?],
        None => Contract::ALL.into_iter().map(simulator).collect::<Result<_, _>>()?,
    };
    Ok(targets.into_iter().flat_map(|launch| of_target(launch, spec)).collect())
}

type Shared = Arc<dyn Launch + Send + Sync>;

fn simulator(contract: Contract) -> Result<Shared, String> {
    Ok(Arc::new(Simulator::new(contract, &[] as &[&str]).map_err(|error| error.to_string())?))
}

fn described(path: &str) -> Result<Shared, String> {
    let within = |error: &dyn std::fmt::Display| format!("{path}: {error}");
    let text = std::fs::read_to_string(path).map_err(|error| within(&error))?;
    let description =
        target::from_toml(&text, |name| std::env::var(name).ok()).map_err(|error| within(&error))?;
    Ok(Arc::new(Address::described(description).map_err(|error| within(&error))?))
}

fn of_target(launch: Shared, spec: &'static Spec) -> Vec<Trial> {
    let registry = Arc::new(checks::registry());
    let checks = registry.of(launch.description().contract).copied().collect();
    let lane = launch.lane();
    let nonce = match lane {
        Lane::Virtual => String::new(),
        Lane::Wall => wire::Clock::wall().now().as_nanosecond().to_string(),
    };
    let jobs = NonZeroUsize::MIN.get();
    let plan = Plan { checks, seed: SEED, nonce, sampling: Sampling::of(lane), jobs };
    trials(TrialPlan { launch, registry, plan, explain }, spec)
}

fn explain(outcome: &Outcome, seed: u64) -> String {
    match Spec::load() {
        Ok(spec) => report::explain(outcome, &Replay { verb: "run", target: Vec::new(), seed }, spec),
        Err(error) => error.to_string(),
    }
}
