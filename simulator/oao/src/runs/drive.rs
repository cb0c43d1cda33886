//! Driving a run from the queue to its end.

use std::sync::{Arc, Mutex};

use agent::{Budget, Loop, Message, ModelClient, Reason, Tool, TurnError, Workspace};
use serde_json::{Value, json};

use super::{Run, RunContext, RunEvents, RunState, change::change, parent::Parent, store::add_message};
use crate::{Service, Version, tool_calls::ToolDesk};

/// Starts to drive a run that has been created.
pub(crate) fn launch(service: &Service, run: &Run) {
    let (service, run) = (service.clone(), run.clone());
    tokio::spawn(async move {
        let queued_for = service.parts().runs.queued_for;
        if !queued_for.is_zero() {
            service.clock().pause(queued_for).await;
        }
        Drive { events: RunEvents::of(&service, &run), service, run }.to_the_end().await;
    });
}

/// One run on its way. `run` is how it was when it was created; what changes is in the store.
struct Drive {
    service: Service,
    run: Run,
    events: RunEvents,
}

impl Drive {
    async fn to_the_end(&self) {
        self.service.queue().until_free(&self.run).await;
        if !self.admit() {
            return;
        }
        let (state, answer) = match self.prepare() {
            Some((context, conversation)) => self.work(context, conversation).await,
            None => (RunState::Failed, None),
        };
        if let Some(text) = answer {
            self.answer(&text);
        }
        crate::tool_calls::settle(&self.service, &self.run.id);
        self.change(state, json!({"state": state.name()}));
    }

    /// Reserves and admits the run, unless it has been cancelled before.
    fn admit(&self) -> bool {
        {
            let mut state = self.service.state();
            let Some(run) = state.runs.get_mut(&self.run.id).filter(|run| run.state == RunState::Queued)
            else {
                return false;
            };
            run.reserved = true;
            run.admitted_at = Some(self.service.clock().rfc3339());
        }
        self.events
            .emit("runtime.dispatch_reserved", json!({"admissionKey": format!("run:{}", self.run.id)}));
        self.events.emit("runtime.dispatch_admitted", json!({"submissionId": self.run.submission_id}));
        self.change(
            RunState::Running,
            json!({"state": RunState::Running.name(), "reason": "dispatch_admitted"}),
        )
    }

    /// Changes the state of the run, if the new one may follow, and says so.
    fn change(&self, to: RunState, payload: Value) -> bool {
        change(&self.service, &self.events, &self.run.id, to, payload)
    }

    /// Everything that the loop needs; `None` when there is no model to ask.
    fn prepare(&self) -> Option<(Arc<RunContext>, Vec<Message>)> {
        let parts = self.service.parts();
        let (version, siblings, workspace, mut conversation) = {
            let state = self.service.state();
            let pinned = state.versions.get(&self.run.version_id)?;
            let siblings = state.versions.of_agent(&pinned.agent_id);
            let session = state.sessions.get(&self.run.project_id, &self.run.session_id)?;
            (
                (parts.mounting.pin)(&pinned, &siblings),
                siblings,
                session.workspace.clone(),
                session.conversation.clone(),
            )
        };
        let operations = (parts.mounting.operations)(&version, &siblings);
        let system = (parts.mounting.render)(&version, &operations);
        if conversation.is_empty() {
            conversation.push(Message::System(system.clone()));
        }
        conversation.push(Message::User(self.user_message()));
        for file in &self.run.files {
            // The names were found to be safe when the message came.
            let _ = workspace.write(&file.path(&self.run.id), file.content.clone());
        }
        let model = self.model(&version)?;
        let turns =
            version.config.get("limits").and_then(|limits| limits["maxTurns"].as_u64()).unwrap_or_default();
        let context = Arc::new_cyclic(|own| RunContext {
            service: self.service.clone(),
            run_id: self.run.id.clone(),
            session_id: self.run.session_id.clone(),
            operations,
            system,
            model,
            tools: self.tools(&version, &workspace),
            workspace,
            budget: Budget::of(u32::try_from(turns).unwrap_or(u32::MAX)),
            cancel: self.run.cancel.clone(),
            waits: self.run.waits.clone(),
            events: self.events.clone(),
            version,
            own: own.clone(),
            open: Mutex::default(),
        });
        Some((context, conversation))
    }

    /// The tools of the sandbox, and those that the version was published with.
    fn tools(&self, version: &Version, workspace: &Workspace) -> Vec<Arc<dyn Tool>> {
        let mounting = &self.service.parts().mounting;
        let mut tools = (mounting.tools)(&version.config, workspace);
        let desk = ToolDesk::of(&self.service, &self.run, &self.events);
        tools.extend((mounting.authored)(&desk, &version.config));
        tools
    }

    fn model(&self, version: &Version) -> Option<ModelClient> {
        let wiring = self.service.wiring();
        let preset = version.config.get("modelPreset").and_then(Value::as_str).unwrap_or_default();
        Some(ModelClient::new(wiring.net.clone(), wiring.model_url()?, preset, self.service.ids().clone()))
    }

    fn user_message(&self) -> String {
        let mut text = self.run.message.clone();
        if !self.run.files.is_empty() {
            text.push_str("\n\nFiles that came with this message:");
        }
        for file in &self.run.files {
            text.push_str(&format!("\n- {}", file.path(&self.run.id)));
        }
        text
    }

    async fn work(
        &self,
        context: Arc<RunContext>,
        mut conversation: Vec<Message>,
    ) -> (RunState, Option<String>) {
        let parts = self.service.parts();
        let mut tools = context.operation_tools();
        tools.extend(context.tools.iter().cloned());
        let agent = Loop {
            model: context.model.clone(),
            tools,
            budget: context.budget.clone(),
            cancel: context.cancel.clone(),
            habits: parts.runs.habits.clone(),
            observer: Arc::new(Parent(context.clone())),
            clock: self.service.clock().clone(),
            ids: self.service.ids().clone(),
        };
        let limit = (parts.runs.deadline)(&context.version.config);
        let deadline = self.run.waits.run_out(self.service.clock(), limit, parts.runs.deadline_stands);
        let end = {
            let running = agent.run(&mut conversation);
            tokio::pin!(running, deadline);
            tokio::select! {
                biased;
                end = &mut running => end,
                () = &mut deadline => {
                    self.events.emit("runtime.cancellation_draining", json!({"reason": "deadline_exceeded"}));
                    context.cancel.trigger(Reason::Deadline);
                    running.await
                }
            }
        };
        self.service.state().sessions.keep_conversation(&self.run.session_id, conversation);
        match end {
            Ok(text) => (RunState::Completed, Some(text)),
            Err(TurnError::Cancelled(reason)) => ((parts.runs.ending)(reason), None),
            Err(_) => (RunState::Failed, None),
        }
    }

    fn answer(&self, text: &str) {
        {
            let mut state = self.service.state();
            let Some(mut run) = state.runs.get_mut(&self.run.id).map(|run| run.clone()) else { return };
            add_message(&self.service, &mut state, &mut run, "assistant", text, Vec::new());
            if let Some(stored) = state.runs.get_mut(&self.run.id) {
                *stored = run;
            }
        }
        self.events.emit("message.created", json!({"role": "assistant"}));
    }
}
