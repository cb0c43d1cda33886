//! The files of a session.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;

/// An in-memory file tree, shared by every loop of a session. Clones are the same tree.
///
/// Paths are relative to its root: `a/b.txt`, `./a/b.txt` and `/a/b.txt` are one file.
#[derive(Clone, Debug, Default)]
pub struct Workspace(Arc<Mutex<BTreeMap<String, Bytes>>>);

/// A path that names no place in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// Nothing is left of it.
    #[error("the path is empty")]
    Empty,
    /// It climbs out of the root.
    #[error("the path `{0}` leaves the workspace")]
    Outside(String),
}

impl Workspace {
    /// The file at `path`, if there is one.
    pub fn read(&self, path: &str) -> Result<Option<Bytes>, BadPath> {
        let path = normalise(path)?;
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned())
    }

    /// Writes a file, replacing what was there.
    pub fn write(&self, path: &str, content: impl Into<Bytes>) -> Result<(), BadPath> {
        let path = normalise(path)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path, content.into());
        Ok(())
    }

    /// All paths, in order.
    pub fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// A tree of its own with the same files.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())))
    }
}

fn normalise(path: &str) -> Result<String, BadPath> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(|| BadPath::Outside(path.to_owned()))?;
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Err(BadPath::Empty);
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_are_one_file() {
        let files = Workspace::default();
        files.write("./a//b.txt", "x").unwrap();
        for path in ["a/b.txt", "/a/b.txt", "a/./b.txt", "a/c/../b.txt"] {
            assert_eq!(files.read(path).unwrap(), Some(Bytes::from_static(b"x")), "{path}");
        }
        assert_eq!(files.paths(), ["a/b.txt"]);
    }

    #[test]
    fn paths_that_name_nothing_are_refused() {
        let files = Workspace::default();
        assert_eq!(files.read("/"), Err(BadPath::Empty));
        assert!(matches!(files.write("../x", "y"), Err(BadPath::Outside(_))));
    }

    #[test]
    fn a_fork_is_a_tree_of_its_own() {
        let files = Workspace::default();
        files.write("a", "1").unwrap();
        let fork = files.fork();
        fork.write("a", "2").unwrap();
        assert_eq!(files.read("a").unwrap(), Some(Bytes::from_static(b"1")));
    }
}
