//! Watching a loop.

use std::time::Duration;

use serde_json::Value;

use crate::{Completion, ToolCall, ToolOutcome, TurnError};

/// A model turn begins.
#[derive(Clone, Copy, Debug)]
pub struct TurnStarted<'a> {
    /// The turn's id.
    pub turn_id: &'a str,
}

/// A piece of what the model says has arrived.
#[derive(Clone, Copy, Debug)]
pub struct TextArrived<'a> {
    /// The turn's id.
    pub turn_id: &'a str,
    /// The piece, never empty. All pieces of a turn, put together, are its text.
    pub piece: &'a str,
}

/// A model turn has ended. A turn that is called off while it is in flight does not end.
#[derive(Clone, Copy, Debug)]
pub struct TurnEnded<'a> {
    /// The turn's id.
    pub turn_id: &'a str,
    /// How long the model took.
    pub took: Duration,
    /// What it answered, or why not.
    pub answer: Result<&'a Completion, &'a TurnError>,
}

/// A tool begins.
#[derive(Clone, Copy, Debug)]
pub struct ToolStarted<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// The arguments, if they could be parsed.
    pub arguments: Option<&'a Value>,
}

/// A tool has ended.
#[derive(Clone, Debug)]
pub struct ToolEnded {
    /// The call.
    pub call: ToolCall,
    /// The arguments, if they could be parsed.
    pub arguments: Option<Value>,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// How long the call itself took.
    pub took: Duration,
}

/// Sees what happens in a loop. Every hook is called while the loop waits, so it has to be quick.
pub trait Observer: Send + Sync {
    /// A model turn begins.
    fn turn_started(&self, _turn: &TurnStarted<'_>) {}
    /// The model says something. What follows may still break off.
    fn text_arrived(&self, _text: &TextArrived<'_>) {}
    /// A model turn has ended.
    fn turn_ended(&self, _turn: &TurnEnded<'_>) {}
    /// A tool of the running batch begins.
    fn tool_started(&self, _tool: &ToolStarted<'_>) {}
    /// A tool of the running batch has ended; others may still run.
    fn tool_ended(&self, _tool: &ToolEnded) {}
    /// Every tool of the batch has ended, given in the order of the calls.
    fn batch_ended(&self, _tools: &[ToolEnded]) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
