//! Operations: a command that is sent twice is recorded once.

use events::{Cause, Seq};

use super::sample::*;
use crate::contract::Backend;
use crate::{Append, Create, LogError, Receipt};

/// A resend gets the receipt of the first time, whatever was appended since; its events name it as their cause.
pub async fn the_same_operation_is_recorded_once(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let first = Append { operation: Some(operation(1, 1)), ..author.batch(&["once"]) };
    author.append(first.clone()).await.expect("it is taken");
    author.write(&["later"]).await;
    let receipt = Receipt { seq: Seq(3), body_hash: [1; 16] };
    let again = log.append(first).await;
    assert!(matches!(again, Err(LogError::Duplicate(got)) if got == receipt), "{again:?}");
    let looked_up = log.operation(author.session, operation(1, 1).id).await.expect("it can be looked up");
    assert_eq!(looked_up, Some(receipt));
    assert_eq!(author.texts().await, ["once", "later"]);
    let batches = read_all(&*log, author.session).await;
    let envelopes = batches[1].envelopes().expect("own events are readable");
    assert_eq!(envelopes[0].cause, Some(Cause::Operation(operation(1, 1).id.to_string())));
}

/// The same id with another body is refused.
pub async fn an_operation_with_another_body_is_refused(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let first = Append { operation: Some(operation(1, 1)), ..author.batch(&["one"]) };
    author.append(first).await.expect("it is taken");
    let other = Append { operation: Some(operation(1, 2)), ..author.batch(&["other"]) };
    let refused = log.append(other).await;
    assert!(matches!(refused, Err(LogError::OperationReused { .. })), "{refused:?}");
}

/// A refused append leaves nothing behind: its operation can be used on.
pub async fn an_operation_after_a_conflict_is_new(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let ahead = Append { operation: Some(operation(1, 1)), expected: Seq(9), ..author.batch(&["ahead"]) };
    assert!(matches!(log.append(ahead).await, Err(LogError::Conflict { .. })));
    assert_eq!(log.operation(author.session, operation(1, 1).id).await.expect("a look-up"), None);
    let again = Append { operation: Some(operation(1, 1)), ..author.batch(&["again"]) };
    author.append(again).await.expect("it is taken");
    assert_eq!(author.texts().await, ["again"]);
}

/// An operation that changed nothing has its receipt all the same, and moves no head.
pub async fn an_operation_without_events_is_recorded(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let empty = Append { operation: Some(operation(1, 1)), ..author.batch(&[]) };
    let appended = author.append(empty.clone()).await.expect("it is taken");
    assert_eq!((appended.first, appended.last), (Seq(3), Seq(2)));
    author.write(&["next"]).await;
    let again = log.append(empty).await;
    assert!(matches!(again, Err(LogError::Duplicate(Receipt { seq: Seq(2), .. }))), "{again:?}");
    assert_eq!(author.texts().await, ["next"]);
}

/// Operations are remembered across a restart, with and without events.
pub async fn an_operation_is_known_after_a_restart(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let one = Append { operation: Some(operation(1, 1)), ..author.batch(&["x"]) };
    author.append(one).await.expect("it is taken");
    let two = Append { operation: Some(operation(2, 2)), ..author.batch(&[]) };
    author.append(two).await.expect("it is taken");
    let session = author.session;
    drop((log, author));
    backend.stop().await;
    let log = backend.log().await;
    for number in [1, 2] {
        let found = log.operation(session, operation(number, number).id).await.expect("a look-up");
        assert_eq!(found, Some(Receipt { seq: Seq(3), body_hash: [number; 16] }));
    }
    assert_eq!(log.operation(session, operation(3, 3).id).await.expect("a look-up"), None);
}

/// A session's creation can be resent, too.
pub async fn a_resent_create_gets_its_receipt(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let first = Create { operation: Some(operation(1, 1)), ..create(new_session()) };
    log.create(first.clone()).await.expect("it is taken");
    let again = log.create(first).await;
    assert!(matches!(again, Err(LogError::Duplicate(Receipt { seq: Seq(2), .. }))), "{again:?}");
}

/// Whoever lost the reply repeats the append, and learns what became of it; it is there once.
pub async fn an_operation_whose_reply_was_lost_is_there_once(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let author = Author::new(&log).await;
    for number in 0..20 {
        let head = log.head(author.session).await.expect("it exists").seq;
        let append = Append {
            operation: Some(operation(number, 1)),
            expected: head,
            ..author.batch(&[&number.to_string()])
        };
        let lost = tokio::spawn({
            let (log, append) = (log.clone(), append.clone());
            async move { log.append(append).await }
        });
        tokio::task::yield_now().await;
        lost.abort();
        let repeated = log.append(append).await;
        let seq = match repeated {
            Ok(appended) => appended.last,
            Err(LogError::Duplicate(receipt)) => receipt.seq,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(seq, head.next());
    }
    let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(author.texts().await, expected);
}

/// An operation belongs to its session: a fork does not inherit it, and has its own, also after a restart.
pub async fn an_operation_is_its_sessions_and_not_its_forks(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    let append = Append { operation: Some(operation(1, 1)), ..parent.batch(&["the parent's"]) };
    parent.append(append).await.expect("it is taken");
    let mut child = Author::begin(&log, fork(new_session(), parent.session, parent.head.0)).await;
    let found = log.operation(child.session, operation(1, 1).id).await.expect("a look-up");
    assert_eq!(found, None);
    let append = Append { operation: Some(operation(1, 2)), ..child.batch(&["the child's"]) };
    child.append(append).await.expect("it is new there");
    let receipts = [(parent.session, parent.head, 1), (child.session, child.head, 2)];
    drop((log, parent, child));
    for _ in 0..2 {
        let log = backend.log().await;
        for (session, seq, body) in receipts {
            let found = log.operation(session, operation(1, 1).id).await.expect("a look-up");
            assert_eq!(found, Some(Receipt { seq, body_hash: [body; 16] }));
        }
        drop(log);
        backend.stop().await;
    }
}
