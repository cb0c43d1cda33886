//! The models of an environment. Only the envelope of their listing is in the contract.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Environment;

/// One model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The value that an agent puts in `model`.
    pub id: String,
    /// Name for display.
    pub label: String,
}

/// What the model listing shows.
#[derive(Clone)]
pub struct Models {
    /// Which models, in the order of their ids.
    pub list: Arc<dyn Fn(&Environment) -> Vec<Model> + Send + Sync>,
    /// One model as a wire object.
    pub render: Arc<dyn Fn(&Model) -> Value + Send + Sync>,
}

impl Default for Models {
    fn default() -> Self {
        Self {
            list: Arc::new(|environment| environment.models.clone()),
            render: Arc::new(|model| json!({"id": model.id, "object": "model", "label": model.label})),
        }
    }
}
