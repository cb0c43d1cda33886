//! Recordings as a file: one JSON object per line.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use spec::Contract;

use crate::{Bodies, Body, BodyRef, Entry, Recording, Scope, TargetFacts};

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
    /// The last line.
    End {
        /// How many checks the file has.
        checks: usize,
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
    /// What is agreed about the verdicts on it.
    pub scope: Scope,
}

impl Provenance {
    /// A header for a new file.
    pub fn new(suite: &str, contract: Contract, seed: u64, target: TargetFacts, scope: Scope) -> Self {
        Self { schema: SCHEMA.to_owned(), suite: suite.to_owned(), contract, seed, target, scope }
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
    /// The end is missing.
    #[error("the last line is missing: the file was cut")]
    Cut,
    /// A line that stands where it may not.
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
    let (mut written, mut checks) = (std::collections::BTreeSet::new(), 0);
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
        checks += 1;
    }
    put(&Line::End { checks })
}

/// Reads a file of recordings. It has to be whole: every check once, every body what its name says, every
/// body that an entry names, and the last line.
pub fn read_lines(input: impl BufRead) -> Result<(Provenance, Vec<Recording>), LinesError> {
    let mut reader = Reader::default();
    for (at, text) in input.lines().enumerate() {
        let line = at + 1;
        let text = match text {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(LinesError::Malformed { line, reason: "not UTF-8".to_owned() });
            }
            Err(error) => return Err(error.into()),
        };
        match serde_json::from_str(&text) {
            Ok(parsed) => reader.take(line, parsed)?,
            Err(_) if reader.header.is_none() => return Err(no_header(&text)),
            Err(error) => return Err(LinesError::Malformed { line, reason: error.to_string() }),
        }
    }
    match reader.header {
        None => Err(LinesError::NoHeader),
        Some(_) if !reader.ended => Err(LinesError::Cut),
        Some(header) => Ok((header, reader.recordings)),
    }
}

/// A first line that is no header of ours may be one of another version.
fn no_header(text: &str) -> LinesError {
    let line: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    match line.get("schema").and_then(serde_json::Value::as_str) {
        Some(found) if found != SCHEMA => LinesError::OtherVersion { found: found.to_owned() },
        _ => LinesError::NoHeader,
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    header: Option<Provenance>,
    bodies: Bodies,
    recordings: Vec<Recording>,
    ended: bool,
}

impl Reader {
    fn take(&mut self, line: usize, parsed: Line) -> Result<(), LinesError> {
        let disordered = |reason| Err(LinesError::Disordered { line, reason });
        let Some(header) = &self.header else {
            return match parsed {
                Line::Header(found) if found.schema == SCHEMA => {
                    self.header = Some(found);
                    Ok(())
                }
                Line::Header(found) => Err(LinesError::OtherVersion { found: found.schema }),
                _ => Err(LinesError::NoHeader),
            };
        };
        if self.ended {
            return disordered("something after the last line");
        }
        match parsed {
            Line::Header(_) => return disordered("a second header"),
            Line::Body { name, body } => {
                if self.bodies.put(body) != name {
                    return disordered("a body that is not what its name says");
                }
            }
            Line::Check { check, .. } if self.recordings.iter().any(|known| known.check == check) => {
                return disordered("a check that was there before");
            }
            Line::Check { check, token } => {
                let target = header.target.clone();
                let (entries, bodies) = (Vec::new(), Bodies::default());
                self.recordings.push(Recording { check, token, target, entries, bodies });
            }
            Line::Entry { entry } => {
                let Some(recording) = self.recordings.last_mut() else {
                    return disordered("an entry before any check");
                };
                for name in entry.bodies() {
                    let Some(body) = self.bodies.get(name) else {
                        return disordered("an entry that names a body that is not there");
                    };
                    recording.bodies.put(body.clone());
                }
                recording.entries.push(*entry);
            }
            Line::End { checks } if checks == self.recordings.len() => self.ended = true,
            Line::End { .. } => return disordered("the last line counts other checks than there are"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Exchange, Lane, Question, Reception, What};

    fn facts() -> TargetFacts {
        TargetFacts {
            name: "a".to_owned(),
            version: "1".to_owned(),
            contract: Contract::Vetta,
            lane: Lane::Virtual,
            claims: Default::default(),
            credentials: Default::default(),
            settings: Default::default(),
        }
    }

    fn recording(check: &str) -> Recording {
        let mut bodies = Bodies::default();
        let body = Some(bodies.put(Body::new(b"{}")));
        let question =
            Question { method: "GET".to_owned(), path: "/".to_owned(), headers: Vec::new(), body: None };
        let outcome = Reception::Answered(Answer { status: 200, headers: Vec::new(), body });
        let entry = |what| Entry { at_ms: 0, label: "seen".to_owned(), case: None, what };
        let entries = vec![
            entry(What::Exchange(Box::new(Exchange { question, outcome }))),
            entry(What::End { entries: 1 }),
        ];
        Recording { check: check.to_owned(), token: "t".to_owned(), target: facts(), entries, bodies }
    }

    fn written() -> String {
        let header = Provenance::new("1", Contract::Vetta, 1, facts(), Scope::default());
        let mut file = Vec::new();
        write_lines(&mut file, &header, &[recording("VET-01-a"), recording("VET-01-b")]).unwrap();
        String::from_utf8(file).unwrap()
    }

    fn read(text: &str) -> Result<Vec<Recording>, LinesError> {
        read_lines(text.as_bytes()).map(|(_, recordings)| recordings)
    }

    #[test]
    fn what_is_written_reads_back() {
        assert_eq!(read(&written()).unwrap(), [recording("VET-01-a"), recording("VET-01-b")]);
    }

    #[test]
    fn a_file_that_lacks_a_line_or_has_one_twice_is_refused_or_seen_to_be_broken() {
        let text = written();
        let lines: Vec<&str> = text.lines().collect();
        let broken = |lines: Vec<&str>| match read(&lines.join("\n")) {
            Err(_) => true,
            Ok(recordings) => recordings.iter().any(|recording| !recording.is_whole()),
        };
        for at in 0..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            assert!(broken(fewer), "without line {}: {}", at + 1, lines[at]);
            let mut more = lines.clone();
            more.insert(at, lines[at]);
            // A body that is there twice says nothing new.
            assert!(
                broken(more) || lines[at].contains("\"line\":\"body\""),
                "twice line {}: {}",
                at + 1,
                lines[at]
            );
            assert!(broken(lines[..at].to_vec()), "cut before line {}", at + 1);
        }
    }

    #[test]
    fn a_body_is_what_its_name_says() {
        let changed = written().replace(r#""text":"{}""#, r#""text":"[]""#);
        assert!(read(&changed).unwrap_err().to_string().contains("not what its name says"));
    }

    #[test]
    fn another_version_is_named() {
        let other = r#"{"line":"header","schema":"proofhouse.recording/9"}"#;
        assert!(matches!(read(other), Err(LinesError::OtherVersion { .. })));
        assert!(matches!(read("{}"), Err(LinesError::NoHeader)));
    }
}
