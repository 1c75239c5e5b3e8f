use std::sync::Arc;

use super::*;

fn outbox(frames: usize, bytes: usize) -> Arc<Outbox> {
    let limits =
        GatewayLimits { queue_frames_max: frames, queue_bytes_max: bytes, ..GatewayLimits::default() };
    Arc::new(Outbox::new(&limits))
}

fn frame(text: &str) -> Outgoing {
    Outgoing::Frame(text.to_owned().into())
}

#[tokio::test]
async fn frames_come_out_in_order_and_the_farewell_last() {
    let outbox = outbox(9, 99);
    outbox.push("one".into()).await.unwrap();
    outbox.push("two".into()).await.unwrap();
    let farewell = Farewell::Close { code: 1001, reason: "going away" };
    outbox.finish(farewell.clone());
    assert_eq!(outbox.push("three".into()).await, Err(Ended));
    assert_eq!(outbox.next().await, frame("one"));
    assert_eq!(outbox.next().await, frame("two"));
    assert_eq!(outbox.next().await, Outgoing::Farewell(farewell.clone()));
    assert_eq!(outbox.next().await, Outgoing::Farewell(farewell));
}

#[tokio::test]
async fn a_full_outbox_takes_nothing_until_there_is_room() {
    for outbox in [outbox(1, 99), outbox(9, 5)] {
        outbox.push("12345".into()).await.unwrap();
        assert!(!outbox.has_room_now());
        let pushing = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move { outbox.push("late".into()).await }
        });
        tokio::task::yield_now().await;
        assert!(!pushing.is_finished());
        assert_eq!(outbox.next().await, frame("12345"));
        pushing.await.unwrap().unwrap();
        assert_eq!(outbox.next().await, frame("late"));
    }
}

#[tokio::test]
async fn what_is_taken_out_leaves_its_room_behind() {
    let outbox = outbox(9, 5);
    for text in ["12", "34", "56", "78"] {
        outbox.push(text.into()).await.unwrap();
        if text != "12" {
            outbox.next().await;
        }
    }
    assert_eq!(outbox.next().await, frame("78"));
}

#[tokio::test]
async fn a_frame_larger_than_the_limit_goes_alone() {
    let outbox = outbox(9, 3);
    outbox.push("larger".into()).await.unwrap();
    assert!(!outbox.has_room_now());
    assert_eq!(outbox.next().await, frame("larger"));
}

#[tokio::test]
async fn who_waits_for_room_learns_that_the_client_is_gone() {
    let outbox = outbox(1, 99);
    outbox.push("unread".into()).await.unwrap();
    let (waiting, pushing) = (outbox.room(), outbox.push("more".into()));
    tokio::task::yield_now().await;
    outbox.finish(Farewell::Gone);
    assert_eq!(tokio::join!(waiting, pushing), (Err(Ended), Err(Ended)));
    assert_eq!(outbox.next().await, Outgoing::Farewell(Farewell::Gone));
}
