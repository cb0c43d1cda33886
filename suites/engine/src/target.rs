//! The description of a target: `target.toml`, or what a simulator says at `/_control/target`.

mod description;
mod read;
mod settings;

pub use description::{Credential, Description, ModelWiring};
pub use read::{DescriptionError, address_of, from_json, from_toml};
pub use settings::{Setting, SettingKind, credentials, settings};
