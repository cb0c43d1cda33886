//! The scratch loop: a fresh conversation that lasts for one call.

use std::sync::Arc;

use agent::{Loop, Message, Tool, ToolOutcome, TurnError};
use serde_json::Value;

use super::{
    mechanism::{FinishTool, GiveUpTool, Next, Outcome, TurnView},
    records::Record,
    steps::Steps,
};
use crate::{events::Invocation, runs::RunContext};

/// Runs the loop of one call to its end.
pub(super) async fn run(run: Arc<RunContext>, invocation: Arc<Invocation>, arguments: Value) -> ToolOutcome {
    let parts = &run.parts().operations;
    let operation = &invocation.operation;
    let inherited = (parts.inherit)(&run, operation);
    let outcome = Outcome::default();
    let _record = run.service.records().open(Record {
        id: run.service.ids().uuid(),
        parent_session_id: run.session_id.clone(),
        run_id: run.run_id.clone(),
        tool_call_id: invocation.tool_call_id.clone(),
        operation_key: operation.key.clone(),
        ended: false,
    });
    let mut tools = inherited.tools;
    tools.extend(run.operation_tools().into_iter().filter_map(|tool| (parts.nested)(operation, tool)));
    tools.push(Arc::new(FinishTool {
        mechanism: parts.mechanism.clone(),
        invocation: invocation.clone(),
        outcome: outcome.clone(),
    }) as Arc<dyn Tool>);
    tools.push(Arc::new(GiveUpTool { outcome: outcome.clone() }));
    let agent = Loop {
        model: inherited.model,
        tools,
        budget: run.budget.clone(),
        cancel: (parts.tie)(&run, &invocation),
        habits: parts.habits.clone(),
        journal: Arc::new(agent::Unkept),
        observer: Arc::new(Steps::of(run.clone(), invocation.clone())),
        clock: run.service.clock().clone(),
        ids: run.service.ids().clone(),
    };
    let prompt = (parts.prompt)(operation, &invocation.task, &arguments);
    let conversation = (parts.opening)(&invocation, inherited.system, prompt);
    let ended = until_the_end(&run, &invocation, &agent, &outcome, conversation).await;
    (parts.mechanism.boundary)(&invocation, &parts.mechanism.values, ended)
}

async fn until_the_end(
    run: &RunContext,
    invocation: &Invocation,
    agent: &Loop,
    outcome: &Outcome,
    mut conversation: Vec<Message>,
) -> ToolOutcome {
    let mechanism = &run.parts().operations.mechanism;
    let mut prompts = 1;
    loop {
        let turn = match agent.turn(&mut conversation).await {
            Ok(turn) => turn,
            Err(TurnError::Cancelled(_)) => return ToolOutcome::aborted(),
            Err(why) => {
                return ToolOutcome::failed("operation_failed", format!("the operation failed: {why}"));
            }
        };
        let settled = outcome.get();
        let view = TurnView {
            invocation,
            turn: &turn,
            settled: settled.as_ref(),
            prompts,
            prompts_max: mechanism.prompts_max,
        };
        match (mechanism.after_turn)(&view) {
            Next::Continue => {}
            Next::Prompt(text) => {
                conversation.push(Message::User(text));
                prompts += 1;
            }
            Next::End(outcome) => return outcome,
        }
    }
}
