//! The documented APIs that Proofhouse knows.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One documented API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// OAO Harness Operations.
    Oao,
    /// The Vetta harness catalogue, its admission and its sessions.
    Vetta,
}

impl Contract {
    /// All contracts, in the order in which they are run and listed.
    pub const ALL: [Self; 2] = [Self::Oao, Self::Vetta];

    /// The name used on the command line, in files and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oao => "oao",
            Self::Vetta => "vetta",
        }
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown contract `{0}`: it is one of oao, vetta")]
pub struct UnknownContract(String);

impl FromStr for Contract {
    type Err = UnknownContract;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|contract| contract.name() == name)
            .ok_or_else(|| UnknownContract(name.to_owned()))
    }
}
