//! Which checks a command line means.

use crate::{Check, Registry};

/// Patterns that name checks: an id, or one with `*` for any run of characters. Case does not matter.
/// A requirement's id names all its checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(Vec<String>);

/// Patterns that name nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no built check matches `{pattern}`{}", .hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
pub struct SelectionError {
    /// The pattern.
    pub pattern: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl Selection {
    /// The checks that match one of `patterns`; all of them where there are none.
    pub fn new(patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(patterns.into_iter().map(Into::into).collect())
    }

    /// Whether everything is meant.
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `id` is meant.
    pub fn contains(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| matches(pattern, id))
    }

    /// The checks of `registry` that are meant. Every pattern must match at least one.
    pub fn of(&self, registry: &Registry) -> Result<Vec<Check>, SelectionError> {
        for pattern in &self.0 {
            if !registry.checks.iter().any(|check| matches(pattern, check.id)) {
                return Err(SelectionError { pattern: pattern.clone(), hint: hint(pattern, registry) });
            }
        }
        Ok(registry.checks.iter().filter(|check| self.contains(check.id)).copied().collect())
    }
}

fn hint(pattern: &str, registry: &Registry) -> Option<String> {
    let spec = spec::Spec::load().ok()?;
    let pending = spec::Contract::ALL.into_iter().flat_map(|contract| spec.checks(contract)).find_map(
        |(_, _, entry)| {
            let reason = entry.pending.as_ref().filter(|_| matches(pattern, &entry.id))?;
            Some(format!("{} is pending: {reason}", entry.id))
        },
    );
    let near = || spec::nearest(pattern, registry.checks.iter().map(|check| check.id));
    pending.or_else(|| near().map(|id| format!("did you mean `{id}`?")))
}

fn matches(pattern: &str, id: &str) -> bool {
    let pattern = pattern.to_uppercase();
    let id = id.to_uppercase();
    glob(pattern.as_bytes(), id.as_bytes())
        || id
            .rsplit_once('-')
            .is_some_and(|(requirement, _)| glob(pattern.as_bytes(), requirement.as_bytes()))
}

/// `*` stands for any run of characters. Linear in the product of the lengths.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star, from)) = retry {
            p = star + 1;
            t = from + 1;
            retry = Some((star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_checks_requirements_and_families() {
        for (pattern, id, expected) in [
            ("VET-16-a", "VET-16-a", true),
            ("vet-16-A", "VET-16-a", true),
            ("VET-16", "VET-16-a", true),
            ("VET-1", "VET-16-a", false),
            ("VET-*", "VET-16-a", true),
            ("*-p", "OAO-11-p", true),
            ("*-p", "OAO-11-a", false),
            ("*1*", "OAO-11-a", true),
            ("", "OAO-11-a", false),
            ("***", "OAO-11-a", true),
        ] {
            assert_eq!(Selection::new([pattern]).contains(id), expected, "{pattern} on {id}");
        }
    }
}
