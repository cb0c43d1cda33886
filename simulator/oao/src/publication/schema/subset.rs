//! The subset of JSON Schema that an object schema may use.

use serde_json::{Map, Value};

use super::{
    kind::{Declared, Kind},
    place, rules,
};
use crate::{
    errors::Refusal,
    limits::{Limits, SchemaLimits, utf16_units},
    sequence::Sequence,
};

/// One finding: a place and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Where: `harnessOperations[0].resultSchema.properties.x.format`.
    pub place: String,
    /// What.
    pub problem: String,
}

impl From<Issue> for Refusal {
    fn from(issue: Issue) -> Self {
        Self::at(&issue.place, &issue.problem)
    }
}

/// A node of a schema, as the rules see it.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Its members.
    pub object: &'a Map<String, Value>,
    /// The declared type, when there is one and it can be read.
    pub declared: Option<Declared>,
    /// Where it is.
    pub place: String,
    /// 0 at the root.
    pub depth: u64,
}

impl Node<'_> {
    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.depth == 0
    }

    /// Whether it chooses among given values.
    pub fn is_choice(&self) -> bool {
        self.object.contains_key("enum") || self.object.contains_key("const")
    }

    /// The member `name`, with its place.
    pub fn member(&self, name: &str) -> Option<(String, &Value)> {
        self.object.get(name).map(|value| (place::member(&self.place, name), value))
    }
}

/// A rule looks at one node and adds what it finds.
pub type Rule = fn(&Subset, &Node<'_>, &mut Vec<Issue>);

/// The subset: its tables, and the rules that read them. The default is the contract's.
#[derive(Clone, Debug)]
pub struct Subset {
    /// Numbers and tables.
    pub limits: SchemaLimits,
    /// The size of a schema, measured against `bytes_max`: bytes of compact JSON.
    pub size: fn(&Value) -> u64,
    /// The length of a text.
    pub units: fn(&str) -> u64,
    /// Reads the list form of `type`.
    pub type_list: fn(&[Value]) -> Option<Declared>,
    /// Whether nodes at this depth are checked.
    pub reach: fn(u64) -> bool,
    /// What the root has to be.
    pub root: fn(&Value) -> Result<(), (&'static str, &'static str)>,
    /// The rules, in the order in which their findings are reported.
    pub rules: Sequence<Rule>,
}

impl Default for Subset {
    fn default() -> Self {
        Self {
            limits: Limits::default().result_schema,
            size: compact_bytes,
            units: utf16_units,
            type_list: one_type_and_null,
            reach: |_| true,
            root: an_object_schema,
            rules: rules::all(),
        }
    }
}

impl Subset {
    /// Checks `schema`, which stands at `place`, and reports the first issue.
    pub fn check(&self, schema: &Value, place: &str) -> Result<(), Issue> {
        let mut walk = super::walk::Walk::over(self);
        walk.schema(schema, place);
        walk.first_issue().map_or(Ok(()), Err)
    }

    /// The declared type of a node: `Err` when `type` is there and says nothing that is allowed.
    pub(crate) fn declared(&self, object: &Map<String, Value>) -> Result<Option<Declared>, ()> {
        read_declared(object, self.type_list)
    }

    /// Whether `name` may name a property.
    pub fn is_prohibited(&self, name: &str) -> bool {
        self.limits.prohibited_names.iter().any(|prohibited| prohibited == name)
    }
}

/// The declared type of a schema that was published.
pub(crate) fn published_type(object: &Map<String, Value>) -> Option<Declared> {
    read_declared(object, one_type_and_null).ok().flatten()
}

fn read_declared(
    object: &Map<String, Value>,
    type_list: fn(&[Value]) -> Option<Declared>,
) -> Result<Option<Declared>, ()> {
    match object.get("type") {
        None => Ok(None),
        Some(Value::String(name)) => {
            Kind::named(name).map(|kind| Some(Declared { kind, nullable: false })).ok_or(())
        }
        Some(Value::Array(list)) => type_list(list).map(Some).ok_or(()),
        Some(_) => Err(()),
    }
}

fn compact_bytes(schema: &Value) -> u64 {
    crate::publication::canonical::numbers(schema).to_string().len() as u64
}

/// The root is an object whose `type` is the string `object` and that chooses nothing.
fn an_object_schema(schema: &Value) -> Result<(), (&'static str, &'static str)> {
    let Some(object) = schema.as_object() else {
        return Err(("", "an object schema is needed"));
    };
    match object.get("type") {
        Some(Value::String(name)) if name == "object" => Ok(()),
        _ => Err(("type", "the root has to have `type` \"object\"")),
    }?;
    match ["enum", "const"].into_iter().find(|choice| object.contains_key(*choice)) {
        Some(choice) => Err((choice, "the root may not choose among values")),
        None => Ok(()),
    }
}

/// The nullable form: one type and `null`, in either order.
fn one_type_and_null(list: &[Value]) -> Option<Declared> {
    let [one, other] = list else { return None };
    let kinds = [Kind::named(one.as_str()?)?, Kind::named(other.as_str()?)?];
    match kinds {
        [Kind::Null, Kind::Null] => None,
        [kind, Kind::Null] | [Kind::Null, kind] => Some(Declared { kind, nullable: true }),
        _ => None,
    }
}
