//! The model that a running world calls. It is told at start or later, through the control port.

use std::sync::{Arc, PoisonError, RwLock};

use agent::ModelUrl;

/// A model URL that can be set while the world runs. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ModelAddress(Arc<RwLock<Option<ModelUrl>>>);

impl ModelAddress {
    /// The URL now.
    pub fn get(&self) -> Option<ModelUrl> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the URL.
    pub fn set(&self, url: ModelUrl) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(url);
    }

    /// The cell itself, for a server that reads it by itself.
    pub(crate) fn shared(&self) -> Arc<RwLock<Option<ModelUrl>>> {
        self.0.clone()
    }
}
