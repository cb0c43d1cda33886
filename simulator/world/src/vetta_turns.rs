//! Turns of a Vetta session, answered by the model through the agent loop.

use std::sync::Arc;

use agent::{Budget, Cancel, Habits, Loop, Message, ModelClient, ModelError, TurnError, Unobserved};
use vetta::turns::{Answer, Answering, Deltas, Scripted, TurnRequest, Turns};
use wire::{Clock, Ids, Net};

use crate::ModelAddress;

/// Model turns that one message may cost.
const TURNS_MAX: u32 = 32;

/// Asks the model at the world's address; while there is none, repeats what was said.
pub(crate) struct ModelTurns {
    net: Net,
    clock: Clock,
    ids: Ids,
    model: ModelAddress,
    silent: Scripted,
}

impl ModelTurns {
    pub(crate) fn new(net: Net, clock: Clock, ids: Ids, model: ModelAddress) -> Self {
        Self { net, clock, ids, model, silent: Scripted::echo() }
    }
}

impl Turns for ModelTurns {
    fn answer(&self, request: TurnRequest, deltas: Deltas) -> Answering {
        let Some(url) = self.model.get() else { return self.silent.answer(request, deltas) };
        let turns = Loop {
            model: ModelClient::new(self.net.clone(), url, request.agent.model.clone(), self.ids.clone()),
            tools: Vec::new(),
            budget: Budget::of(TURNS_MAX),
            cancel: Cancel::default(),
            habits: Habits::default(),
            journal: Arc::new(agent::Unkept),
            observer: Arc::new(Unobserved),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        };
        Box::pin(async move {
            let mut conversation = conversation(&request);
            let text = turns.run(&mut conversation).await.map_err(failed)?;
            text.split_inclusive(' ').for_each(|word| deltas.say(word));
            Ok(Answer { text, structured: None })
        })
    }
}

fn conversation(request: &TurnRequest) -> Vec<Message> {
    let system = request.agent.system.clone().map(Message::System);
    let said = request.transcript.iter().map(|line| match line.role {
        "assistant" => Message::Assistant { text: line.text.clone(), calls: Vec::new(), verbatim: None },
        _ => Message::User(line.text.clone()),
    });
    system.into_iter().chain(said).collect()
}

fn failed(error: TurnError) -> vetta::turns::TurnError {
    let code = match &error {
        TurnError::Cancelled(_) => "turn_cancelled",
        TurnError::BudgetSpent => "turn_limit_reached",
        TurnError::Model(ModelError::Status { .. }) => "model_refused",
        TurnError::Model(_) => "model_failed",
    };
    vetta::turns::TurnError::new(code, error.to_string())
}
