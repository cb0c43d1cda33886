//! Time as a value that is handed in.

use std::{future::Future, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};

/// The epoch of virtual time: every world starts at this instant, so recordings are byte-identical.
pub const VIRTUAL_EPOCH: &str = "2026-01-05T09:00:00Z";

/// A clock: the instant now, and waits measured on it.
///
/// Both lanes lean on tokio's clock. In the virtual lane the runtime is paused, so a wait of 300 s
/// costs a millisecond; in the wall lane it passes.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
struct Source {
    epoch: Timestamp,
    started: tokio::time::Instant,
}

impl Clock {
    /// A clock that starts at [`VIRTUAL_EPOCH`]. Call it inside a paused runtime.
    pub fn virtual_time() -> Self {
        let epoch = VIRTUAL_EPOCH.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        Self::starting_at(epoch)
    }

    /// A clock that shows the machine's time.
    pub fn wall() -> Self {
        Self::starting_at(Timestamp::now())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks tokio for the time")]
    fn starting_at(epoch: Timestamp) -> Self {
        Self(Arc::new(Source { epoch, started: tokio::time::Instant::now() }))
    }

    /// The instant now.
    pub fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.0.started.elapsed()).unwrap_or(SignedDuration::ZERO);
        self.0.epoch.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// Time since the clock started.
    pub fn elapsed(&self) -> Duration {
        self.0.started.elapsed()
    }

    /// Milliseconds since the clock started.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// RFC 3339 with milliseconds and `Z`, as both contracts write instants.
    pub fn rfc3339(&self) -> String {
        format!("{:.3}", self.now())
    }

    /// Waits until `wait` has passed on this clock.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that waits on tokio's clock")]
    pub fn pause(&self, wait: Duration) -> impl Future<Output = ()> + Send + 'static {
        tokio::time::sleep(wait)
    }

    /// Runs `work` until `limit` has passed; `None` when the deadline fired first.
    pub async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(limit, work).await.ok()
    }
}

/// A stopwatch on the machine's own time, for the durations that reports show. It is never read by a
/// check and never decides anything.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts measuring.
    #[expect(clippy::disallowed_methods, reason = "durations in reports are the machine's own")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Whole milliseconds since the start.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
