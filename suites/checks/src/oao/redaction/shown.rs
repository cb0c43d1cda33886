//! What a console never shows of an invocation (OAO-300).

use engine::{Driver, Drove};
use recording::{Judged, Recording};
use spec::Spec;

use super::{ENDS, Public, none_of, planted, run::need_big_run, took_place};
use crate::{
    oao::{
        console::view::{Console, look},
        runs::{settle, start},
    },
    table::checks,
};

checks! { Oao:
    "OAO-300-e" => a_run_that_is_shown, nothing_that_was_planted_is_shown;
}

async fn a_run_that_is_shown(driver: &Driver<'_>) -> Drove {
    let agent = need_big_run(driver).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &ENDS.map(|(call, _)| call)).await;
    Ok(())
}

/// All that a console shows of invocations: their rows, their modals and their bars. What user and parent say
/// to each other it may show.
pub(super) fn texts<'a>(console: &Console<'a>) -> Vec<Public<'a>> {
    let shown = console.invocations().chain(console.modals()).chain(console.slots());
    shown.map(|part| (console.seen, part.to_string())).collect()
}

fn nothing_that_was_planted_is_shown(recording: &Recording, _: &Spec) -> Judged {
    let message = "what a run was given or said is in what the console shows of an invocation";
    let witness = took_place(recording)?;
    let console = Console::read(recording, "view")?;
    none_of(texts(&console), message, &planted(recording, |_| true)?)?;
    // An invocation that is not shown could not leak.
    for (call, _) in ENDS {
        console.row(call)?;
    }
    Ok(witness.and(console.seen.witness()))
}
