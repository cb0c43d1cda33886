//! What a run waits for, beside its model.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::watch;
use wire::Clock;

/// What keeps a call from going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// A caller has to bring the result.
    Tool,
    /// Somebody has to approve it.
    Approval,
}

/// The open waits of a run, by the ids of their tool calls.
pub type Open = BTreeMap<String, WaitKind>;

/// What one run waits for. Clones are the same.
#[derive(Clone, Debug)]
pub struct Waits(Arc<watch::Sender<Open>>);

impl Default for Waits {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Open::new())))
    }
}

impl Waits {
    /// A call waits, or waits for something else from now on.
    pub(crate) fn begin(&self, call_id: &str, kind: WaitKind) {
        self.0.send_modify(|open| {
            open.insert(call_id.to_owned(), kind);
        });
    }

    /// A call waits no more.
    pub(crate) fn end(&self, call_id: &str) {
        self.0.send_modify(|open| {
            open.remove(call_id);
        });
    }

    /// What is waited for now.
    pub fn open(&self) -> Open {
        self.0.borrow().clone()
    }

    /// Waits until `limit` has passed, not counting the time in which `stands` says that the clock stands
    /// still.
    pub async fn run_out(&self, clock: &Clock, limit: Duration, stands: fn(&Open) -> bool) {
        let mut open = self.0.subscribe();
        let mut left = limit;
        loop {
            let standing = stands(&open.borrow_and_update());
            let began = clock.elapsed();
            let changed = async {
                if open.changed().await.is_err() {
                    // The sender lives in `self`, so this is unreachable; waiting for ever is the safe answer.
                    std::future::pending::<()>().await;
                }
            };
            if standing {
                changed.await;
                continue;
            }
            tokio::select! {
                biased;
                () = changed => left = left.saturating_sub(clock.elapsed().saturating_sub(began)),
                () = clock.pause(left) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_standing_clock_does_not_count() {
        let (clock, waits) = (Clock::virtual_time(), Waits::default());
        let stands = |open: &Open| open.values().any(|kind| *kind == WaitKind::Approval);
        let running = tokio::spawn({
            let (clock, waits) = (clock.clone(), waits.clone());
            async move {
                waits.run_out(&clock, Duration::from_secs(5), stands).await;
                clock.elapsed()
            }
        });
        for (at, call) in [(2, Some(WaitKind::Tool)), (1, Some(WaitKind::Approval)), (60, None)] {
            clock.pause(Duration::from_secs(at)).await;
            match call {
                Some(kind) => waits.begin("c", kind),
                None => waits.end("c"),
            }
        }
        assert_eq!(running.await.unwrap(), Duration::from_secs(65));
    }
}
