//! What happened in one check, and what was decided of it: plain data.
//!
//! A [`Recording`] is written by a drive and read by a judge. Nothing here talks to anything.

mod body;
mod claims;
mod entry;
mod facts;
mod lines;
mod outcome;
mod recording;
mod seen;
mod shapes;
mod timeline;
mod verdict;

pub use body::{Bodies, Body, BodyRef, Cut};
pub use claims::{ClaimAudit, ClaimCell, ClaimOutcome};
pub use entry::{
    Answer, CaseLabel, Entry, Exchange, FailureKind, ModelTurn, Question, Reception, Stop, What,
};
pub use facts::{Lane, Scope, TargetFacts};
pub use lines::{Line, LinesError, Provenance, read_lines, write_lines};
pub use outcome::{Counts, ExitCode, Outcome};
pub use recording::{CaseView, Recording};
pub use seen::{Seen, View};
pub use shapes::{ShapeViolation, Whose, shape_violations};
pub use timeline::{Bar, Timeline};
pub use verdict::{Finding, FindingKind, Judged, Status, Verdict, Witness};
