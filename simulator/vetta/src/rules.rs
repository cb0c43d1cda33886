//! Ordered tables of named judges.

/// One named judge.
#[derive(Clone, Debug)]
pub struct Rule<J> {
    /// Unique in its table.
    pub name: &'static str,
    /// What decides.
    pub judge: J,
}

/// An ordered table of named judges. The edits answer whether the name was there, because an edit that
/// meets nothing would leave a server as it was without a word.
#[derive(Clone, Debug)]
pub struct Rules<J>(Vec<Rule<J>>);

impl<J> Rules<J> {
    /// A table in the order given.
    pub fn new(rules: impl IntoIterator<Item = (&'static str, J)>) -> Self {
        Self(rules.into_iter().map(|(name, judge)| Rule { name, judge }).collect())
    }

    /// The names, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|rule| rule.name).collect()
    }

    /// The judges, in order.
    pub fn judges(&self) -> impl Iterator<Item = &J> {
        self.0.iter().map(|rule| &rule.judge)
    }

    /// The judge called `name`.
    pub fn get(&self, name: &str) -> Option<&J> {
        self.0.iter().find(|rule| rule.name == name).map(|rule| &rule.judge)
    }

    /// Takes the judge called `name` out.
    #[must_use = "`None` means that no rule has this name"]
    pub fn remove(&mut self, name: &str) -> Option<J> {
        let at = self.position(name)?;
        Some(self.0.remove(at).judge)
    }

    /// Puts `judge` in the place of the one called `name`, which is handed back.
    #[must_use = "`None` means that no rule has this name"]
    pub fn replace(&mut self, name: &str, judge: J) -> Option<J> {
        let at = self.position(name)?;
        Some(std::mem::replace(&mut self.0[at].judge, judge))
    }

    /// Adds a rule at the front.
    pub fn prepend(&mut self, name: &'static str, judge: J) {
        self.0.insert(0, Rule { name, judge });
    }

    /// Adds a rule at the end.
    pub fn append(&mut self, name: &'static str, judge: J) {
        self.0.push(Rule { name, judge });
    }

    /// Adds a rule in front of the one called `next`.
    #[must_use = "`false` means that no rule is called `next`"]
    pub fn insert_before(&mut self, next: &str, name: &'static str, judge: J) -> bool {
        let at = self.position(next);
        if let Some(at) = at {
            self.0.insert(at, Rule { name, judge });
        }
        at.is_some()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|rule| rule.name == name)
    }
}

impl<J: Clone> Rules<J> {
    /// Puts `wrap(judge)` in the place of the judge called `name`.
    #[must_use = "`false` means that no rule has this name"]
    pub fn decorate(&mut self, name: &str, wrap: impl FnOnce(J) -> J) -> bool {
        let at = self.position(name);
        if let Some(at) = at {
            self.0[at].judge = wrap(self.0[at].judge.clone());
        }
        at.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_the_order_and_say_whether_they_met_something() {
        let mut rules = Rules::new([("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(rules.remove("b"), Some(2));
        assert_eq!(rules.remove("b"), None);
        assert_eq!(rules.replace("c", 9), Some(3));
        assert_eq!(rules.replace("zz", 9), None);
        assert!(rules.insert_before("c", "x", 5));
        assert!(!rules.insert_before("zz", "x", 5));
        assert!(rules.decorate("a", |judge| judge + 10));
        assert!(!rules.decorate("zz", |judge| judge));
        rules.prepend("first", 0);
        rules.append("last", 7);
        assert_eq!(rules.names(), ["first", "a", "x", "c", "last"]);
        assert_eq!(rules.judges().copied().collect::<Vec<_>>(), [0, 11, 5, 9, 7]);
        assert_eq!(rules.get("x"), Some(&5));
    }
}
