//! What one rule of another tool means, and the script that all rules make.

use std::{collections::BTreeMap, path::Path};

use super::{Imported, error::ImportError, source::Source};
use crate::{
    naming::Taken,
    script::{Answer, Conditions, Fault, Script, Stream, Turn},
};

/// One rule, read.
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// Where it stands in the file.
    pub(super) pointer: String,
    /// What its turn may be called.
    pub(super) name: String,
    pub(super) when: Conditions,
    /// Whether some condition is lost, so that more requests keep the others than should.
    pub(super) widened: bool,
    /// Which request of a conversation it answers.
    pub(super) turn: Option<f64>,
    /// Which of the requests with `alike` in common it answers.
    pub(super) sequence: Option<f64>,
    pub(super) alike: String,
    /// Whether a request that is sent again counts as the next one.
    pub(super) counts_retries: bool,
    pub(super) answer: Answer,
    pub(super) stream: Stream,
    pub(super) faults: Vec<Fault>,
}

impl Rule {
    /// Whether it answers any number of requests.
    fn repeats(&self) -> bool {
        self.turn.is_none() && self.sequence.is_none()
    }

    /// Whether no answer of it, as often as it is asked for, arrives whole and sound.
    fn is_spoiled(&self) -> bool {
        let spoils = |fault: &Fault| {
            fault.chance.is_none()
                && fault.first.is_none()
                && fault.wrongs().iter().any(|(_, wrong)| !wrong.is_an_answer())
        };
        self.faults.iter().any(spoils)
    }

    /// Whether it would answer every request, for nothing but the loss of its conditions.
    fn is_a_catch_all_by_loss(&self) -> bool {
        self.widened && self.when.is_empty() && self.repeats()
    }
}

/// Makes a script of rules of which the first that holds answers.
pub(super) fn script_of(
    mut rules: Vec<Rule>,
    mut source: Source,
    file: &str,
) -> Result<Imported, ImportError> {
    rules.retain(|rule| {
        let lost = rule.is_a_catch_all_by_loss();
        if lost {
            let message = "with no condition left it would answer every request, so it is left out";
            source.note(&rule.pointer, message);
        }
        !lost
    });
    let rules = retries(in_order(sequences(rules, &mut source)), &mut source);
    let notes = source.finish()?;
    if rules.is_empty() {
        let said: Vec<String> = notes.iter().map(|note| format!("\n{note}")).collect();
        let message = format!("nothing in it can be imported{}", said.concat());
        return Err(ImportError::one(file, message, "write the script by hand; the room's README shows how"));
    }
    let mut taken = Taken::default();
    let turns = rules.into_iter().map(|rule| Turn {
        repeat: rule.repeats(),
        stream: rule.stream,
        faults: rule.faults,
        ..Turn::new(taken.take(&rule.name, '-'), rule.answer).when(rule.when)
    });
    Ok(Imported { script: Script::new(name_of(file), turns)?, notes })
}

/// A script is called like the file that it comes from, without folders and endings.
fn name_of(file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| !stem.is_empty()).unwrap_or("imported").to_owned()
}

/// Sorts what is alike by its number, in the places that it has.
fn sequences(rules: Vec<Rule>, source: &mut Source) -> Vec<Rule> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.sequence.is_some()) {
        groups.entry(rule.alike.clone()).or_default().push(place);
    }
    let mut rules: Vec<Option<Rule>> = rules.into_iter().map(Some).collect();
    for places in groups.into_values() {
        let mut group: Vec<Rule> = places.iter().filter_map(|place| rules[*place].take()).collect();
        group.sort_by(|left, right| left.sequence.unwrap_or(0.0).total_cmp(&right.sequence.unwrap_or(0.0)));
        let mut wanted = 0.0;
        group.retain(|rule| {
            let number = rule.sequence.unwrap_or(0.0);
            let message = if number < wanted {
                "an earlier fixture has the same number; this one is never reached and is left out"
            } else if number > wanted {
                "no fixture has the numbers before it; here it answers as soon as those that are there have"
            } else {
                ""
            };
            if !message.is_empty() {
                source.note(format!("{}/match/sequenceIndex", rule.pointer), message);
            }
            let kept = number >= wanted;
            if kept {
                wanted = number + 1.0;
            }
            kept
        });
        for (place, rule) in places.into_iter().zip(group) {
            rules[place] = Some(rule);
        }
    }
    rules.into_iter().flatten().collect()
}

/// Sorts the rules that are for one request of a conversation by its number, in the places that they have.
fn in_order(rules: Vec<Rule>) -> Vec<Rule> {
    let (numbered, others): (Vec<_>, Vec<_>) =
        rules.into_iter().enumerate().partition(|(_, rule)| rule.turn.is_some());
    let places: Vec<usize> = numbered.iter().map(|(place, _)| *place).collect();
    let mut numbered: Vec<Rule> = numbered.into_iter().map(|(_, rule)| rule).collect();
    numbered.sort_by(|left, right| left.turn.unwrap_or(0.0).total_cmp(&right.turn.unwrap_or(0.0)));
    let mut all: Vec<(usize, Rule)> = places.into_iter().zip(numbered).chain(others).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, rule)| rule).collect()
}

/// Gives the faults of a rule that is for one request to the rule that is for the next: here a request that is
/// sent again after a fault gets the same turn again.
fn retries(rules: Vec<Rule>, source: &mut Source) -> Vec<Rule> {
    let mut kept: Vec<Rule> = Vec::new();
    let mut rest = rules.into_iter();
    while let Some(rule) = rest.next() {
        if rule.repeats() || !rule.counts_retries || !rule.is_spoiled() {
            kept.push(rule);
            continue;
        }
        let Some(next) = rest.as_mut_slice().iter_mut().find(|next| next.when == rule.when) else {
            let message = "a request that is sent again gets this fault again; to have it pass, give the fault \
                `first: 1` and the turn an answer";
            source.note(&rule.pointer, message);
            kept.push(rule);
            continue;
        };
        let once = rule.faults.into_iter().map(|fault| Fault { first: fault.first.or(Some(1)), ..fault });
        next.faults.splice(0..0, once);
    }
    kept
}
