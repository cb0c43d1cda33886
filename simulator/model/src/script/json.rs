//! Reading a script out of a JSON value, so that whatever is wrong has its place in it.
//!
//! The derived readers take a list for a mapping and know no places. This one takes a mapping for a mapping,
//! as the reader of texts does.

use std::fmt;

use serde::de::{
    Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
    value::StrDeserializer,
};
use serde::{de::DeserializeSeed, forward_to_deserialize_any};
use serde_json::Value;

use super::explain::{
    Told, misplaced, missing_field, no_flag, no_list, no_mapping, no_number, no_text, told, two_places,
    unknown_field, unknown_value,
};

/// What is wrong with a value, and where.
#[derive(Debug)]
pub(super) struct Misread {
    /// The names and numbers that lead to the place, the innermost first.
    path: Vec<String>,
    pub(super) told: Told,
}

impl Misread {
    fn within(mut self, name: impl Into<String>) -> Self {
        self.path.push(name.into());
        self
    }

    /// The place as a JSON Pointer.
    pub(super) fn pointer(&self) -> String {
        let names = self.path.iter().rev().map(|name| name.replace('~', "~0").replace('/', "~1"));
        names.map(|name| format!("/{name}")).collect()
    }
}

impl From<Told> for Misread {
    fn from(told: Told) -> Self {
        Self { path: Vec::new(), told }
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer(), self.told.message)
    }
}

impl std::error::Error for Misread {}

impl Error for Misread {
    fn custom<T: fmt::Display>(message: T) -> Self {
        told(message.to_string(), "").into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match expected.to_string().as_str() {
            "a boolean" => no_flag().into(),
            kind @ ("u16" | "u32" | "u64" | "f64") => no_number(kind).into(),
            expected => misplaced(&found.to_string(), expected).into(),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        two_places().into()
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        unknown_value(value, known).into()
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        unknown_field(field, known).into()
    }

    fn missing_field(field: &'static str) -> Self {
        missing_field(field).into()
    }
}

/// A value that is read.
#[derive(Clone, Copy)]
pub(super) struct Json<'de>(pub(super) &'de Value);

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Misread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(_) => self.0.deserialize_any(visitor).map_err(again),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Value::Array(items) = self.0 else { return Err(no_list().into()) };
        let mut rest = Items { items, next: 0 };
        let value = visitor.visit_seq(&mut rest)?;
        // A list of a fixed length takes what it needs and does not look further.
        if rest.next == items.len() { Ok(value) } else { Err(two_places().into()) }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields { fields: fields.iter(), next: None }),
            _ => Err(no_mapping(" ", "").into()),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(word.as_str().into_deserializer()),
            _ => Err(no_text("").into()),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(text) => visitor.visit_borrowed_str(text),
            _ => Err(no_text("").into()),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf option unit unit_struct
        newtype_struct tuple_struct identifier ignored_any
    }
}

/// An error of the reader of numbers, which says no more than its text.
fn again(error: serde_json::Error) -> Misread {
    Misread::custom(error)
}

struct Items<'de> {
    items: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Misread;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Misread> {
        let Some(item) = self.items.get(self.next) else { return Ok(None) };
        let number = self.next;
        self.next += 1;
        seed.deserialize(Json(item)).map(Some).map_err(|misread| misread.within(number.to_string()))
    }
}

struct Fields<'de> {
    fields: serde_json::map::Iter<'de>,
    next: Option<(&'de str, &'de Value)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Misread;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Misread> {
        let Some((name, value)) = self.fields.next() else { return Ok(None) };
        self.next = Some((name, value));
        let name: StrDeserializer<'de, Misread> = name.as_str().into_deserializer();
        seed.deserialize(name)
            .map(Some)
            .map_err(|misread| misread.within(self.next.map_or("", |(name, _)| name)))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Misread> {
        let (name, value) = self.next.take().unwrap_or(("", &Value::Null));
        seed.deserialize(Json(value)).map_err(|misread| misread.within(name))
    }
}
