//! Defects of billing.

use std::sync::Arc;

use ::vetta::{Parts, billing::tokens};

use super::{super::Edit, steps::is_second_road};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "account-billing-still-metered",
        edit: |parts| parts.bills.charge = Arc::new(|_, usage| tokens(usage).max(1)),
    },
    Edit {
        id: "usage-never-metered",
        edit: |parts| {
            let charge = parts.bills.charge.clone();
            parts.bills.charge =
                Arc::new(move |row, usage| if is_second_road(row) { 0 } else { charge(row, usage) });
        },
    },
];
