//! How a log is opened.

use std::sync::Arc;

use crate::disk::{Disk, Files};

/// Sizes and the disk of one open log; the defaults are for use, others for tests.
#[derive(Clone)]
pub struct Options {
    /// Size of a new segment, set aside when it is made.
    pub segment_bytes: u32,
    /// Lines of the newest batches kept in memory for followers, in bytes.
    pub hot_bytes_max: usize,
    /// The newest records whose places are kept in memory.
    pub recent_records_max: usize,
    /// The disk.
    pub disk: Arc<dyn Disk>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment_bytes: 64 << 20,
            hot_bytes_max: 32 << 20,
            recent_records_max: 1 << 16,
            disk: Arc::new(Files),
        }
    }
}
