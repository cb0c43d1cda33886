//! The program, as `proofhouse client-check` judges it: right without a defect, and wrong in one way with one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

use std::time::Duration;

use engine::{Plan, Sampling, preflight, run};
use proofhouse_picker::defects;
use recording::{Lane, Status};
use spec::Spec;
use targets::CommandClient;

/// The checks that are not green on the program with `arguments`.
fn red(arguments: &str) -> Vec<(String, Status)> {
    let spec = Spec::load().unwrap();
    let registry = checks::client_registry();
    let command = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_proofhouse-picker"));
    let client = CommandClient::new(&command, Duration::from_secs(20));
    let looked = preflight(&client, &registry, 1, arguments, spec).unwrap();
    assert!(looked.passed(), "{arguments}: {}", looked.words());
    let plan = Plan {
        checks: registry.checks.clone(),
        seed: 1,
        nonce: arguments.to_owned(),
        sampling: Sampling::of(Lane::Wall),
        jobs: 4,
    };
    assert!(!plan.checks.is_empty());
    let ran = run(&plan, &client, spec, &mut |_| {}).unwrap();
    let red = ran.outcomes.into_iter().filter(|outcome| outcome.status != Status::Pass);
    red.map(|outcome| (outcome.id, outcome.status)).collect()
}

#[test]
fn the_program_is_right() {
    assert_eq!(red(""), []);
}

#[test]
fn each_defect_turns_its_own_check_red_and_no_other() {
    let spec = Spec::load().unwrap();
    for id in defects::ids() {
        let (_, check, defect) = spec.defect(id).unwrap();
        let red: Vec<_> =
            red(&format!("--defect {id}")).into_iter().map(|(id, status)| (id, status.name())).collect();
        assert_eq!(red, [(check.id.clone(), defect.status.name())], "{id}");
    }
}
