//! The frame around a judge: what stops a drive, how cases are folded, how levels weigh.

use std::{any::Any, panic::AssertUnwindSafe};

use recording::{CaseView, FindingKind, Judged, Recording, Verdict, What, Witness};
use spec::{Level, Need, Spec};

use crate::{Check, Kind, Property};

/// Decides a check from its recording. Pure: no target, no time, no chance. A judge that panics is an
/// error of the suite.
pub fn judge(check: &Check, recording: &Recording, spec: &Spec) -> Verdict {
    let judged = std::panic::catch_unwind(AssertUnwindSafe(|| decide(check, recording, spec)));
    judged
        .unwrap_or_else(|panic| Verdict::Error { reason: format!("the judge panicked: {}", words(&*panic)) })
}

/// What a panic said.
pub(crate) fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without words".to_owned())
}

fn decide(check: &Check, recording: &Recording, spec: &Spec) -> Verdict {
    if !recording.is_whole() {
        let reason =
            format!("{}: the recording is not whole: entries are missing or out of place", recording.check);
        return Verdict::Error { reason };
    }
    if let Some(verdict) = recording.stopped(None) {
        return verdict;
    }
    let entry = spec.check(check.id);
    if entry.is_some_and(|(_, entry)| entry.needs.contains(&Need::SteerableModel))
        && !recording.entries.iter().any(|entry| matches!(entry.what, What::Model(_)))
    {
        let reason = "no request reached the suite's model: is the target set up to call it? See `[model]` in the target file";
        return Verdict::Untested { reason: reason.to_owned() };
    }
    let verdict = match check.kind {
        Kind::Single { judge, .. } => judge(recording, spec).into(),
        Kind::Property(property) => fold(property, recording, spec).into(),
    };
    let level = entry.map_or(Level::Must, |(requirement, _)| requirement.level);
    weigh(verdict, level)
}

/// A broken SHOULD is a warning and a broken MAY a note. A target that does not answer, or that broke
/// before the requirement could be looked at, is excused by no level.
fn weigh(verdict: Verdict, level: Level) -> Verdict {
    match verdict {
        Verdict::Fail(finding) if level != Level::Must && finding.kind == FindingKind::Violation => {
            Verdict::Warn(finding)
        }
        verdict => verdict,
    }
}

/// Decides one case.
pub(crate) fn judge_case(
    property: &Property,
    case: &CaseView<'_>,
    recording: &Recording,
    spec: &Spec,
) -> Verdict {
    match recording.stopped(Some(&case.label().case)) {
        Some(verdict) => verdict,
        None => (property.judge)(case, spec).into(),
    }
}

/// The worst case decides; among equals the shrunk one speaks, else the first.
fn fold(property: &Property, recording: &Recording, spec: &Spec) -> Judged {
    let mut worst: Option<(Verdict, bool)> = None;
    let mut witnesses = Vec::new();
    let mut count = 0_usize;
    for case in recording.cases() {
        count += 1;
        let shrunk = case.label().case.contains('/');
        match judge_case(property, &case, recording, spec) {
            Verdict::Pass(witness) => witnesses.push(witness),
            verdict => {
                let worse = worst.as_ref().is_none_or(|(before, before_shrunk)| {
                    (verdict.status(), !shrunk) < (before.status(), !before_shrunk)
                });
                if worse {
                    worst = Some((named(verdict, &case.label().case), shrunk));
                }
            }
        }
    }
    match (worst, Witness::all(witnesses)) {
        (Some((verdict, _)), _) => Err(verdict),
        (None, Some(witness)) => Ok(witness.noting(format!("{count} cases"))),
        (None, None) => Err(Verdict::Error { reason: format!("{}: no case was generated", recording.check) }),
    }
}

fn named(verdict: Verdict, case: &str) -> Verdict {
    let with_case = |mut finding: recording::Finding| {
        finding.case = Some(case.to_owned());
        finding
    };
    match verdict {
        Verdict::Fail(finding) => Verdict::Fail(with_case(finding)),
        Verdict::Warn(finding) => Verdict::Warn(with_case(finding)),
        verdict => verdict,
    }
}
