//! Judging a value by a schema of the subset.

use serde_json::{Map, Value};

use super::{coerce, formats};
use crate::{
    limits::{Limits, SchemaLimits, utf16_units},
    publication::schema::{Declared, place, published_type},
};

/// One finding: a place in the value and what is wrong there. The value itself is never quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `lines[2].total`. Empty for the value as a whole.
    pub place: String,
    /// What.
    pub problem: String,
}

/// The rules for values. The default is the contract's.
#[derive(Clone, Debug)]
pub struct ValueRules {
    /// Tables.
    pub limits: SchemaLimits,
    /// Brings primitives into the declared type before they are judged.
    pub coerce: fn(Declared, &Value) -> Value,
    /// Whether values at this depth are judged; the value as a whole has depth 0.
    pub reach: fn(u64) -> bool,
    /// Whether a member that no property names is a fault under `additionalProperties: false`.
    pub closes: bool,
    /// Whether members that are required have to be there, in objects at this depth.
    pub requires: fn(u64) -> bool,
    /// The length of a string.
    pub units: fn(&str) -> u64,
    /// Whether a number is a multiple of a step.
    pub multiple: fn(f64, f64) -> bool,
    /// Whether a string has a format.
    pub format: fn(&str, &str) -> bool,
}

impl Default for ValueRules {
    fn default() -> Self {
        Self {
            limits: Limits::default().result_schema,
            coerce,
            reach: |_| true,
            closes: true,
            requires: |_| true,
            units: utf16_units,
            multiple: exact_multiple,
            format: formats::fits,
        }
    }
}

impl ValueRules {
    /// The value after coercion, if it satisfies `schema`; otherwise everything that is wrong with it.
    pub fn check(&self, schema: &Value, value: &Value) -> Result<Value, Vec<Fault>> {
        let mut faults = Vec::new();
        let value = self.value(schema, value, "", 0, &mut faults);
        if faults.is_empty() { Ok(value) } else { Err(faults) }
    }

    fn value(&self, schema: &Value, value: &Value, at: &str, depth: u64, faults: &mut Vec<Fault>) -> Value {
        let mut fault =
            |problem: &str| faults.push(Fault { place: at.to_owned(), problem: problem.to_owned() });
        if depth > self.limits.value_depth_max {
            fault("is nested too deep");
            return value.clone();
        }
        let Some(schema) = schema.as_object().filter(|_| (self.reach)(depth)) else { return value.clone() };
        let declared = published_type(schema);
        let value = declared.map_or_else(|| value.clone(), |declared| (self.coerce)(declared, value));
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            if !allowed.iter().any(|one| same(one, &value)) {
                fault("is none of the allowed values");
            }
            return value;
        }
        if let Some(only) = schema.get("const") {
            if !same(only, &value) {
                fault("is not the allowed value");
            }
            return value;
        }
        let Some(declared) = declared else { return value };
        if !declared.fits(&value) {
            fault(&format!("is not of type {}", declared.kind.name()));
            return value;
        }
        match &value {
            Value::String(text) => self.text(schema, text, &mut fault),
            Value::Number(number) => self.number(schema, number.as_f64().unwrap_or_default(), &mut fault),
            Value::Array(items) => return self.array(schema, items, at, depth, faults),
            Value::Object(members) => return self.object(schema, members, at, depth, faults),
            Value::Null | Value::Bool(_) => {}
        }
        value
    }

    fn text(&self, schema: &Map<String, Value>, text: &str, fault: &mut dyn FnMut(&str)) {
        within(schema, "minLength", "maxLength", (self.units)(text), "characters", fault);
        if let Some(format) = schema.get("format").and_then(Value::as_str)
            && !(self.format)(format, text)
        {
            fault(&format!("is no {format}"));
        }
    }

    fn number(&self, schema: &Map<String, Value>, number: f64, fault: &mut dyn FnMut(&str)) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let too_small = bound("minimum").is_some_and(|low| number < low)
            || bound("exclusiveMinimum").is_some_and(|low| number <= low);
        let too_large = bound("maximum").is_some_and(|high| number > high)
            || bound("exclusiveMaximum").is_some_and(|high| number >= high);
        if too_small {
            fault("is too small");
        }
        if too_large {
            fault("is too large");
        }
        if bound("multipleOf").is_some_and(|step| !(self.multiple)(number, step)) {
            fault("is no multiple of the step");
        }
    }

    fn array(
        &self,
        schema: &Map<String, Value>,
        items: &[Value],
        at: &str,
        depth: u64,
        faults: &mut Vec<Fault>,
    ) -> Value {
        let mut fault =
            |problem: &str| faults.push(Fault { place: at.to_owned(), problem: problem.to_owned() });
        within(schema, "minItems", "maxItems", items.len() as u64, "items", &mut fault);
        let of = schema.get("items").unwrap_or(&Value::Null);
        let checked = items
            .iter()
            .enumerate()
            .map(|(index, item)| self.value(of, item, &place::item(at, index), depth + 1, faults));
        checked.collect()
    }

    fn object(
        &self,
        schema: &Map<String, Value>,
        members: &Map<String, Value>,
        at: &str,
        depth: u64,
        faults: &mut Vec<Fault>,
    ) -> Value {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let additional = schema.get("additionalProperties").unwrap_or(&Value::Bool(true));
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for name in required.iter().filter_map(Value::as_str).filter(|_| (self.requires)(depth)) {
            if !members.contains_key(name) {
                faults.push(Fault { place: place::member(at, name), problem: "is missing".to_owned() });
            }
        }
        let mut checked = Map::new();
        for (name, member) in members {
            let here = place::member(at, name);
            let value = match (properties.get(name), additional) {
                (Some(schema), _) => self.value(schema, member, &here, depth + 1, faults),
                (None, Value::Bool(false)) if self.closes => {
                    faults.push(Fault { place: here, problem: "is not allowed here".to_owned() });
                    continue;
                }
                (None, _) if self.is_prohibited(name) => continue,
                (None, Value::Bool(_)) => {
                    self.untyped(member, &here, depth + 1, faults);
                    member.clone()
                }
                (None, schema) => self.value(schema, member, &here, depth + 1, faults),
            };
            checked.insert(name.clone(), value);
        }
        Value::Object(checked)
    }

    /// A value that no schema describes may be anything but endless, and names nothing prohibited.
    fn untyped(&self, value: &Value, at: &str, depth: u64, faults: &mut Vec<Fault>) {
        if depth > self.limits.value_depth_max {
            faults.push(Fault { place: at.to_owned(), problem: "is nested too deep".to_owned() });
            return;
        }
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.untyped(item, &place::item(at, index), depth + 1, faults);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let here = place::member(at, name);
                    if self.is_prohibited(name) {
                        faults.push(Fault { place: here, problem: "has a prohibited name".to_owned() });
                    } else {
                        self.untyped(member, &here, depth + 1, faults);
                    }
                }
            }
            _ => {}
        }
    }

    fn is_prohibited(&self, name: &str) -> bool {
        self.limits.prohibited_names.iter().any(|prohibited| prohibited == name)
    }
}

fn within(
    schema: &Map<String, Value>,
    low: &str,
    high: &str,
    count: u64,
    what: &str,
    fault: &mut dyn FnMut(&str),
) {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    if bound(low).is_some_and(|low| (count as f64) < low) {
        fault(&format!("has too few {what}"));
    }
    if bound(high).is_some_and(|high| count as f64 > high) {
        fault(&format!("has too many {what}"));
    }
}

/// An exact remainder, as the runtime takes it: 0.3 is no multiple of 0.1.
fn exact_multiple(number: f64, step: f64) -> bool {
    number % step == 0.0
}

/// Equal as JSON: `1` and `1.0` are.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: Value, value: Value) -> Result<Value, Vec<String>> {
        let faults = |faults: Vec<Fault>| faults.into_iter().map(|fault| fault.place).collect();
        ValueRules::default().check(&schema, &value).map_err(faults)
    }

    fn one(node: Value) -> Value {
        json!({"type": "object", "properties": {"a": node}, "required": ["a"], "additionalProperties": false})
    }

    #[test]
    fn an_open_object_keeps_what_it_does_not_know() {
        assert_eq!(check(json!({"type": "object"}), json!({})), Ok(json!({})));
        assert_eq!(check(json!({"type": "object"}), json!({"x": [1]})), Ok(json!({"x": [1]})));
        assert_eq!(check(json!({"type": "object"}), json!({"__proto__": 1, "y": 2})), Ok(json!({"y": 2})));
        assert_eq!(
            check(json!({"type": "object"}), json!({"x": {"constructor": 1}})),
            Err(vec!["x.constructor".into()])
        );
        let closed = json!({"type": "object", "additionalProperties": false});
        assert_eq!(check(closed, json!({"__proto__": 1})), Err(vec!["__proto__".into()]));
        let typed = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        assert_eq!(check(typed.clone(), json!({"x": "3"})), Ok(json!({"x": 3})));
        assert_eq!(check(typed, json!({"x": "y"})), Err(vec!["x".into()]));
        assert!(check(json!({"type": "object"}), json!("x")).is_err());
    }

    #[test]
    fn values_that_satisfy_and_values_that_do_not() {
        let text = |min, max| one(json!({"type": "string", "minLength": min, "maxLength": max}));
        let number = |node: Value| one(node);
        for (schema, value, fits) in [
            (text(2, 2), json!("😀"), true),
            (text(2, 2), json!("é"), false),
            (text(0, 1), json!("ab"), false),
            (number(json!({"type": "integer"})), json!(1.0), true),
            (number(json!({"type": "integer"})), json!(1.5), false),
            (number(json!({"type": "integer"})), json!(9_007_199_254_740_993_i64), false),
            (number(json!({"type": "number", "multipleOf": 0.1})), json!(0.3), false),
            (number(json!({"type": "number", "multipleOf": 0.5})), json!(1.5), true),
            (number(json!({"type": "number", "minimum": 1})), json!(1), true),
            (number(json!({"type": "number", "exclusiveMinimum": 1})), json!(1), false),
            (number(json!({"type": "number", "maximum": 1})), json!(1.5), false),
            (number(json!({"type": "number", "exclusiveMaximum": 2})), json!(1.5), true),
            (one(json!({"enum": ["x", 1, null]})), json!(1.0), true),
            (one(json!({"enum": ["x", 1]})), json!("1"), false),
            (one(json!({"type": ["string", "null"], "enum": ["x"]})), json!(null), false),
            (one(json!({"const": null})), json!(null), true),
            (one(json!({"const": null})), json!(false), false),
            (one(json!({"type": ["array", "null"], "items": {"type": "string"}})), json!(null), true),
            (one(json!({"type": "array", "items": {"type": "string"}, "minItems": 1})), json!([]), false),
            (one(json!({"type": "array", "items": {"type": "object"}})), json!([{}, "x"]), false),
            (one(json!({"type": "string", "format": "date"})), json!("2024-02-31"), true),
            (one(json!({"type": "string", "format": "time"})), json!("10:00:00"), false),
            (one(json!({"type": "boolean"})), json!("maybe"), false),
            (one(json!({"type": "object"})), json!([]), false),
            (one(json!({"type": "array", "items": {"type": "null"}})), json!("x"), false),
        ] {
            let verdict = check(schema.clone(), json!({"a": value}));
            assert_eq!(verdict.is_ok(), fits, "{schema} {value} {verdict:?}");
        }
    }

    #[test]
    fn coercion_reaches_every_depth_and_nothing_missing_is_made_up() {
        let schema = json!({
            "type": "object",
            "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "b": {"type": "boolean"}},
            "required": ["n", "s", "b"],
            "additionalProperties": false,
        });
        let nested = json!({"type": "object", "properties": {"l": {"type": "array", "items": schema}}});
        for (given, expected) in [
            (json!({"n": "4", "s": 12, "b": "true"}), Ok(json!({"n": 4, "s": "12", "b": true}))),
            (json!({"n": null, "s": null, "b": null}), Ok(json!({"n": 0, "s": "", "b": false}))),
            (json!({"n": 1}), Err(vec!["b".to_owned(), "s".to_owned()])),
            (json!({"n": 1, "s": "a", "b": true, "zz": 1}), Err(vec!["zz".to_owned()])),
        ] {
            let mut got = check(nested["properties"]["l"]["items"].clone(), given.clone());
            if let Err(places) = &mut got {
                places.sort();
            }
            assert_eq!(got, expected, "{given}");
            let deep = check(nested.clone(), json!({"l": [given.clone()]}));
            assert_eq!(deep.is_ok(), expected.is_ok(), "{given}");
            if let (Ok(deep), Ok(expected)) = (deep, expected) {
                assert_eq!(deep["l"][0], expected);
            }
        }
    }

    #[test]
    fn depth_is_limited_and_faults_quote_nothing() {
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        assert!(check(json!({"type": "object"}), json!({"x": deep})).is_err());
        let faults = ValueRules::default()
            .check(&one(json!({"type": "array", "items": {"type": "null"}})), &json!({"a": "canary"}));
        assert!(faults.unwrap_err().iter().all(|fault| !fault.problem.contains("canary")));
    }

    #[test]
    fn the_seams_take_an_edit() {
        let schema = one(json!({"type": "array", "items": {"type": "string"}}));
        let value = json!({"a": [{}], "zz": 1});
        let shallow = ValueRules { reach: |depth| depth == 0, closes: false, ..ValueRules::default() };
        assert_eq!(shallow.check(&schema, &value), Ok(value.clone()));
        let lax = ValueRules { requires: |_| false, ..ValueRules::default() };
        assert_eq!(lax.check(&schema, &json!({})), Ok(json!({})));
    }
}
