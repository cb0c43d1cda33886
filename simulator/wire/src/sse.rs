//! Server-sent events: a writer, and a parser that keeps what a conformance suite has to see.

use bytes::{BufMut, Bytes};

/// One frame of an event stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The `id` field, when the frame has one.
    pub id: Option<String>,
    /// The `event` field, when the frame has one.
    pub event: Option<String>,
    /// The `data` lines, joined by line feeds; `None` when the frame has none.
    pub data: Option<String>,
    /// The `retry` field in milliseconds, when the frame has a valid one.
    pub retry_ms: Option<u64>,
    /// Comment lines, without their colon.
    pub comments: Vec<String>,
}

/// What ends the lines of an event stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    CrLf,
}

impl LineEnds {
    fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// An event as bytes on the wire, in one allocation: an `event` line when it has a name, a `data` line for
/// each line of its data, and a blank line. Neither may contain a carriage return, nor the name a line feed.
pub fn event(name: Option<&str>, data: &str, ends: LineEnds) -> Bytes {
    let end = ends.text().len();
    let name_line = name.map_or(0, |name| "event: ".len() + name.len() + end);
    // Exact for data of one line, so that `Bytes` takes the allocation over as it is.
    let mut bytes = Vec::with_capacity(name_line + "data: ".len() + data.len() + 2 * end);
    event_into(name, data, ends, &mut bytes);
    bytes.into()
}

/// [`event`] at the end of `out`, so that several events share an allocation.
pub fn event_into(name: Option<&str>, data: &str, ends: LineEnds, out: &mut impl BufMut) {
    put_event(name, data, ends, &mut |piece| out.put_slice(piece.as_bytes()));
}

fn put_event(name: Option<&str>, data: &str, ends: LineEnds, put: &mut impl FnMut(&str)) {
    let end = ends.text();
    if let Some(name) = name {
        put_line("event: ", name, end, put);
    }
    put_data(data, end, put);
    put(end);
}

fn put_data(data: &str, end: &str, put: &mut impl FnMut(&str)) {
    for line in data.split('\n') {
        put_line("data: ", line, end, put);
    }
}

fn put_line(start: &str, value: &str, end: &str, put: &mut impl FnMut(&str)) {
    put(start);
    put(value);
    put(end);
}

/// Room for the names and line ends of a frame without comments: `id`, `event`, `data` and a `retry` of any
/// size.
const NAMES_BYTES: usize = 64;

impl Frame {
    /// The frame as bytes on the wire, ended by a blank line. Its data may contain line feeds.
    pub fn encode(&self) -> String {
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let comments: usize = self.comments.iter().map(|comment| comment.len() + 2).sum();
        let values = comments + optional(&self.id) + optional(&self.event) + optional(&self.data);
        let mut text = String::with_capacity(values + NAMES_BYTES);
        self.put(LineEnds::Lf, &mut |piece| text.push_str(piece));
        text
    }

    /// [`Frame::encode`] at the end of `out`, with a choice of line ends.
    pub fn encode_into(&self, ends: LineEnds, out: &mut impl BufMut) {
        self.put(ends, &mut |piece| out.put_slice(piece.as_bytes()));
    }

    fn put(&self, ends: LineEnds, put: &mut impl FnMut(&str)) {
        let end = ends.text();
        for comment in &self.comments {
            put_line(":", comment, end, put);
        }
        if let Some(id) = &self.id {
            put_line("id: ", id, end, put);
        }
        if let Some(event) = &self.event {
            put_line("event: ", event, end, put);
        }
        if let Some(retry) = self.retry_ms {
            put_line("retry: ", &retry.to_string(), end, put);
        }
        if let Some(data) = &self.data {
            put_data(data, end, put);
        }
        put(end);
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An incremental parser. Bytes go in as they arrive, whole frames come out.
///
/// It follows the WHATWG rules for line ends, the leading byte order mark and the optional space
/// after a colon, but keeps comments and frames without data.
#[derive(Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    frame: Frame,
    after_cr: bool,
    started: bool,
}

impl Parser {
    /// Takes the next bytes and returns the frames that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for &byte in bytes {
            let line_feed_of_crlf = std::mem::take(&mut self.after_cr) && byte == b'\n';
            if line_feed_of_crlf {
                continue;
            }
            match byte {
                b'\r' | b'\n' => {
                    self.after_cr = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    frames.extend(self.end_line(&line));
                }
                _ => self.line.push(byte),
            }
        }
        frames
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Frame> {
        let mut line = String::from_utf8_lossy(line).into_owned();
        if !std::mem::replace(&mut self.started, true) {
            // One byte order mark may lead; a second one is part of the line.
            line = line.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(line);
        }
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return (!frame.is_empty()).then_some(frame);
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "" => self.frame.comments.push(line[1..].to_owned()),
            "event" => self.frame.event = Some(value.to_owned()),
            "data" => match &mut self.frame.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.frame.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => self.frame.id = Some(value.to_owned()),
            "retry" => self.frame.retry_ms = value.parse().ok(),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_in_pieces(bytes: &[u8], size: usize) -> Vec<Frame> {
        let mut parser = Parser::default();
        bytes.chunks(size).flat_map(|piece| parser.push(piece)).collect()
    }

    #[test]
    fn frames_do_not_depend_on_where_the_bytes_are_cut() {
        let text = "\u{feff}: hi\r\n\r\nid: 1\rdata: a\rdata:b\r\revent: x\ndata\n\nretry: 5\nid: a\0b\n\n";
        let whole = parse_in_pieces(text.as_bytes(), text.len());
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[0].comments, [" hi"]);
        assert_eq!(whole[1].data.as_deref(), Some("a\nb"));
        assert_eq!(whole[2].data.as_deref(), Some(""));
        assert_eq!((whole[3].retry_ms, &whole[3].id), (Some(5), &None));
        for size in 1..7 {
            assert_eq!(parse_in_pieces(text.as_bytes(), size), whole, "cut into pieces of {size}");
        }
    }

    #[test]
    fn one_byte_order_mark_may_lead_and_no_other() {
        let frames = parse_in_pieces("\u{feff}data: a\n\n\u{feff}data: b\ndata: c\n\n".as_bytes(), 1);
        let data: Vec<_> = frames.iter().map(|frame| frame.data.as_deref()).collect();
        assert_eq!(data, [Some("a"), Some("c")]);
        assert_eq!(parse_in_pieces("\u{feff}\u{feff}data: a\n\n".as_bytes(), 1), []);
    }

    #[test]
    fn what_is_written_reads_back() {
        let frame = Frame {
            id: Some("evt_1".into()),
            event: Some("message.delta".into()),
            data: Some("one\ntwo".into()),
            retry_ms: Some(3),
            comments: vec![" keep-alive".into()],
        };
        assert_eq!(Parser::default().push(frame.encode().as_bytes()), [frame]);
    }
}
