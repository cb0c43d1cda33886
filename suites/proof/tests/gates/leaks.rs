//! Nothing of the target's secrets reaches what we write.

use engine::{Launch, Sampling};
use report::{Preflight, Replay, Report, explain, junit};
use spec::{Contract, Spec};
use targets::Simulator;

use crate::reference::run_all;

#[test]
fn no_credential_is_in_any_output() {
    let spec = Spec::load().unwrap();
    for contract in Contract::ALL {
        let outcomes = run_all(contract, 1, Sampling { cases: 16, case: None, shrinks: 0 }, 2);
        let description = Simulator::new(contract, &[] as &[&str]).unwrap().description().clone();
        let secrets = description.secrets();
        assert!(!secrets.is_empty(), "{contract}: nothing to look for");
        let replay = Replay { verb: "run", target: Vec::new(), seed: 1 };
        let preflight = Preflight { passed: true, reason: None };
        let report = Report::new(contract, description.facts(), 1, preflight, &outcomes, &replay, spec);
        let mut texts =
            vec![serde_json::to_string(&report).unwrap(), junit(&report, &outcomes, &replay, spec).unwrap()];
        for outcome in &outcomes {
            texts.push(serde_json::to_string(&outcome.recording).unwrap());
            texts.push(explain(outcome, &replay, spec));
        }
        for (name, secret) in &secrets {
            assert!(
                texts.iter().all(|text| !text.contains(secret)),
                "{contract}: the credential {name} leaks"
            );
        }
        assert!(
            texts.iter().any(|text| text.contains("{{primary}}")),
            "{contract}: no credential was ever used"
        );
    }
}
