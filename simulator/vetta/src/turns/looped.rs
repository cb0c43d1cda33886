//! Turns on the agent loop: a model is asked over HTTP, and its tools are run.

use std::sync::{Arc, PoisonError, RwLock};

use agent::{
    Budget, Habits, Journal, Loop, Message, ModelClient, ModelError, ModelUrl, Observer, TextArrived, Tool,
    ToolCall, ToolEnded, TurnEnded, TurnStarted, habits::Settled,
};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::json;
use wire::{Clock, Ids, Net};

use super::{Answer, Answering, Scripted, Stage, TurnError, TurnRequest, Turns, submit::Submission};
use crate::agents::Permission;

/// Model turns that one message may cost.
const MODEL_TURNS_MAX: u32 = 64;

/// Asks the model at a URL that may be set while the service runs. Until then it repeats what was said, so
/// that a service without a model can be looked at.
#[derive(Clone)]
pub struct Looped {
    net: Net,
    clock: Clock,
    ids: Ids,
    model_url: Arc<RwLock<Option<ModelUrl>>>,
    silent: Scripted,
}

impl Looped {
    /// Asks the model at `model_url` over `net`.
    pub fn new(net: Net, clock: Clock, ids: Ids, model_url: Arc<RwLock<Option<ModelUrl>>>) -> Self {
        Self { net, clock, ids, model_url, silent: Scripted::echo() }
    }

    fn model(&self, name: &str) -> Option<ModelClient> {
        let url = self.model_url.read().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(ModelClient::new(self.net.clone(), url, name, self.ids.clone()))
    }
}

impl Turns for Looped {
    fn answer(&self, request: TurnRequest, stage: Stage) -> Answering {
        let Some(model) = self.model(&request.agent.model) else {
            return self.silent.answer(request, stage);
        };
        let submission = request.submit.map(|offer| Submission::new(offer, request.conforms.clone()));
        let mut tools = request.tools;
        tools.extend(submission.clone().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
        let names = tools.iter().map(|tool| tool.name().to_owned()).collect();
        let turns = Loop {
            model,
            tools,
            budget: Budget::of(MODEL_TURNS_MAX),
            cancel: request.cancel,
            habits: Habits::default(),
            journal: Arc::new(Kept(stage.clone())),
            observer: Arc::new(Told { stage, names }),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        };
        let system = request.agent.system.map(Message::System);
        let mut conversation: Vec<Message> = system.into_iter().chain(request.conversation).collect();
        Box::pin(async move {
            turns.run(&mut conversation).await.map_err(failed)?;
            let structured = submission.and_then(|submission| submission.taken());
            Ok(Answer { text: String::new(), structured })
        })
    }
}

fn failed(error: agent::TurnError) -> TurnError {
    let code = match &error {
        agent::TurnError::Cancelled(_) => "turn_cancelled",
        agent::TurnError::BudgetSpent => "turn_limit_reached",
        agent::TurnError::Model(ModelError::Status { .. }) => "model_refused",
        agent::TurnError::Model(_) => "model_failed",
    };
    TurnError::new(code, error.to_string())
}

/// The conversation lives in the session.
struct Kept(Stage);

impl Journal for Kept {
    fn append<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, ()> {
        self.0.keep(messages);
        std::future::ready(()).boxed()
    }

    fn recorded(&self, _: &ToolCall) -> Option<Settled> {
        None
    }

    fn record<'a>(&'a self, _: &'a ToolCall, _: &'a Settled) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }
}

/// Tells the stage what happens. Calls of tools that are there tell of themselves.
struct Told {
    stage: Stage,
    names: Vec<String>,
}

impl Observer for Told {
    fn turn_started(&self, _: &TurnStarted<'_>) {
        self.stage.break_off();
    }

    fn text_arrived(&self, text: &TextArrived<'_>) {
        self.stage.say(text.piece);
    }

    fn turn_ended(&self, turn: &TurnEnded<'_>) {
        if let Ok(answer) = turn.answer {
            self.stage.spend(&answer.usage);
            self.stage.complete(&answer.text);
        }
    }

    fn tool_ended(&self, tool: &ToolEnded) {
        if self.names.contains(&tool.call.name) && tool.arguments.is_some() {
            return;
        }
        let desk = self.stage.desk();
        let arguments = tool.arguments.clone().unwrap_or_else(|| json!(tool.call.arguments));
        let id = desk.requested(&tool.call.name, &arguments, Permission::Deny);
        desk.push("tool.failed", json!({"tool_call_id": id, "message": tool.outcome.content()}));
    }
}
