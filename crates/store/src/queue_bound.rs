//! A queue that is full makes writers wait, and loses none of them.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use tempfile::TempDir;

use crate::contract::Author;
use crate::disk::{Disk, DiskFile, Files};
use crate::open::QUEUE_BYTES_MAX;
use crate::{Log, Options, SegmentLog};

/// A disk whose syncs wait while it is shut.
#[derive(Clone, Default)]
struct Gate {
    shut: Arc<(Mutex<bool>, Condvar)>,
}

impl Gate {
    fn set(&self, shut: bool) {
        *self.shut.0.lock() = shut;
        self.shut.1.notify_all();
    }

    fn file(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(Gated { gate: self.clone(), file })
    }
}

impl Disk for Gate {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.file(Files.create(path, bytes)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.file(Files.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Files.rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        Files.sync_folder(path)
    }
}

struct Gated {
    gate: Gate,
    file: Arc<dyn DiskFile>,
}

impl DiskFile for Gated {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn grow(&self, bytes: u64) -> io::Result<()> {
        self.file.grow(bytes)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut shut = self.gate.shut.0.lock();
        self.gate.shut.1.wait_while(&mut shut, |shut| *shut);
        self.file.sync_data()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_wait_while_the_disk_does_and_the_queue_stays_within_its_bound() {
    const TEXT_BYTES: usize = 1 << 20;
    const WRITERS: usize = QUEUE_BYTES_MAX / TEXT_BYTES + 16;
    let (folder, gate) = (TempDir::new().unwrap(), Gate::default());
    let options = Options { disk: Arc::new(gate.clone()), ..Options::default() };
    let segments = Arc::new(SegmentLog::open(folder.path(), options).unwrap());
    let log: Arc<dyn Log> = segments.clone();
    let mut authors = Vec::new();
    for _ in 0..WRITERS {
        authors.push(Author::new(&log).await);
    }
    gate.set(true);
    let text = "x".repeat(TEXT_BYTES);
    let writers: Vec<_> = authors
        .into_iter()
        .map(|mut author| {
            let append = author.batch(&[&text]);
            tokio::spawn(async move { author.append(append).await.map(|_| author) })
        })
        .collect();
    // Once there is no room for one more, the rest waits outside.
    while segments.queue.available_permits() > TEXT_BYTES {
        tokio::task::yield_now().await;
    }
    assert!(writers.iter().all(|writer| !writer.is_finished()), "nothing is durable yet");
    gate.set(false);
    for writer in writers {
        let author = writer.await.unwrap().expect("each writer has its turn");
        assert_eq!(author.texts().await, std::slice::from_ref(&text));
    }
    assert_eq!(segments.queue.available_permits(), QUEUE_BYTES_MAX, "all of the queue is given back");
}
