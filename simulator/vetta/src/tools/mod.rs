//! The tools of a loop: its own, the platform's, and what is contributed; who may call them, and how.

mod built_in;
mod candidate;
mod desk;
mod effects;
mod gate;
mod mount;
mod native;
mod policy;
mod remote;
mod second_road;

pub use built_in::built_ins;
pub use candidate::{Candidate, Contributing, Contributor, Origin, Run};
pub use effects::{Effect, Effects};
pub use native::native;
pub use policy::{Standing, ToolRules, standing};
pub use remote::Remote;

pub(crate) use desk::Desk;
pub(crate) use gate::Gate;
pub(crate) use mount::mount;
