//! Giving space back.

use events::Seq;

use super::sample::*;
use crate::contract::Backend;
use crate::{Append, Log, LogError};

/// What was not replaced reads as before, through forks of deleted parents too, and no position is missing.
pub async fn reclaiming_takes_nothing_that_is_needed(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut parent = Author::new(&log).await;
    for answer in 0..20 {
        parent.streams(answer, 30).await;
    }
    let mut child = Author::begin(&log, fork(new_session(), parent.session, parent.head.0)).await;
    parent.streams(20, 30).await;
    child.streams(21, 30).await;
    let (kept, whole) = (standing(&*log, parent.session).await, standing(&*log, child.session).await);
    log.reclaim(reclaim()).await.expect("there is space");
    assert_eq!(standing(&*log, parent.session).await, kept);
    log.delete(parent.session, parent.epoch, 3).await.expect("it is deleted");
    log.reclaim(reclaim()).await.expect("there is space");
    assert_eq!(standing(&*log, child.session).await, whole);
    assert!(log.head(parent.session).await.expect("the tombstone stays").deleted);
    let used = log.create(create(parent.session)).await;
    assert!(matches!(used, Err(LogError::Exists { .. })), "{used:?}");
}

/// An operation is known although its events were given up.
pub async fn receipts_outlive_reclaiming(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let piece = Append { operation: Some(operation(1, 1)), ..author.batch(&[&piece(1, "text")]) };
    let at = author.append(piece).await.expect("it is taken").last;
    for answer in 1..40 {
        author.streams(answer, 30).await;
    }
    log.reclaim(reclaim()).await.expect("there is space");
    let receipt = log.operation(author.session, operation(1, 1).id).await.expect("the session lives");
    assert_eq!(receipt.map(|receipt| receipt.seq), Some(at));
}

/// What no event names is collected, and what is pinned or named stays.
pub async fn objects_that_nothing_names_are_collected(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let mut author = Author::new(&log).await;
    let pinned = log.put_object(b"pinned".to_vec()).await.expect("it is kept");
    let named = log.put_object(b"named".to_vec()).await.expect("it is kept").digest().clone();
    let unnamed = log.put_object(b"unnamed".to_vec()).await.expect("it is kept").digest().clone();
    author.write(&[&format!("see {}", named.0)]).await;
    let gained = log.reclaim(reclaim()).await.expect("there is space");
    assert_eq!((gained.objects, gained.object_bytes), (1, 7));
    assert_eq!(log.object(pinned.digest()).await.expect("it is pinned"), b"pinned");
    assert_eq!(log.object(&named).await.expect("it is named"), b"named");
    let gone = log.object(&unnamed).await;
    assert!(matches!(gone, Err(LogError::NoObject { .. })), "{gone:?}");
    let digest = pinned.digest().clone();
    drop(pinned);
    log.delete(author.session, author.epoch, 3).await.expect("it is deleted");
    let gained = log.reclaim(reclaim()).await.expect("there is space");
    assert_eq!(gained.objects, 2, "a deleted session names nothing");
    assert!(matches!(log.object(&digest).await, Err(LogError::NoObject { .. })));
    let again = log.put_object(b"unnamed".to_vec()).await.expect("it is kept");
    assert_eq!(log.object(again.digest()).await.expect("it is there again"), b"unnamed");
}

/// Returns what is left of a session's texts once all pieces are gone that a whole replaces, and checks that each
/// position is accounted for.
pub async fn standing(log: &dyn Log, session: events::SessionId) -> Vec<String> {
    let batches = read_all(log, session).await;
    let mut next = Seq(1);
    for batch in &batches {
        assert_eq!(batch.first(), next, "a position is missing or doubled");
        assert_eq!(batch.is_elided(), batch.events() == 0);
        next = batch.last().next();
    }
    let mut texts = Vec::new();
    for batch in &batches {
        texts.extend(titles(&batch.envelopes().expect("own events are readable")));
    }
    let wholes: Vec<String> = texts.iter().filter_map(|text| text.strip_prefix('=')).map(number_of).collect();
    texts.retain(|text| text.strip_prefix('~').is_none_or(|piece| !wholes.contains(&number_of(piece))));
    texts
}

fn number_of(text: &str) -> String {
    text.split(' ').next().unwrap_or_default().to_owned()
}
