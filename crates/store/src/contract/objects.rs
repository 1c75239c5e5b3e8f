//! Objects.

use events::Digest;

use crate::LogError;
use crate::contract::Backend;

/// Objects of 0 bytes, 64 KiB and 5 MiB come back, also after a restart; the same bytes have the same name.
pub async fn objects_of_any_size_come_back(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let contents: [Vec<u8>; 3] =
        [vec![], vec![7; 64 << 10], (0..5 << 20).map(|at: u32| at.to_le_bytes()[1]).collect()];
    let mut digests = Vec::new();
    for content in &contents {
        let pin = log.put_object(content.clone()).await.expect("it is kept");
        let digest = pin.digest().clone();
        assert_eq!(digest.0, blake3::hash(content).to_hex().as_str());
        assert_eq!(*log.put_object(content.clone()).await.expect("it is kept").digest(), digest);
        digests.push(digest);
    }
    drop(log);
    backend.stop().await;
    let log = backend.log().await;
    for (digest, content) in digests.iter().zip(&contents) {
        assert_eq!(&log.object(digest).await.expect("it is there"), content);
    }
}

/// What is not there, and what is no digest at all, is refused.
pub async fn an_unknown_object_is_refused(backend: &mut dyn Backend) {
    let log = backend.log().await;
    for digest in ["0".repeat(64), "../../../../etc/passwd".to_owned(), String::new()] {
        let refused = log.object(&Digest(digest)).await;
        assert!(matches!(refused, Err(LogError::NoObject { .. })), "{refused:?}");
    }
}

/// An object above the limit is refused.
pub async fn an_object_above_the_limit_is_refused(backend: &mut dyn Backend) {
    let log = backend.log().await;
    let refused = log.put_object(vec![0; log.caps().object_bytes_max + 1]).await;
    assert!(matches!(refused, Err(LogError::TooLarge { .. })), "{refused:?}");
}
