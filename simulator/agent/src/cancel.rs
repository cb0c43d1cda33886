//! Cancellation, with its reason.

use std::sync::Arc;

use tokio::sync::watch;

/// Why work is called off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Somebody asked for it.
    Requested,
    /// A deadline passed. It wins over a request.
    Deadline,
}

/// A token that many can wait on and anybody can trigger.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<watch::Sender<Option<Reason>>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl Cancel {
    /// Calls the work off. A deadline overrides an earlier request, never the other way round.
    pub fn trigger(&self, reason: Reason) {
        self.0.send_if_modified(|now| {
            let stronger = now.is_none_or(|earlier| earlier < reason);
            if stronger {
                *now = Some(reason);
            }
            stronger
        });
    }

    /// The reason, once the token is triggered.
    pub fn reason(&self) -> Option<Reason> {
        *self.0.borrow()
    }

    /// Waits until the token is triggered.
    pub async fn cancelled(&self) -> Reason {
        let mut seen = self.0.subscribe();
        loop {
            if let Some(reason) = *seen.borrow_and_update() {
                return reason;
            }
            if seen.changed().await.is_err() {
                // The sender lives in `self`, so this is unreachable; waiting forever is the safe answer.
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_deadline_wins_over_a_request_whatever_the_order() {
        for order in [[Reason::Requested, Reason::Deadline], [Reason::Deadline, Reason::Requested]] {
            let token = Cancel::default();
            for reason in order {
                token.trigger(reason);
            }
            assert_eq!(token.cancelled().await, Reason::Deadline);
        }
    }

    #[tokio::test]
    async fn whoever_waits_is_woken() {
        let token = Cancel::default();
        let waiting = tokio::spawn({
            let token = token.clone();
            async move { token.cancelled().await }
        });
        tokio::task::yield_now().await;
        token.trigger(Reason::Requested);
        assert_eq!(waiting.await.unwrap(), Reason::Requested);
    }
}
