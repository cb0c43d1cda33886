//! Live equals offline: a recording that was written and read again gets the same verdicts.

use engine::{Sampling, judge};
use recording::{Provenance, read_lines, write_lines};
use spec::{Contract, Spec};

use crate::reference::run_all;

#[test]
fn judging_the_file_again_gives_the_same_verdicts() {
    let spec = Spec::load().unwrap();
    let registry = checks::registry();
    for contract in Contract::ALL {
        let outcomes = run_all(contract, 1, Sampling { cases: 24, case: None, shrinks: 0 }, 2);
        let target = outcomes[0].recording.target.clone();
        let mut file = Vec::new();
        let header = Provenance::new("test", contract, 1, target, recording::Scope::default());
        write_lines(&mut file, &header, outcomes.iter().map(|outcome| &outcome.recording)).unwrap();
        let (_, recordings) = read_lines(file.as_slice()).unwrap();
        assert_eq!(recordings.len(), outcomes.len());
        for (recording, outcome) in recordings.iter().zip(&outcomes) {
            let check = registry.get(&recording.check).unwrap();
            assert_eq!(judge(check, recording, spec), outcome.verdict, "{}", outcome.id);
        }
    }
}
