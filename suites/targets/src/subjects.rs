//! Whom a defect makes wrong: the server, the client under test, or the suite itself.

use engine::LaunchError;
use spec::{Contract, Need, Spec};

/// The names of defects, by whom they make wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subjects {
    /// Those of the server, which are edits of its parts.
    pub server: Vec<String>,
    /// Those of the client under test, which are edits of the reference picker.
    pub client: Vec<String>,
    /// Those of the suite, which the checks on it put in themselves.
    pub suite: Vec<String>,
}

impl Subjects {
    /// Sorts `ids`, each of which has to be a built defect of `contract`.
    pub fn of(contract: Contract, ids: &[impl AsRef<str>]) -> Result<Self, LaunchError> {
        let mut sorted = Self::default();
        for id in ids.iter().map(AsRef::as_ref) {
            let of_whom = match subject(id) {
                Some(Need::ClientUnderTest) => &mut sorted.client,
                Some(Need::SuiteItself) => &mut sorted.suite,
                _ => &mut sorted.server,
            };
            of_whom.push(id.to_owned());
        }
        let failed = |error: String| LaunchError::new(error);
        world::defects::check(contract, &sorted.server).map_err(|error| failed(error.to_string()))?;
        let mut parts = picker::Parts::default();
        picker::defects::edit(&mut parts, &sorted.client).map_err(|error| failed(error.to_string()))?;
        Ok(sorted)
    }
}

/// Whose defect it is: what its check needs says so.
fn subject(id: &str) -> Option<Need> {
    let (_, check, _) = Spec::load().ok()?.defect(id)?;
    [Need::ClientUnderTest, Need::SuiteItself].into_iter().find(|need| check.needs.contains(need))
}
