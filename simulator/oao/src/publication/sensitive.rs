//! Names that hint at secrets or at a model's private text.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::schema::place;
use crate::limits::{Limits, SensitiveTables};

/// The rule for sensitive names, with its tables.
#[derive(Clone, Debug)]
pub struct Sensitive {
    /// The tables.
    pub tables: SensitiveTables,
}

impl Default for Sensitive {
    fn default() -> Self {
        Self { tables: Limits::default().sensitive }
    }
}

impl Sensitive {
    /// Whether a name is sensitive, however it is spelt: case, width, hyphens and underscores make no difference.
    pub fn is_sensitive(&self, name: &str) -> bool {
        let name: String =
            name.nfkc().flat_map(char::to_lowercase).filter(char::is_ascii_alphanumeric).collect();
        let tables = &self.tables;
        let listed = |table: &[String]| table.contains(&name);
        if listed(&tables.allowed) {
            return false;
        }
        let stem = name.strip_suffix("tokens").or_else(|| name.strip_suffix("token"));
        listed(&tables.exact)
            || stem.is_some_and(|stem| tables.token_prefixes.iter().any(|prefix| prefix == stem))
            || tables.fragments.iter().any(|fragment| name.contains(fragment.as_str()))
    }

    /// The place of the first sensitive name below `value`, which stands at `at`.
    pub fn find(&self, value: &Value, at: &str) -> Option<String> {
        match value {
            Value::Object(members) => members.iter().find_map(|(name, member)| {
                let here = place::member(at, name);
                if self.is_sensitive(name) { Some(here) } else { self.find(member, &here) }
            }),
            Value::Array(items) => {
                items.iter().enumerate().find_map(|(index, item)| self.find(item, &place::item(at, index)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sensitive_names_are_seen_through_their_spelling() {
        let rule = Sensitive::default();
        for name in [
            "token",
            "tokens",
            "apiKey",
            "access_token",
            "Authorization",
            "client-secret",
            "reasoning",
            "cot",
            "idToken",
            "REFRESH-TOKENS",
            "db_password",
            "mySecretThing",
            "ＡＰＩＫＥＹ",
            "rawPrompts",
            "xCookieJar",
            "chainOfThoughtText",
        ] {
            assert!(rule.is_sensitive(name), "{name}");
        }
    }

    #[test]
    fn counts_of_tokens_and_ordinary_names_are_not_sensitive() {
        let rule = Sensitive::default();
        for name in [
            "inputTokens",
            "totalTokens",
            "reasoningTokens",
            "tokenCount",
            "challengeCode",
            "cachedInputTokens",
            "title",
            "tokenised",
            "",
            "é",
            "cotton",
            "maxTurns",
            "credentialPolicyVersionId",
        ] {
            assert!(!rule.is_sensitive(name), "{name}");
        }
    }

    #[test]
    fn the_first_place_is_named() {
        let config = json!({"a": [{"b": 1}, {"properties": {"apiKey": {}}}]});
        assert_eq!(Sensitive::default().find(&config, ""), Some("a[1].properties.apiKey".into()));
    }
}
