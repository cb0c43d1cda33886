//! What a scripted model asks for: calls of tools, calls of operations, and the end of a loop.

use model::{Answer, Conditions, Script, ScriptError, ToolCall, Turn, script::Stream};
use serde_json::{Value, json};

use super::runs::parent;

/// A call of the parent: its id, the operation's key, and the task. Scripts know a scratch loop by its task, so
/// no task may be a part of another one.
pub(crate) type Asked<'a> = (&'a str, &'a str, &'a str);

/// An answer that calls one tool.
pub(crate) fn call(id: &str, tool: &str, arguments: impl Into<Value>) -> Answer {
    Answer::new().call(ToolCall::new(id, tool, arguments))
}

/// A loop returns `{"answer": answer}`; `id` names the call.
pub(crate) fn finish_as(id: &str, answer: &str) -> Answer {
    call(id, "finish", json!({"answer": answer}))
}

/// As [`finish_as`], with a call that is named after the answer.
pub(crate) fn finish(answer: &str) -> Answer {
    finish_as(&format!("finish_{answer}"), answer)
}

/// A loop gives up for this reason; `id` names the call.
pub(crate) fn give_up_for(id: &str, reason: &str) -> Answer {
    call(id, "give_up", json!({"reason": reason}))
}

/// A loop reads one file.
pub(crate) fn read_one(id: &str, path: &str) -> Answer {
    call(id, "read", json!({"path": path}))
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

/// The parent asks for all of `calls` in one turn.
pub(crate) fn ask(calls: &[Asked<'_>]) -> Answer {
    let call = |answer: Answer, (id, key, task): &Asked<'_>| {
        answer.call(ToolCall::new(*id, *key, json!({"task": task})))
    };
    calls.iter().fold(Answer::new(), call)
}

/// Requests with results for all of `calls`.
pub(crate) fn told(when: Conditions, calls: &[Asked<'_>]) -> Conditions {
    calls.iter().fold(when, |when, (id, _, _)| when.tool_result_for(*id))
}

/// The parent asks for all of `calls` in one turn and ends once it has all their results. `names` are those of
/// the script and of the two turns.
pub(crate) fn in_one_turn(
    [name, asks, ends]: [&str; 3],
    calls: &[Asked<'_>],
    scratch: impl IntoIterator<Item = Turn>,
) -> Result<Script, ScriptError> {
    let parents = [
        Turn::new(asks, ask(calls)).when(parent().no_tool_results()),
        Turn::new(ends, Answer::new().text("Done.")).when(told(parent(), calls)),
    ];
    Script::new(name, parents.into_iter().chain(scratch))
}
