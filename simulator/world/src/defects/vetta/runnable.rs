//! Defects of `runnable`.

use std::sync::Arc;

use ::vetta::{
    Environment, Fault, Parts, Refusal,
    environment::{Road, Row},
    harness::Location,
};
use serde_json::json;

use super::{
    super::Edit,
    rows::{rewrite_entries, rewrite_list},
    steps::{add_guard, around_step, is_on, is_second_road},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "local-started-on-hosted", edit: start_local_on_hosted },
    Edit { id: "ghost-session-after-refusal", edit: insert_before_admission },
    Edit {
        id: "runnable-lies-true",
        edit: |parts| {
            rewrite_entries(parts, |row, _, entry| {
                if is_dark(row) && row.facts.road == Some(Road::First) {
                    entry["runnable"] = json!(true);
                }
            });
        },
    },
    Edit { id: "runnable-false-starts-anyway", edit: |parts| around_step(parts, "runnable", |_, _| Ok(())) },
    Edit {
        id: "runnable-false-generic-error",
        edit: |parts| {
            around_step(parts, "runnable", |judge, applicant| {
                let throws = is_on(applicant, |row| is_dark(row) && is_second_road(row));
                if throws { Err(Refusal::internal("no such image")) } else { judge(applicant) }
            });
        },
    },
    Edit {
        id: "501-names-nothing",
        edit: |parts| {
            around_step(parts, "runnable", |judge, applicant| {
                judge(applicant).map_err(|mut refusal| {
                    refusal.param = None;
                    refusal.message = "Not Implemented".to_owned();
                    refusal
                })
            });
        },
    },
    Edit {
        id: "non-runnable-refused-at-create",
        edit: |parts| {
            add_guard(parts, "runnable", |write| {
                is_dark(write.row).then(|| Fault::at("harness", "does not run in this environment"))
            });
        },
    },
    Edit {
        id: "hides-non-runnable",
        edit: |parts| rewrite_list(parts, |_, _, rows| rows.retain(|row| row.harness.runnable)),
    },
];

fn is_local(row: &Row) -> bool {
    row.harness.location == Location::Local
}

/// Whether the platform operates the loop and does not run it here.
fn is_dark(row: &Row) -> bool {
    !is_local(row) && !row.harness.runnable
}

fn start_local_on_hosted(parts: &mut Parts) {
    around_step(parts, "location", |_, _| Ok(()));
    around_step(
        parts,
        "runnable",
        |judge, applicant| {
            if is_on(applicant, is_local) { Ok(()) } else { judge(applicant) }
        },
    );
    let serving = parts.sessions.serving.clone();
    parts.sessions.serving = Arc::new(move |applicant| match applicant.row.filter(|row| is_local(row)) {
        Some(row) => Some(most_similar(&applicant.caller.environment, row)),
        None => serving(applicant),
    });
}

/// The hosted row whose base begins most like that of `row`.
fn most_similar(environment: &Environment, row: &Row) -> Row {
    let common = |other: &Row| {
        let pairs = other.harness.base.bytes().zip(row.harness.base.bytes());
        pairs.take_while(|(one, two)| one == two).count()
    };
    let hosted = environment.rows.iter().filter(|other| !is_local(other) && other.harness.runnable);
    hosted.max_by_key(|other| common(other)).unwrap_or(row).clone()
}

/// A start on a local loop leaves its session behind, whatever admission says.
fn insert_before_admission(parts: &mut Parts) {
    let open = parts.sessions.open.clone();
    parts.sessions.open = Arc::new(move |opening| {
        if !is_on(&opening.applicant, is_local) {
            return open(opening);
        }
        let session = (opening.draft)()?;
        (opening.keep)(session.clone());
        (opening.admit)()?;
        Ok(session)
    });
}
