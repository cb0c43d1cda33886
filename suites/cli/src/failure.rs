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
    spec::UnknownId,
    spec::UnknownContract,
    engine::LaunchError,
    engine::RunError,
    engine::SelectionError,
    engine::target::DescriptionError,
    report::FolderError,
    targets::AddressError,
    world::StartError,
    world::degenerate::UnknownKind,
    std::io::Error,
);
