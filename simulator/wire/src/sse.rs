//! Server-sent events: a writer, and a parser that keeps what a conformance suite has to see.

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

impl Frame {
    /// The frame as bytes on the wire, ended by a blank line.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for comment in &self.comments {
            text.push_str(&format!(":{comment}\n"));
        }
        if let Some(id) = &self.id {
            text.push_str(&format!("id: {id}\n"));
        }
        if let Some(event) = &self.event {
            text.push_str(&format!("event: {event}\n"));
        }
        if let Some(retry) = self.retry_ms {
            text.push_str(&format!("retry: {retry}\n"));
        }
        if let Some(data) = &self.data {
            for line in data.split('\n') {
                text.push_str(&format!("data: {line}\n"));
            }
        }
        text.push('\n');
        text
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
