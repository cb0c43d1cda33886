//! How many model turns are left.

use std::sync::{Arc, Mutex, PoisonError};

/// A budget of model turns, shared by every loop of one run.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Mutex<u32>>);

impl Budget {
    /// A budget of `turns` model turns.
    pub fn of(turns: u32) -> Self {
        Self(Arc::new(Mutex::new(turns)))
    }

    /// Takes one turn; `false` when none is left.
    pub fn take(&self) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let some = *left > 0;
        *left = left.saturating_sub(1);
        some
    }

    /// Turns that are left.
    pub fn left(&self) -> u32 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_budget_and_it_never_goes_below_zero() {
        let budget = Budget::of(2);
        let other = budget.clone();
        assert!(budget.take() && other.take());
        assert!(!budget.take() && !other.take());
        assert_eq!(budget.left(), 0);
    }
}
