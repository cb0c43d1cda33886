//! A pass needs the entries that it rests on.

use engine::{Kind, Sampling};
use recording::{Judged, Recording, What};
use spec::{Contract, Spec};

use crate::reference::run_all;

/// What several entries about one thing each have in common: their label up to the colon.
fn kind_of(label: &str) -> &str {
    label.split(": ").next().unwrap_or(label)
}

/// Kinds of entries that tell the same news: what is not in the stream may be in the list, and how a turn ended
/// in the session (open points U24 and U25). A judge may go by any of them, so they are taken out together.
const SAME_NEWS: [&str; 3] = ["events", "listed", "session"];

/// `recording` without all entries of one kind.
fn without(recording: &Recording, kind: &str) -> Recording {
    let gone = |label: &str| {
        let of_entry = kind_of(label);
        of_entry == kind
            || (recording.target.contract == Contract::Vetta
                && SAME_NEWS.contains(&kind)
                && SAME_NEWS.contains(&of_entry))
    };
    let mut rest = recording.clone();
    rest.entries.retain(|entry| !gone(&entry.label) || matches!(entry.what, What::End { .. }));
    rest
}

/// A judge that passes a recording from which what it saw was taken out has judged nothing. The judges are
/// asked themselves, because the frame would find out that something is missing.
#[test]
fn without_what_a_pass_rests_on_nothing_passes() {
    let spec = Spec::load().unwrap();
    let registry = checks::registry();
    let mut free = Vec::new();
    for contract in Contract::ALL {
        for outcome in run_all(contract, 1, Sampling { cases: 1, case: None, shrinks: 0 }, 2) {
            let Some(check) = registry.get(&outcome.id) else { panic!("no check {}", outcome.id) };
            let Kind::Single { judge, .. } = check.kind else { continue };
            let judged: Judged = judge(&outcome.recording, spec);
            let witness = judged.unwrap_or_else(|verdict| panic!("{}: {verdict:?}", outcome.id));
            let mut kinds: Vec<&str> = witness
                .entries()
                .iter()
                .map(|entry| kind_of(&outcome.recording.entries[*entry].label))
                .collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                if judge(&without(&outcome.recording, kind), spec).is_ok() {
                    free.push(format!("{} passes without `{kind}`", outcome.id));
                }
            }
        }
    }
    assert!(free.is_empty(), "{free:#?}");
}
