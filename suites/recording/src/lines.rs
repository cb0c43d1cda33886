//! Recordings as a file: one JSON object per line.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use spec::Contract;

use crate::{Bodies, Body, BodyRef, Entry, Recording, TargetFacts};

/// The version of the file format.
const SCHEMA: &str = "proofhouse.recording/1";

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// The first line: what the file is.
    Header(Provenance),
    /// A body, before the first entry that names it.
    Body {
        /// Its digest.
        name: BodyRef,
        /// The body.
        body: Body,
    },
    /// A check begins.
    Check {
        /// Its id.
        check: String,
        /// Its token.
        token: String,
    },
    /// Something happened in the check that began last.
    Entry {
        /// What.
        entry: Box<Entry>,
    },
}

/// What a file of recordings is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of the file format.
    pub schema: String,
    /// The version of the suite that wrote it.
    pub suite: String,
    /// The contract.
    pub contract: Contract,
    /// The seed of the run.
    pub seed: u64,
    /// What is known of the target.
    pub target: TargetFacts,
}

impl Provenance {
    /// A header for a new file.
    pub fn new(suite: &str, contract: Contract, seed: u64, target: TargetFacts) -> Self {
        Self { schema: SCHEMA.to_owned(), suite: suite.to_owned(), contract, seed, target }
    }
}

/// A file that is no recording.
#[derive(Debug, thiserror::Error)]
pub enum LinesError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is not one of ours.
    #[error("line {line}: not a line of a recording: {reason}")]
    Malformed {
        /// Line number, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// The first line is not a header.
    #[error("line 1: a recording begins with a header line; is this a recording.jsonl of `proofhouse run`?")]
    NoHeader,
    /// The file was written by another version.
    #[error("line 1: written as `{found}`, and this version reads `{SCHEMA}`")]
    OtherVersion {
        /// What the header says.
        found: String,
    },
    /// An entry before any check, or a second header.
    #[error("line {line}: {reason}")]
    Disordered {
        /// Line number, from 1.
        line: usize,
        /// What stands where it may not.
        reason: &'static str,
    },
}

/// Writes a file of recordings. Each body is written once, before the first check that names it.
pub fn write_lines<'a>(
    out: &mut impl Write,
    header: &Provenance,
    recordings: impl IntoIterator<Item = &'a Recording>,
) -> io::Result<()> {
    let mut put = |line: &Line| -> io::Result<()> {
        serde_json::to_writer(&mut *out, line)?;
        out.write_all(b"\n")
    };
    put(&Line::Header(header.clone()))?;
    let mut written = std::collections::BTreeSet::new();
    for recording in recordings {
        for (name, body) in recording.bodies.iter() {
            if written.insert(name.clone()) {
                put(&Line::Body { name: name.clone(), body: body.clone() })?;
            }
        }
        put(&Line::Check { check: recording.check.clone(), token: recording.token.clone() })?;
        for entry in &recording.entries {
            put(&Line::Entry { entry: Box::new(entry.clone()) })?;
        }
    }
    Ok(())
}

/// Reads a file of recordings.
pub fn read_lines(input: impl BufRead) -> Result<(Provenance, Vec<Recording>), LinesError> {
    let mut header: Option<Provenance> = None;
    let mut bodies = Bodies::default();
    let mut recordings: Vec<Recording> = Vec::new();
    for (at, text) in input.lines().enumerate() {
        let line = at + 1;
        let text = match text {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(LinesError::Malformed { line, reason: "not UTF-8".to_owned() });
            }
            Err(error) => return Err(error.into()),
        };
        let parsed: Line = match serde_json::from_str(&text) {
            Ok(parsed) => parsed,
            Err(_) if header.is_none() => return Err(LinesError::NoHeader),
            Err(error) => return Err(LinesError::Malformed { line, reason: error.to_string() }),
        };
        match (parsed, &header) {
            (Line::Header(found), None) if found.schema == SCHEMA => header = Some(found),
            (Line::Header(found), None) => return Err(LinesError::OtherVersion { found: found.schema }),
            (Line::Header(_), Some(_)) => {
                return Err(LinesError::Disordered { line, reason: "a second header" });
            }
            (_, None) => return Err(LinesError::NoHeader),
            (Line::Body { name, body }, _) => bodies.insert(name, body),
            (Line::Check { check, token }, Some(header)) => recordings.push(Recording {
                check,
                token,
                target: header.target.clone(),
                entries: Vec::new(),
                bodies: Bodies::default(),
            }),
            (Line::Entry { entry }, _) => match recordings.last_mut() {
                Some(recording) => recording.entries.push(*entry),
                None => return Err(LinesError::Disordered { line, reason: "an entry before any check" }),
            },
        }
    }
    for recording in &mut recordings {
        recording.bodies = bodies.clone();
    }
    Ok((header.ok_or(LinesError::NoHeader)?, recordings))
}
