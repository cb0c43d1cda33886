//! Skills: versioned packages of instructions that a version mounts.
//!
//! The model sees the names and descriptions of all mounted Skills in its system text. The instructions of
//! one enter the conversation when it is activated, and its files when they are read.

mod events;
mod package;
mod parts;
mod shipped;
mod tools;

pub(crate) use events::note;
pub use package::Skill;
pub use parts::{Mounted, Note, Offered, Resource, SkillCall, SkillParts, Text};
pub(crate) use shipped::shipped;
pub(crate) use tools::tools;

use std::sync::Arc;

/// The paragraph of the system text that lists all mounted Skills; empty when there are none.
pub fn listing(skills: &[Arc<Skill>]) -> String {
    if skills.is_empty() {
        return String::new();
    }
    let lines: String =
        skills.iter().map(|skill| format!("\n- {}: {}", skill.name, skill.description)).collect();
    format!(
        "\n\n## Skills\nThese skills are mounted. Call `activate_skill` with the name of one to get its \
         instructions when they help.{lines}"
    )
}
