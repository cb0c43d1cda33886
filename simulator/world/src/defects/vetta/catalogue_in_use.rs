//! Defects that show when a loop is used.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use ::vetta::{Parts, Refusal, harness::Maturity};

use super::{
    super::Edit,
    steps::{add_step, is_on},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "catalogue-drifts-with-usage", edit: hide_loops_in_use },
    Edit {
        id: "preview-treated-as-disabled",
        edit: |parts| {
            add_step(parts, "approvals", "preview", |applicant| {
                if is_on(applicant, |row| row.harness.status == Maturity::Preview) {
                    return Err(Refusal::not_runnable("the loop is in preview"));
                }
                Ok(())
            });
        },
    },
];

/// A loop has room for one session. While it has none left, it is not listed.
fn hide_loops_in_use(parts: &mut Parts) {
    let taken: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let (seen, open) = (taken.clone(), parts.sessions.open.clone());
    parts.sessions.open = Arc::new(move |opening| {
        let session = open(opening)?;
        seen.lock().unwrap_or_else(PoisonError::into_inner).insert(session.row.harness.base.clone());
        Ok(session)
    });
    let list = parts.catalogue.list.clone();
    parts.catalogue.list = Arc::new(move |caller, query| {
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        list(caller, query).into_iter().filter(|row| !taken.contains(&row.harness.base)).collect()
    });
}
