//! Defects of single claims: each makes one flag of one loop untrue.

use std::sync::Arc;

use ::vetta::{Parts, agents::Permission, tools::Origin};

use super::{
    super::Edit,
    steps::{around_step, is_on, is_on_account, is_second_road},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "spare-loop-never-asks", edit: never_ask },
    Edit {
        id: "refusal-without-code",
        edit: |parts| {
            around_step(parts, "structured_output", |judge, applicant| {
                let silent = is_on(applicant, |row| is_second_road(row) && row.harness.runnable);
                judge(applicant).map_err(|mut refusal| {
                    if silent {
                        refusal.code = "";
                    }
                    refusal
                })
            });
        },
    },
    Edit {
        id: "deltas-without-the-flag",
        edit: |parts| {
            let streams = parts.turns.streams.clone();
            parts.turns.streams = Arc::new(move |session| is_second_road(&session.row) || streams(session));
        },
    },
    Edit { id: "spare-loop-gets-no-team", edit: leave_the_team_out },
];

fn never_ask(parts: &mut Parts) {
    let standing = parts.tools.standing.clone();
    parts.tools.standing = Arc::new(move |asked| match standing(asked) {
        Some(Permission::Ask) if is_on_account(asked.row) => Some(Permission::Allow),
        permission => permission,
    });
}

fn leave_the_team_out(parts: &mut Parts) {
    let standing = parts.tools.standing.clone();
    parts.tools.standing = Arc::new(move |asked| {
        let left_out = is_on_account(asked.row) && asked.candidate.origin == Origin::Team;
        standing(asked).filter(|_| !left_out)
    });
}
