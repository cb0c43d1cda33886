//! A list of named things that are done in order, and that can be edited by name.

/// Named items in order. The names exist so that a single item can be replaced or left out without
/// knowing the others.
#[derive(Clone)]
pub struct Sequence<T>(Vec<(&'static str, T)>);

impl<T> Sequence<T> {
    /// A sequence of `items`.
    pub fn of(items: Vec<(&'static str, T)>) -> Self {
        Self(items)
    }

    /// The items in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, item)| item)
    }

    /// The names in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    /// Puts `item` in the place of `name`.
    ///
    /// # Panics
    /// When there is no such item: the edit would have no effect, which is a mistake of whoever wrote it.
    #[track_caller]
    pub fn replace(&mut self, name: &'static str, item: T) {
        let at = self.place(name);
        self.0[at] = (name, item);
    }

    /// Leaves `name` out and gives it back.
    ///
    /// # Panics
    /// As [`Sequence::replace`].
    #[track_caller]
    pub fn remove(&mut self, name: &'static str) -> T {
        let at = self.place(name);
        self.0.remove(at).1
    }

    /// Puts `item` right before `name`.
    ///
    /// # Panics
    /// As [`Sequence::replace`].
    #[track_caller]
    pub fn insert_before(&mut self, name: &'static str, new: &'static str, item: T) {
        let at = self.place(name);
        self.0.insert(at, (new, item));
    }

    /// Puts `item` at the very beginning.
    pub fn prepend(&mut self, new: &'static str, item: T) {
        self.0.insert(0, (new, item));
    }

    /// Puts `item` at the very end.
    pub fn append(&mut self, new: &'static str, item: T) {
        self.0.push((new, item));
    }

    #[track_caller]
    fn place(&self, name: &'static str) -> usize {
        let found = self.0.iter().position(|(other, _)| *other == name);
        found.unwrap_or_else(|| panic!("there is no item `{name}`; there are {}", self.names().join(", ")))
    }
}

impl<T> std::fmt::Debug for Sequence<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_edited_by_name() {
        let mut list = Sequence::of(vec![("a", 1), ("b", 2)]);
        list.replace("a", 3);
        list.insert_before("b", "c", 4);
        list.prepend("z", 0);
        assert_eq!(list.remove("b"), 2);
        list.append("y", 9);
        assert_eq!(list.names(), ["z", "a", "c", "y"]);
        assert_eq!(list.iter().copied().collect::<Vec<_>>(), [0, 3, 4, 9]);
    }
}
