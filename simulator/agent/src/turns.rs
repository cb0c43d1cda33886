//! Turns: the model answers, its tools run, and again.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use wire::{Clock, Ids};

use crate::{
    Budget, CallContext, Cancel, Completion, Habits, Message, ModelClient, ModelError, Observer, Reason,
    Tool, ToolCall, ToolDefinition, ToolEnded, ToolOutcome, ToolStarted, TurnEnded, TurnStarted,
    habits::Settled,
};

/// An agent loop: everything that a turn needs.
#[derive(Clone)]
pub struct Loop {
    /// The model.
    pub model: ModelClient,
    /// What it may call. The first tool of a name is the one that runs.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Model turns that are left.
    pub budget: Budget,
    /// Calls the loop off.
    pub cancel: Cancel,
    /// How the loop does what it does.
    pub habits: Habits,
    /// Sees what happens.
    pub observer: Arc<dyn Observer>,
    /// Measures how long things take.
    pub clock: Clock,
    /// Names turns.
    pub ids: Ids,
}

/// What became of one turn.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The turn's id.
    pub id: String,
    /// The model's text, possibly empty.
    pub text: String,
    /// The calls and how they ended, in order; empty when the model asked for none.
    pub tools: Vec<ToolEnded>,
}

/// Why a turn did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnError {
    /// The loop was called off.
    #[error("the loop was called off")]
    Cancelled(Reason),
    /// The model gave no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No model turn is left.
    #[error("no model turn is left")]
    BudgetSpent,
}

impl Loop {
    /// Runs turns until the model asks for no tool, and gives its text.
    pub async fn run(&self, conversation: &mut Vec<Message>) -> Result<String, TurnError> {
        loop {
            let turn = self.turn(conversation).await?;
            if turn.tools.is_empty() {
                return Ok(turn.text);
            }
        }
    }

    /// One turn: the model answers, and if it asks for tools they run and their results are added.
    pub async fn turn(&self, conversation: &mut Vec<Message>) -> Result<Turn, TurnError> {
        if let Some(reason) = self.cancel.reason() {
            return Err(TurnError::Cancelled(reason));
        }
        let id = self.ids.prefixed("turn_");
        let answer = self.ask(&id, conversation).await?;
        conversation.push(answer.to_message());
        if answer.calls.is_empty() {
            return Ok(Turn { id, text: answer.text, tools: Vec::new() });
        }
        let tools = self.batch(&id, &answer.calls, conversation).await;
        match self.cancel.reason() {
            Some(reason) => Err(TurnError::Cancelled(reason)),
            None => Ok(Turn { id, text: answer.text, tools }),
        }
    }

    async fn ask(&self, turn_id: &str, conversation: &[Message]) -> Result<Completion, TurnError> {
        self.observer.turn_started(&TurnStarted { turn_id });
        let began = self.clock.elapsed();
        let answer = if self.budget.take() {
            let offers: Vec<ToolDefinition> =
                self.tools.iter().map(|tool| ToolDefinition::of(tool.as_ref())).collect();
            tokio::select! {
                biased;
                reason = self.cancel.cancelled() => return Err(TurnError::Cancelled(reason)),
                answer = self.model.complete(conversation, &offers) => answer.map_err(TurnError::from),
            }
        } else {
            Err(TurnError::BudgetSpent)
        };
        let took = self.clock.elapsed().saturating_sub(began);
        self.observer.turn_ended(&TurnEnded { turn_id, took, answer: answer.as_ref() });
        answer
    }

    async fn batch(
        &self,
        turn_id: &str,
        calls: &[ToolCall],
        conversation: &mut Vec<Message>,
    ) -> Vec<ToolEnded> {
        let parsed: Vec<Result<Value, String>> =
            calls.iter().map(|call| (self.habits.arguments)(&call.arguments)).collect();
        let work =
            calls.iter().zip(&parsed).map(|(call, arguments)| self.one(turn_id, call, arguments)).collect();
        let mut settled = (self.habits.batch)(work).await;
        let unsettled = || Settled {
            outcome: ToolOutcome::failed("Unsettled", "the call was never settled"),
            took: Duration::ZERO,
        };
        settled.resize_with(calls.len(), unsettled);
        conversation.extend((self.habits.hand_back)(calls, &settled));
        let ended: Vec<ToolEnded> = calls
            .iter()
            .zip(parsed)
            .zip(settled)
            .map(|((call, arguments), settled)| ToolEnded {
                call: call.clone(),
                arguments: arguments.ok(),
                outcome: settled.outcome,
                took: settled.took,
            })
            .collect();
        self.observer.batch_ended(&ended);
        ended
    }

    /// One call as work of its own: nothing happens before it is polled.
    fn one(
        &self,
        turn_id: &str,
        call: &ToolCall,
        arguments: &Result<Value, String>,
    ) -> BoxFuture<'static, Settled> {
        let body = self.body(turn_id, call, arguments);
        let (call, arguments) = (call.clone(), arguments.clone().ok());
        let (observer, clock) = (self.observer.clone(), self.clock.clone());
        async move {
            observer.tool_started(&ToolStarted { call: &call, arguments: arguments.as_ref() });
            let began = clock.elapsed();
            let outcome = body.await;
            let took = clock.elapsed().saturating_sub(began);
            observer.tool_ended(&ToolEnded { call, arguments, outcome: outcome.clone(), took });
            Settled { outcome, took }
        }
        .boxed()
    }

    fn body(
        &self,
        turn_id: &str,
        call: &ToolCall,
        arguments: &Result<Value, String>,
    ) -> BoxFuture<'static, ToolOutcome> {
        let tool = self.tools.iter().find(|tool| tool.name() == call.name).cloned();
        let context = CallContext {
            tool_call_id: call.id.clone(),
            turn_id: turn_id.to_owned(),
            cancel: self.cancel.clone(),
        };
        let arguments = arguments.clone();
        let name = call.name.clone();
        // The tool is called when the work is polled, not when it is made, so that a batch decides when it starts.
        let work = async move {
            match (tool, arguments) {
                (None, _) => ToolOutcome::failed("UnknownTool", format!("there is no tool `{name}`")),
                (Some(_), Err(why)) => ToolOutcome::failed("InvalidArguments", why),
                (Some(tool), Ok(arguments)) => tool.call(context, arguments).await,
            }
        };
        (self.habits.abort)(self.cancel.clone(), work.boxed())
    }
}
