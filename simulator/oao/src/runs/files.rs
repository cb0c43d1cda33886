//! Files that come with a message.

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    errors::Refusal,
    limits::FileLimits,
    publication::{reader::Reader, schema::place},
};

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

    /// Where it is put before the first model turn of its run.
    pub(crate) fn path(&self, run_id: &str) -> String {
        format!(".oao/attachments/{run_id}/{}", self.name)
    }
}

/// Reads `files`: a list of `{name, contentType?, contentBase64}`.
pub(crate) fn read_files(body: &Reader<'_, '_>, limits: &FileLimits) -> Result<Vec<Attached>, Refusal> {
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
        if !is_safe(name) || files.iter().any(|other| other.name == name) {
            return Err(reader.refuse("name", "a plain file name is needed, each name once"));
        }
        let content_type =
            reader.optional_text("contentType", limits.name_units)?.unwrap_or("application/octet-stream");
        let text = reader.need("contentBase64")?.as_str().unwrap_or_default();
        let content = STANDARD.decode(text).ok().filter(|content| STANDARD.encode(content) == text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn read(files: Value) -> Result<Vec<Attached>, Refusal> {
        let body = json!({"files": files});
        read_files(&Reader::of(&body, "")?, &Limits::default().files)
    }

    #[test]
    fn files_that_are_taken_and_files_that_are_not() {
        let file = |name: &str, content: &str| json!({"name": name, "contentBase64": content});
        let files = read(json!([file("a b.txt", "aGk="), file("é", "")])).unwrap();
        assert_eq!(files[0].content, Bytes::from_static(b"hi"));
        assert_eq!(files[0].path("r"), ".oao/attachments/r/a b.txt");
        for name in ["", ".", "..", "a/b", "a\\b", "a\nb"] {
            assert!(read(json!([file(name, "aGk=")])).is_err(), "{name:?}");
        }
        for content in ["aGk", "aGl=", "a Gk=", "*"] {
            assert!(read(json!([file("a", content)])).is_err(), "{content}");
        }
        assert!(read(json!([file("a", ""), file("a", "")])).is_err());
        assert!(read(json!([])).is_err() && read(json!({})).is_err() && read(json!(["a"])).is_err());
        assert!(read((0..9).map(|at| file(&at.to_string(), "")).collect()).is_err());
        let large = "A".repeat(14 * 1024 * 1024);
        assert!(read(json!([file("a", &large)])).is_err());
    }
}
