//! Edits of what the catalogue holds and of what it shows, for the defects of several topics.

use std::{collections::BTreeMap, sync::Arc};

use ::vetta::{Caller, Environment, Parts, catalogue::View, environment::Row, http::Query};
use serde_json::Value;

/// The row that other checks rely on least: its loop can do what `pi` can do. What is wrong with its entry
/// alone spoils nothing else.
pub(super) const SPARE: &str = "sim-byo";

/// Edits every environment, so that all of the server goes by the change.
pub(super) fn edit_environments(parts: &mut Parts, edit: fn(&mut Environment)) {
    let keys: Vec<(String, Caller)> =
        parts.keyring.iter().map(|(key, caller)| (key.to_owned(), caller.clone())).collect();
    let mut edited: BTreeMap<String, Arc<Environment>> = BTreeMap::new();
    for (key, caller) in keys {
        let environment = edited.entry(caller.environment.name.clone()).or_insert_with(|| {
            let mut environment = Environment::clone(&caller.environment);
            edit(&mut environment);
            Arc::new(environment)
        });
        parts.keyring.grant(key, caller.account, environment.clone());
    }
}

/// Changes the wire objects of the rows; nothing else of the server knows.
pub(super) fn rewrite_entries(parts: &mut Parts, rewrite: fn(&Row, View, &mut Value)) {
    let render = parts.catalogue.render.clone();
    parts.catalogue.render = Arc::new(move |row, view| {
        let mut entry = render(row, view);
        rewrite(row, view, &mut entry);
        entry
    });
}

/// Changes which rows the list holds; a read by id does not know.
pub(super) fn rewrite_list(parts: &mut Parts, rewrite: fn(&Caller, &Query, &mut Vec<Row>)) {
    let list = parts.catalogue.list.clone();
    parts.catalogue.list = Arc::new(move |caller, query| {
        let mut rows = list(caller, query);
        rewrite(caller, query, &mut rows);
        rows
    });
}
