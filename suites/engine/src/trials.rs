//! The front-end of `cargo test` and nextest: one trial per check.

use std::sync::{Arc, OnceLock};

use libtest_mimic::{Failed, Trial};
use recording::{Lane, Outcome, Status};
use spec::Spec;

use crate::{Launch, Plan, Registry, preflight, run};

/// What the trials of one target share.
pub struct TrialPlan {
    /// The target.
    pub launch: Arc<dyn Launch + Send + Sync>,
    /// All checks and the preflights.
    pub registry: Arc<Registry>,
    /// Everything of a plan but its checks.
    pub plan: Plan,
    /// Writes out why a check is red.
    pub explain: fn(&Outcome, u64) -> String,
}

/// One trial per check of the plan, named `contract::suite::ID`.
///
/// Nothing is brought up before a trial runs: runners list and filter first, and nextest starts a
/// process per trial.
pub fn trials(shared: TrialPlan, spec: &'static Spec) -> Vec<Trial> {
    let shared = Arc::new(shared);
    let alive: Arc<OnceLock<Result<(), String>>> = Arc::default();
    let trial = |check: crate::Check| {
        let suite = spec.checks(check.contract).find(|(_, _, entry)| entry.id == check.id);
        let suite = suite.map_or("unlisted", |(topic, _, _)| topic.topic.as_str());
        let (shared, alive) = (shared.clone(), alive.clone());
        // Runners show a skip at run time as a pass, so what is agreed to be untestable is ignored beforehand.
        let is_excused = shared.launch.description().scope.untestable.iter().any(|id| id == check.id);
        Trial::test(format!("{}::{suite}::{}", check.contract, check.id), move || {
            alive.get_or_init(|| is_alive(&shared, spec)).clone().map_err(Failed::from)?;
            let plan = Plan { checks: vec![check], jobs: 1, ..shared.plan.clone() };
            let ran = run(&plan, shared.launch.as_ref(), spec, &mut |_| {})
                .map_err(|error| Failed::from(error.to_string()))?;
            let Some(outcome) = ran.outcomes.first() else {
                return Err(Failed::from("the check did not run"));
            };
            match outcome.status {
                Status::Pass | Status::Warn | Status::ExpectedFail | Status::NotApplicable => Ok(()),
                Status::Untested if outcome.excused => Ok(()),
                _ => Err(Failed::from((shared.explain)(outcome, plan.seed))),
            }
        })
        .with_ignored_flag(is_excused)
    };
    shared.plan.checks.iter().copied().map(trial).collect()
}

fn is_alive(shared: &TrialPlan, spec: &Spec) -> Result<(), String> {
    // A world of the simulator is new for every check; asking it once more proves nothing.
    if shared.launch.lane() == Lane::Virtual {
        return Ok(());
    }
    let performed =
        preflight(shared.launch.as_ref(), &shared.registry, shared.plan.seed, &shared.plan.nonce, spec)
            .map_err(|error| error.to_string())?;
    if performed.passed() {
        Ok(())
    } else {
        Err(format!("the preflight failed, so nothing was judged: {}", performed.words()))
    }
}
