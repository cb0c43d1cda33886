//! The reference is green.

use engine::{Check, Plan, Sampling, run};
use recording::{ExitCode, Lane, Outcome, Recording, Status, What};
use spec::{Contract, Spec};
use targets::Simulator;

/// Runs every built check of `contract` on the built-in simulator.
pub(crate) fn run_all(contract: Contract, seed: u64, sampling: Sampling, jobs: usize) -> Vec<Outcome> {
    let registry = checks::registry();
    let checks = registry.of(contract).copied().collect();
    let plan = Plan { checks, seed, nonce: String::new(), sampling, jobs };
    let simulator = Simulator::new(contract, &[] as &[&str]).unwrap();
    run(&plan, &simulator, Spec::load().unwrap(), &mut |_| {}).unwrap().outcomes
}

/// Runs one check on the built-in simulator and gives its recording.
pub(crate) fn run_one(contract: Contract, check: &Check) -> Recording {
    let sampling = Sampling::of(Lane::Virtual);
    let plan = Plan { checks: vec![*check], seed: 1, nonce: String::new(), sampling, jobs: 1 };
    let simulator = Simulator::new(contract, &[] as &[&str]).unwrap();
    let ran = run(&plan, &simulator, Spec::load().unwrap(), &mut |_| {}).unwrap();
    ran.outcomes.into_iter().next().unwrap().recording
}

#[test]
fn every_built_check_passes_on_the_simulator() {
    for contract in Contract::ALL {
        let outcomes = run_all(contract, 1, Sampling::of(Lane::Virtual), 2);
        for outcome in &outcomes {
            assert_eq!(outcome.status, Status::Pass, "{}: {:?}", outcome.id, outcome.verdict);
        }
        assert_eq!(ExitCode::of(&outcomes), ExitCode::Conforming, "{contract}");
    }
}

#[test]
fn every_answer_of_the_reference_has_the_shape_of_its_schema() {
    for contract in Contract::ALL {
        let mut events = 0;
        for outcome in run_all(contract, 1, Sampling { cases: 48, case: None, shrinks: 0 }, 2) {
            let violations = recording::shape_violations(&outcome.recording, true).unwrap();
            assert!(violations.is_empty(), "{violations:#?}");
            let entries = outcome.recording.entries.iter();
            events += entries.filter(|entry| matches!(entry.what, What::Event { .. })).count();
        }
        assert!(events > 0, "{contract}: no event of a stream was looked at");
    }
}

#[test]
fn other_seeds_are_green_too() {
    for seed in [2, 3, 4] {
        for contract in Contract::ALL {
            let red: Vec<String> = run_all(contract, seed, Sampling { cases: 64, case: None, shrinks: 0 }, 2)
                .into_iter()
                .filter(|outcome| outcome.status != Status::Pass)
                .map(|outcome| format!("{}: {:?}", outcome.id, outcome.verdict))
                .collect();
            assert!(red.is_empty(), "seed {seed}: {red:#?}");
        }
    }
}
