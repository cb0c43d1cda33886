//! What is written of an event stream.

use proofhouse_wire::sse::{Frame, LineEnds, Parser, event, event_into};

fn frame(name: Option<&str>, data: &str) -> Frame {
    Frame { event: name.map(str::to_owned), data: Some(data.to_owned()), ..Frame::default() }
}

#[test]
fn an_event_is_its_lines_and_a_blank_one() {
    for (name, data, lines) in [
        (None, "{}", "data: {}\n\n"),
        (None, "", "data: \n\n"),
        (Some("message_start"), "{\"a\":1}", "event: message_start\ndata: {\"a\":1}\n\n"),
        (Some("x"), "{\n  \"a\": 1\n}", "event: x\ndata: {\ndata:   \"a\": 1\ndata: }\n\n"),
        (None, "end\n", "data: end\ndata: \n\n"),
    ] {
        let crlf = lines.replace('\n', "\r\n");
        assert_eq!(event(name, data, LineEnds::Lf), lines);
        assert_eq!(event(name, data, LineEnds::CrLf), crlf);
        assert_eq!(frame(name, data).encode(), lines);
        for (ends, expected) in [(LineEnds::Lf, lines), (LineEnds::CrLf, crlf.as_str())] {
            assert_eq!(Parser::default().push(expected.as_bytes()), [frame(name, data)]);
            let (mut events, mut frames) = (Vec::new(), bytes::BytesMut::new());
            for _ in 0..2 {
                event_into(name, data, ends, &mut events);
                frame(name, data).encode_into(ends, &mut frames);
            }
            assert_eq!(String::from_utf8(events).unwrap(), expected.repeat(2));
            assert_eq!(frames, expected.repeat(2));
        }
    }
}

#[test]
fn every_field_of_a_frame_is_written_in_one_allocation() {
    let full = Frame {
        id: Some("i".repeat(50)),
        event: Some("e".repeat(50)),
        data: Some("d".repeat(1000)),
        retry_ms: Some(u64::MAX),
        comments: vec!["c".repeat(100); 3],
    };
    let text = full.encode();
    let comments = format!(":{}\n", "c".repeat(100)).repeat(3);
    let (id, event, data) = ("i".repeat(50), "e".repeat(50), "d".repeat(1000));
    let retry = u64::MAX;
    assert_eq!(text, format!("{comments}id: {id}\nevent: {event}\nretry: {retry}\ndata: {data}\n\n"));
    // It would have doubled if it had been too small.
    assert!(text.capacity() < text.len() + 100, "{} for {}", text.capacity(), text.len());
}
