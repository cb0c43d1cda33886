//! The tools for Skills.

use std::sync::{Arc, Weak};

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{Skill, SkillCall, SkillParts};
use crate::runs::RunContext;

/// The name of the tool that activates.
pub(super) const ACTIVATE: &str = "activate_skill";
/// The name of the tool that reads files.
pub(super) const READ: &str = "read_skill_resource";

/// The tools that a run with `skills` offers: one to activate if there are any, one to read files if one of
/// them has some.
pub(crate) fn tools(parts: &SkillParts, skills: &[Arc<Skill>], run: &Weak<RunContext>) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if (parts.offered)(skills) {
        tools.push(Arc::new(Activate(run.clone())));
    }
    if (parts.packaged)(skills) {
        tools.push(Arc::new(ReadResource(run.clone())));
    }
    tools
}

/// `activate_skill {name}`
struct Activate(Weak<RunContext>);

/// `read_skill_resource {name, path}`
struct ReadResource(Weak<RunContext>);

impl Tool for Activate {
    fn name(&self) -> &str {
        ACTIVATE
    }

    fn description(&self) -> &str {
        "Returns the instructions of one mounted skill. Follow them in this conversation from then on."
    }

    fn parameters(&self) -> Value {
        one_object(&["name"])
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        answer(&self.0, &arguments, |parts, call| (parts.activate)(call))
    }
}

impl Tool for ReadResource {
    fn name(&self) -> &str {
        READ
    }

    fn description(&self) -> &str {
        "Returns one file of a mounted skill as text."
    }

    fn parameters(&self) -> Value {
        one_object(&["name", "path"])
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let Some(path) = arguments.get("path").and_then(Value::as_str) else { return refused("path") };
        answer(&self.0, &arguments, |parts, call| (parts.read)(call, path))
    }
}

fn one_object(members: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|name| ((*name).to_owned(), json!({"type": "string", "minLength": 1}))).collect();
    json!({"type": "object", "properties": properties, "required": members, "additionalProperties": false})
}

fn refused(member: &str) -> BoxFuture<'static, ToolOutcome> {
    let why = format!("`{member}` is missing or no string");
    std::future::ready(ToolOutcome::failed("InvalidArguments", why)).boxed()
}

fn answer(
    run: &Weak<RunContext>,
    arguments: &Value,
    ask: impl FnOnce(&SkillParts, &SkillCall<'_>) -> Result<String, String>,
) -> BoxFuture<'static, ToolOutcome> {
    let Some(name) = arguments.get("name").and_then(Value::as_str) else { return refused("name") };
    let Some(run) = run.upgrade() else {
        return std::future::ready(ToolOutcome::aborted()).boxed();
    };
    let parts = run.parts();
    let call = SkillCall { run: &run, name };
    let outcome = match ask(&parts.skills, &call) {
        Ok(text) => ToolOutcome::Done(text),
        Err(why) => ToolOutcome::failed("SkillError", why),
    };
    std::future::ready(outcome).boxed()
}
