//! What is broken on purpose, and how.

mod events;
mod reply;

use crate::script::Wrong;

pub(crate) use events::{Frame, Frames, changes, frames, whole};
pub(crate) use reply::break_reply;

/// Where a fault stands: at the turn of a place or in the script itself, and its number there.
pub(crate) type FaultPlace = (Option<usize>, usize);

/// Whether a wrong can be done to an answer that is streamed or not, and that calls tools or not.
pub(crate) fn can_hit(wrong: &Wrong, stream: bool, calls: bool) -> bool {
    match wrong {
        Wrong::ErrorAfter(_)
        | Wrong::MalformedSse(_)
        | Wrong::DropEvents(_)
        | Wrong::DuplicateEvent(_)
        | Wrong::SwapEvents(..)
        | Wrong::NoEventLines
        | Wrong::NoFinishReason
        | Wrong::EmptyOutput => stream,
        Wrong::ToolArguments(_) | Wrong::UnknownTool(_) | Wrong::DuplicateCallId => calls,
        _ => true,
    }
}

/// A number from 0 up to 1 that follows from what is asked and how often it was asked before.
pub(crate) fn drawn(seed: &wire::Seed, at: FaultPlace, identity: u64, draws: u32) -> f64 {
    let (turn, number) = at;
    let turn = turn.map_or_else(|| "script".to_owned(), |place| place.to_string());
    let bytes = seed.child(&format!("fault/{turn}/{number}/{identity:016x}/{draws}")).bytes();
    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    f64::from(number) / (f64::from(u32::MAX) + 1.0)
}
