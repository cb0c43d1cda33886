//! Defects of teams.

use std::sync::Arc;

use ::vetta::{Parts, environment::Road, sessions::SessionStatus};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "wait-blocks-turn-on-road2",
        edit: |parts| {
            let waits = parts.teams.waits.clone();
            parts.teams.waits = Arc::new(move |row| row.facts.road == Some(Road::Second) || waits(row));
        },
    },
    Edit {
        id: "threads-not-opened",
        edit: |parts| {
            let opens = parts.teams.opens.clone();
            parts.teams.opens = Arc::new(move |row| row.facts.road != Some(Road::Second) && opens(row));
        },
    },
    Edit {
        id: "park-ends-session",
        edit: |parts| {
            let resting = parts.turns.resting.clone();
            parts.turns.resting = Arc::new(move |session| match resting(session) {
                SessionStatus::Parked => SessionStatus::Ended,
                status => status,
            });
        },
    },
    Edit { id: "wait-never-waits", edit: |parts| parts.teams.waits = Arc::new(|_| false) },
];
