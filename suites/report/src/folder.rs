//! The folder of a run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use recording::{Outcome, Provenance, Scope, write_lines};
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

/// The files of a contract.
const FILES: [&str; 3] = ["report.json", "junit.xml", "recording.jsonl"];
/// The file of the whole run.
const SUMMARY: &str = "summary.json";

/// Where a run leaves its files.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// Makes the folder, with those above it. Files of an earlier run are taken away, so that what is there
    /// afterwards is of one run; nothing else in it is touched.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(failed(path))?;
        let of_contract = |contract: Contract| FILES.map(|name| path.join(contract.name()).join(name));
        let files = Contract::ALL.into_iter().flat_map(of_contract).chain([path.join(SUMMARY)]);
        for file in files {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&file)(error)),
                _ => {}
            }
        }
        for contract in Contract::ALL {
            // One that holds something else stays.
            let _ = fs::remove_dir(path.join(contract.name()));
        }
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
        scope: &Scope,
        spec: &Spec,
    ) -> Result<(), FolderError> {
        let contract: Contract = report.contract;
        let folder = self.0.join(contract.name());
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        json(&folder.join("report.json"), report)?;
        let path = folder.join("junit.xml");
        let text = junit(report, outcomes, replay, spec)
            .map_err(|error| FolderError { path: path.clone(), reason: error.to_string() })?;
        fs::write(&path, text).map_err(failed(&path))?;
        let path = folder.join("recording.jsonl");
        let header = Provenance::new(
            &report.suite.version,
            contract,
            report.seed,
            report.target.clone(),
            scope.clone(),
        );
        let mut bytes = Vec::new();
        write_lines(&mut bytes, &header, outcomes.iter().map(|outcome| &outcome.recording))
            .map_err(failed(&path))?;
        fs::write(&path, bytes).map_err(failed(&path))
    }

    /// Writes `summary.json`.
    pub fn summary(&self, summary: &Summary) -> Result<(), FolderError> {
        json(&self.0.join(SUMMARY), summary)
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
