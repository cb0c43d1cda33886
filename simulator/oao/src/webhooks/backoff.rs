//! When a batch is tried again.

use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::limits::WebhookLimits;

/// Twice as long each time up to a limit, a little more or less so that not all come back at once; what the
/// endpoint asks for wins. The same batch always waits the same time.
pub(super) fn pause(limits: &WebhookLimits, failures: u32, id: &str, asked_s: Option<u64>) -> Duration {
    if let Some(asked) = asked_s {
        return Duration::from_secs(asked.clamp(limits.retry_after_s.min, limits.retry_after_s.max));
    }
    let doubled = limits.backoff_first_ms.saturating_mul(1 << failures.saturating_sub(1).min(20));
    let base = doubled.min(limits.backoff_max_ms);
    let digest = Sha256::digest(format!("{id}:{failures}"));
    let drawn = u64::from(u16::from_be_bytes([digest[0], digest[1]]));
    let spread = base * limits.jitter_percent / 100;
    Duration::from_millis(base - spread + 2 * spread * drawn / u64::from(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn waits_double_up_to_five_minutes_give_or_take_a_fifth() {
        let limits = Limits::default().webhooks;
        for (failures, base) in
            [(1, 2_000), (2, 4_000), (3, 8_000), (8, 256_000), (9, 300_000), (99, 300_000)]
        {
            for id in ["a", "b", "c", "d"] {
                let ms = pause(&limits, failures, id, None).as_millis();
                assert!((base * 8 / 10..=base * 12 / 10).contains(&ms), "{failures}: {ms}");
                assert_eq!(pause(&limits, failures, id, None).as_millis(), ms);
            }
        }
        for (asked, seconds) in [(0, 1), (7, 7), (301, 300), (u64::MAX, 300)] {
            assert_eq!(pause(&limits, 1, "a", Some(asked)), Duration::from_secs(seconds));
        }
    }
}
