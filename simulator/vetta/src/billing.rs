//! Credits: what turns draw on the balance of an account.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent::Usage;

use crate::{environment::Row, harness::Billing};

/// The policy of billing.
#[derive(Clone)]
pub struct Bills {
    /// Credits of an account that nothing was charged to yet.
    pub opening_credits: u64,
    /// Credits that one answer of the model costs.
    pub charge: Arc<dyn Fn(&Row, &Usage) -> u64 + Send + Sync>,
}

impl Default for Bills {
    fn default() -> Self {
        Self { opening_credits: 1_000_000_000, charge: Arc::new(charge) }
    }
}

/// One credit a token, where the loop is charged by usage; one at least, so that no answer is free. A loop
/// on the caller's own account leaves the balance alone.
pub fn charge(row: &Row, usage: &Usage) -> u64 {
    match row.harness.billing {
        Billing::Usage => tokens(usage).max(1),
        Billing::Account => 0,
    }
}

/// All tokens of an answer, cached ones included.
pub fn tokens(usage: &Usage) -> u64 {
    [usage.input, usage.output, usage.cache_read, usage.cache_write].into_iter().fold(0, u64::saturating_add)
}

/// What was drawn so far, by account.
#[derive(Debug, Default)]
pub(crate) struct Balances(Mutex<BTreeMap<String, u64>>);

impl Balances {
    pub(crate) fn draw(&self, account: &str, credits: u64) {
        let mut drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = drawn.entry(account.to_owned()).or_default();
        *drawn = drawn.saturating_add(credits);
    }

    /// What is left. An account that is used up stays at nothing.
    pub(crate) fn left(&self, account: &str, bills: &Bills) -> u64 {
        let drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bills.opening_credits.saturating_sub(drawn.get(account).copied().unwrap_or_default())
    }
}
