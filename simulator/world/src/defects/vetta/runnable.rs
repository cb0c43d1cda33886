//! Defects of `runnable`.

use ::vetta::Parts;

use super::{super::Edit, rows::rewrite_list};

pub(super) const DEFECTS: &[Edit<Parts>] = &[Edit {
    id: "hides-non-runnable",
    edit: |parts| rewrite_list(parts, |_, _, rows| rows.retain(|row| row.harness.runnable)),
}];
