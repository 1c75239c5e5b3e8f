use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;

use super::*;

fn outbox(frames: usize, bytes: usize) -> Arc<Outbox> {
    let limits =
        GatewayLimits { queue_frames_max: frames, queue_bytes_max: bytes, ..GatewayLimits::default() };
    Arc::new(Outbox::new(&limits))
}

fn frame(text: &str) -> Outgoing {
    Outgoing::Frame(Utf8Bytes::from(text).into())
}

#[tokio::test]
async fn frames_come_out_in_order_and_the_farewell_last() {
    let outbox = outbox(9, 99);
    outbox.push(Utf8Bytes::from_static("one")).await.unwrap();
    outbox.push(Utf8Bytes::from_static("two")).await.unwrap();
    let farewell = Farewell::Close { code: 1001, reason: "going away" };
    outbox.finish(farewell.clone());
    assert_eq!(outbox.push(Utf8Bytes::from_static("three")).await, Err(Ended));
    assert_eq!(outbox.next().await, frame("one"));
    assert_eq!(outbox.next().await, frame("two"));
    assert_eq!(outbox.next().await, Outgoing::Farewell(farewell.clone()));
    assert_eq!(outbox.next().await, Outgoing::Farewell(farewell));
}

#[tokio::test]
async fn a_full_outbox_takes_nothing_until_there_is_room() {
    for outbox in [outbox(1, 99), outbox(9, 5)] {
        outbox.push(Utf8Bytes::from_static("12345")).await.unwrap();
        assert!(!outbox.has_room_now());
        let pushing = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move { outbox.push(Utf8Bytes::from_static("late")).await }
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
        outbox.push(Utf8Bytes::from_static(text)).await.unwrap();
        if text != "12" {
            outbox.next().await;
        }
    }
    assert_eq!(outbox.next().await, frame("78"));
}

#[tokio::test]
async fn a_frame_larger_than_the_limit_goes_alone() {
    let outbox = outbox(9, 3);
    outbox.push(Utf8Bytes::from_static("larger")).await.unwrap();
    assert!(!outbox.has_room_now());
    assert_eq!(outbox.next().await, frame("larger"));
}

#[tokio::test]
async fn who_waits_for_room_learns_that_the_client_is_gone() {
    let outbox = outbox(1, 99);
    outbox.push(Utf8Bytes::from_static("unread")).await.unwrap();
    let (waiting, pushing) = (outbox.room(), outbox.push(Utf8Bytes::from_static("more")));
    tokio::task::yield_now().await;
    outbox.finish(Farewell::Gone);
    assert_eq!(tokio::join!(waiting, pushing), (Err(Ended), Err(Ended)));
    assert_eq!(outbox.next().await, Outgoing::Farewell(Farewell::Gone));
}
