//! Handing in a typed answer.

use std::sync::{Arc, Mutex, PoisonError};

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::Submit;

/// The name of the tool.
pub const SUBMIT: &str = "submit";

/// Whether a value keeps a schema, and why not.
pub type Conforms = Arc<dyn Fn(&Value, &Value) -> Result<(), String> + Send + Sync>;

/// Whether `value` keeps `schema`; the error says where it does not.
pub fn conforms(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = jsonschema::validator_for(schema).map_err(|why| format!("the schema is none: {why}"))?;
    let faults: Vec<String> =
        validator.iter_errors(value).map(|fault| format!("`{}`: {fault}", fault.instance_path())).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

/// `submit {value}`: takes a typed answer. The last valid one counts; one that is not valid is refused, and
/// the model may try again. It belongs to the loop, so the agent's policy does not speak of it.
#[derive(Clone)]
pub(crate) struct Submission {
    offer: Submit,
    conforms: Conforms,
    taken: Arc<Mutex<Option<Value>>>,
}

impl Submission {
    pub(crate) fn new(offer: Submit, conforms: Conforms) -> Self {
        Self { offer, conforms, taken: Arc::default() }
    }

    /// What was handed in.
    pub(crate) fn taken(&self) -> Option<Value> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take(&self, arguments: &Value) -> ToolOutcome {
        let Some(value) = arguments.get("value") else {
            return ToolOutcome::failed("InvalidArguments", "`value` is missing");
        };
        let verdict = self.offer.schema.as_ref().map_or(Ok(()), |schema| (self.conforms)(schema, value));
        match verdict {
            Ok(()) => {
                *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(value.clone());
                ToolOutcome::Done("the answer is taken".to_owned())
            }
            Err(why) => ToolOutcome::failed("InvalidAnswer", format!("the answer is not taken: {why}")),
        }
    }
}

impl Tool for Submission {
    fn name(&self) -> &str {
        SUBMIT
    }

    fn description(&self) -> &str {
        if self.offer.required {
            "Hands in the answer of this turn as one JSON value. The turn fails without one."
        } else {
            "Hands in the answer of this turn as one JSON value, where there is one."
        }
    }

    fn parameters(&self) -> Value {
        let value = self.offer.schema.clone().unwrap_or_else(|| json!({}));
        json!({
            "type": "object",
            "properties": {"value": value},
            "required": ["value"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.take(&arguments)).boxed()
    }
}
