//! One event of a stream.

/// The events of an answer, in order.
pub(crate) type Events = Box<dyn Iterator<Item = Event> + Send>;

/// A server-sent event before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// What scripts call it: its type, or what it carries on a wire that gives events no type.
    pub(crate) name: &'static str,
    /// Whether the name is told in an `event:` line.
    pub(crate) told: bool,
    /// Its data, in one line.
    pub(crate) data: String,
}
