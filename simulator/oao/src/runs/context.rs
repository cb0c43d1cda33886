//! Everything that the loops of one run share.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent::{Budget, Cancel, Dialect, ModelClient, Tool, ToolEnded, TurnEnded, TurnStarted, Workspace};
use serde_json::{Map, Value, json};

use super::{RunEvents, Waits};
use crate::{
    Parts, Service, Version,
    events::{Invocation, Settlement},
    mounting::Rendering,
    operations::{Operation, Recorded},
    sandbox::{Grant, Sandbox},
    skills::Skill,
};

/// What the parent loop of a run and its scratch loops share.
pub struct RunContext {
    /// The service.
    pub service: Service,
    /// The run.
    pub run_id: String,
    /// Its session.
    pub session_id: String,
    /// The version that it uses.
    pub version: Version,
    /// The operations that are mounted.
    pub operations: Vec<Operation>,
    /// The Skills that are mounted.
    pub skills: Vec<Arc<Skill>>,
    /// The rendered system instructions.
    pub system: String,
    /// The model, under the version's preset.
    pub model: ModelClient,
    /// The parent's tools, operations aside.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The live sandbox of the session.
    pub sandbox: Sandbox,
    /// Its files.
    pub workspace: Workspace,
    /// Model turns that are left, scratch loops included.
    pub budget: Budget,
    /// Calls the run off.
    pub cancel: Cancel,
    /// What its calls wait for.
    pub waits: Waits,
    /// Its events.
    pub events: RunEvents,
    pub(super) own: std::sync::Weak<RunContext>,
    pub(super) open: Mutex<BTreeMap<String, Arc<Invocation>>>,
    pub(crate) recorded: Recorded,
}

impl RunContext {
    /// The policies of the service.
    pub fn parts(&self) -> &Parts {
        self.service.parts()
    }

    /// What the system instructions are made from.
    pub fn rendering(&self) -> Rendering<'_> {
        Rendering {
            version: &self.version,
            operations: &self.operations,
            skills: &self.skills,
            session_id: &self.session_id,
        }
    }

    /// The operation tools, as the parent has them.
    pub fn operation_tools(&self) -> Vec<Arc<dyn Tool>> {
        let own = self.own.upgrade();
        own.map_or_else(Vec::new, |own| (self.parts().mounting.operation_tools)(&own, &self.operations))
    }

    /// The tools that a run with this `config` has in `sandbox`, operations aside.
    pub fn tools_in(&self, config: &Map<String, Value>, sandbox: &Sandbox) -> Vec<Arc<dyn Tool>> {
        let mounting = &self.parts().mounting;
        (mounting.tools)(&Grant { config, sandbox, commands: &mounting.commands, events: &self.events })
    }

    /// Opens a further sandbox for the session, as the version wants it and without any files.
    pub fn open_sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::open(&self.service, &self.version.config);
        self.service.state().sessions.add_sandbox(&self.session_id, sandbox.clone());
        sandbox
    }

    /// Who has made the wire on which the model is spoken to.
    fn provider(&self) -> &'static str {
        match self.model.dialect() {
            Dialect::Messages => Dialect::Messages.provider(),
            Dialect::Chat | Dialect::Responses => self.parts().runs.provider,
        }
    }

    /// An operation has been called with arguments that hold.
    pub(crate) fn started(&self, invocation: &Arc<Invocation>) {
        let payload = (self.parts().events.payloads.started)(invocation);
        let key = format!("harness:{}:started", invocation.tool_call_id);
        self.events.emit_stable("harness.operation_started", &key, payload);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(invocation.tool_call_id.clone(), invocation.clone());
    }

    /// A call of the parent's batch has ended; if it was an operation that had started, it is settled.
    pub(crate) fn settled(&self, tool: &ToolEnded) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&tool.call.id);
        let Some(invocation) = open else { return };
        let ending = (self.parts().operations.classify)(&tool.outcome);
        let settlement = Settlement { ending, outcome: tool.outcome.clone(), took: tool.took };
        let payload = (self.parts().events.payloads.settled)(&invocation, &settlement);
        let key = format!("harness:{}:settled", invocation.tool_call_id);
        self.events.emit_stable(ending.kind(), &key, payload);
    }

    /// A model turn of any loop begins.
    pub(crate) fn model_turn_started(&self, turn: &TurnStarted<'_>) {
        self.events.emit(
            "model.invocation_started",
            json!({
                "turnId": turn.turn_id,
                "model": self.model.model(),
                "provider": self.provider(),
                "timeoutMs": MODEL_TIMEOUT_MS,
            }),
        );
    }

    /// A model turn of any loop has ended. `correlation` ties it to an operation, and is empty for the parent.
    pub(crate) fn model_turn_ended(&self, turn: &TurnEnded<'_>, correlation: Map<String, Value>) {
        let usage = turn.answer.map_or_else(|_| agent::Usage::default(), |answer| answer.usage);
        let mut payload = json!({
            "model": self.model.model(),
            "provider": self.provider(),
            "inputTokens": usage.input,
            "outputTokens": usage.output,
            "cacheReadTokens": usage.cache_read,
            "cacheWriteTokens": usage.cache_write,
            "costMicrounits": 0,
            "finishReason": turn.answer.map_or_else(failed, |answer| answer.finish_reason()),
        });
        if let Err(agent::TurnError::BudgetSpent) = turn.answer {
            payload["errorCode"] = json!("model_turn_limit_exceeded");
        }
        if let Ok(answer) = turn.answer
            && is_finish_token(&answer.finish)
        {
            payload["providerFinishReason"] = json!(answer.finish);
        }
        self.record_model_turn(turn, &payload, &correlation);
        for (name, value) in correlation {
            payload[name] = value;
        }
        let kind = if turn.answer.is_ok() { "model.invocation_completed" } else { "model.invocation_failed" };
        self.events.emit(kind, payload);
    }

    fn record_model_turn(&self, turn: &TurnEnded<'_>, usage: &Value, correlation: &Map<String, Value>) {
        let mut request = correlation.clone();
        let purpose = if correlation.is_empty() { "agent" } else { "harness_operation" };
        request.insert("purpose".to_owned(), json!(purpose));
        let entry = json!({
            "id": turn.turn_id,
            "runId": self.run_id,
            "agentVersionId": (self.parts().runs.books_to)(self, !correlation.is_empty()),
            "model": self.model.model(),
            "provider": self.provider(),
            "status": if turn.answer.is_ok() { "completed" } else { "failed" },
            "inputTokens": usage["inputTokens"],
            "outputTokens": usage["outputTokens"],
            "safeRequest": request,
            "completedAt": self.service.clock().rfc3339(),
        });
        if let Some(run) = self.service.state().runs.get_mut(&self.run_id) {
            run.model_invocations.push(entry);
        }
    }
}

/// The finish reason of a turn without an answer.
fn failed(why: &agent::TurnError) -> &'static str {
    match why {
        agent::TurnError::Model(why) => why.finish_reason(),
        agent::TurnError::Cancelled(_) | agent::TurnError::BudgetSpent => "error",
    }
}

/// How long one model turn may take.
const MODEL_TIMEOUT_MS: u64 = 300_000;

/// A finish token that can be published: `^[a-z0-9][a-z0-9._:/-]{0,119}$`, whatever the case.
fn is_finish_token(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= 120
        && bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte))
}
