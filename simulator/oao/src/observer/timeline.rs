//! The timeline: a slot for each row, and one for each parallel group.

use serde::Serialize;

/// The least length of a bar, in per cent of its slot, so that it can be clicked.
const WIDTH_MIN: f64 = 16.0;
/// Whatever took less is drawn as if it had taken so many milliseconds.
const DURATION_MIN_MS: f64 = 500.0;
/// The least and the greatest weight of a slot.
const WEIGHTS: (f64, f64) = (26.0, 140.0);

/// A horizontal slot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// The parallel group that it stands for.
    pub parallel: Option<String>,
    /// How much of the timeline it takes, beside the others.
    pub weight: f64,
    /// Its bars, stacked.
    pub bars: Vec<Bar>,
}

/// A bar of a slot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bar {
    /// The row that it stands for.
    pub row: String,
    /// The modal that a click opens.
    pub opens: Option<String>,
    /// Its length, in per cent of the slot.
    pub width: f64,
}

/// The default length of a bar.
pub(super) fn bar_width(duration: f64, longest: f64) -> f64 {
    if longest <= 0.0 { 100.0 } else { (100.0 * duration / longest).max(WIDTH_MIN) }
}

/// The slot of rows that took so long: their ids, the modals that they open, and milliseconds.
pub(super) fn slot(
    width: fn(f64, f64) -> f64,
    parallel: Option<String>,
    rows: &[(String, Option<String>, f64)],
) -> Slot {
    let longest = rows.iter().map(|(_, _, duration)| *duration).fold(0.0, f64::max);
    let weight = longest.max(DURATION_MIN_MS).sqrt().clamp(WEIGHTS.0, WEIGHTS.1);
    let bar = |(row, opens, duration): &(String, Option<String>, f64)| Bar {
        row: row.clone(),
        opens: opens.clone(),
        width: rounded(width(*duration, longest)),
    };
    Slot { parallel, weight: rounded(weight), bars: rows.iter().map(bar).collect() }
}

/// Two decimals are more than an eye can see.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
