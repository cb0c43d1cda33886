//! Why a model turn has no answer.

use wire::http::Failure;

/// Why a model turn has no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No exchange came about, or it broke.
    #[error("the model cannot be reached: {0}")]
    Unreachable(#[from] Failure),
    /// The answer is not a success.
    #[error("the model answered {status}: {message}")]
    Status {
        /// HTTP status.
        status: u16,
        /// The provider's own words.
        message: String,
    },
    /// An error arrived inside the stream.
    #[error("the model broke off: {message}")]
    Provider {
        /// The provider's own words.
        message: String,
    },
    /// The stream ended before the model had finished.
    #[error("the stream of the model ended before its answer did")]
    Truncated,
    /// A frame of the stream is no chunk.
    #[error("the model sent what is no chunk: {0}")]
    Malformed(String),
    /// The provider's filter stopped the answer.
    #[error("the model's answer was stopped by a content filter")]
    Filtered,
}

impl ModelError {
    /// The finish reason that a record of the turn shows.
    pub fn finish_reason(&self) -> &'static str {
        "error"
    }
}
