//! How an answer is cut, paced and broken off.

use crate::{
    import::{
        rule::Rule,
        source::{At, Source, rounded},
    },
    script::{ErrorStatus, Fault},
};

pub(super) fn read(fixture: &At<'_>, rule: &mut Rule, source: &mut Source) {
    if let Some(at) = fixture.get("chunkSize") {
        rule.stream.piece_chars = at.count(source).filter(|chars| *chars > 0);
    }
    if let Some(at) = fixture.get("latency") {
        rule.stream.gap_ms = at.count(source).filter(|gap| *gap > 0);
    }
    timings(fixture, rule, source);
    profile(fixture, rule, source);
    if let Some(at) = fixture.get("truncateAfterChunks") {
        let reset_after = at.count(source);
        rule.faults.push(Fault { reset_after, ..Fault::default() });
    }
    if let Some(at) = fixture.get("disconnectAfterMs") {
        let fault = disconnect(&at, rule, source);
        rule.faults.extend(fault);
    }
    if let Some(at) = fixture.get("chaos") {
        chaos(&at, rule, source);
    }
}

/// A recorded pace: its mean is kept.
fn timings(fixture: &At<'_>, rule: &mut Rule, source: &mut Source) {
    let speed = fixture.get("replaySpeed").and_then(|at| at.number(source)).filter(|speed| *speed > 0.0);
    let Some(at) = fixture.get("recordedTimings") else { return };
    let scaled = |ms: f64| rounded(ms / speed.unwrap_or(1.0));
    if let Some(first) = at.get("ttftMs").and_then(|at| at.number(source)) {
        rule.stream.first_ms = Some(scaled(first)).filter(|first| *first > 0);
    }
    let gaps = at.get("interChunkDelaysMs").map(|at| at.items(source)).unwrap_or_default();
    let gaps: Vec<f64> = gaps.iter().filter_map(|gap| gap.number(source)).collect();
    if !gaps.is_empty() {
        let count = f64::from(u32::try_from(gaps.len()).unwrap_or(u32::MAX));
        rule.stream.gap_ms = Some(scaled(gaps.iter().sum::<f64>() / count)).filter(|gap| *gap > 0);
        let message = "recorded gaps become one even gap, their mean";
        source.note_once("recordedTimings", at.pointer, message);
    }
}

fn profile(fixture: &At<'_>, rule: &mut Rule, source: &mut Source) {
    let Some(at) = fixture.get("streamingProfile") else { return };
    for (field, at) in at.fields(source) {
        let Some(number) = at.number(source) else { continue };
        match field {
            "ttft" => rule.stream.first_ms = Some(rounded(number)),
            "tps" if number > 0.0 => rule.stream.gap_ms = Some(rounded(1000.0 / number)),
            "jitter" if number == 0.0 => {}
            _ => source.note_once(
                "jitter",
                at.pointer,
                format!("`{field}` has no equivalent; the pace is even"),
            ),
        }
    }
}

/// A connection that is lost after a time, as one that is lost after what is sent in that time.
fn disconnect(at: &At<'_>, rule: &mut Rule, source: &mut Source) -> Option<Fault> {
    let ms = at.count(source)?;
    let after_first = ms.checked_sub(rule.stream.first_ms.unwrap_or(0));
    let events = match (after_first, rule.stream.gap_ms) {
        (Some(left), Some(gap)) if gap > 0 => (left / gap).saturating_add(1),
        _ => {
            rule.stream.first_ms = Some(ms);
            0
        }
    };
    let message =
        format!("no connection is lost by the clock; this one is reset after {events} events of the stream");
    source.note(&at.pointer, message);
    Some(Fault { reset_after: Some(events), ..Fault::default() })
}

/// Faults by chance, tried in the order in which aimock draws for them.
fn chaos(at: &At<'_>, rule: &mut Rule, source: &mut Source) {
    let mut chances = Vec::new();
    for (field, at) in at.fields(source) {
        let Some(number) = at.number(source) else { continue };
        let fault = match field {
            "latencyMs" => {
                let first = rule.stream.first_ms.unwrap_or(0);
                rule.stream.first_ms = Some(first.saturating_add(rounded(number))).filter(|first| *first > 0);
                continue;
            }
            "dropRate" => (0, Fault { status: Some(ErrorStatus::from(500)), ..Fault::default() }),
            "malformedRate" => (1, Fault { malformed_json: Some(0), ..Fault::default() }),
            "rateLimitRate" => (2, Fault { status: Some(rate_limit()), ..Fault::default() }),
            "disconnectRate" => (3, Fault { reset_before_headers: true, ..Fault::default() }),
            _ => {
                source.note(at.pointer, format!("`{field}` has no equivalent"));
                continue;
            }
        };
        if number > 1.0 {
            source.wrong(at.pointer, "a chance lies between 0 and 1", "");
        } else if number > 0.0 {
            chances.push((fault.0, Fault { chance: Some(number), ..fault.1 }));
        }
    }
    chances.sort_by_key(|(order, _)| *order);
    // Chance comes before everything that is sure.
    rule.faults.splice(0..0, chances.into_iter().map(|(_, fault)| fault));
}

fn rate_limit() -> ErrorStatus {
    let headers = [("retry-after".to_owned(), "1".to_owned())].into();
    ErrorStatus { headers, ..ErrorStatus::from(429) }
}
