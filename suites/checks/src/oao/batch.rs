//! Scripts in which the parent asks for several operations in one turn.

use model::{Answer, Script, ScriptError, Turn};

pub(crate) use super::{
    asking::{Asked, ask, finish, read, taking, told},
    runs::{parent, scratch},
};

use super::asking::{give_up_for, in_one_turn};

/// A scratch loop gives up. `id` names the call.
pub(crate) fn give_up(id: &str) -> Answer {
    give_up_for(id, "nothing to be found")
}

/// The parent asks for all of `calls` in one turn, as `parent-1`, and ends once it has all their results, as
/// `parent-2`.
pub(crate) fn batch(calls: &[Asked<'_>], scratch: Vec<Turn>) -> Result<Script, ScriptError> {
    in_one_turn(["one batch", "parent-1", "parent-2"], calls, scratch)
}
