//! What became of exchanges.

use std::{fmt, path::PathBuf};

/// What became of one exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is a turn of the script, which is called so: `conversation/turn`.
    Recorded(String),
    /// It is no question to the model; it was passed on.
    PassedOn,
    /// One side broke off before the answer was whole. Nothing of it is in the script.
    Incomplete(String),
    /// The answer was passed on, but no turn can say it.
    Unreadable(String),
    /// The upstream did not answer; the client got an error that says so.
    Unreachable(String),
    /// The client's request was refused, and nothing was passed on.
    Refused(String),
}

/// One exchange and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Its number in the order of arrival, from 0.
    pub sequence: u64,
    /// Method and path, without what a query says.
    pub target: String,
    /// The status that the client got, when it got one.
    pub status: Option<u16>,
    /// What became of it.
    pub fate: Fate,
    /// What a script cannot say of it, and what went wrong when it was written down.
    pub notes: Vec<String>,
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sequence, target, status, fate, notes } = self;
        write!(f, "{sequence} {target}")?;
        if let Some(status) = status {
            write!(f, " {status}")?;
        }
        match fate {
            Fate::Recorded(turn) => write!(f, ": recorded as {turn}")?,
            Fate::PassedOn => f.write_str(": passed on")?,
            Fate::Incomplete(why) => write!(f, ": not recorded, {why}")?,
            Fate::Unreadable(why) => write!(f, ": not recorded, {why}")?,
            Fate::Unreachable(why) | Fate::Refused(why) => write!(f, ": {why}")?,
        }
        notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

/// What was recorded, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The script file.
    pub file: PathBuf,
    /// How many exchanges are in the script.
    pub recorded: u64,
    /// How many were only passed on.
    pub passed_on: u64,
    /// How many should be in the script and are not.
    pub missing: u64,
    /// How many have not ended.
    pub under_way: u64,
    /// The last of those that are missing or have notes, in the order in which they ended.
    pub noted: Vec<Exchange>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, recorded, passed_on, missing, under_way, noted } = self;
        if *recorded == 0 {
            f.write_str("nothing was recorded")?;
        } else {
            let s = if *recorded == 1 { "" } else { "s" };
            write!(f, "{recorded} exchange{s} recorded in {}", file.display())?;
        }
        for (count, what) in [(passed_on, "passed on"), (missing, "not recorded"), (under_way, "not ended")] {
            if *count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        noted.iter().try_for_each(|exchange| write!(f, "\n{exchange}"))
    }
}
