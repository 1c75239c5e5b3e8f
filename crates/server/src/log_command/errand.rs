//! What only the owner of the log can do: the running server for whoever asks at its socket, or this process itself.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde::{Deserialize, Serialize};
use sessions::part_of;
use store::{Copied, Log, Reclaim, ReclaimProgress, Reclaimed, SegmentLog};
use tokio::runtime::Handle;

use super::export::export;
use super::import::import;
use super::told::{Teller, Told};

/// A segment is rewritten for whoever asks when at most this many per cent of it stay.
const ASKED_LIVE_PERCENT_MAX: u8 = 95;

/// What is asked of the owner of the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Errand {
    /// Sessions as lines; none means all.
    Export(Option<Vec<String>>),
    /// The sessions of an export, which comes with it.
    Import,
    /// A copy of the log in this folder.
    Backup(PathBuf),
    /// Another index.
    Reindex,
    /// Space that is not needed any more.
    Reclaim,
}

/// The owner's hands: the log, and a way to wait for it.
#[derive(Clone)]
pub(super) struct Owner {
    pub(super) log: Arc<SegmentLog>,
    pub(super) runtime: Handle,
}

impl Owner {
    /// Does an errand from begin to end, and tells how it goes. Blocks.
    pub(super) fn run(&self, errand: &Errand, input: Option<File>, teller: &Teller) {
        let told = match self.perform(errand, input, teller) {
            Ok(done) => Told::Done(done),
            Err(error) => Told::Failed(format!("{error:#}")),
        };
        // Whoever stopped listening does not want to know.
        let _ = teller.tell(told);
    }

    fn perform(&self, errand: &Errand, input: Option<File>, teller: &Teller) -> Result<String> {
        match errand {
            Errand::Export(sessions) => export(self, sessions.as_deref(), teller),
            Errand::Import => import(self, input, teller),
            Errand::Backup(folder) => {
                let copied = self.log.backup(folder, |done, total| going_on(teller, done, total))?;
                let Copied { segments, objects, bytes } = copied;
                let (count, bytes, folder) =
                    (HumanCount(objects as u64), HumanBytes(bytes), folder.display());
                Ok(format!("copied {segments} segments and {count} objects, {bytes}, to {folder}"))
            }
            Errand::Reindex => {
                self.log.reindex(|done, total| going_on(teller, done, total))?;
                Ok("made the index again".to_owned())
            }
            Errand::Reclaim => self.reclaim(teller),
        }
    }

    fn reclaim(&self, teller: &Teller) -> Result<String> {
        let listener = teller.clone();
        let progress =
            move |ReclaimProgress { done, total }: ReclaimProgress| going_on(&listener, done, total);
        let wanted =
            Reclaim { part_of, live_percent_max: ASKED_LIVE_PERCENT_MAX, progress: Arc::new(progress) };
        Ok(told_of(&self.runtime.block_on(self.log.reclaim(wanted))?))
    }
}

fn told_of(gained: &Reclaimed) -> String {
    let Reclaimed { segments, log_bytes, events, objects, object_bytes } = *gained;
    let (bytes, events) = (HumanBytes(log_bytes + object_bytes), HumanCount(events));
    format!(
        "gave back {bytes}: {segments} segments rewritten without {events} events, {objects} objects removed"
    )
}

fn going_on(teller: &Teller, done: u64, total: u64) -> ControlFlow<()> {
    match teller.progress(done, total) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
