//! The folder of a run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use recording::{Outcome, Provenance, write_lines};
use serde::Serialize;
use spec::{Contract, Spec};

use crate::{Replay, Report, Summary, junit};

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", .path.display())]
pub struct FolderError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// Where a run leaves its files.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// Makes the folder, with those above it.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(failed(path))?;
        Ok(Self(path.to_owned()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the files of one contract: `report.json`, `junit.xml` and `recording.jsonl`.
    pub fn contract(
        &self,
        report: &Report,
        outcomes: &[Outcome],
        replay: &Replay,
        spec: &Spec,
    ) -> Result<(), FolderError> {
        let contract: Contract = report.contract;
        let folder = self.0.join(contract.name());
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        json(&folder.join("report.json"), report)?;
        let path = folder.join("junit.xml");
        let text = junit(contract, outcomes, replay, spec)
            .map_err(|error| FolderError { path: path.clone(), reason: error.to_string() })?;
        fs::write(&path, text).map_err(failed(&path))?;
        let path = folder.join("recording.jsonl");
        let header = Provenance::new(&report.suite.version, contract, report.seed, report.target.clone());
        let mut bytes = Vec::new();
        write_lines(&mut bytes, &header, outcomes.iter().map(|outcome| &outcome.recording))
            .map_err(failed(&path))?;
        fs::write(&path, bytes).map_err(failed(&path))
    }

    /// Writes `summary.json`.
    pub fn summary(&self, summary: &Summary) -> Result<(), FolderError> {
        json(&self.0.join("summary.json"), summary)
    }
}

fn json(path: &Path, value: &impl Serialize) -> Result<(), FolderError> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|error| failed(path)(io::Error::other(error)))?;
    text.push('\n');
    fs::write(path, text).map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError { path: path.clone(), reason: error.to_string() }
}
