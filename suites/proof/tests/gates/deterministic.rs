//! One seed, one result: two runs are byte-identical, and shards merged equal the whole.

use engine::Sampling;
use recording::Outcome;
use spec::Contract;

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

#[test]
fn another_seed_gives_other_tokens() {
    let tokens = |seed| -> Vec<String> {
        run_all(Contract::Vetta, seed, FEW, 2).into_iter().map(|outcome| outcome.recording.token).collect()
    };
    let (one, two) = (tokens(1), tokens(2));
    assert!(one.iter().zip(&two).all(|(one, two)| one != two));
}
