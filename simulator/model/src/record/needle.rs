//! The part of a text by which it is known again.

use super::secret::Secrets;

/// The longest part, in characters.
const NEEDLE_CHARS_MAX: usize = 120;
/// How many parts of a text are looked at, and how many are kept.
const PARTS_MAX: usize = 1000;
const KEPT_MAX: usize = 12;

/// Parts of a text that stay the same from one run to the next, the longest first: no times, no random ids, no
/// secrets, and nothing that goes over the end of a line.
pub(super) fn needles(text: &str, secrets: &Secrets) -> Vec<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    let found = secrets.found(text);
    for (end, next) in found.iter().map(|found| (found.start, found.end)).chain([(text.len(), text.len())]) {
        for line in text[start..end].lines().take(PARTS_MAX - parts.len().min(PARTS_MAX)) {
            stable(line, &mut parts);
        }
        start = next;
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.chars().count().min(NEEDLE_CHARS_MAX)));
    let mut needles: Vec<String> = Vec::new();
    for part in parts {
        for needle in [head(part), tail(part)] {
            if !needle.is_empty() && !needles.iter().any(|known| known == needle) {
                needles.push(needle.to_owned());
            }
        }
        if needles.len() >= KEPT_MAX {
            break;
        }
    }
    needles
}

/// The parts of a line between the words that change from run to run.
fn stable<'a>(line: &'a str, parts: &mut Vec<&'a str>) {
    let mut start = 0;
    for word in line.split_whitespace() {
        if is_volatile(word) {
            let at = place_in(line, word);
            parts.push(line[start..at].trim());
            start = at + word.len();
        }
    }
    parts.push(line[start..].trim());
}

/// Where a part of a text stands in it.
fn place_in(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn is_volatile(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '/');
    is_path_of_today(word) || is_random(word) || is_time(word)
}

/// A path that is another one each time.
fn is_path_of_today(word: &str) -> bool {
    ["/tmp/", "/var/folders/", "/private/var/"].iter().any(|begin| word.contains(begin))
}

/// A UUID, a digest, or a number that is longer than people write them.
fn is_random(word: &str) -> bool {
    let runs = |is_in: fn(&u8) -> bool| {
        let runs = word.as_bytes().split(move |byte| !is_in(byte));
        runs.map(<[u8]>::len).max().unwrap_or(0)
    };
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let hex = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    runs(u8::is_ascii_digit) >= 9 || (digits >= 4 && runs(hex) >= 16)
}

/// A date or a time of day.
fn is_time(word: &str) -> bool {
    let shapes: String =
        word.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    ["0000-00-00", "00:00", "0000/00/00", "00.00.0000"].iter().any(|shape| shapes.contains(shape))
}

/// The beginning, up to the end of a word when that is far enough.
fn head(part: &str) -> &str {
    let Some((end, _)) = part.char_indices().nth(NEEDLE_CHARS_MAX) else { return part };
    let cut = part[..end].rfind(char::is_whitespace).filter(|cut| *cut > end / 2).unwrap_or(end);
    part[..cut].trim_end()
}

/// The end, likewise.
fn tail(part: &str) -> &str {
    let Some((start, _)) = part.char_indices().rev().nth(NEEDLE_CHARS_MAX - 1) else { return part };
    let rest = &part[start..];
    let cut = rest.find(char::is_whitespace).filter(|cut| *cut < rest.len() / 2).unwrap_or(0);
    rest[cut..].trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> String {
        needles(text, &Secrets::default()).into_iter().next().unwrap_or_default()
    }

    #[test]
    fn what_changes_from_run_to_run_is_in_no_needle() {
        for (text, expected) in [
            ("What is the weather in Oslo?", "What is the weather in Oslo?"),
            ("Process order 4831 today", "Process order 4831 today"),
            ("It is 2026-01-05T09:00:00Z, plan the day", "plan the day"),
            ("Run 0f8fad5b-d9cb-469f-a165-70867728950e of the nightly job", "of the nightly job"),
            ("now: 1767603600\nSummarise it", "Summarise it"),
            ("Read /tmp/agent-x1/notes.md and answer", "and answer"),
            ("The key is sk-12345678abc, so keep it", ", so keep it"),
            ("at 09:15", "at"),
            ("", ""),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_gives_its_beginning_and_its_end() {
        let text = format!("begin {} end", "żółć ".repeat(100));
        let found = needles(&text, &Secrets::default());
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("begin żółć") && found[1].ends_with("żółć  end"), "{found:?}");
        for needle in &found {
            assert!(text.contains(needle.as_str()) && needle.chars().count() <= NEEDLE_CHARS_MAX);
        }
    }

    #[test]
    fn a_text_of_many_lines_is_looked_at_for_so_long_only() {
        let text = "word\n".repeat(1_000_000);
        assert_eq!(needles(&text, &Secrets::default()), ["word"]);
    }
}
