//! The cells of the audit, and the verdicts that follow from them.

use recording::{ClaimCell, ClaimOutcome, Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::Value;
use spec::Spec;

use super::{
    super::{evidence::by_base, rows::text},
    evidence::{Observed, came_whole, observed},
    probe::{Capability, every_loop},
    refused::{Demanded, demanded},
};

const BROKEN: &str = "a capability that is claimed is not there";
const WRONGLY: &str = "a capability that is not claimed was demanded, and not refused as it has to be";
const UNCLAIMED: &str = "a capability that is not claimed works";

/// The base of which the documentation says itself that its flag promises what its loop cannot do.
const KNOWN_GAP: (&str, Capability) = ("vetta", Capability::StructuredOutput);

/// Which check is about which capability.
pub(super) const BY_CAPABILITY: [(&str, Capability); 4] = [
    ("VET-250-a", Capability::Approvals),
    ("VET-250-b", Capability::StructuredOutput),
    ("VET-250-c", Capability::StreamingDeltas),
    ("VET-250-d", Capability::InjectedTools),
];

macro_rules! audits {
    ($($id:literal: $capability:ident;)+) => {
        /// The checks of this file.
        pub(super) const CHECKS: &[engine::Check] = &[$(engine::Check {
            id: $id,
            contract: spec::Contract::Vetta,
            kind: engine::Kind::Single {
                drive: |driver| Box::pin(every_loop(driver, Capability::$capability)),
                judge: |recording, spec| every_cell_is_as_claimed(recording, spec, Capability::$capability),
            },
        }),+];
    };
}

audits! {
    "VET-250-a": Approvals;
    "VET-250-b": StructuredOutput;
    "VET-250-c": StreamingDeltas;
    "VET-250-d": InjectedTools;
}

/// The cells of one capability, in the order in which the loops were looked at.
pub(super) fn cells(recording: &Recording, capability: Capability) -> Result<Vec<ClaimCell>, Verdict> {
    let loops = by_base(recording, "loop")?;
    loops.into_iter().map(|(base, seen)| cell(recording, capability, base, &seen)).collect()
}

fn cell(
    recording: &Recording,
    capability: Capability,
    base: &str,
    seen: &Seen<'_>,
) -> Result<ClaimCell, Verdict> {
    let fact = seen.value().cloned().unwrap_or_default();
    let (outcome, reason, entries) = if fact["claimed"] == true {
        of_claim(recording, capability, base, &fact)?
    } else {
        of_absence(recording, capability, base, &fact)?
    };
    let mut entries: Vec<usize> = entries.iter().map(Seen::at).chain([seen.at()]).collect();
    entries.sort_unstable();
    entries.dedup();
    Ok(ClaimCell {
        base: base.to_owned(),
        capability: capability.flag().to_owned(),
        outcome,
        reason,
        check: recording.check.clone(),
        entries,
    })
}

type Found<'r> = (ClaimOutcome, Option<String>, Vec<Seen<'r>>);

/// Why a loop cannot be talked to, where it cannot.
fn hindrance(fact: &Value) -> Option<&'static str> {
    match (text(fact, "stands"), fact["steers"] == true) {
        ("here", true) => None,
        ("here", false) => Some("no model that can be steered is offered"),
        ("dark", _) => Some("the loop runs in no environment that can be addressed"),
        _ => Some("a loop on the caller's machine backs no hosted session"),
    }
}

fn of_claim<'r>(
    recording: &'r Recording,
    capability: Capability,
    base: &str,
    fact: &Value,
) -> Result<Found<'r>, Verdict> {
    if let Some(why) = hindrance(fact) {
        return Ok((ClaimOutcome::NotTested, Some(why.to_owned()), Vec::new()));
    }
    for step in ["write", "start"] {
        let seen = recording.one(&format!("{step}: {base}"))?;
        if !seen.is_success() {
            let reason = format!("the {step} was refused: {}", seen.summary());
            return Ok((ClaimOutcome::ClaimedBroken, Some(reason), vec![seen]));
        }
    }
    if let Some(feed) = unfollowed(recording, base) {
        let why = "the events of a session cannot be followed".to_owned();
        return Ok((ClaimOutcome::NotTested, Some(why), vec![feed]));
    }
    Ok(match observed(recording, capability, base)? {
        Observed::Works(seen) => (ClaimOutcome::ClaimedProven, None, seen),
        Observed::FailedInTheOpen(seen, _) if (base, capability) == KNOWN_GAP => {
            (ClaimOutcome::ClaimedBroken, Some(GAP.to_owned()), seen)
        }
        Observed::FailedInTheOpen(seen, reason) | Observed::Missing(seen, reason) => {
            (ClaimOutcome::ClaimedBroken, Some(reason), seen)
        }
    })
}

const GAP: &str = "the known gap, as it is documented: the turn fails in the open";

/// The head of an event stream that did not come.
fn unfollowed<'r>(recording: &'r Recording, base: &str) -> Option<Seen<'r>> {
    let heads = recording.labelled(&format!("events: {base}")).into_iter();
    heads.filter(|seen| seen.exchange().is_some()).find(|head| head.status() != Some(200))
}

fn of_absence<'r>(
    recording: &'r Recording,
    capability: Capability,
    base: &str,
    fact: &Value,
) -> Result<Found<'r>, Verdict> {
    if capability == Capability::StreamingDeltas {
        return of_whole_answers(recording, base, fact);
    }
    let stands = text(fact, "stands");
    let mut seen = Vec::new();
    let has_connection =
        capability == Capability::InjectedTools && recording.target.text("connection").is_some();
    let demands: &[&str] = if has_connection { &["connection", "demand"] } else { &["demand"] };
    for what in demands.iter().copied() {
        match demanded(recording, capability, (what, base, stands))? {
            Demanded::Correctly(more) => seen.extend(more),
            Demanded::Wrongly(at, reason) => {
                return Ok((ClaimOutcome::RefusedWrongly, Some(reason), vec![at]));
            }
            Demanded::Started(start) => return of_a_start(recording, capability, base, fact, start),
        }
    }
    Ok((ClaimOutcome::RefusedCorrectly, None, seen))
}

/// A session started although the demand is not claimed: either it is met, or it was to be refused.
fn of_a_start<'r>(
    recording: &'r Recording,
    capability: Capability,
    base: &str,
    fact: &Value,
    start: Seen<'r>,
) -> Result<Found<'r>, Verdict> {
    let unmet = |reason: &str| Ok((ClaimOutcome::RefusedWrongly, Some(reason.to_owned()), vec![start]));
    if hindrance(fact).is_some() || recording.labelled(&format!("say: {base}")).is_empty() {
        return unmet("a session was started");
    }
    match observed(recording, capability, base)? {
        Observed::Works(seen) => Ok((ClaimOutcome::WorksUnclaimed, None, [vec![start], seen].concat())),
        _ => unmet("a session was started, and the demand is not met"),
    }
}

/// Deltas cannot be demanded, so nothing is refused: the answer comes whole.
fn of_whole_answers<'r>(recording: &'r Recording, base: &str, fact: &Value) -> Result<Found<'r>, Verdict> {
    if let Some(why) = hindrance(fact) {
        return Ok((ClaimOutcome::NotTested, Some(why.to_owned()), Vec::new()));
    }
    let start = recording.one(&format!("write: {base}"))?;
    if recording.labelled(&format!("say: {base}")).is_empty() {
        let reason = "a session was refused, although deltas cannot be demanded".to_owned();
        return Ok((ClaimOutcome::RefusedWrongly, Some(reason), vec![start]));
    }
    Ok(match observed(recording, Capability::StreamingDeltas, base)? {
        Observed::Works(seen) => (ClaimOutcome::WorksUnclaimed, None, seen),
        Observed::Missing(seen, _) | Observed::FailedInTheOpen(seen, _) if came_whole(recording, base) => {
            (ClaimOutcome::RefusedCorrectly, None, seen)
        }
        Observed::Missing(seen, reason) | Observed::FailedInTheOpen(seen, reason) => {
            (ClaimOutcome::RefusedWrongly, Some(reason), seen)
        }
    })
}

fn every_cell_is_as_claimed(recording: &Recording, _: &Spec, capability: Capability) -> Judged {
    let mut witness: Option<Witness> = None;
    for cell in cells(recording, capability)? {
        let at = recording.at(*cell.entries.last().unwrap_or(&0));
        let expected = |words: &str| format!("{words} on `{}`: `{}`", cell.base, cell.capability);
        let got = cell.reason.clone().unwrap_or_else(|| at.summary());
        match cell.outcome {
            ClaimOutcome::ClaimedBroken if cell.reason.as_deref() != Some(GAP) => {
                return Err(at.finding_got(BROKEN, expected("at work"), got).into());
            }
            ClaimOutcome::RefusedWrongly => {
                return Err(at.finding_got(WRONGLY, expected("refused, and nothing left of it"), got).into());
            }
            ClaimOutcome::WorksUnclaimed => {
                let finding = at.finding_got(UNCLAIMED, expected("absent"), got);
                // Nobody is refused for want of deltas, so nobody is wronged by them either.
                let is_harmless = capability == Capability::StreamingDeltas;
                return Err(if is_harmless { finding.as_warning() } else { finding.into() });
            }
            ClaimOutcome::NotTested => {}
            _ => {
                let seen = cell.entries.iter().map(|entry| recording.at(*entry).witness());
                witness = witness.into_iter().chain(seen).reduce(Witness::and);
            }
        }
    }
    let nothing = || Verdict::Untested {
        reason: "no loop that runs here, with a model that can be steered".to_owned(),
    };
    witness.ok_or_else(nothing)
}
