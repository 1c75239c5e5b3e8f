//! The log in a folder of this machine.

use std::sync::Arc;
use std::thread::JoinHandle;

use async_trait::async_trait;
use events::{Digest, Epoch, LogId, OperationId, Seq, SessionId};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use crate::admit::{Request, Wish, mark};
use crate::folder::Folder;
use crate::group::Queued;
use crate::indexer::Indexer;
use crate::objects::Objects;
use crate::open::{QUEUE_BYTES_MAX, write_mark};
use crate::payload::{Payload, refuse_above};
use crate::read::Reading;
use crate::record::Header;
use crate::roll::End;
use crate::shared::Shared;
use crate::writer::resent;
use crate::{
    Append, Appended, Batch, Caps, Create, ForkPoint, Head, Lease, Log, LogError, Pin, ReadLimit, Receipt,
    Reclaim, Reclaimed, Row, SessionHead, Snapshot,
};

/// What becomes of a request, as soon as it is durable or refused.
pub(crate) type Answered = oneshot::Receiver<Result<Appended, LogError>>;

/// What a request without events counts for in the queue, in bytes.
const REQUEST_BYTES: usize = 256;

/// The embedded log: segments in a data folder, which one process at a time has open. Dropping it waits for what is
/// queued and stops in order.
pub struct SegmentLog {
    pub(crate) shared: Arc<Shared>,
    pub(crate) objects: Arc<Objects>,
    /// There until the drop.
    pub(crate) requests: Option<mpsc::Sender<Queued>>,
    pub(crate) queue: Arc<Semaphore>,
    /// Held by the one import that may be under way.
    pub(crate) importing: tokio::sync::Mutex<()>,
    pub(crate) writer: Option<JoinHandle<End>>,
    pub(crate) indexer: Option<Indexer>,
    /// Last, so that the folder is free only when all is written.
    pub(crate) _folder: Folder,
}

impl SegmentLog {
    /// Returns why nothing is written any more, once a write or sync has failed.
    #[must_use]
    pub fn poisoned(&self) -> Option<&str> {
        self.shared.poison.get().map(String::as_str)
    }

    async fn submit(&self, request: Request, bytes: usize) -> Result<Appended, LogError> {
        self.shared.refuse_poisoned()?;
        self.queue(request, bytes).await?.await.map_err(|_| stopped())?
    }

    /// Puts a request in the writer's queue; whoever wants to know what became of it waits for its answer.
    pub(crate) async fn queue(&self, request: Request, bytes: usize) -> Result<Answered, LogError> {
        let share = u32::try_from((bytes + REQUEST_BYTES).min(QUEUE_BYTES_MAX)).expect("32 MiB at most");
        let queue = self.queue.clone();
        let permit = queue.acquire_many_owned(share).await.expect("the queue is never closed");
        let looked_up = self.shared.recent.lock().end();
        self.refuse_recorded(&request).await?;
        let (answer, answered) = oneshot::channel();
        let requests = self.requests.as_ref().expect("there until the drop");
        let queued = Queued { request, looked_up, answer, permit };
        requests.send(queued).await.map_err(|_| stopped())?;
        Ok(answered)
    }

    /// Looks an operation up here when that may need the disk, so that the writer never waits for it.
    async fn refuse_recorded(&self, request: &Request) -> Result<(), LogError> {
        let Some(operation) = request.operation else { return Ok(()) };
        let session = request.session;
        let receipt = match self.shared.receipt_in_memory(session, operation.id) {
            Some(receipt) => receipt,
            None => self.on_disk(move |shared| shared.receipt(session, operation.id)).await?,
        };
        receipt.map_or(Ok(()), |receipt| Err(resent(operation, receipt)))
    }

    /// Does blocking work off the async threads.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        let shared = self.shared.clone();
        joined(tokio::task::spawn_blocking(move || work(&shared)).await)
    }

    pub(crate) async fn refuse_no_batch_end(&self, point: ForkPoint) -> Result<(), LogError> {
        let ForkPoint { session, seq } = point;
        let head = self.shared.live_head(session)?;
        let reading = Reading { session, head, after: seq, limit: ReadLimit::default() };
        let legal = self.on_disk(move |shared| shared.batch_end_at(&reading)).await?;
        if legal == seq && seq > Seq::ZERO {
            return Ok(());
        }
        Err(LogError::NotABatchEnd { asked: seq, legal })
    }
}

#[async_trait]
impl Log for SegmentLog {
    fn id(&self) -> LogId {
        self.shared.log
    }

    fn caps(&self) -> Caps {
        self.shared.caps
    }

    async fn create(&self, create: Create) -> Result<Appended, LogError> {
        let Create { session, parent, host, at_ms, operation, events } = create;
        // An id that was used before is the writer's to answer: it may be a resent command.
        let used = self.shared.heads.lock().contains_key(&session);
        if let Some(point) = parent.filter(|_| !used) {
            self.refuse_no_batch_end(point).await?;
        }
        // Whatever their size, events of a first batch take part in the queue's bound.
        let bytes = Payload::of(&events, &self.shared.caps)?.lines.len();
        let wish = Wish::Create { parent, host: host.into(), events };
        self.submit(Request { session, at_ms, operation, wish }, bytes).await
    }

    async fn acquire(&self, session: SessionId, host: &str, at_ms: u64) -> Result<Lease, LogError> {
        let wish = Wish::Acquire { host: host.into() };
        let acquired = self.submit(Request { session, at_ms, operation: None, wish }, 0).await?;
        Ok(Lease { session, epoch: acquired.epoch, seq: acquired.last })
    }

    async fn release(&self, session: SessionId, epoch: Epoch) -> Result<(), LogError> {
        let wish = Wish::Release { epoch };
        self.submit(Request { session, at_ms: 0, operation: None, wish }, 0).await.map(drop)
    }

    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        let Append { session, expected, epoch, at_ms, operation, events } = append;
        let payload = Payload::of(&events, &self.shared.caps)?;
        let bytes = payload.lines.len();
        let wish = Wish::Append { expected, epoch, payload };
        self.submit(Request { session, at_ms, operation, wish }, bytes).await
    }

    async fn head(&self, session: SessionId) -> Result<Head, LogError> {
        Ok(self.shared.head(session)?.head())
    }

    async fn read(&self, session: SessionId, after: Seq, limit: ReadLimit) -> Result<Vec<Batch>, LogError> {
        let head = self.shared.live_head(session)?;
        if after >= head.seq {
            return Ok(Vec::new());
        }
        let reading = Reading { session, head, after, limit };
        match self.shared.read_hot(&reading) {
            Some(batches) => Ok(batches),
            None => self.on_disk(move |shared| shared.read_cold(&reading)).await,
        }
    }

    fn tail(&self, session: SessionId) -> watch::Receiver<Seq> {
        let mut tails = self.shared.tails.lock();
        // Under the tails' lock: a head that moves meanwhile finds the sender already there.
        match self.shared.heads.lock().get(&session) {
            Some(head) if head.deleted => watch::channel(head.seq).1,
            Some(head) if !head.unfinished => tails.subscribe(session, head.seq),
            _ => tails.subscribe(session, Seq::ZERO),
        }
    }

    async fn operation(
        &self,
        session: SessionId,
        operation: OperationId,
    ) -> Result<Option<Receipt>, LogError> {
        self.shared.live_head(session)?;
        match self.shared.receipt_in_memory(session, operation) {
            Some(receipt) => Ok(receipt),
            None => self.on_disk(move |shared| shared.receipt(session, operation)).await,
        }
    }

    async fn put_object(&self, bytes: Vec<u8>) -> Result<Pin, LogError> {
        refuse_above("object (in bytes)", bytes.len(), self.shared.caps.object_bytes_max)?;
        let objects = self.objects.clone();
        joined(tokio::task::spawn_blocking(move || objects.put(&bytes)).await)
    }

    async fn object(&self, digest: &Digest) -> Result<Vec<u8>, LogError> {
        let (objects, digest) = (self.objects.clone(), digest.clone());
        joined(tokio::task::spawn_blocking(move || objects.read(&digest)).await)
    }

    async fn put_snapshot(&self, snapshot: Snapshot) -> Result<(), LogError> {
        self.on_disk(move |shared| shared.put_snapshot(&snapshot)).await
    }

    async fn snapshot(
        &self,
        session: SessionId,
        at: Seq,
        fold_version: u32,
    ) -> Result<Option<Snapshot>, LogError> {
        self.on_disk(move |shared| shared.snapshot(session, at, fold_version)).await
    }

    async fn put_row(&self, session: SessionId, seq: Seq, bytes: Vec<u8>) -> Result<(), LogError> {
        self.on_disk(move |shared| shared.put_row(&Row { session, seq, bytes })).await
    }

    async fn rows(&self) -> Result<Vec<Row>, LogError> {
        self.on_disk(|shared| Ok(shared.rows())).await
    }

    async fn sessions(&self) -> Result<Vec<SessionHead>, LogError> {
        let heads = self.shared.heads.lock();
        let live = heads.iter().filter(|(_, head)| !head.deleted && !head.unfinished);
        let mut sessions: Vec<_> = live.map(|(session, head)| head.listed(*session)).collect();
        drop(heads);
        sessions.sort_unstable_by_key(|listed| listed.session);
        Ok(sessions)
    }

    async fn delete(&self, session: SessionId, epoch: Epoch, at_ms: u64) -> Result<(), LogError> {
        let wish = Wish::Delete { epoch };
        self.submit(Request { session, at_ms, operation: None, wish }, 0).await.map(drop)
    }

    async fn reclaim(&self, reclaim: Reclaim) -> Result<Reclaimed, LogError> {
        let objects = self.objects.clone();
        self.on_disk(move |shared| shared.reclaim(&objects, &reclaim)).await
    }
}

impl Drop for SegmentLog {
    fn drop(&mut self) {
        self.shared.stop_reclaiming();
        self.requests = None;
        let end = self.writer.take().map(JoinHandle::join);
        let index_synced = self.indexer.take().is_some_and(Indexer::stop);
        let Some(Ok(mut end)) = end else { return };
        if self.poisoned().is_some() {
            return;
        }
        let clean = Header { clean: true, index_synced, ..mark() };
        if let Err(error) = write_mark(&mut end, clean) {
            tracing::error!(%error, "the log could not mark its clean stop");
        }
    }
}

pub(crate) fn stopped() -> LogError {
    LogError::Unknown { reason: "the log stopped".to_owned() }
}

pub(crate) fn joined<T>(done: Result<Result<T, LogError>, tokio::task::JoinError>) -> Result<T, LogError> {
    done.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(stopped()),
    })
}
