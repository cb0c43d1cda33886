//! Files that come with a message.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    Parts,
    errors::Refusal,
    publication::{reader::Reader, schema::place},
};

/// What a file of a message has to be, its sizes aside, and where it is put.
#[derive(Clone, Copy, Debug)]
pub struct FileRules {
    /// Whether a name is safe as the last part of a path.
    pub safe: fn(&str) -> bool,
    /// Whether each name may stand once only in a message.
    pub unique: bool,
    /// The bytes that a text stands for, if it is canonical base64.
    pub decode: fn(&str) -> Option<Vec<u8>>,
    /// Where it is put before the first model turn, from the id of its run and its name.
    pub place: fn(&str, &str) -> String,
}

impl Default for FileRules {
    fn default() -> Self {
        Self {
            safe: is_safe,
            unique: true,
            decode: canonical,
            place: |run_id, name| format!(".oao/attachments/{run_id}/{name}"),
        }
    }
}

/// A file that was sent with a message.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    /// Its name, which is safe as the last part of a path.
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) content: Bytes,
}

impl Attached {
    /// What is shown of it.
    pub(crate) fn to_json(&self) -> Value {
        json!({"name": self.name, "contentType": self.content_type, "sizeBytes": self.content.len()})
    }
}

/// Reads `files`: a list of `{name, contentType?, contentBase64}`.
pub(crate) fn read_files(body: &Reader<'_, '_>, parts: &Parts) -> Result<Vec<Attached>, Refusal> {
    let (limits, rules) = (&parts.file_limits, &parts.runs.files);
    if body.get("files").is_none() {
        return Ok(Vec::new());
    }
    let list = body.list("files", limits.count.max)?;
    if !limits.count.holds(list.len() as u64) {
        return Err(
            body.refuse("files", &format!("{} to {} files are needed", limits.count.min, limits.count.max))
        );
    }
    let mut files: Vec<Attached> = Vec::new();
    let mut bytes = 0;
    for (index, file) in list.iter().enumerate() {
        let at = place::item("files", index);
        let reader = Reader::of(file, &at)?;
        reader.only(&["name", "contentType", "contentBase64"])?;
        let name = reader.text("name", limits.name_units)?;
        let taken = rules.unique && files.iter().any(|other| other.name == name);
        if !(rules.safe)(name) || taken {
            return Err(reader.refuse("name", "a plain file name is needed, each name once"));
        }
        let content_type =
            reader.optional_text("contentType", limits.name_units)?.unwrap_or("application/octet-stream");
        let content = reader.need("contentBase64")?.as_str().and_then(rules.decode);
        let content = content.ok_or_else(|| reader.refuse("contentBase64", "canonical base64 is needed"))?;
        bytes += content.len() as u64;
        if content.len() as u64 > limits.bytes_max || bytes > limits.turn_bytes_max {
            let problem =
                format!("at most {} bytes a file and {} together", limits.bytes_max, limits.turn_bytes_max);
            return Err(reader.refuse("contentBase64", &problem));
        }
        files.push(Attached {
            name: name.to_owned(),
            content_type: content_type.to_owned(),
            content: content.into(),
        });
    }
    Ok(files)
}

fn is_safe(name: &str) -> bool {
    name != "." && name != ".." && !name.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

fn canonical(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok().filter(|content| STANDARD.encode(content) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: Value) -> Result<Vec<Attached>, Refusal> {
        let body = json!({"files": files});
        read_files(&Reader::of(&body, "")?, &Parts::default())
    }

    #[test]
    fn files_that_are_taken_and_files_that_are_not() {
        let file = |name: &str, content: &str| json!({"name": name, "contentBase64": content});
        let files = read(json!([file("a b.txt", "aGk="), file("é", "")])).unwrap();
        assert_eq!(files[0].content, Bytes::from_static(b"hi"));
        assert_eq!((FileRules::default().place)("r", &files[0].name), ".oao/attachments/r/a b.txt");
        for name in ["", ".", "..", "a/b", "a\\b", "a\nb"] {
            assert!(read(json!([file(name, "aGk=")])).is_err(), "{name:?}");
        }
        for content in ["aGk", "aGl=", "a Gk=", "*"] {
            assert!(read(json!([file("a", content)])).is_err(), "{content}");
        }
        // What is no text at all is refused, and not taken for an empty one.
        for other in [json!(null), json!(true), json!(7), json!([]), json!({})] {
            for member in ["name", "contentType", "contentBase64"] {
                let mut file = json!({"name": "a", "contentType": "text/plain", "contentBase64": ""});
                file[member] = other.clone();
                assert!(read(json!([file])).is_err(), "{member}: {other}");
            }
        }
        assert!(read(json!([file("a", ""), file("a", "")])).is_err());
        assert!(read(json!([])).is_err() && read(json!({})).is_err() && read(json!(["a"])).is_err());
        assert!(read((0..9).map(|at| file(&at.to_string(), "")).collect()).is_err());
        let large = "A".repeat(14 * 1024 * 1024);
        assert!(read(json!([file("a", &large)])).is_err());
    }
}
