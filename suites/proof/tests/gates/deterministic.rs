//! One seed, one result: two runs are byte-identical, and shards merged equal the whole.

use engine::{Launch, Sampling};
use recording::Outcome;
use report::{Preflight, Replay, Report};
use serde_json::Value;
use spec::{Contract, Spec};
use targets::Simulator;

use crate::reference::run_all;

const FEW: Sampling = Sampling { cases: 24, case: None, shrinks: 0 };

fn bytes(outcomes: &[Outcome]) -> Vec<(String, String, String)> {
    let line = |outcome: &Outcome| {
        let recording = serde_json::to_string(&outcome.recording).unwrap();
        (outcome.id.clone(), serde_json::to_string(&outcome.verdict).unwrap(), recording)
    };
    outcomes.iter().map(line).collect()
}

#[test]
fn two_runs_with_one_seed_are_identical_whatever_the_number_of_threads() {
    for contract in Contract::ALL {
        let one = bytes(&run_all(contract, 7, FEW, 1));
        let two = bytes(&run_all(contract, 7, FEW, 2));
        for (one, two) in one.iter().zip(&two) {
            assert!(one == two, "{} differs between two runs with one seed:\n{}\n{}", one.0, one.2, two.2);
        }
        assert_eq!(one.len(), two.len());
    }
}

/// The report, without what the machine's clock says.
fn report(contract: Contract, outcomes: &[Outcome], duration_ms: u64) -> Value {
    let facts = Simulator::new(contract, &[] as &[&str]).unwrap().description().facts();
    let preflight = Preflight { passed: true, reason: None };
    let replay = Replay { verb: "run", target: Vec::new(), seed: 7 };
    let spec = Spec::load().unwrap();
    let report = Report::new(contract, facts, 7, preflight, outcomes, &replay, spec);
    let mut report = serde_json::to_value(report.timed(outcomes, duration_ms)).unwrap();
    assert!(report["timing"]["slowest"].as_array().is_some_and(|slowest| slowest.len() == 5));
    report["timing"] = Value::Null;
    for check in report["checks"].as_array_mut().unwrap() {
        check["duration_ms"] = Value::Null;
    }
    report
}

#[test]
fn two_reports_of_one_seed_differ_in_the_time_they_took_alone() {
    for contract in Contract::ALL {
        let [one, two] = [1, 2].map(|jobs| {
            let outcomes = run_all(contract, 7, FEW, jobs);
            report(contract, &outcomes, 1_000 * jobs as u64)
        });
        assert!(one == two, "{contract}: the reports differ in more than time");
    }
}

#[test]
fn another_seed_gives_other_tokens() {
    let tokens = |seed| -> Vec<String> {
        run_all(Contract::Vetta, seed, FEW, 2).into_iter().map(|outcome| outcome.recording.token).collect()
    };
    let (one, two) = (tokens(1), tokens(2));
    assert!(one.iter().zip(&two).all(|(one, two)| one != two));
}
