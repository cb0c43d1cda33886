//! API keys, and who stands behind them.

use std::collections::{BTreeMap, BTreeSet};

/// The organisation of the demo keyring.
pub const DEMO_ORGANIZATION: &str = "a0000000-0000-4000-8000-000000000001";
/// The project of the demo keyring.
pub const DEMO_PROJECT: &str = "a0000000-0000-4000-8000-000000000002";
/// A second project, which only [`DEMO_OTHER_KEY`] opens.
pub const DEMO_OTHER_PROJECT: &str = "a0000000-0000-4000-8000-000000000012";
/// A key with every scope in [`DEMO_PROJECT`].
pub const DEMO_KEY: &str = "oao_exampleprefix_0123456789abcdef0123456789abcdef";
/// A key of [`DEMO_PROJECT`] that may only read.
pub const DEMO_READER_KEY: &str = "oao_readerprefix_0123456789abcdef0123456789abcdef";
/// A key with every scope in [`DEMO_OTHER_PROJECT`].
pub const DEMO_OTHER_KEY: &str = "oao_otherprefix1_0123456789abcdef0123456789abcdef";

const READ_SCOPES: [&str; 3] = ["agent:read", "session:read", "run:read"];
const WRITE_SCOPES: [&str; 10] = [
    "agent:write",
    "skill:bind",
    "mcp:bind",
    "session:write",
    "run:create",
    "run:cancel",
    "tool_call:claim",
    "tool_call:submit",
    "approval:resolve",
    "project:admin",
];

/// Who makes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Its id.
    pub id: String,
    /// Its organisation.
    pub organization_id: String,
    /// The projects in which it may act.
    pub projects: BTreeSet<String>,
    /// What it may do there.
    pub scopes: BTreeSet<String>,
}

/// Keys and their principals.
#[derive(Clone, Debug, Default)]
pub struct Keyring(BTreeMap<String, Principal>);

impl Keyring {
    /// Adds a key.
    #[must_use]
    pub fn with(mut self, key: &str, principal: Principal) -> Self {
        self.0.insert(key.to_owned(), principal);
        self
    }

    /// The principal behind a key.
    pub fn find(&self, key: &str) -> Option<&Principal> {
        self.0.get(key)
    }

    /// Three keys: one for everything, one that reads, one of another project.
    pub fn demo() -> Self {
        let principal = |id: &str, project: &str, scopes: &[&str]| Principal {
            id: id.to_owned(),
            organization_id: DEMO_ORGANIZATION.to_owned(),
            projects: [project.to_owned()].into(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        };
        let all: Vec<&str> = READ_SCOPES.into_iter().chain(WRITE_SCOPES).collect();
        Self::default()
            .with(DEMO_KEY, principal("a0000000-0000-4000-8000-000000000008", DEMO_PROJECT, &all))
            .with(
                DEMO_READER_KEY,
                principal("a0000000-0000-4000-8000-000000000018", DEMO_PROJECT, &READ_SCOPES),
            )
            .with(DEMO_OTHER_KEY, principal("a0000000-0000-4000-8000-000000000028", DEMO_OTHER_PROJECT, &all))
    }
}

/// Whether a text has the form of a key: `oao_<prefix>_<secret>`.
pub fn has_key_form(text: &str) -> bool {
    let Some((prefix, secret)) = text.strip_prefix("oao_").and_then(|rest| rest.split_once('_')) else {
        return false;
    };
    let of = |text: &str, lengths: std::ops::RangeInclusive<usize>, more: &[u8]| {
        lengths.contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    of(prefix, 10..=32, b"") && of(secret, 32..=128, b"_-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_keys_have_the_form_and_others_do_not() {
        for key in [DEMO_KEY, DEMO_READER_KEY, DEMO_OTHER_KEY] {
            assert!(has_key_form(key) && Keyring::demo().find(key).is_some(), "{key}");
        }
        let secret = "s".repeat(32);
        for text in [
            "",
            "oao_",
            "oao_short_x",
            &format!("OAO_exampleprefix_{secret}"),
            &format!("oao_nine12345_{secret}"),
        ] {
            assert!(!has_key_form(text), "{text}");
        }
        assert!(has_key_form(&format!("oao_tenletters_{secret}")));
    }
}
