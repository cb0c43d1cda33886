//! Driving a run from the queue to its end.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use agent::{Budget, Loop, Message, ModelClient, Reason, TurnError};
use serde_json::{Value, json};

use super::{
    Attached, Run, RunContext, RunEvents, RunState,
    change::change,
    mounted::mounted,
    parent::Parent,
    store::{Begun, add_message},
};
use crate::{
    Service, Version,
    durability::{RunJournal, Worker},
    mounting::Rendering,
    operations::Recorded,
    sandbox::Sandbox,
    tool_calls::ToolDesk,
};

/// Starts to drive a run that has been created.
pub(crate) fn launch(service: &Service, run: &Run) {
    drop(drive(service, run));
}

/// As [`launch`], for whoever waits until the run has ended.
pub(crate) fn drive(service: &Service, run: &Run) -> tokio::task::JoinHandle<()> {
    let (service, run) = (service.clone(), run.clone());
    tokio::spawn(async move {
        let queued_for = service.parts().runs.queued_for;
        if !queued_for.is_zero() {
            service.clock().pause(queued_for).await;
        }
        let worker = Worker::under(service.deaths().clone());
        let drive = Drive {
            events: RunEvents::of(&service, &run),
            service: service.clone(),
            worker: worker.clone(),
            run,
        };
        if worker.live(drive.to_the_end()).await.is_some() {
            return;
        }
        // The worker died. Whatever is not on record is gone; the rest goes on when its lease is over.
        let durability = &service.parts().durability;
        if !durability.takes_over {
            return;
        }
        loop {
            service.clock().pause(durability.lease).await;
            if worker.live(drive.again()).await.is_some() {
                return;
            }
        }
    })
}

/// One run on its way. `run` is how it was when it was created; what changes is in the store.
struct Drive {
    service: Service,
    run: Run,
    worker: Worker,
    events: RunEvents,
}

impl Drive {
    async fn to_the_end(&self) {
        self.service.queue().until_free(&self.run).await;
        if self.admit() {
            self.through(|_| {}).await;
        }
    }

    /// Takes up a run that its worker left.
    async fn again(&self) {
        let state = self.service.state().runs.by_id(&self.run.id).map(|run| run.state);
        match state {
            Some(RunState::Queued) => self.to_the_end().await,
            Some(state) if !state.is_terminal() => {
                self.events.emit(
                    "runtime.recovery_started",
                    json!({"outcome": "resuming", "operation": "submission"}),
                );
                self.through(|context| (self.service.parts().durability.resumed)(context)).await;
                self.events.emit(
                    "runtime.recovery_completed",
                    json!({"outcome": "resumed", "code": "lease_expired"}),
                );
            }
            _ => {}
        }
    }

    /// Works through an admitted run and settles it.
    async fn through(&self, first: impl FnOnce(&RunContext) + Send) {
        let (state, answer) = match self.prepare() {
            Some((context, conversation)) => {
                first(&context);
                self.work(context, conversation).await
            }
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
        let (version, siblings, sandbox, mut conversation) = {
            let state = self.service.state();
            let pinned = state.versions.get(&self.run.version_id)?;
            let siblings = state.versions.of_agent(&pinned.agent_id);
            let session = state.sessions.get(&self.run.project_id, &self.run.session_id)?;
            (
                (parts.mounting.pin)(&pinned, &siblings),
                siblings,
                session.sandbox().clone(),
                session.conversation.clone(),
            )
        };
        let operations = (parts.mounting.operations)(&version, &siblings);
        let skills = (parts.skills.mounted)(&parts.catalogue, &version);
        let system = (parts.mounting.render)(&Rendering {
            version: &version,
            operations: &operations,
            skills: &skills,
            session_id: &self.run.session_id,
        });
        let begun = self.begin(&version, &system, &sandbox, &mut conversation)?;
        let model = self.model(&version)?;
        let context = Arc::new_cyclic(|own| RunContext {
            service: self.service.clone(),
            run_id: self.run.id.clone(),
            session_id: self.run.session_id.clone(),
            operations,
            system,
            model,
            tools: mounted(&self.desk(), &version, &skills, &sandbox, own),
            skills,
            workspace: sandbox.workspace.clone(),
            sandbox: sandbox.clone(),
            budget: begun.budget,
            cancel: self.run.cancel.clone(),
            waits: self.run.waits.clone(),
            events: self.events.clone(),
            version,
            own: own.clone(),
            open: Mutex::default(),
            recorded: Recorded::default(),
        });
        Some((context, conversation))
    }

    /// Where the tools of the version are called and answered.
    fn desk(&self) -> ToolDesk {
        ToolDesk::of(&self.service, &self.run, &self.events)
    }

    /// What the run began with. The first time that is put on record together with the message of the user,
    /// and the files of the message go to the workspace.
    fn begin(
        &self,
        version: &Version,
        system: &str,
        sandbox: &Sandbox,
        conversation: &mut Vec<Message>,
    ) -> Option<Begun> {
        let mut state = self.service.state();
        if let Some(begun) = state.runs.by_id(&self.run.id).and_then(|run| run.begun.clone()) {
            return Some(begun);
        }
        let known = conversation.len();
        if conversation.is_empty() {
            conversation.push(Message::System(system.to_owned()));
        }
        conversation.push(Message::User(self.user_message()));
        for file in &self.run.files {
            // The names were found to be safe when the message came.
            let _ = sandbox.workspace.write(&self.place_of(file), file.content.clone());
        }
        let turns =
            version.config.get("limits").and_then(|limits| limits["maxTurns"].as_u64()).unwrap_or_default();
        let budget = Budget::of(u32::try_from(turns).unwrap_or(u32::MAX));
        let begun = Begun { at: self.service.clock().elapsed(), budget };
        state.sessions.append(&self.run.session_id, &conversation[known..]);
        state.runs.get_mut(&self.run.id)?.begun = Some(begun.clone());
        Some(begun)
    }

    fn model(&self, version: &Version) -> Option<ModelClient> {
        let wiring = self.service.wiring();
        let preset = version.config.get("modelPreset").and_then(Value::as_str).unwrap_or_default();
        let client =
            ModelClient::new(wiring.net.clone(), wiring.model_url()?, preset, self.service.ids().clone());
        Some(client.with_dialect(self.service.parts().catalogue.dialect(preset)))
    }

    /// Where a file of the message is in the sandbox.
    fn place_of(&self, file: &Attached) -> String {
        (self.service.parts().runs.files.place)(&self.run.id, &file.name)
    }

    fn user_message(&self) -> String {
        let mut text = self.run.message.clone();
        if !self.run.files.is_empty() {
            text.push_str("\n\nFiles that came with this message:");
        }
        for file in &self.run.files {
            text.push_str(&format!("\n- {}", self.place_of(file)));
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
            journal: Arc::new(RunJournal {
                service: self.service.clone(),
                worker: self.worker.clone(),
                run_id: self.run.id.clone(),
                session_id: self.run.session_id.clone(),
            }),
            observer: Arc::new(Parent(context.clone())),
            clock: self.service.clock().clone(),
            ids: self.service.ids().clone(),
        };
        let limit = self.time_left(&context);
        let deadline = self.run.waits.run_out(self.service.clock(), limit, parts.runs.deadline_stands);
        let end = {
            let running = agent.resume(&mut conversation);
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
        match (end, context.cancel.reason()) {
            // The last answer was on record when the run was called off: nobody wants it any more.
            (Ok(_), Some(reason)) => ((parts.runs.ending)(reason), None),
            (Ok(text), None) => (RunState::Completed, Some(text)),
            // While the loop drains, a deadline may follow the request; it wins.
            (Err(TurnError::Cancelled(first)), last) => ((parts.runs.ending)(last.unwrap_or(first)), None),
            (Err(_), _) => (RunState::Failed, None),
        }
    }

    /// Counted from when the run began, whatever has happened to its worker since.
    fn time_left(&self, context: &RunContext) -> Duration {
        let whole = (self.service.parts().runs.deadline)(&context.version.config);
        let began = self
            .service
            .state()
            .runs
            .by_id(&self.run.id)
            .and_then(|run| run.begun.as_ref().map(|begun| begun.at));
        let gone = began.map_or(Duration::ZERO, |began| self.service.clock().elapsed().saturating_sub(began));
        whole.saturating_sub(gone)
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
