//! Who was at work when: the evidence of checks about overlap.

use serde::{Deserialize, Serialize};

/// Bars side by side, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timeline(pub Vec<Bar>);

/// One thing that began, and perhaps ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// What it is: the id of a call, or the turn of a model request.
    pub name: String,
    /// When it began, in milliseconds from the beginning of the timeline.
    pub from_ms: u64,
    /// When it ended; absent where no end was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<u64>,
    /// Place of its beginning in the target's own order, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_position: Option<u64>,
    /// Place of its end there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_position: Option<u64>,
    /// How it ended: `completed`, `dropped` … or `open`.
    pub outcome: String,
}

impl Timeline {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the last bar ended or began, in milliseconds.
    pub fn length_ms(&self) -> u64 {
        self.0.iter().map(|bar| bar.to_ms.unwrap_or(bar.from_ms)).max().unwrap_or(0)
    }
}
