//! What the API says about a request that it refuses.

pub(super) use crate::wires::complaint::{missing, wrong_type, wrong_word};

use crate::rejection::Rejection;

/// A result comes without its call. The sentence is the one that people know from the API.
pub(super) fn no_call(call_id: &str) -> Rejection {
    let message = format!("No tool call found for function call output with call_id {call_id}.");
    Rejection::invalid("input", None, message)
}

/// A call has no result. The sentence is the one that people know from the API.
pub(super) fn no_output(call_id: &str) -> Rejection {
    Rejection::invalid("input", None, format!("No tool output found for function call {call_id}."))
}
