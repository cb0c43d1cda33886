//! Why a verb could not do its work. All of these exit with 2.

use spec::Contract;

/// A reason, with the way out.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    /// No check of `contract` is one of `checks`.
    pub(crate) fn nothing_matches(checks: &[String], contract: Option<Contract>) -> Self {
        let (of, only) = contract.map_or_else(Default::default, |contract| {
            (format!(" of contract `{contract}`"), format!(" --contract {contract}"))
        });
        let checks = checks.join(" --check ");
        Self(format!("--check {checks}: no built check{of} matches; `proofhouse list{only}` shows them"))
    }
}

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
    &spec::openapi::OpenApiError,
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
