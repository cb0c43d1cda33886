//! Patterns of paths.

/// A pattern of paths: `*` and `?` stand for characters of one part, `**` for any number of parts.
///
/// It takes at most as many steps as the pattern has characters times the path has, whatever they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Vec<char>>);

/// What is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// Nothing stands in it.
    #[error("the pattern is empty")]
    Empty,
    /// It is longer than a pattern may be.
    #[error("the pattern has {0} characters; {CHARS_MAX} are the most")]
    TooLong(usize),
}

/// The longest pattern, in characters.
const CHARS_MAX: usize = 500;

impl Pattern {
    /// Reads a pattern. Slashes at its beginning and a leading `./` do not count.
    pub fn of(text: &str) -> Result<Self, BadPattern> {
        let chars = text.chars().count();
        if chars > CHARS_MAX {
            return Err(BadPattern::TooLong(chars));
        }
        let parts: Vec<Vec<char>> = text
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .map(|part| part.chars().collect())
            .collect();
        if parts.is_empty() { Err(BadPattern::Empty) } else { Ok(Self(parts)) }
    }

    /// Whether a path, from its first part to its last, is one of the pattern's.
    pub fn matches(&self, path: &str) -> bool {
        let path: Vec<Vec<char>> = path.split('/').map(|part| part.chars().collect()).collect();
        let deep = |part: &Vec<char>| part[..] == ['*', '*'];
        wild(&self.0, &path, deep, |pattern, part| {
            let star = |one: &char| *one == '*';
            wild(pattern, part, star, |wanted, got| *wanted == '?' || wanted == got)
        })
    }

    /// Whether the pattern speaks of the last part of paths only.
    pub fn is_of_names(&self) -> bool {
        matches!(&self.0[..], [one] if one[..] != ['*', '*'])
    }
}

/// Whether `items` are what `pattern` says, where a part of it that `any` holds for stands for any number of
/// items. A table row by row, so that no combination is tried twice.
fn wild<P, T>(pattern: &[P], items: &[T], any: impl Fn(&P) -> bool, one: impl Fn(&P, &T) -> bool) -> bool {
    let mut reached = vec![false; items.len() + 1];
    reached[0] = true;
    for part in pattern {
        if any(part) {
            let first = reached.iter().position(|reached| *reached).unwrap_or(reached.len());
            reached[first..].fill(true);
            continue;
        }
        for at in (0..items.len()).rev() {
            reached[at + 1] = reached[at] && one(part, &items[at]);
        }
        reached[0] = false;
    }
    reached[items.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_the_paths_they_mean() {
        for (pattern, path, expected) in [
            ("a.txt", "a.txt", true),
            ("./a.txt", "a.txt", true),
            ("*.txt", "a.txt", true),
            ("*.txt", "d/a.txt", false),
            ("**/*.txt", "a.txt", true),
            ("**/*.txt", "d/e/a.txt", true),
            ("d/**", "d/e/a.txt", true),
            ("d/**", "da", false),
            ("**", "d/e", true),
            ("d/*/a.txt", "d/e/a.txt", true),
            ("d/*/a.txt", "d/e/f/a.txt", false),
            ("?.txt", "ä.txt", true),
            ("?.txt", ".txt", false),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abde", false),
            (".oao/attachments/*/x", ".oao/attachments/r/x", true),
        ] {
            assert_eq!(Pattern::of(pattern).unwrap().matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_long_time() {
        let pattern = Pattern::of(&"*a".repeat(200)).unwrap();
        assert!(!pattern.matches(&"a".repeat(150_000)[..199]));
        let deep = Pattern::of(&"**/x/".repeat(100)).unwrap();
        assert!(!deep.matches(&"x/".repeat(99).trim_end_matches('/').replace("x/x/x", "x/y/x")));
        assert_eq!(Pattern::of(&"*".repeat(501)), Err(BadPattern::TooLong(501)));
        assert_eq!(Pattern::of("/./"), Err(BadPattern::Empty));
    }
}
