//! The files of a session.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;

/// What a workspace was made from. Loops whose sandboxes have one identity may share a workspace; a
/// delegate that names another provider or snapshot gets one of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Who runs the sandbox.
    pub provider: String,
    /// The state that it began in.
    pub snapshot: String,
}

/// An in-memory file tree, shared by every loop of a session. Clones are the same tree.
///
/// Paths are relative to its root: `a/b.txt`, `./a/b.txt` and `/a/b.txt` are one file. Every change of a file
/// happens as a whole, so changes of one file come one after the other, however many loops make them.
#[derive(Clone, Debug, Default)]
pub struct Workspace(Arc<Tree>);

#[derive(Debug, Default)]
struct Tree {
    identity: Identity,
    files: Mutex<BTreeMap<String, Bytes>>,
}

/// A file, found below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path from the root.
    pub path: String,
    /// What is in it.
    pub content: Bytes,
    /// Where its path below the folder begins.
    below: usize,
}

impl Found {
    /// Its path from the folder on.
    pub fn relative(&self) -> &str {
        &self.path[self.below..]
    }
}

/// A path that names no place in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// Nothing is left of it.
    #[error("the path is empty")]
    Empty,
    /// It climbs out of the root.
    #[error("the path `{0}` leaves the workspace")]
    Outside(String),
    /// There are files below it.
    #[error("`{0}` is a folder")]
    Folder(String),
    /// A part of it that should be a folder is a file.
    #[error("`{0}` is a file and has nothing below it")]
    NoFolder(String),
}

impl Workspace {
    /// An empty tree of this identity.
    pub fn of(identity: Identity) -> Self {
        Self(Arc::new(Tree { identity, files: Mutex::default() }))
    }

    /// What it was made from.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Whether both are one tree.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The file at `path`, if there is one.
    pub fn read(&self, path: &str) -> Result<Option<Bytes>, BadPath> {
        let path = normalise(path)?;
        Ok(self.files().get(&path).cloned())
    }

    /// Writes a file, replacing what was there.
    pub fn write(&self, path: &str, content: impl Into<Bytes>) -> Result<(), BadPath> {
        let path = normalise(path)?;
        let mut files = self.files();
        let folder = format!("{path}/");
        if files.range(folder.clone()..).next().is_some_and(|(other, _)| other.starts_with(&folder)) {
            return Err(BadPath::Folder(path));
        }
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        if let Some(file) = above.into_iter().find(|above| files.contains_key(*above)) {
            return Err(BadPath::NoFolder(file.to_owned()));
        }
        files.insert(path, content.into());
        Ok(())
    }

    /// Puts what `change` makes of a file in its place, with nothing in between. `None` when there is no such
    /// file; where `change` refuses, the file stays as it is.
    pub fn change<E>(
        &self,
        path: &str,
        change: impl FnOnce(&[u8]) -> Result<Bytes, E>,
    ) -> Result<Option<Result<(), E>>, BadPath> {
        let path = normalise(path)?;
        let mut files = self.files();
        let Some(content) = files.get_mut(&path) else { return Ok(None) };
        Ok(Some(change(content).map(|changed| *content = changed)))
    }

    /// All paths, in order.
    pub fn paths(&self) -> Vec<String> {
        self.files().keys().cloned().collect()
    }

    /// The files below a folder, in order; all of them for the root (an empty path, `.` or `/`), and the file
    /// itself for the path of a file.
    pub fn below(&self, folder: &str) -> Result<Vec<Found>, BadPath> {
        let folder = match normalise(folder) {
            Ok(path) => path,
            Err(BadPath::Empty) => String::new(),
            Err(why) => return Err(why),
        };
        let files = self.files();
        let found = |(path, content): (&String, &Bytes)| {
            let below = match path.strip_prefix(&folder)? {
                "" => path.rfind('/').map_or(0, |slash| slash + 1),
                _ if folder.is_empty() => 0,
                rest => path.len() - rest.strip_prefix('/')?.len(),
            };
            Some(Found { path: path.clone(), content: content.clone(), below })
        };
        Ok(files.iter().filter_map(found).collect())
    }

    /// A tree of its own with the same files and the same identity.
    #[must_use]
    pub fn fork(&self) -> Self {
        let files = self.files().clone();
        Self(Arc::new(Tree { identity: self.0.identity.clone(), files: Mutex::new(files) }))
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Bytes>> {
        self.0.files.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_file_is_no_folder_and_a_folder_no_file() {
        let files = Workspace::default();
        files.write("a/b", "1").unwrap();
        files.write("a!", "2").unwrap();
        assert_eq!(files.write("a", "3"), Err(BadPath::Folder("a".into())));
        assert_eq!(files.write("a/b/c", "4"), Err(BadPath::NoFolder("a/b".into())));
        assert_eq!(files.paths(), ["a!", "a/b"]);
    }

    #[test]
    fn what_is_below_a_folder() {
        let files = Workspace::default();
        for path in ["a", "ab", "d/e/f", "d/g"] {
            files.write(path, "x").unwrap();
        }
        let below = |folder: &str| -> Vec<(String, String)> {
            let found = files.below(folder).unwrap().into_iter();
            found.map(|found| (found.path.clone(), found.relative().to_owned())).collect()
        };
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(path, rest)| ((*path).into(), (*rest).into())).collect()
        };
        assert_eq!(below("./d/"), pairs(&[("d/e/f", "e/f"), ("d/g", "g")]));
        assert_eq!(below("a"), pairs(&[("a", "a")]));
        assert_eq!(below("d/g"), pairs(&[("d/g", "g")]));
        assert_eq!(below("/").len(), 4);
        assert!(files.below("../x").is_err());
    }

    #[test]
    fn a_change_happens_as_a_whole_or_not_at_all() {
        let files = Workspace::default();
        files.write("a", "1").unwrap();
        assert_eq!(files.change("b", |_| Err("never asked")), Ok(None));
        assert_eq!(files.change("a", |_| Err("no")), Ok(Some(Err("no"))));
        assert_eq!(files.change("./a", |old| Ok::<_, ()>([old, b"2"].concat().into())), Ok(Some(Ok(()))));
        assert_eq!(files.read("a").unwrap(), Some(Bytes::from_static(b"12")));
    }

    #[test]
    fn a_fork_is_a_tree_of_its_own() {
        let files = Workspace::default();
        files.write("a", "1").unwrap();
        let fork = files.fork();
        fork.write("a", "2").unwrap();
        assert_eq!(files.read("a").unwrap(), Some(Bytes::from_static(b"1")));
        assert!(!fork.is(&files) && fork.identity() == files.identity() && files.clone().is(&files));
    }
}
