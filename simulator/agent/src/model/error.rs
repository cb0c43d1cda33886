//! Why a model turn has no answer.

use wire::http::Failure;

/// Why a model turn has no usable answer. Each way to go wrong has a kind of its own; none is tried again.
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
    /// A frame of the stream is none of its wire.
    #[error("the model sent what is no event of its wire: {0}")]
    Malformed(String),
    /// The provider's filter stopped the answer.
    #[error("the model's answer was stopped by a content filter")]
    Filtered,
    /// The answer ran into a limit of tokens. Calls in it may lack their end, so nothing of it is used.
    #[error("the model's answer was cut off at a limit of tokens ({finish})")]
    CutOff {
        /// The provider's finish token: `length`, `max_tokens`, `max_output_tokens`.
        finish: String,
    },
}

impl ModelError {
    /// A name for the way in which it went wrong.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable(Failure::NoHead(_) | Failure::NoEnd(_)) => "timeout",
            Self::Unreachable(Failure::TooLarge(_)) => "too_large",
            Self::Unreachable(_) => "unreachable",
            Self::Status { .. } => "status",
            Self::Provider { .. } => "provider",
            Self::Truncated => "truncated",
            Self::Malformed(_) => "malformed",
            Self::Filtered => "content_filter",
            Self::CutOff { .. } => "cut_off",
        }
    }

    /// The finish reason that a record of the turn shows, in the words of the runtime.
    pub fn finish_reason(&self) -> &'static str {
        match self {
            Self::CutOff { .. } => "length",
            _ => "error",
        }
    }
}
