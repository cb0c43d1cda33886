//! Why nothing can be recorded.

use std::path::PathBuf;

use wire::tls::TrustError;

use crate::script::ScriptError;

/// Why nothing can be recorded, or what was recorded cannot be kept.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// The upstream is no URL that a model can be asked at.
    #[error("the upstream `{url}` is no base URL: {reason}")]
    Upstream {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nobody to trust.
    #[error("no certificate of the upstream could be trusted: {0}")]
    Trust(String),
    /// The file is there already.
    #[error("{} is there already; extend it, replace it or name another file", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// The file that is to be extended is no script.
    #[error("the script that is to be extended cannot be read: {0}")]
    Unreadable(#[from] ScriptError),
    /// The file cannot be written.
    #[error("{} cannot be written: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
}

impl From<TrustError> for RecordError {
    fn from(error: TrustError) -> Self {
        Self::Trust(error.to_string())
    }
}
