//! Wrong ways to ask for approvals.

use std::time::Duration;

use oao::Parts;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "approval-not-asked", edit: |parts| parts.approvals.asked = |_| false },
    Edit { id: "denied-tool-runs", edit: |parts| parts.approvals.allows = |_| true },
    Edit {
        id: "approval-never-expires",
        edit: |parts| parts.approvals.lasts = Duration::from_secs(365 * 24 * 60 * 60),
    },
    Edit { id: "deadline-runs-while-approval-waits", edit: |parts| parts.runs.deadline_stands = |_| false },
    Edit { id: "decision-changed-later", edit: |parts| parts.approvals.open = |_| true },
];
