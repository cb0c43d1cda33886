//! The Skills of a scratch loop (OAO-08, OAO-19).

use engine::{Driver, Drove};
use model::Turn;
use recording::{Judged, Recording};
use serde_json::json;
use spec::Spec;

use super::{
    inner::{self, at_once, call, finish, must_scratch, scratch},
    packages::{INTAKE, INTAKE_NEXT, NOTES, Package, TABLES, mount},
    runs::{at, must_ask, readable, results},
};
use crate::table::checks;

checks! { Oao:
    "OAO-08-a" => three_are_mounted_and_one_is_mentioned, all_three_are_listed;
    "OAO-19-a" => the_first_version_is_activated_inside, its_own_text_is_read;
}

/// Everything that is mounted for [`OAO-08-a`].
const ALL: [&Package; 3] = [&INTAKE, &TABLES, &NOTES];

async fn three_are_mounted_and_one_is_mentioned(driver: &Driver<'_>) -> Drove {
    let instructions = format!("Activate the skill {} when it helps. Return the answer.", TABLES.name);
    let config = mount(driver, readable(driver, &inner::instructed(&instructions)), &ALL);
    inner::run(driver, &config, inner::script(at_once())).await
}

/// A Skill of `packages` that a request does not list.
pub(super) fn not_listed<'a>(turn: &recording::ModelTurn, packages: &[&'a Package]) -> Option<&'a str> {
    let mounted = inner::mounted(turn);
    packages.iter().map(|package| package.name).find(|name| !mounted.contains(name))
}

fn all_three_are_listed(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop does not see every Skill that is mounted";
    let (parent, told) = must_ask(recording, "parent-1", "the run did not ask the model")?;
    if let Some(missing) = not_listed(told, &ALL) {
        let expected = format!("the Skill {missing} in the system text or among the tools");
        return Err(at(&parent, "a mounted Skill is not listed", expected, inner::mounted(told)).into());
    }
    let (seen, inside) = must_scratch(recording, |_| true, "the scratch loop did not ask the model")?;
    match not_listed(inside, &ALL) {
        None => Ok(parent.witness().and(seen.witness())),
        Some(missing) => {
            let expected = format!("the Skill {missing} in the system text or among the tools");
            Err(at(&seen, message, expected, inner::mounted(inside)).into())
        }
    }
}

/// The second version of the Skill is published already; the agent mounts the first.
async fn the_first_version_is_activated_inside(driver: &Driver<'_>) -> Drove {
    let activate = call("activate", "activate_skill", json!({"name": INTAKE.name}));
    let inside = vec![
        Turn::new("scratch-1", activate).when(scratch().no_tool_results()),
        Turn::new("scratch-2", finish()).when(scratch().tool_result_for("activate")),
    ];
    let config = mount(driver, readable(driver, &inner::operations()), &[&INTAKE]);
    inner::run(driver, &config, inner::script(inside)).await
}

fn its_own_text_is_read(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop read another version of a Skill than the one that is mounted";
    let (seen, inside) =
        must_ask(recording, "scratch-2", "a Skill could not be activated in a scratch loop")?;
    let text = results(inside, "activate").join("\n") + inner::system(inside);
    if text.contains(INTAKE.word) && !text.contains(INTAKE_NEXT.word) {
        return Ok(seen.witness());
    }
    Err(at(&seen, message, format!("the text with the word {}", INTAKE.word), text).into())
}
