//! Turns: the model answers, its tools run, and again.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;
use wire::{Clock, Ids};

use crate::{
    Budget, CallContext, Cancel, Completion, Habits, Journal, Message, ModelClient, ModelError, Observer,
    Reason, TextArrived, Tool, ToolCall, ToolDefinition, ToolEnded, ToolOutcome, ToolStarted, TurnEnded,
    TurnStarted, habits::Settled,
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
    /// Records what has happened.
    pub journal: Arc<dyn Journal>,
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

    /// Goes on where a journal ends: calls of the last assistant message that have no result are settled
    /// first, one after another. Those that are on record are not run again. A conversation that the model
    /// has ended is at its end.
    pub async fn resume(&self, conversation: &mut Vec<Message>) -> Result<String, TurnError> {
        if let Some(Message::Assistant { text, calls, .. }) = conversation.last()
            && calls.is_empty()
        {
            return Ok(text.clone());
        }
        let open = open_calls(conversation);
        if !open.is_empty() {
            let id = self.ids.prefixed("turn_");
            let mut settled = Vec::with_capacity(open.len());
            for call in &open {
                settled.push(self.again(&id, call).await);
            }
            self.keep(conversation, (self.habits.hand_back)(&open, &settled)).await;
        }
        self.run(conversation).await
    }

    /// One turn: the model answers, and if it asks for tools they run and their results are added.
    pub async fn turn(&self, conversation: &mut Vec<Message>) -> Result<Turn, TurnError> {
        if let Some(reason) = self.cancel.reason() {
            return Err(TurnError::Cancelled(reason));
        }
        let id = self.ids.prefixed("turn_");
        let answer = self.ask(&id, conversation).await?;
        let said = answer.to_message();
        self.keep(conversation, vec![said]).await;
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
            let offered = self.tools.iter().filter(|tool| tool.is_offered());
            let offers: Vec<ToolDefinition> = offered.map(|tool| ToolDefinition::of(tool.as_ref())).collect();
            let hear = |piece: &str| self.observer.text_arrived(&TextArrived { turn_id, piece });
            tokio::select! {
                biased;
                reason = self.cancel.cancelled() => return Err(TurnError::Cancelled(reason)),
                answer = self.model.complete_heard(conversation, &offers, &hear) => answer.map_err(TurnError::from),
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
        self.keep(conversation, (self.habits.hand_back)(calls, &settled)).await;
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

    /// Adds messages to the conversation once they are on record.
    async fn keep(&self, conversation: &mut Vec<Message>, messages: Vec<Message>) {
        self.journal.append(&messages).await;
        conversation.extend(messages);
    }

    /// One call as work of its own: nothing happens before it is polled. A call whose end is on record is
    /// not run.
    fn one(
        &self,
        turn_id: &str,
        call: &ToolCall,
        arguments: &Result<Value, String>,
    ) -> BoxFuture<'static, Settled> {
        let body = self.body(turn_id, call, arguments);
        let (call, arguments) = (call.clone(), arguments.clone().ok());
        let (observer, clock, journal) = (self.observer.clone(), self.clock.clone(), self.journal.clone());
        async move {
            observer.tool_started(&ToolStarted { call: &call, arguments: arguments.as_ref() });
            let settled = once(journal.as_ref(), &clock, &call, body).await;
            let (outcome, took) = (settled.outcome.clone(), settled.took);
            observer.tool_ended(&ToolEnded { call, arguments, outcome, took });
            settled
        }
        .boxed()
    }

    /// A call that a crash left open, settled without a word to the observer.
    async fn again(&self, turn_id: &str, call: &ToolCall) -> Settled {
        let body = self.body(turn_id, call, &(self.habits.arguments)(&call.arguments));
        once(self.journal.as_ref(), &self.clock, call, body).await
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

/// Runs a call, unless its end is on record, and records how it ended.
async fn once(
    journal: &dyn Journal,
    clock: &Clock,
    call: &ToolCall,
    body: BoxFuture<'static, ToolOutcome>,
) -> Settled {
    if let Some(settled) = journal.recorded(call) {
        return settled;
    }
    let began = clock.elapsed();
    let outcome = body.await;
    let settled = Settled { outcome, took: clock.elapsed().saturating_sub(began) };
    journal.record(call, &settled).await;
    settled
}

/// The calls at the end of a conversation that have no result.
fn open_calls(conversation: &[Message]) -> Vec<ToolCall> {
    let answered = |id: &str| {
        let ends = conversation.iter().rev().take_while(|message| matches!(message, Message::Tool { .. }));
        ends.into_iter().any(|message| matches!(message, Message::Tool { call_id, .. } if call_id == id))
    };
    let said = conversation.iter().rev().find(|message| !matches!(message, Message::Tool { .. }));
    match said {
        Some(Message::Assistant { calls, .. }) => {
            calls.iter().filter(|call| !answered(&call.id)).cloned().collect()
        }
        _ => Vec::new(),
    }
}
