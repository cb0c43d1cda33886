//! The defect matrix: every check against every defect of its contract.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use recording::{ExitCode, Status};
use serde::Serialize;
use spec::{Contract, Spec};

use crate::{Check, Launch, Plan, Registry, RunError, Sampling, run::in_world};

/// Brings up simulators that are wrong in a named way.
pub trait Bench: Sync {
    /// The simulator of `contract`, with `defect` or without one.
    fn simulator(
        &self,
        contract: Contract,
        defect: Option<&str>,
    ) -> Result<Box<dyn Launch>, crate::LaunchError>;

    /// The degenerate targets, by name.
    fn degenerate_kinds(&self) -> Vec<&'static str>;

    /// A degenerate target, which is described as if it were the simulator of `contract`.
    fn degenerate(&self, contract: Contract, kind: &str) -> Result<Box<dyn Launch>, crate::LaunchError>;
}

/// One check on one defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The check.
    pub check: String,
    /// The defect.
    pub defect: String,
    /// What the check said.
    pub status: Status,
    /// Whether the specification says that this check turns red on this defect: it is the defect's own
    /// check, or a declared side effect.
    pub declared: bool,
    /// The message of a red cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The matrix of one contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Matrix {
    /// The contract.
    pub contract: Contract,
    /// How many checks were asked.
    pub checks: usize,
    /// How many of them some defect proves.
    pub proven: usize,
    /// Those that none proves.
    pub unproven: Vec<String>,
    /// The part of the cells off the diagonal that agree with the specification, 0 to 1.
    pub aim: f64,
    /// Defects of built checks that no check sees, or that fail the preflight.
    pub orphans: Vec<String>,
    /// What degenerate targets get.
    pub degenerate: Vec<Degenerate>,
    /// All cells.
    pub cells: Vec<Cell>,
}

/// What one degenerate target gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Degenerate {
    /// Its kind.
    pub kind: String,
    /// How many checks pass on it with the preflight left out.
    pub passes: usize,
    /// Which ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passing: Vec<String>,
    /// The exit code of a normal run.
    pub exit_code: u8,
}

/// What to compute.
pub struct Question<'a> {
    /// The contract.
    pub contract: Contract,
    /// The checks, and for each its own defect.
    pub checks: Vec<Check>,
    /// The seed of every world.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
    /// How many further checks each defect is held against, beside its own and its declared side effects:
    /// drawn by seed and defect. `None` for all, which is the whole matrix.
    pub others: Option<usize>,
    /// All checks and the preflights.
    pub registry: &'a Registry,
    /// The specification.
    pub spec: &'a Spec,
}

impl Question<'_> {
    fn plan(&self) -> Plan {
        Plan {
            checks: Vec::new(),
            seed: self.seed,
            nonce: String::new(),
            sampling: Sampling::of_matrix(),
            jobs: 1,
        }
    }

    /// The checks that `defect` is held against, in their order.
    fn held_against(&self, defect: &str) -> Vec<&Check> {
        let declared = |check: &Check| is_declared(self.spec, check.id, defect);
        let mut others: Vec<&Check> = self.checks.iter().filter(|check| !declared(check)).collect();
        if let Some(most) = self.others {
            let drawn = wire::Seed::of_run(self.seed).child(defect);
            others.sort_by_cached_key(|check| drawn.child(check.id).bytes());
            others.truncate(most);
        }
        let drawn: Vec<&str> = others.iter().map(|check| check.id).collect();
        self.checks.iter().filter(|check| declared(check) || drawn.contains(&check.id)).collect()
    }

    fn own_defect(&self, check: &str) -> Option<&str> {
        self.spec.check(check).map(|(_, entry)| entry.defect.id.as_str())
    }
}

/// Computes the matrix of the question's checks and their defects. `watch` is told of each cell.
pub fn matrix(
    question: &Question<'_>,
    bench: &dyn Bench,
    watch: &(dyn Fn(&Cell) + Sync),
) -> Result<Matrix, RunError> {
    let defects: Vec<&str> =
        question.checks.iter().filter_map(|check| question.own_defect(check.id)).collect();
    let alive = in_parallel(question.jobs, &defects, |defect| survives_preflight(question, bench, defect))?;
    let pairs: Vec<(&Check, &str)> = defects
        .iter()
        .zip(&alive)
        .filter(|(_, alive)| **alive)
        .flat_map(|(defect, _)| question.held_against(defect).into_iter().map(move |check| (check, *defect)))
        .collect();
    let cells = in_parallel(question.jobs, &pairs, |(check, defect)| {
        let cell = cell(question, bench, check, defect)?;
        watch(&cell);
        Ok(cell)
    })?;
    let degenerate =
        in_parallel(question.jobs, &bench.degenerate_kinds(), |kind| degenerate(question, bench, kind))?;
    Ok(sum_up(question, &defects, cells, degenerate))
}

fn survives_preflight(question: &Question<'_>, bench: &dyn Bench, defect: &str) -> Result<bool, RunError> {
    let launch = bench.simulator(question.contract, Some(defect))?;
    let check = (question.registry.preflight)(question.contract);
    Ok(in_world(&question.plan(), &check, launch.as_ref(), question.spec)?.passed())
}

fn cell(question: &Question<'_>, bench: &dyn Bench, check: &Check, defect: &str) -> Result<Cell, RunError> {
    let launch = bench.simulator(question.contract, Some(defect))?;
    let performed = in_world(&question.plan(), check, launch.as_ref(), question.spec)?;
    let declared = is_declared(question.spec, check.id, defect);
    Ok(Cell {
        check: check.id.to_owned(),
        defect: defect.to_owned(),
        status: performed.verdict.status(),
        declared,
        message: performed.verdict.finding().map(|finding| finding.message.clone()),
    })
}

/// Whether the specification says that `check` turns red on `defect`.
fn is_declared(spec: &Spec, check: &str, defect: &str) -> bool {
    spec.defect(defect).is_some_and(|(_, own, entry)| {
        own.id == check || entry.side_effects.iter().any(|effect| effect.check == check)
    })
}

fn degenerate(question: &Question<'_>, bench: &dyn Bench, kind: &str) -> Result<Degenerate, RunError> {
    let launch = bench.degenerate(question.contract, kind)?;
    let mut passing = Vec::new();
    for check in &question.checks {
        if in_world(&question.plan(), check, launch.as_ref(), question.spec)?.passed() {
            passing.push(check.id.to_owned());
        }
    }
    let preflight = (question.registry.preflight)(question.contract);
    let alive = in_world(&question.plan(), &preflight, launch.as_ref(), question.spec)?.passed();
    let exit = if alive { ExitCode::NotConforming } else { ExitCode::CouldNotJudge };
    Ok(Degenerate { kind: kind.to_owned(), passes: passing.len(), passing, exit_code: exit.code() })
}

fn sum_up(
    question: &Question<'_>,
    defects: &[&str],
    cells: Vec<Cell>,
    degenerate: Vec<Degenerate>,
) -> Matrix {
    let kills = |cell: &Cell| {
        let Some((_, own, entry)) = question.spec.defect(&cell.defect) else { return false };
        own.id == cell.check
            && cell.status.name() == entry.status.name()
            && cell.message == entry.message
            && entry.message.is_some()
    };
    let proven: Vec<&str> = cells.iter().filter(|cell| kills(cell)).map(|cell| cell.check.as_str()).collect();
    let is_own = |cell: &&Cell| question.own_defect(&cell.check) == Some(cell.defect.as_str());
    let off: Vec<&Cell> = cells.iter().filter(|cell| !is_own(cell)).collect();
    let agree = off.iter().filter(|cell| cell.declared || is_green(cell.status)).count();
    let unseen =
        |defect: &&&str| !cells.iter().any(|cell| cell.defect == ***defect && !is_green(cell.status));
    Matrix {
        contract: question.contract,
        checks: question.checks.len(),
        proven: proven.len(),
        unproven: question
            .checks
            .iter()
            .map(|check| check.id)
            .filter(|id| !proven.contains(id))
            .map(str::to_owned)
            .collect(),
        aim: if off.is_empty() { 1.0 } else { agree as f64 / off.len() as f64 },
        orphans: defects.iter().filter(unseen).map(|defect| (*defect).to_owned()).collect(),
        degenerate,
        cells,
    }
}

fn is_green(status: Status) -> bool {
    matches!(status, Status::Pass | Status::NotApplicable)
}

/// Does `work` for every item on `jobs` threads; results in the order of the items.
fn in_parallel<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, RunError> + Sync,
) -> Result<Vec<R>, RunError> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<R, RunError>)>> = Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            threads.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
