//! Scripts in which the parent asks for several operations in one turn. Each scratch loop is known by its
//! task, so no task may be a part of another one.

use model::{Answer, Conditions, Script, ScriptError, ToolCall, Turn, script::Stream};
use serde_json::json;

pub(crate) use super::runs::{parent, scratch};

/// A call of the parent: its id, the operation's key, and the task.
pub(crate) type Asked<'a> = (&'a str, &'a str, &'a str);

/// Requests with results for all of `calls`.
pub(crate) fn told(mut when: Conditions, calls: &[Asked<'_>]) -> Conditions {
    for (id, _, _) in calls {
        when = when.tool_result_for(*id);
    }
    when
}

/// The parent asks for all of `calls` in one turn.
pub(crate) fn ask(calls: &[Asked<'_>]) -> Answer {
    let call = |answer: Answer, (id, key, task): &Asked<'_>| {
        answer.call(ToolCall::new(*id, *key, json!({"task": task})))
    };
    calls.iter().fold(Answer::new(), call)
}

/// A scratch loop returns `{"answer": answer}`.
pub(crate) fn finish(answer: &str) -> Answer {
    Answer::new().call(ToolCall::new(format!("finish_{answer}"), "finish", json!({"answer": answer})))
}

/// A scratch loop gives up. `id` names the call.
pub(crate) fn give_up(id: &str) -> Answer {
    Answer::new().call(ToolCall::new(id, "give_up", json!({"reason": "nothing to be found"})))
}

/// A loop reads all of `paths` in one turn; the calls are called `id`, the path's number and nothing else.
pub(crate) fn read(id: &str, paths: &[&str]) -> Answer {
    let call = |answer: Answer, (at, path): (usize, &&str)| {
        answer.call(ToolCall::new(format!("{id}_{at}"), "read", json!({"path": path})))
    };
    paths.iter().enumerate().fold(Answer::new(), call)
}

/// The model takes `ms` over its answer, so that who was at work when can be seen.
pub(crate) fn taking(ms: u32) -> Stream {
    Stream { first_ms: Some(ms), ..Stream::default() }
}

/// The parent asks for all of `calls` in one turn, as `parent-1`, and ends once it has all their results, as
/// `parent-2`.
pub(crate) fn batch(calls: &[Asked<'_>], scratch: Vec<Turn>) -> Result<Script, ScriptError> {
    let parents = [
        Turn::new("parent-1", ask(calls)).when(parent().no_tool_results()),
        Turn::new("parent-2", Answer::new().text("Done.")).when(told(parent(), calls)),
    ];
    Script::new("one batch", parents.into_iter().chain(scratch))
}
