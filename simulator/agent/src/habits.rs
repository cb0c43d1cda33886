//! The seams of a loop: how it runs a batch, reads arguments, aborts and hands results back.

use std::{fmt, sync::Arc, time::Duration};

use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all},
};
use serde_json::Value;

use crate::{Cancel, Message, ToolCall, ToolOutcome};

/// How one call of a batch ended, and how long it took.
#[derive(Clone, Debug)]
pub struct Settled {
    /// How it ended.
    pub outcome: ToolOutcome,
    /// How long the call itself took.
    pub took: Duration,
}

/// Runs the calls of one assistant message. It gets them in the order of the calls and gives what becomes
/// of them; the loop pairs the two by place.
pub type Batch =
    Arc<dyn Fn(Vec<BoxFuture<'static, Settled>>) -> BoxFuture<'static, Vec<Settled>> + Send + Sync>;

/// Turns the text of the arguments into a value, or says why it is none.
pub type ParseArguments = Arc<dyn Fn(&str) -> Result<Value, String> + Send + Sync>;

/// Ties a call to the token of its loop.
pub type Abort =
    Arc<dyn Fn(Cancel, BoxFuture<'static, ToolOutcome>) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// The messages that a batch adds to the conversation.
pub type HandBack = Arc<dyn Fn(&[ToolCall], &[Settled]) -> Vec<Message> + Send + Sync>;

/// How a loop does what it does. The default is how an agent loop should.
#[derive(Clone)]
pub struct Habits {
    /// Runs a batch: all calls are started in order and run at the same time.
    pub batch: Batch,
    /// Reads arguments: JSON, and nothing (or blanks) counts as `{}`.
    pub arguments: ParseArguments,
    /// Aborts a call: it ends as soon as the token is triggered, and its work is dropped.
    pub abort: Abort,
    /// Hands results back: one message per call, in the order of the calls.
    pub hand_back: HandBack,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            batch: Arc::new(|calls| join_all(calls).boxed()),
            arguments: Arc::new(parse),
            abort: Arc::new(|cancel, call| abortable(cancel, call).boxed()),
            hand_back: Arc::new(one_message_per_call),
        }
    }
}

impl fmt::Debug for Habits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Habits").finish_non_exhaustive()
    }
}

fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(text).map_err(|why| format!("the arguments are no JSON: {why}"))
}

async fn abortable(cancel: Cancel, call: BoxFuture<'static, ToolOutcome>) -> ToolOutcome {
    tokio::select! {
        biased;
        _ = cancel.cancelled() => ToolOutcome::aborted(),
        outcome = call => outcome,
    }
}

fn one_message_per_call(calls: &[ToolCall], settled: &[Settled]) -> Vec<Message> {
    let pairs = calls.iter().zip(settled);
    pairs
        .map(|(call, settled)| Message::Tool {
            call_id: call.id.clone(),
            content: settled.outcome.content().to_owned(),
            is_error: settled.outcome.is_error(),
        })
        .collect()
}
