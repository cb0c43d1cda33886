//! `proofhouse spec`.

use clap::{Args, Subcommand};
use spec::{Contract, openapi};

use crate::{console::say, failure::Done};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The HTTP API as one OpenAPI 3.1 document.
    Openapi {
        /// The contract: oao or vetta.
        #[arg(long)]
        contract: Contract,
    },
}

pub(crate) fn specification(arguments: &Arguments) -> Done {
    match arguments.what {
        What::Openapi { contract } => {
            let document = openapi::document(contract)?;
            say(&serde_json::to_string_pretty(document).unwrap_or_default());
        }
    }
    Ok(0)
}
