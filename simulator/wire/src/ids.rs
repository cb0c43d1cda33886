//! Identifiers, drawn from a seeded stream so that a run repeats to the byte.

use std::sync::{Arc, Mutex, PoisonError};

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::Seed;

/// A source of identifiers.
#[derive(Clone, Debug)]
pub struct Ids(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    rng: ChaCha8Rng,
    count: u64,
}

impl Ids {
    /// Identifiers that grow from `seed`.
    pub fn new(seed: Seed) -> Self {
        Self(Arc::new(Mutex::new(Inner { rng: seed.child("ids").rng(), count: 0 })))
    }

    /// A random UUID (version 4), lower case with hyphens.
    pub fn uuid(&self) -> String {
        let mut bytes = [0_u8; 16];
        self.0.lock().unwrap_or_else(PoisonError::into_inner).rng.fill_bytes(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    /// `prefix` and twenty characters that sort in the order of creation: a counter, then randomness.
    pub fn prefixed(&self, prefix: &str) -> String {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.count += 1;
        let tail = inner.rng.next_u64();
        format!("{prefix}{:08x}{:012x}", inner.count, tail & 0xffff_ffff_ffff)
    }
}
