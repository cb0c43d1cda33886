//! Why a verb could not do its work. All of these exit with 2.

/// A reason, with the way out.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// What a verb returns: its exit code.
pub(crate) type Done = Result<u8, Failure>;

macro_rules! from {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        })+
    };
}

from!(
    &spec::SpecError,
    spec::UnknownContract,
    engine::LaunchError,
    engine::RunError,
    engine::target::DescriptionError,
    targets::AddressError,
    world::StartError,
    world::degenerate::UnknownKind,
    std::io::Error,
);

impl From<engine::SelectionError> for Failure {
    fn from(error: engine::SelectionError) -> Self {
        let way_out = if error.hint.is_none() { "; `proofhouse list` shows all checks" } else { "" };
        Self(format!("{error}{way_out}"))
    }
}

impl From<spec::UnknownId> for Failure {
    fn from(error: spec::UnknownId) -> Self {
        let way_out = if error.nearest.is_none() { "; `proofhouse list` shows all of them" } else { "" };
        Self(format!("{error}{way_out}"))
    }
}

impl From<world::defects::UnknownDefect> for Failure {
    fn from(error: world::defects::UnknownDefect) -> Self {
        let way_out = if error.hint.is_none() {
            format!("; `proofhouse list --contract {}` names them", error.contract)
        } else {
            String::new()
        };
        Self(format!("{error}{way_out}"))
    }
}

impl From<report::FolderError> for Failure {
    fn from(error: report::FolderError) -> Self {
        Self(format!("{error}; give another folder with --out"))
    }
}
