//! The HTTP API of a contract: one OpenAPI 3.1 document, and how an exchange is held against it.

mod bundle;
mod exchange;

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::Value;

pub use exchange::{Exchange, differences};

use crate::{Contract, SpecError};

/// A document that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenApiError {
    /// A file does not parse.
    #[error(transparent)]
    File(#[from] SpecError),
    /// A reference leads nowhere.
    #[error("spec/{file}: the reference `{reference}` leads nowhere")]
    Dangling {
        /// The file that has it, below `spec/`.
        file: String,
        /// The reference.
        reference: String,
    },
    /// A schema in it does not compile.
    #[error("the OpenAPI document of contract `{contract}`: {reason}")]
    Broken {
        /// The contract.
        contract: Contract,
        /// Where and why.
        reason: String,
    },
    /// The contract has none.
    #[error("contract `{0}` has no OpenAPI document")]
    Missing(Contract),
}

static DOCUMENTS: LazyLock<BTreeMap<Contract, Result<Value, OpenApiError>>> = LazyLock::new(|| {
    Contract::ALL.into_iter().map(|contract| (contract, bundle::document(contract))).collect()
});

/// The API of `contract` as one document in which every reference stays inside.
pub fn document(contract: Contract) -> Result<&'static Value, &'static OpenApiError> {
    DOCUMENTS[&contract].as_ref()
}

/// The methods of a path, as OpenAPI spells them.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Method (in upper case) and path template of every operation, in the order of paths.
pub fn operations(contract: Contract) -> Result<Vec<(String, String)>, &'static OpenApiError> {
    let paths = document(contract)?["paths"].as_object().into_iter().flatten();
    let of_path = |(path, item): (&String, &Value)| {
        let methods = METHODS.into_iter().filter(|method| item.get(method).is_some());
        methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
    };
    Ok(paths.flat_map(of_path).collect())
}

#[cfg(test)]
mod tests;
