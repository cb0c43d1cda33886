//! `proofhouse prove`.

use std::num::NonZeroUsize;

use clap::Args;
use engine::{
    Check, Selection,
    matrix::{Matrix, Question, matrix},
};
use recording::Status;
use spec::{Contract, Spec};
use targets::SimulatorBench;
use wire::clock::Stopwatch;

use crate::{
    console::{bar, counted, duration, rate, say},
    failure::{Done, Failure},
    list::Format,
    run::at_least_one,
};

/// The part of the cells off the diagonal that has to agree with the specification.
const AIM_MIN: f64 = 0.98;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only this contract: oao or vetta.
    #[arg(long)]
    contract: Option<Contract>,
    /// Checks to prove: an id, a requirement's id, or a pattern with `*`. May be given several times.
    #[arg(long, value_name = "GLOB")]
    check: Vec<String>,
    /// The seed of every world.
    #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Cells at a time; one per core by default.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
    /// Hold each defect against its own check, its declared side effects and N others, drawn by the seed, in
    /// place of all.
    #[arg(long, value_name = "N")]
    others: Option<usize>,
    /// How to write it.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub(crate) fn prove(arguments: &Arguments) -> Done {
    let spec = Spec::load()?;
    let registry = checks::registry();
    let selected = Selection::new(&arguments.check).of(&registry)?;
    let stopwatch = Stopwatch::start();
    let mut matrices = Vec::new();
    for contract in
        Contract::ALL.into_iter().filter(|each| arguments.contract.is_none_or(|only| only == *each))
    {
        let checks: Vec<Check> =
            selected.iter().filter(|check| check.contract == contract).copied().collect();
        if checks.is_empty() {
            continue;
        }
        let per_defect = arguments.others.map_or(checks.len(), |others| (others + 1).min(checks.len()));
        let bar = bar(checks.len() * per_defect, contract.name());
        let jobs =
            arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let (seed, others) = (arguments.seed, arguments.others);
        let question = Question { contract, checks, seed, jobs, others, registry: &registry, spec };
        matrices.push(matrix(&question, &SimulatorBench, &|_| bar.inc(1))?);
        bar.finish_and_clear();
    }
    if matrices.is_empty() {
        return Err(Failure::nothing_matches(&arguments.check, arguments.contract));
    }
    match arguments.format {
        Format::Json => {
            say(&serde_json::to_string_pretty(&matrices).map_err(|error| Failure(error.to_string()))?)
        }
        Format::Text => {
            matrices.iter().for_each(text);
            let cells = matrices.iter().map(|matrix| matrix.cells.len()).sum();
            let ms = stopwatch.elapsed_ms();
            say(&format!("{} in {}; {:.0} cells/s", counted(cells, "cell"), duration(ms), rate(cells, ms)));
        }
    }
    Ok(if matrices.iter().all(holds) { 0 } else { 1 })
}

fn holds(matrix: &Matrix) -> bool {
    matrix.unproven.is_empty()
        && matrix.orphans.is_empty()
        && matrix.aim >= AIM_MIN
        && matrix.degenerate.iter().all(|target| target.passes == 0 && target.exit_code == 2)
}

fn text(matrix: &Matrix) {
    say(&format!("{}: {} of {} checks proven", matrix.contract, matrix.proven, matrix.checks));
    for id in &matrix.unproven {
        let own = matrix.cells.iter().find(|cell| &cell.check == id && cell.declared);
        let said = own.map_or_else(
            || "its defect is not built, or fails the preflight".to_owned(),
            |cell| {
                format!(
                    "`{}` gives {} {}",
                    cell.defect,
                    cell.status,
                    cell.message.as_deref().unwrap_or_default()
                )
            },
        );
        say(&format!("  unproven     {id}: {said}"));
    }
    matrix.orphans.iter().for_each(|defect| say(&format!("  orphan       {defect}: no check sees it")));
    say(&format!(
        "  aim          {:.4}: the part of the other cells that is green or declared as a side effect",
        matrix.aim
    ));
    for cell in matrix
        .cells
        .iter()
        .filter(|cell| !cell.declared && !matches!(cell.status, Status::Pass | Status::NotApplicable))
    {
        let message = cell.message.as_deref().unwrap_or_default();
        say(&format!("  undeclared   {} turns {} {}: {message}", cell.defect, cell.check, cell.status));
    }
    for target in &matrix.degenerate {
        let passing = if target.passing.is_empty() {
            String::new()
        } else {
            format!(": {}", target.passing.join(", "))
        };
        say(&format!(
            "  degenerate   {:<18} {} pass, exit {}{passing}",
            target.kind, target.passes, target.exit_code
        ));
    }
    say("");
}
