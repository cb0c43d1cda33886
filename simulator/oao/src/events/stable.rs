//! Ids that are the same whenever an event is emitted.

use sha2::{Digest, Sha256};

/// The id of the event `key` of a run: the first half of a SHA-256, in the form of a random UUID.
///
/// A second emission of the same event has the same id, so it is not kept twice.
pub fn event_id(run_id: &str, key: &str) -> String {
    let digest = Sha256::digest(format!("flue:{run_id}:{key}"));
    let mut bytes: Vec<u8> = digest.iter().copied().take(16).collect();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ids() {
        let run = "a0000000-0000-4000-8000-000000000007";
        for (key, id) in [
            ("harness:call_sum_1:started", "af0c1cdb-b251-467c-8319-e61ac2eb7d86"),
            ("harness:call_sum_1:settled", "a9bea09f-02d4-459b-86e4-52d5d9f0761b"),
            ("harness:call_sum_1:turn:t1", "8dbf5e6f-7e24-4b08-8e9a-0a724ddd8cd7"),
            ("harness:call_sum_1:tool:in_1", "9a22d3f4-2642-4dec-ac73-f11447599edd"),
        ] {
            assert_eq!(event_id(run, key), id, "{key}");
        }
    }
}
