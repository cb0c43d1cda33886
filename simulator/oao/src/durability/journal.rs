//! The journal of a run's parent loop.

use agent::{Journal, Message, ToolCall, habits::Settled};
use futures_util::{FutureExt, future::BoxFuture};

use super::{Here, Point, Worker};
use crate::Service;

/// Records what the parent loop of one run does: messages in the conversation of its session, the ends of
/// calls with the run.
#[derive(Clone, Debug)]
pub struct RunJournal {
    pub(crate) service: Service,
    pub(crate) worker: Worker,
    pub(crate) run_id: String,
    pub(crate) session_id: String,
}

impl Journal for RunJournal {
    fn append<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, ()> {
        async move {
            self.worker.reach(Here { point: Point::MessageBeforeAppend, call: None }).await;
            self.service.state().sessions.append(&self.session_id, messages);
            self.worker.reach(Here { point: Point::MessageAfterAppend, call: None }).await;
        }
        .boxed()
    }

    fn recorded(&self, call: &ToolCall) -> Option<Settled> {
        let state = self.service.state();
        let run = state.runs.by_id(&self.run_id)?;
        (self.service.parts().durability.recorded)(run.ends.of(&call.id))
    }

    fn record<'a>(&'a self, call: &'a ToolCall, settled: &'a Settled) -> BoxFuture<'a, ()> {
        async move {
            self.worker.reach(Here { point: Point::CallBeforeRecord, call: Some(&call.id) }).await;
            if let Some(run) = self.service.state().runs.get_mut(&self.run_id) {
                (self.service.parts().durability.record)(run.ends.at(&call.id), settled.clone());
            }
            self.worker.reach(Here { point: Point::CallAfterRecord, call: Some(&call.id) }).await;
        }
        .boxed()
    }
}
