//! Time as a value that is handed in.

use std::{future::Future, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The epoch of virtual time: every world starts at this instant, so recordings are byte-identical.
pub const VIRTUAL_EPOCH: &str = "2026-01-05T09:00:00Z";

/// What tokio's timer tells apart.
const TICK: Duration = Duration::from_millis(1);

/// A clock: the instant now, and waits measured on it.
///
/// Both lanes lean on tokio's clock. In the virtual lane the runtime is paused, so a wait of 300 s
/// costs a millisecond; in the wall lane it passes.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
struct Source {
    epoch: Timestamp,
    started: Instant,
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

    fn starting_at(epoch: Timestamp) -> Self {
        Self(Arc::new(Source { epoch, started: now() }))
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

    /// Waits until `elapsed` has passed since the clock started; not at all when it has.
    pub fn pause_until(&self, elapsed: Duration) -> impl Future<Output = ()> + Send + 'static {
        until(self.0.started.checked_add(elapsed))
    }

    /// A pace that starts now: deadline 0 after `first`, every further one `gap` after the one before it.
    pub fn pace(&self, first: Duration, gap: Duration) -> Pace {
        Pace { start: now(), first, gap }
    }

    /// Runs `work` until `limit` has passed; `None` when the deadline fired first.
    pub async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(limit, work).await.ok()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that asks tokio for the time")]
fn now() -> Instant {
    Instant::now()
}

/// Waits for `deadline`; for ever when it is further away than instants reach.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) if deadline <= now() => {}
        // tokio rounds up, and must not round beyond the last instant.
        Some(deadline) if deadline.checked_add(TICK).is_some() => tokio::time::sleep_until(deadline).await,
        _ => std::future::pending().await,
    }
}

/// Deadlines at equal distances on a clock: `start + first + number * gap`.
///
/// Each deadline is counted from the start and not from the one before, so that neither the work between
/// two of them nor the coarseness of the timer adds up. The timer fires at the next whole millisecond after
/// a deadline, never before it; a gap of whole milliseconds is therefore kept. In virtual time waits end at
/// their deadline exactly, as long as it is a whole number of milliseconds after the clock's start.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    start: Instant,
    first: Duration,
    gap: Duration,
}

impl Pace {
    /// Waits for deadline `number`, which counts from 0; not at all when it has passed.
    pub fn wait(&self, number: u32) -> impl Future<Output = ()> + Send + 'static {
        let is_unpaced = self.is_unpaced();
        let deadline = self.deadline(number);
        async move {
            if !is_unpaced {
                until(deadline).await;
            }
        }
    }

    /// Whether there is nothing to wait for: every deadline is the start.
    pub fn is_unpaced(&self) -> bool {
        self.first.is_zero() && self.gap.is_zero()
    }

    fn deadline(&self, number: u32) -> Option<Instant> {
        self.start.checked_add(self.first)?.checked_add(self.gap.checked_mul(number)?)
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
