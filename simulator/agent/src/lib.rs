//! The agent loop: model client, turns, tool batches, cancellation, budget and workspace.
//!
//! The loop is a real one. It calls a model endpoint over HTTP, reads the stream, runs the tools of one
//! assistant message at the same time and goes on until the model answers with text. It knows neither
//! contract; the rooms `oao` and `vetta` put their own tools and endings on top.

pub mod budget;
pub mod cancel;
pub mod habits;
pub mod journal;
pub mod message;
pub mod model;
pub mod observer;
pub mod tool;
pub mod tools;
pub mod turns;
pub mod workspace;

pub use budget::Budget;
pub use cancel::{Cancel, Reason};
pub use habits::{Batch, Habits};
pub use journal::{Journal, Unkept};
pub use message::{Message, ToolCall, Verbatim};
pub use model::{Completion, Dialect, ModelClient, ModelError, ModelUrl, Usage};
pub use observer::{Observer, TextArrived, ToolEnded, ToolStarted, TurnEnded, TurnStarted, Unobserved};
pub use tool::{CallContext, Tool, ToolDefinition, ToolOutcome};
pub use turns::{Loop, Turn, TurnError};
pub use workspace::{Identity, Workspace};
