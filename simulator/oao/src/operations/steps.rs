//! The steps of a scratch loop as events.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent::{Observer, ToolEnded, ToolStarted, TurnEnded, TurnStarted};

use crate::{
    events::{Invocation, ModelStep, ToolStep},
    runs::RunContext,
    skills,
};

/// Watches the loop of one call.
pub(super) struct Steps {
    run: Arc<RunContext>,
    invocation: Arc<Invocation>,
    counter: Mutex<Counter>,
}

/// Steps are numbered when they are first seen: a model turn when it ends, a tool when it starts.
#[derive(Default)]
struct Counter {
    next: u64,
    started: BTreeMap<String, u64>,
}

impl Counter {
    fn take(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

impl Steps {
    pub(super) fn of(run: Arc<RunContext>, invocation: Arc<Invocation>) -> Self {
        Self { run, invocation, counter: Mutex::default() }
    }

    fn counter(&self) -> MutexGuard<'_, Counter> {
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit_step(&self, step_id: &str, payload: serde_json::Value) {
        let key = format!("harness:{}:{step_id}", self.invocation.tool_call_id);
        self.run.events.emit_stable("harness.operation_step", &key, payload);
    }
}

impl Observer for Steps {
    fn turn_started(&self, turn: &TurnStarted<'_>) {
        self.run.model_turn_started(turn);
    }

    fn turn_ended(&self, turn: &TurnEnded<'_>) {
        let events = &self.run.parts().events;
        let summary = (events.summaries.model)(turn.answer);
        let step_id = format!("turn:{}", turn.turn_id);
        let step = ModelStep {
            invocation: &self.invocation,
            step_id: &step_id,
            step_index: self.counter().take(),
            answer: turn.answer,
            summary: &summary,
            took: turn.took,
        };
        self.run.model_turn_ended(turn, (events.payloads.correlation)(&step));
        self.emit_step(&step_id, (events.payloads.model_step)(&step));
    }

    fn tool_started(&self, tool: &ToolStarted<'_>) {
        let mut counter = self.counter();
        let index = counter.take();
        counter.started.insert(tool.call.id.clone(), index);
    }

    /// Steps of a batch are published together, in the order of the calls.
    fn batch_ended(&self, tools: &[ToolEnded]) {
        let events = &self.run.parts().events;
        for tool in tools {
            let index = {
                let mut counter = self.counter();
                let started = counter.started.get(&tool.call.id).copied();
                started.unwrap_or_else(|| counter.take())
            };
            let step_id = format!("tool:{}", tool.call.id);
            let summary = (events.summaries.tool)(tool);
            let invocation = &self.invocation;
            let step = ToolStep { invocation, step_id: &step_id, step_index: index, tool, summary: &summary };
            self.emit_step(&step_id, (events.payloads.tool_step)(&step));
            skills::note(&self.run, tool);
        }
    }
}
