//! Wrong ways to take the files of a message.

use oao::Parts;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "attachments-in-one-folder",
        edit: |parts| parts.runs.files.place = |_, name| format!(".oao/attachments/{name}"),
    },
    Edit { id: "file-count-unlimited", edit: |parts| parts.file_limits.count.max = 1_000 },
    Edit { id: "file-size-unlimited", edit: |parts| parts.file_limits.bytes_max = u64::MAX },
    Edit { id: "message-size-unlimited", edit: |parts| parts.file_limits.turn_bytes_max = u64::MAX },
    Edit {
        id: "file-names-unchecked",
        edit: |parts| {
            parts.file_limits.name_units.min = 0;
            parts.runs.files.safe = |_| true;
            parts.runs.files.unique = false;
        },
    },
    Edit {
        id: "base64-decoded-leniently",
        edit: |parts| parts.runs.files.decode = |text| Some(whatever(text)),
    },
    Edit { id: "empty-message-taken", edit: |parts| parts.session_limits.message_units.min = 0 },
];

/// The bytes of all characters that belong to base64, whatever stands between and behind them.
fn whatever(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for value in text.chars().filter_map(|c| ALPHABET.find(c)).filter_map(|at| u32::try_from(at).ok()) {
        bits = (bits << 6) | value;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend(u8::try_from((bits >> held) & 0xff));
        }
    }
    bytes
}
