//! Defects of the demand for approvals.

use std::sync::Arc;

use ::vetta::{
    Fault, Parts, Refusal,
    agents::{Permission, Verb},
    harness::{Capability, Execution},
    sessions::SessionStatus,
};

use super::{
    super::Edit,
    steps::{add_guard, around_step, demanded, is_on, is_second_road, not_declared},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "quiet-allow", edit: lower_to_allow },
    Edit { id: "late-refusal", edit: refuse_at_the_first_message },
    Edit { id: "refused-but-created", edit: keep_a_failed_session },
    Edit { id: "ask-rewritten-in-store", edit: rewrite_single_tools },
    Edit {
        id: "ask-refused-at-create",
        edit: |parts| {
            add_guard(parts, "approvals", |write| {
                let asks = write.merged.tools.permission == Permission::Ask;
                let unable = is_second_road(write.row) && !write.row.harness.capabilities.approvals;
                (write.verb == Verb::Post && asks && unable)
                    .then(|| Fault::at("harness", "cannot hold a call"))
            });
        },
    },
];

/// On the second road nobody asks whether the loop can hold a call.
fn skip_approvals_on_the_second_road(parts: &mut Parts) {
    around_step(
        parts,
        "approvals",
        |judge, applicant| {
            if is_on(applicant, is_second_road) { Ok(()) } else { judge(applicant) }
        },
    );
}

fn lower_to_allow(parts: &mut Parts) {
    skip_approvals_on_the_second_road(parts);
    parts.sessions.open = Arc::new(|opening| {
        (opening.admit)()?;
        let mut session = (opening.draft)()?;
        let tools = &mut session.agent.config.tools;
        if !session.row.harness.capabilities.approvals && tools.permission == Permission::Ask {
            tools.permission = Permission::Allow;
        }
        (opening.keep)(session.clone());
        Ok(session)
    });
}

fn refuse_at_the_first_message(parts: &mut Parts) {
    skip_approvals_on_the_second_road(parts);
    let takes_message = parts.sessions.takes_message.clone();
    parts.sessions.takes_message = Arc::new(move |session| {
        let asks = session.agent.config.tools.permission == Permission::Ask;
        if asks && !session.row.harness.capabilities.approvals {
            return Err(not_declared("the loop cannot hold a call"));
        }
        takes_message(session)
    });
}

/// A start on an isolate that cannot hold a call leaves a failed session behind.
fn keep_a_failed_session(parts: &mut Parts) {
    parts.sessions.open = Arc::new(|opening| {
        let refused: Option<Refusal> = (opening.admit)().err();
        let mut session = match &refused {
            Some(refusal) if !leaves_a_session(&opening.applicant) => return Err(refusal.clone()),
            _ => (opening.draft)()?,
        };
        if refused.is_some() {
            session.status = SessionStatus::Failed;
        }
        (opening.keep)(session.clone());
        refused.map_or(Ok(session), Err)
    });
}

fn leaves_a_session(applicant: &::vetta::admission::Applicant<'_>) -> bool {
    demanded(applicant, Capability::Approvals)
        && is_on(applicant, |row| row.harness.execution == Execution::Isolate)
}

/// The normaliser of single tools knows `deny`, and takes every other word for `allow`.
fn rewrite_single_tools(parts: &mut Parts) {
    let normalise = parts.agents.normalise.clone();
    parts.agents.normalise = Arc::new(move |rules, members| {
        let mut config = normalise(rules, members)?;
        for permission in config.tools.overrides.iter_mut().flat_map(|overrides| overrides.values_mut()) {
            if *permission != Permission::Deny {
                *permission = Permission::Allow;
            }
        }
        Ok(config)
    });
}
