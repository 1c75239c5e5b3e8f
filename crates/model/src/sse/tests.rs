use futures_util::FutureExt;

use super::*;

fn read(pieces: Vec<Vec<u8>>) -> Vec<Result<String, Failure>> {
    let bytes = stream::iter(pieces.into_iter().map(|piece| Ok(Bytes::from(piece))));
    events(bytes).collect().now_or_never().unwrap()
}

fn first_failure(pieces: Vec<Vec<u8>>) -> String {
    read(pieces).into_iter().find_map(Result::err).unwrap().message
}

#[test]
fn an_endless_line_stops_at_the_limit() {
    let line = vec![b'a'; EVENT_BYTES_MAX / 4 + 1];
    let pieces = std::iter::once(b"data: ".to_vec()).chain(std::iter::repeat_n(line, 4)).collect();
    assert_eq!(first_failure(pieces), "the provider sent an event of more than 4194304 bytes");
}

#[test]
fn an_endless_event_of_short_lines_stops_at_the_limit() {
    for end in ["\n", "\r\n", "\r"] {
        let lines = format!("data: {}{end}", "a".repeat(500)).repeat(EVENT_BYTES_MAX / 500);
        assert_eq!(
            first_failure(vec![lines.into_bytes()]),
            "the provider sent an event of more than 4194304 bytes"
        );
    }
}

#[test]
fn many_events_together_may_be_longer_than_one() {
    for end in ["\n", "\r\n"] {
        let event = format!("data: {}{end}{end}", "a".repeat(1_000_000));
        let read = read(vec![event.repeat(6).into_bytes()]);
        assert_eq!(read.iter().filter(|event| event.is_ok()).count(), 6);
        assert_eq!(read.len(), 6);
    }
}

#[test]
fn text_that_is_no_utf_8_is_a_failure_at_once() {
    let (mut sent, unread) = (vec![b"data: a\n\ndata: \xff\n\n".to_vec()], b"data: b\n\n".to_vec());
    sent.push(unread);
    assert_eq!(first_failure(sent), "the provider sent text that is not UTF-8");
}

#[test]
fn a_failure_of_the_reader_passes_through() {
    let failure = Failure::new(FailureClass::Network, "silent");
    let bytes = stream::iter([Ok(Bytes::from_static(b"data: a\n\n")), Err(failure.clone())]);
    let read: Vec<_> = events(bytes).take(2).collect().now_or_never().unwrap();
    assert_eq!(read, [Ok("a".to_owned()), Err(failure)]);
}

#[test]
fn what_comes_before_a_garbled_line_is_read_however_the_bytes_were_cut() {
    let bytes = b"data: a\n\ndata: \xff\n\n";
    for pieces in [vec![bytes.to_vec()], bytes.iter().map(|byte| vec![*byte]).collect()] {
        let read = read(pieces);
        assert_eq!(read[0], Ok("a".to_owned()));
        assert!(read[1].is_err(), "{read:?}");
    }
}
