//! The audit of claims is whole, and a defect of one claim changes one cell.

use checks::vetta::claims::audit;
use engine::{Plan, Sampling, run};
use recording::{ClaimAudit, ClaimOutcome, Lane};
use spec::{Contract, Spec};
use targets::Simulator;

fn audited(defects: &[&str]) -> ClaimAudit {
    let registry = checks::registry();
    let checks = registry.of(Contract::Vetta).filter(|check| check.id.starts_with("VET-250-")).copied();
    let plan = Plan {
        checks: checks.collect(),
        seed: 1,
        nonce: String::new(),
        sampling: Sampling::of(Lane::Virtual),
        jobs: 2,
    };
    let simulator = Simulator::new(Contract::Vetta, defects).unwrap();
    audit(&run(&plan, &simulator, Spec::load().unwrap(), &mut |_| {}).unwrap().outcomes).unwrap()
}

#[test]
fn no_cell_is_empty_and_what_is_not_tested_says_why() {
    let audit = audited(&[]);
    let bases = audit.bases();
    assert!(bases.contains(&"pi") && bases.contains(&"sim-mute"), "{bases:?}");
    assert_eq!(
        audit.capabilities(),
        ["approvals", "structured_output", "streaming_deltas", "injected_tools"]
    );
    for base in bases {
        for capability in audit.capabilities() {
            let cell = audit.get(base, capability).unwrap_or_else(|| panic!("no cell {base} {capability}"));
            let says_why = cell.reason.as_deref().is_some_and(|reason| !reason.is_empty());
            match cell.outcome {
                ClaimOutcome::ClaimedProven | ClaimOutcome::RefusedCorrectly => {}
                ClaimOutcome::NotTested => assert!(says_why, "{cell:?}"),
                // The known gap is a claim that is broken, and documented as such.
                ClaimOutcome::ClaimedBroken => {
                    assert_eq!((base, capability), ("vetta", "structured_output"), "{cell:?}");
                }
                _ => panic!("{cell:?}"),
            }
        }
    }
}

#[test]
fn a_defect_of_one_claim_changes_one_cell() {
    let reference = audited(&[]);
    for (defect, base, capability, outcome) in [
        ("spare-loop-never-asks", "sim-byo", "approvals", ClaimOutcome::ClaimedBroken),
        ("refusal-without-code", "sim-cli", "structured_output", ClaimOutcome::RefusedWrongly),
        ("deltas-without-the-flag", "sim-cli", "streaming_deltas", ClaimOutcome::WorksUnclaimed),
        ("spare-loop-gets-no-team", "sim-byo", "injected_tools", ClaimOutcome::ClaimedBroken),
    ] {
        let wrong = audited(&[defect]);
        let changed: Vec<_> = wrong
            .0
            .iter()
            .filter(|cell| {
                let before = reference.get(&cell.base, &cell.capability);
                before.is_none_or(|before| (before.outcome, &before.reason) != (cell.outcome, &cell.reason))
            })
            .map(|cell| (cell.base.as_str(), cell.capability.as_str(), cell.outcome))
            .collect();
        assert_eq!(changed, [(base, capability, outcome)], "{defect}");
        assert_eq!(wrong.0.len(), reference.0.len(), "{defect}");
    }
}
