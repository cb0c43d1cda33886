//! The tools for delegates.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::Desk;

/// Both tools when there is a delegate, none otherwise.
pub(crate) fn tools(desk: Desk) -> Vec<Arc<dyn Tool>> {
    if desk.roster.is_empty() {
        return Vec::new();
    }
    let desk = Arc::new(desk);
    let lines: String = desk
        .roster
        .iter()
        .map(|delegate| format!("\n- {}: {}", delegate.key, delegate.description))
        .collect();
    let description = format!(
        "Gives a piece of work to a delegate, which does it in a session of its own, and returns the answer and \
         the id of that session. Delegates:{lines}"
    );
    vec![Arc::new(DelegateAgent { desk: desk.clone(), description }), Arc::new(MessageAgent(desk))]
}

/// `delegate_agent {key, task}`
struct DelegateAgent {
    desk: Arc<Desk>,
    description: String,
}

/// `message_agent {sessionId | key, message}`
struct MessageAgent(Arc<Desk>);

impl Tool for DelegateAgent {
    fn name(&self) -> &str {
        "delegate_agent"
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        let keys: Vec<&str> = self.desk.roster.iter().map(|delegate| delegate.key.as_str()).collect();
        json!({
            "type": "object",
            "properties": {"key": {"type": "string", "enum": keys}, "task": {"type": "string", "minLength": 1}},
            "required": ["key", "task"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let (key, task) = (text(&arguments, "key"), text(&arguments, "task"));
        let (Some(key), Some(task)) = (key, task) else {
            return refused("`key` and `task` are needed, as texts");
        };
        let desk = self.desk.clone();
        async move { desk.delegate(&key, &task).await }.boxed()
    }
}

impl Tool for MessageAgent {
    fn name(&self) -> &str {
        "message_agent"
    }

    fn description(&self) -> &str {
        "Sends a further message to a delegate that has worked for this session, into the conversation that it has \
         already, and returns its answer. Name its session, or its key for the latest one."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "sessionId": {"type": "string"},
                "key": {"type": "string"},
                "message": {"type": "string", "minLength": 1},
            },
            "required": ["message"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let (id, key) = (text(&arguments, "sessionId"), text(&arguments, "key"));
        let Some(message) = text(&arguments, "message").filter(|_| id.is_some() || key.is_some()) else {
            return refused("`message` is needed, and `sessionId` or `key`");
        };
        let desk = self.0.clone();
        async move { desk.message(id.as_deref(), key.as_deref(), &message).await }.boxed()
    }
}

fn text(arguments: &Value, name: &str) -> Option<String> {
    arguments.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn refused(why: &str) -> BoxFuture<'static, ToolOutcome> {
    std::future::ready(ToolOutcome::failed("InvalidArguments", why)).boxed()
}
