//! An example of a value that keeps a JSON Schema, for answers that have to fit any request.

use serde_json::{Map, Value, json};

/// How deep an example goes; a schema that refers to itself ends here.
const DEPTH_MAX: usize = 12;
/// How deep things stand that may be left out.
const DEPTH_OF_OPTIONS: usize = 6;

/// The most values that an example has. Two properties that refer to the whole double it at each level.
const VALUES_MAX: usize = 2_000;

/// Arguments that keep `schema`. A tool that asks for none gets an empty object.
pub(crate) fn arguments(schema: &Value) -> Value {
    match example(schema) {
        Value::Object(fields) => Value::Object(fields),
        _ => Value::Object(Map::new()),
    }
}

/// A value that keeps `schema`, as far as its plain keywords go: types, constants, properties, items,
/// bounds of size, references within the schema and the first of several alternatives. Patterns and
/// conditions are not looked at.
pub(crate) fn example(schema: &Value) -> Value {
    Writer { root: schema, left: VALUES_MAX }.value(schema, 0)
}

struct Writer<'a> {
    root: &'a Value,
    /// How many values it may still write.
    left: usize,
}

impl Writer<'_> {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let Some(keywords) = schema.as_object().filter(|_| depth < DEPTH_MAX && self.left > 0) else {
            return Value::Null;
        };
        self.left -= 1;
        if let Some(given) = given(keywords) {
            return given;
        }
        let refers = keywords.get("$ref").and_then(Value::as_str);
        if let Some(target) = refers.and_then(|at| self.root.pointer(at.strip_prefix('#')?)) {
            return self.value(target, depth + 1);
        }
        for alternatives in ["oneOf", "anyOf", "allOf"] {
            if let Some(first) = keywords.get(alternatives).and_then(|list| list.get(0)) {
                return self.value(first, depth + 1);
            }
        }
        match kind(keywords) {
            "object" => self.object(keywords, depth),
            "array" => self.array(keywords, depth),
            "integer" | "number" => number(keywords),
            "boolean" => Value::Bool(true),
            "null" => Value::Null,
            _ => text(keywords),
        }
    }

    /// As many items as there have to be, one when there may be one. Items that are to differ are counted.
    fn array(&mut self, keywords: &Map<String, Value>, depth: usize) -> Value {
        let bound = |name: &str| keywords.get(name).and_then(Value::as_u64);
        let most = bound("maxItems").unwrap_or(u64::MAX).min(VALUES_MAX as u64);
        let count = bound("minItems").unwrap_or(u64::from(depth < DEPTH_OF_OPTIONS)).min(most);
        let first = keywords.get("prefixItems").and_then(Value::as_array);
        let rest = keywords.get("items").unwrap_or(&Value::Null);
        let differ = keywords.get("uniqueItems") == Some(&Value::Bool(true));
        let step = bound_of(rest, "multipleOf").unwrap_or(1);
        (0..count)
            .map(|place| {
                let at = usize::try_from(place).unwrap_or(usize::MAX);
                let schema = first.and_then(|first| first.get(at)).unwrap_or(rest);
                match self.value(schema, depth + 1) {
                    Value::String(text) if differ && place > 0 => Value::String(format!("{text} {place}")),
                    Value::Number(number) if differ => match number.as_u64() {
                        Some(number) => json!(number + place * step),
                        None => Value::Number(number),
                    },
                    value => value,
                }
            })
            .collect()
    }

    fn object(&mut self, keywords: &Map<String, Value>, depth: usize) -> Value {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = keywords.get("required").and_then(Value::as_array);
        let unnamed = required.into_iter().flatten().filter_map(Value::as_str);
        let mut fields: Map<String, Value> =
            unnamed.map(|name| (name.to_owned(), Value::String("example".to_owned()))).collect();
        let needed = |name: &String| required.into_iter().flatten().any(|required| required == name);
        // What may be left out is left out further down, where a schema may go round in a circle.
        let all = depth < DEPTH_OF_OPTIONS;
        for (name, schema) in properties.into_iter().flatten().filter(|(name, _)| all || needed(name)) {
            fields.insert(name.clone(), self.value(schema, depth + 1));
        }
        Value::Object(fields)
    }
}

fn bound_of(schema: &Value, name: &str) -> Option<u64> {
    schema.get(name).and_then(Value::as_u64)
}

/// A value that the schema names itself.
fn given(keywords: &Map<String, Value>) -> Option<Value> {
    let first = |list: &str| keywords.get(list).and_then(|list| list.get(0)).cloned();
    let named = keywords.get("const").or_else(|| keywords.get("default")).cloned();
    named.or_else(|| first("enum")).or_else(|| first("examples"))
}

fn kind(keywords: &Map<String, Value>) -> &str {
    match keywords.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        _ if keywords.contains_key("properties") => "object",
        _ if keywords.contains_key("items") => "array",
        _ => "string",
    }
}

fn number(keywords: &Map<String, Value>) -> Value {
    let bound = |name: &str| keywords.get(name).and_then(Value::as_f64);
    let low = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|low| low + 1.0));
    let high = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|high| high - 1.0));
    let mut number = low.unwrap_or_else(|| high.map_or(1.0, |high| high.min(1.0)));
    if let Some(step) = bound("multipleOf").filter(|step| *step > 0.0) {
        number = (number / step).ceil() * step;
    }
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

fn text(keywords: &Map<String, Value>) -> Value {
    let bound =
        |name: &str| keywords.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let mut text = match keywords.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-05T09:00:00Z",
        Some("date") => "2026-01-05",
        Some("email") => "someone@example.com",
        Some("uri") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "example",
    }
    .to_owned();
    while text.len() < bound("minLength").unwrap_or(0).min(4096) {
        text.push_str(" example");
    }
    if let Some(most) = bound("maxLength") {
        text.truncate(most);
    }
    Value::String(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_keeps_its_schema() {
        let schemas = [
            json!({"type": "object", "required": ["a", "x"], "properties": {
                "a": {"type": "string", "minLength": 20, "maxLength": 22}, "b": {"type": "integer", "minimum": 7},
                "c": {"enum": ["one", "two"]}, "d": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/e"}},
                "n": {"type": ["null", "string"]}, "u": {"anyOf": [{"type": "number", "maximum": -3}, {"type": "null"}]},
            }, "$defs": {"e": {"type": "object", "properties": {"f": {"const": 4}, "g": {"type": "boolean"}}}}}),
            json!({"type": "string"}),
            json!({"type": "array", "minItems": 3, "uniqueItems": true, "items": {"type": "integer", "multipleOf": 7}}),
            json!({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"type": "string"}}),
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2}),
            json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#"},
                "children": {"type": "array", "items": {"$ref": "#"}}}, "required": ["name"]}),
            json!({"type": "object"}),
        ];
        for schema in schemas {
            let example = example(&schema);
            let validator = jsonschema::draft202012::new(&schema).unwrap();
            assert!(validator.is_valid(&example), "{example} does not keep {schema}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let loops = json!({"$ref": "#"});
        assert_eq!(example(&loops), Value::Null);
        let tree = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        assert!(example(&tree).is_object());
        assert_eq!(example(&json!(true)), Value::Null);
        let names: Map<String, Value> =
            ('a'..='z').map(|name| (name.to_string(), json!({"$ref": "#"}))).collect();
        let forest = json!({"type": "object", "properties": names});
        assert!(example(&forest).to_string().len() < 1_000_000, "each level is 26 times the one above");
        let heap = json!({"type": "array", "minItems": 1e9 as u64, "items": {"$ref": "#"}});
        assert!(example(&heap).to_string().len() < 1_000_000);
    }
}
