//! The embedded log keeps the contract: with everything in memory, and with as little of it as can be.

use std::sync::Arc;

use async_trait::async_trait;
use tempfile::TempDir;

use crate::contract::Backend;
use crate::{Log, Options, SegmentLog};

struct Folder {
    folder: TempDir,
    options: Options,
    log: Option<Arc<dyn Log>>,
}

fn folder(options: Options) -> Folder {
    Folder { folder: TempDir::new().unwrap(), options, log: None }
}

#[async_trait]
impl Backend for Folder {
    async fn log(&mut self) -> Arc<dyn Log> {
        let open = || Arc::new(SegmentLog::open(self.folder.path(), self.options.clone()).unwrap());
        self.log.get_or_insert_with(|| open()).clone()
    }

    async fn stop(&mut self) {
        let log = self.log.take().unwrap();
        assert_eq!(Arc::strong_count(&log), 1, "somebody still has the log");
    }
}

mod large {
    use super::*;

    crate::contract_suite!(folder(Options { segment_bytes: 8 << 20, ..Options::default() }));
}

/// Nearly nothing stays in memory, and segments are so small that every few batches need a new one.
mod small {
    use super::*;

    crate::contract_suite!(folder(Options {
        segment_bytes: 64 << 10,
        hot_bytes_max: 0,
        recent_records_max: 3,
        ..Options::default()
    }));
}
