//! The model that a running world calls. It is told at start or later, through the control port.

use std::sync::{Arc, Mutex, PoisonError};

use agent::ModelUrl;

/// A model URL that can be set while the world runs. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ModelAddress(Arc<Mutex<Option<ModelUrl>>>);

impl ModelAddress {
    /// The URL now.
    pub fn get(&self) -> Option<ModelUrl> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the URL.
    pub fn set(&self, url: ModelUrl) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(url);
    }
}
