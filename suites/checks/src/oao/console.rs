//! What the console shows (OAO-42-a, 44-a, 59 to 69, 270 to 278).
//!
//! What has to be shown follows from the scripted run or the planted events, and from the events that the target
//! published itself.

mod content;
mod groups;
mod lifecycle;
mod modal;
mod old_sessions;
mod parallel;
mod plant;
mod play;
mod rows;
mod skill_content;
mod strays;
mod tool_rows;
mod versions;
pub(super) mod view;

use engine::Check;

/// The checks of this topic.
pub(super) fn checks() -> Vec<Check> {
    [
        versions::CHECKS,
        rows::CHECKS,
        modal::CHECKS,
        parallel::CHECKS,
        content::CHECKS,
        skill_content::CHECKS,
        tool_rows::CHECKS,
        old_sessions::CHECKS,
        lifecycle::CHECKS,
        groups::PROPERTIES,
        strays::PROPERTIES,
    ]
    .concat()
}
