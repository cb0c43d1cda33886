//! Script files as they are written.

use std::{
    ffi::OsString,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::RecordError;
use crate::script::Script;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    #[default]
    Refuse,
    /// What it says stays, and more is added.
    Extend,
    /// Something else takes its place.
    Replace,
}

/// Writes a script to a file, as JSON, which is YAML as well. The file is there whole or not at all.
///
/// With [`Existing::Extend`] nothing is added: two scripts do not make one.
pub fn save(script: &Script, file: &Path, existing: Existing) -> Result<(), RecordError> {
    if existing != Existing::Replace {
        refuse(file)?;
    }
    write(script, file)
}

/// Says no to a file that is there.
pub(super) fn refuse(file: &Path) -> Result<(), RecordError> {
    match fs::symlink_metadata(file) {
        Ok(_) => Err(RecordError::Exists { file: file.to_owned() }),
        Err(_) => Ok(()),
    }
}

/// Says no to a file that cannot be written for want of a folder.
pub(super) fn has_folder(file: &Path) -> Result<(), RecordError> {
    let (folder, _) = parts(file)?;
    if file.is_dir() {
        return Err(unwritten(file, &"it is a folder"));
    }
    let is_there = folder.as_os_str().is_empty() || folder.is_dir();
    if is_there { Ok(()) } else { Err(unwritten(file, &format!("there is no folder {}", folder.display()))) }
}

/// Writes a script beside its place, and then puts it there.
pub(super) fn write(script: &Script, file: &Path) -> Result<(), RecordError> {
    let text = serde_json::to_string_pretty(script).map_err(|error| unwritten(file, &error))? + "\n";
    let (folder, name) = parts(file)?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".part");
    let beside = folder.join(hidden);
    put(&beside, text.as_bytes()).and_then(|()| fs::rename(&beside, file)).map_err(|error| {
        // What is half written is of use to nobody; it may not even be there.
        let _ = fs::remove_file(&beside);
        unwritten(file, &error)
    })
}

fn put(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut open = fs::File::create(file)?;
    open.write_all(bytes)?;
    open.sync_all()
}

/// The folder of a file and its name in it.
fn parts(file: &Path) -> Result<(PathBuf, OsString), RecordError> {
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => Ok((folder.to_owned(), name.to_owned())),
        _ => Err(unwritten(file, &"it is no file name")),
    }
}

fn unwritten(file: &Path, reason: &dyn std::fmt::Display) -> RecordError {
    RecordError::Write { file: file.to_owned(), reason: reason.to_string() }
}
