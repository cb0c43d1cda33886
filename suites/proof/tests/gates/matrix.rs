//! Every check can fail, nothing is free.

use engine::matrix::{Matrix, Question, matrix};
use recording::Status;
use spec::{Contract, Spec};
use targets::SimulatorBench;
use wire::clock::Stopwatch;

/// The checks beside the declared ones that a defect is held against here. `proofhouse prove` computes the whole
/// matrix, which takes minutes.
const OTHERS: usize = 24;

fn sampled(contract: Contract) -> Matrix {
    let registry = checks::registry();
    let checks = registry.of(contract).copied().collect();
    let question = Question {
        contract,
        checks,
        seed: 1,
        jobs: 2,
        others: Some(OTHERS),
        registry: &registry,
        spec: Spec::load().unwrap(),
    };
    let stopwatch = Stopwatch::start();
    let matrix = matrix(&question, &SimulatorBench, &|_| {}).unwrap();
    let (cells, ms) = (matrix.cells.len(), stopwatch.elapsed_ms());
    println!("{contract}: {cells} cells in {ms} ms, {} cells/s", cells as u64 * 1_000 / ms.max(1));
    matrix
}

fn holds(contract: Contract) {
    let matrix = sampled(contract);
    let why = |id: &String| {
        let cells = matrix.cells.iter().filter(|cell| &cell.check == id && cell.declared);
        cells
            .map(|cell| format!("{id}: {} gives {} {:?}", cell.defect, cell.status, cell.message))
            .collect::<Vec<_>>()
    };
    assert!(
        matrix.unproven.is_empty(),
        "unproven: {:#?}",
        matrix.unproven.iter().map(why).collect::<Vec<_>>()
    );
    assert!(matrix.orphans.is_empty(), "no check sees {:?}", matrix.orphans);
    let red = |status| !matches!(status, Status::Pass | Status::NotApplicable);
    let undeclared: Vec<String> = matrix
        .cells
        .iter()
        .filter(|cell| !cell.declared && red(cell.status))
        .map(|cell| format!("{} turns {} {}: {:?}", cell.defect, cell.check, cell.status, cell.message))
        .collect();
    assert!(matrix.aim >= 0.98, "aim {}: {undeclared:#?}", matrix.aim);
    assert!(undeclared.is_empty(), "side effects that the specification does not declare: {undeclared:#?}");
    // The matrix draws few cases of a property check, and a side effect on it may need more to show.
    let is_property = |check: &str| check.ends_with("-p");
    let stale: Vec<String> = matrix
        .cells
        .iter()
        .filter(|cell| cell.declared && !red(cell.status) && !is_property(&cell.check))
        .map(|cell| format!("{} does not turn {} red", cell.defect, cell.check))
        .collect();
    assert!(stale.is_empty(), "side effects that are declared and do not happen: {stale:#?}");
    for target in &matrix.degenerate {
        assert!(target.passing.is_empty(), "on {} pass {:?}", target.kind, target.passing);
        assert_eq!(target.exit_code, 2, "{}", target.kind);
    }
    assert_eq!(matrix.degenerate.len(), 10);
}

#[test]
fn every_oao_check_is_proven_and_nothing_is_free() {
    holds(Contract::Oao);
}

#[test]
fn every_vetta_check_is_proven_and_nothing_is_free() {
    holds(Contract::Vetta);
}
