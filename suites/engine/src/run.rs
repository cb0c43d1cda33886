//! Running a list of checks against a target.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use futures_util::{StreamExt, stream};
use recording::{Lane, Outcome, Scope, Status, Verdict};
use spec::{Need, Spec};
use wire::Seed;

use crate::{Budget, Check, Launch, LaunchError, Opened, Performed, Registry, Sampling, perform};

/// What to run, and how.
#[derive(Clone)]
pub struct Plan {
    /// The checks, in the order of the results.
    pub checks: Vec<Check>,
    /// The seed of the run.
    pub seed: u64,
    /// Sets the tokens of this run apart from those of other runs on a shared target; empty in process,
    /// where one seed gives one recording.
    pub nonce: String,
    /// Cases of property checks.
    pub sampling: Sampling,
    /// Checks at a time.
    pub jobs: usize,
}

/// Something that whoever watches a run may show.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A check has ended.
    Ended(&'a Outcome),
}

/// A run that ended.
#[derive(Debug)]
pub struct Ran {
    /// One outcome per check, in the plan's order.
    pub outcomes: Vec<Outcome>,
}

/// A run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The target could not be brought up.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The operating system gave no runtime.
    #[error("cannot start a runtime: {0}")]
    Runtime(#[from] std::io::Error),
}

/// Runs the happy path of the target's contract. A target that does not get through it is not judged.
pub fn preflight(
    launch: &dyn Launch,
    registry: &Registry,
    seed: u64,
    nonce: &str,
    spec: &Spec,
) -> Result<Performed, RunError> {
    let check = (registry.preflight)(launch.description().contract);
    let plan = Plan {
        checks: vec![check],
        seed,
        nonce: nonce.to_owned(),
        sampling: Sampling::of(launch.lane()),
        jobs: 1,
    };
    let runtime = runtime(launch.lane())?;
    let tasks = tokio::task::LocalSet::new();
    let performed = tasks.block_on(&runtime, async {
        let seed = Seed::of_run(plan.seed).child(check.id);
        let opened = launch.open(seed).await?;
        let budget = launch.patience();
        Ok::<_, LaunchError>(perform(&check, &opened, seed, nonce, plan.sampling, budget, spec).await)
    })?;
    Ok(performed)
}

/// Runs the plan. `watch` is called in the order in which checks end.
pub fn run(
    plan: &Plan,
    launch: &dyn Launch,
    spec: &Spec,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<Ran, RunError> {
    let performed = match launch.lane() {
        Lane::Virtual => in_worlds(plan, launch, spec, watch)?,
        Lane::Wall => on_one(plan, launch, spec, watch)?,
    };
    Ok(Ran { outcomes: performed })
}

fn runtime(lane: Lane) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(lane == Lane::Virtual).build()
}

async fn one(plan: &Plan, check: &Check, opened: &Opened, spec: &Spec, lane: Lane) -> Performed {
    let seed = Seed::of_run(plan.seed).child(check.id);
    perform(check, opened, seed, &plan.nonce, plan.sampling, Budget::of(lane), spec).await
}

/// A world per check, in a runtime of its own, on as many threads as the plan has jobs.
pub(crate) fn in_world(
    plan: &Plan,
    check: &Check,
    launch: &dyn Launch,
    spec: &Spec,
) -> Result<Performed, RunError> {
    let runtime = runtime(Lane::Virtual)?;
    let tasks = tokio::task::LocalSet::new();
    let performed = tasks.block_on(&runtime, async {
        let opened = launch.open(Seed::of_run(plan.seed).child(check.id)).await?;
        Ok::<_, LaunchError>(one(plan, check, &opened, spec, Lane::Virtual).await)
    })?;
    Ok(performed)
}

fn in_worlds(
    plan: &Plan,
    launch: &dyn Launch,
    spec: &Spec,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Outcome>, RunError> {
    let scope = &launch.description().scope;
    let mut outcomes: Vec<Option<Outcome>> = Vec::new();
    outcomes.resize_with(plan.checks.len(), || None);
    let failure: Mutex<Option<RunError>> = Mutex::new(None);
    let next = AtomicUsize::new(0);
    let (ended, results) = mpsc::channel();
    std::thread::scope(|threads| {
        for _ in 0..plan.jobs.clamp(1, plan.checks.len().max(1)) {
            let (ended, next, failure) = (ended.clone(), &next, &failure);
            threads.spawn(move || {
                while let Some((at, check)) = take(next, &plan.checks) {
                    match in_world(plan, check, launch, spec) {
                        Ok(performed) => {
                            let outcome = settle(check.id, performed, scope);
                            if ended.send((at, outcome)).is_err() {
                                return;
                            }
                        }
                        Err(error) => {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            return;
                        }
                    }
                }
            });
        }
        drop(ended);
        for (at, outcome) in results {
            watch(Progress::Ended(&outcome));
            outcomes[at] = Some(outcome);
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(outcomes.into_iter().flatten().collect()),
    }
}

fn take<'a>(next: &AtomicUsize, checks: &'a [Check]) -> Option<(usize, &'a Check)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, checks.get(at)?))
}

/// What runs together on a shared target, and how much of it at a time: first the checks that leave each other
/// alone, and then, one by one, those that change what others rely on.
fn in_turns<'a>(plan: &'a Plan, spec: &Spec) -> [(Vec<(usize, &'a Check)>, usize); 2] {
    let is_exclusive = |check: &Check| spec.check(check.id).is_some_and(|(_, entry)| entry.exclusive);
    let (alone, together) =
        plan.checks.iter().enumerate().partition::<Vec<_>, _>(|(_, check)| is_exclusive(check));
    [(together, plan.jobs.max(1)), (alone, 1)]
}

/// All checks on one target in real time, as tasks of one runtime, so that long waits pass together.
fn on_one(
    plan: &Plan,
    launch: &dyn Launch,
    spec: &Spec,
    watch: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Outcome>, RunError> {
    let runtime = runtime(Lane::Wall)?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        let opened = launch.open(Seed::of_run(plan.seed)).await?;
        let scope = &launch.description().scope;
        let opened = &opened;
        let mut outcomes: Vec<(usize, Outcome)> = Vec::new();
        for (checks, jobs) in in_turns(plan, spec) {
            let mut running =
                stream::iter(checks)
                    .map(|(at, check)| async move {
                        (at, check.id, one(plan, check, opened, spec, Lane::Wall).await)
                    })
                    .buffer_unordered(jobs);
            while let Some((at, id, performed)) = running.next().await {
                let outcome = settle(id, performed, scope);
                watch(Progress::Ended(&outcome));
                outcomes.push((at, outcome));
            }
        }
        let steers = |check: &Check| {
            spec.check(check.id).is_some_and(|(_, entry)| entry.needs.contains(&Need::SteerableModel))
        };
        if plan.checks.iter().any(steers) {
            launch.confirm().await?;
        }
        outcomes.sort_by_key(|(at, _)| *at);
        Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    })
}

/// Applies the expectations of the target's description to a verdict.
pub fn settle(id: &str, performed: Performed, scope: &Scope) -> Outcome {
    let Performed { recording, verdict, duration_ms } = performed;
    let expected_to_fail = scope.expected_fail.iter().any(|listed| listed == id);
    let status = match verdict.status() {
        Status::Fail | Status::Warn if expected_to_fail => Status::ExpectedFail,
        Status::Pass if expected_to_fail => Status::UnexpectedPass,
        status => status,
    };
    let excused = status == Status::Untested && scope.untestable.iter().any(|listed| listed == id);
    Outcome { id: id.to_owned(), status, excused, verdict, recording, duration_ms }
}

impl Performed {
    /// Whether the check passed.
    pub fn passed(&self) -> bool {
        self.verdict.status() == Status::Pass
    }

    /// Why the check did not pass, in words.
    pub fn words(&self) -> String {
        match &self.verdict {
            Verdict::Fail(finding) | Verdict::Warn(finding) => {
                format!("{}: expected {}, got {}", finding.message, finding.expected, finding.got)
            }
            verdict => verdict.reason().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use spec::Contract;

    use super::*;
    use crate::Kind;

    fn check(id: &'static str) -> Check {
        let kind = Kind::Single {
            drive: |_| Box::pin(std::future::ready(Ok(()))),
            judge: |_, _| Err(Verdict::Error { reason: "nobody asks".to_owned() }),
        };
        Check { id, contract: Contract::Oao, kind }
    }

    #[test]
    fn what_others_rely_on_is_changed_when_they_are_done() {
        let ids = ["OAO-01-a", "OAO-16-a", "OAO-45-b", "none"];
        let plan = Plan {
            checks: ids.map(check).into(),
            seed: 1,
            nonce: String::new(),
            sampling: Sampling::of_matrix(),
            jobs: 8,
        };
        let turns = in_turns(&plan, Spec::load().unwrap());
        let shown = turns.map(|(checks, jobs)| {
            (checks.iter().map(|(at, check)| (*at, check.id)).collect::<Vec<_>>(), jobs)
        });
        assert_eq!(shown[0], (vec![(0, "OAO-01-a"), (2, "OAO-45-b"), (3, "none")], 8));
        assert_eq!(shown[1], (vec![(1, "OAO-16-a")], 1));
    }
}
