//! An answer on its way: complete, and still in no wire's own words.

use serde::{Deserialize, Serialize};

use crate::script::{FinishReason, Script, Turn, Usage};

/// What is sent for a turn, with everything filled in that the script leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Sixteen hex digits that follow from script and turn; each wire puts its own prefix before them.
    pub token: String,
    /// Seconds since 1970, the same for all answers of a host.
    pub created: i64,
    /// The model that was asked for.
    pub model: String,
    /// Text, said first.
    pub text: Option<String>,
    /// Refusal, on its own channel.
    pub refusal: Option<String>,
    /// Tool calls, in order.
    pub tool_calls: Vec<SentCall>,
    /// Why the answer ends.
    pub finish_reason: FinishReason,
    /// Tokens that it claims to have cost.
    pub usage: Usage,
}

/// A tool call that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as raw text, usually a JSON object.
    pub arguments: String,
}

impl Reply {
    /// The answer of `turn` to a request for `model`. Nothing in it depends on the session, so two
    /// sessions with one script get the same bytes.
    pub(crate) fn of(turn: &Turn, script: &Script, seed: &wire::Seed, created: i64, model: &str) -> Self {
        let answer = &turn.answer;
        let call = |(place, call): (usize, &crate::script::ToolCall)| SentCall {
            id: call.wire_id(&turn.id, place),
            name: call.name.clone(),
            arguments: call.wire_arguments(),
        };
        let derived = if answer.tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        Self {
            token: seed.child(script.name()).child(&turn.id).token(),
            created,
            model: model.to_owned(),
            text: answer.text.clone(),
            refusal: answer.refusal.clone(),
            tool_calls: answer.tool_calls.iter().enumerate().map(call).collect(),
            finish_reason: answer.finish_reason.unwrap_or(derived),
            usage: answer.usage.unwrap_or_default(),
        }
    }
}
