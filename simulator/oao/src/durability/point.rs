//! The places at which a worker may be made to die.

use std::{fmt, str::FromStr};

/// A durability boundary of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// Messages are about to be recorded.
    MessageBeforeAppend,
    /// Messages are recorded, and nothing has come of them yet.
    MessageAfterAppend,
    /// A call has ended, and its end is not recorded.
    CallBeforeRecord,
    /// The end of a call is recorded, and its loop does not have it yet.
    CallAfterRecord,
}

/// A name that is no crash point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no crash point; there are {names}", names = Point::ALL.map(Point::name).join(", "))]
pub struct UnknownPoint(pub String);

impl Point {
    /// Every point.
    pub const ALL: [Self; 4] =
        [Self::MessageBeforeAppend, Self::MessageAfterAppend, Self::CallBeforeRecord, Self::CallAfterRecord];

    /// Its name: `call.before_record`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MessageBeforeAppend => "message.before_append",
            Self::MessageAfterAppend => "message.after_append",
            Self::CallBeforeRecord => "call.before_record",
            Self::CallAfterRecord => "call.after_record",
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Point {
    type Err = UnknownPoint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|point| point.name() == text);
        found.ok_or_else(|| UnknownPoint(text.to_owned()))
    }
}
