//! Signatures: HMAC-SHA256 over `id.timestamp.body`.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The HMAC of a message. A key may have any length.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    // The only error of the library is a key length, and HMAC takes all of them.
    let code = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(message).finalize());
    code.map(|code| code.into_bytes().to_vec()).unwrap_or_default()
}

/// The value of `webhook-signature`.
pub fn sign(key: &[u8], id: &str, timestamp: &str, body: &str) -> String {
    let code = hmac(key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(code))
}

/// The key in `whsec_…`: canonical base64.
pub(super) fn key_of(secret: &str) -> Option<Vec<u8>> {
    let text = secret.strip_prefix("whsec_")?;
    let key = STANDARD.decode(text).ok()?;
    (STANDARD.encode(&key) == text).then_some(key)
}

/// What is shown of a secret: twelve hex digits of its digest.
pub(super) fn fingerprint(key: &[u8]) -> String {
    Sha256::digest(key).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Test cases 1, 2 and 6 of RFC 4231.
    #[test]
    fn known_codes() {
        for (key, message, code) in [
            (
                vec![0x0b; 20],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(&key, message)), code);
        }
    }

    #[test]
    fn a_secret_has_one_spelling() {
        assert_eq!(key_of("whsec_AAEC"), Some(vec![0, 1, 2]));
        for text in ["AAEC", "whsec_AAE", "whsec_AAF=", "whsec_ AAEC", "whsec_AA-_"] {
            assert_eq!(key_of(text), None, "{text}");
        }
    }
}
