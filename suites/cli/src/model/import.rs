//! A script from a file of another tool.

use std::path::Path;

use model::record::{Existing, RecordError, save};

use super::Arguments;
use crate::{
    console::{complain, say},
    failure::{Done, Failure},
};

pub(super) fn import(arguments: &Arguments, file: &Path) -> Done {
    let imported = model::import::file(file, arguments.from).map_err(|error| Failure(error.to_string()))?;
    for note in &imported.notes {
        complain(&format!("note: {note}"));
    }
    let turns = imported.script.turns().len();
    match &arguments.out {
        None => say(&format!("{:#}", imported.script.to_json())),
        Some(out) => {
            let existing = if arguments.replace { Existing::Replace } else { Existing::Refuse };
            save(&imported.script, out, existing).map_err(|error| match error {
                RecordError::Exists { file } => {
                    Failure(format!("{} is there already; give --replace, or another --out", file.display()))
                }
                error => Failure(error.to_string()),
            })?;
            say(&format!("{} written to {}", crate::console::counted(turns, "turn"), out.display()));
        }
    }
    Ok(0)
}
