//! Where things stand in a script's text: a JSON Pointer for each place, and its line and column.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, de};
use serde_saphyr::Spanned;

use super::reading::for_places;

/// A place in a text; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pointer: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    is_key: bool,
}

/// All places of a text, in the order of the text. Empty when the text does not parse at all.
#[derive(Default)]
pub(crate) struct Places {
    places: Vec<Place>,
    by_pointer: BTreeMap<String, usize>,
}

impl Places {
    /// The places of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self::read(text).0
    }

    /// The places of a text, and what makes it a text of another kind than YAML if it is one.
    pub(super) fn read(text: &str) -> (Self, Option<serde_saphyr::Error>) {
        let mut places = Vec::new();
        match serde_saphyr::from_str_with_options::<Spanned<Node>>(text, for_places(text)) {
            Ok(root) => walk(&root, None, String::new(), &mut places),
            Err(error) => return (Self::default(), Some(error)),
        }
        let mut by_pointer = BTreeMap::new();
        for (number, place) in places.iter().enumerate() {
            by_pointer.entry(place.pointer.clone()).or_insert(number);
        }
        (Self { places, by_pointer }, None)
    }

    /// Where `pointer` stands; its nearest ancestor when there is no such thing, as for a field that is
    /// missing.
    pub(crate) fn find(&self, pointer: &str) -> Option<&Place> {
        let mut pointer = pointer;
        loop {
            if let Some(number) = self.by_pointer.get(pointer) {
                return self.places.get(*number);
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }

    /// What begins at or last before a line and column.
    pub(crate) fn at(&self, line: u64, column: u64) -> Option<&Place> {
        self.places.iter().rev().find(|place| (place.line, place.column) <= (line, column))
    }

    /// The mapping that lacks a field, which the YAML reader tells by the mapping's last key.
    pub(crate) fn lacking(&self, line: u64, column: u64) -> Option<&Place> {
        let place = self.at(line, column)?;
        let at_key = place.is_key && (place.line, place.column) == (line, column);
        if at_key { self.find(&place.pointer[..place.pointer.rfind('/')?]) } else { Some(place) }
    }
}

/// The rest of a line of `text` from a column on.
pub(super) fn line_from(text: &str, line: u64, column: u64) -> &str {
    let nth = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let line = text.split('\n').nth(nth(line)).unwrap_or_default();
    let start = line.char_indices().nth(nth(column)).map_or(line.len(), |(start, _)| start);
    &line[start..]
}

enum Node {
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
    List(Vec<Spanned<Node>>),
    Leaf,
}

fn walk(node: &Spanned<Node>, key: Option<&Spanned<String>>, pointer: String, places: &mut Vec<Place>) {
    let start = key.map_or(node.referenced, |key| key.referenced);
    let (line, column) = (start.line(), start.column());
    places.push(Place { pointer: pointer.clone(), line, column, is_key: key.is_some() });
    match &node.value {
        Node::Map(entries) => {
            for (key, value) in entries {
                let name = key.value.replace('~', "~0").replace('/', "~1");
                walk(value, Some(key), format!("{pointer}/{name}"), places);
            }
        }
        Node::List(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, None, format!("{pointer}/{index}"), places);
            }
        }
        Node::Leaf => {}
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> de::Visitor<'de> for AnyNode {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Node, E> {
        Ok(Node::Leaf)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_item_has_a_place_in_yaml_and_in_json() {
        let yaml = "a: 1\nb:\n  - x: yes\n    y/z: [1, 2]\n  - null\n";
        let places = Places::of(yaml);
        let at = |pointer: &str| places.find(pointer).map(|place| (place.line, place.column));
        assert_eq!(at("/a"), Some((1, 1)));
        assert_eq!(at("/b/0/x"), Some((3, 5)));
        assert_eq!(at("/b/0/y~1z/1"), Some((4, 14)));
        assert_eq!(at("/b/1"), Some((5, 5)));
        assert_eq!(at("/b/0/missing"), at("/b/0"), "a missing field stands where its owner does");
        assert_eq!(places.at(4, 6).map(|place| place.pointer.as_str()), Some("/b/0/y~1z"));

        let json = "{\n  \"a\": \"\\ud83d\\ude00\",\n  \"b\": [{\"x\":true}, 1.5e3]\n}";
        let places = Places::of(json);
        let at = |pointer: &str| places.find(pointer).map(|place| (place.line, place.column));
        assert_eq!(at("/a"), Some((2, 3)));
        assert_eq!(at("/b/0/x"), Some((3, 10)));
        assert_eq!(at("/b/1"), Some((3, 21)));
    }
}
