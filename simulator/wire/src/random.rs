//! Seeds, and the random streams that grow from them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// A seed. One seed gives one result: everything random in a run grows from it by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed of a whole run.
    pub fn of_run(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(bytes)
    }

    /// The seed of a named part: `hash(this seed, name)`.
    pub fn child(&self, name: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(name.as_bytes());
        Self(hash.finalize().into())
    }

    /// The bytes, for generators that take 32 of them.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// A short token that names this seed: sixteen lower-case hex digits.
    pub fn token(&self) -> String {
        let number = self.0[..8].iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
        format!("{number:016x}")
    }

    /// A random stream.
    pub fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::from_seed(self.0)
    }
}
