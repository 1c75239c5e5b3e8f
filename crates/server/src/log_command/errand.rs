//! What only the owner of the log can do: the running server for whoever asks at its socket, or this process itself.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde::{Deserialize, Serialize};
use store::{Copied, SegmentLog};
use tokio::runtime::Handle;

use super::export::export;
use super::import::import;
use super::told::{Teller, Told};

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
        }
    }
}

fn going_on(teller: &Teller, done: u64, total: u64) -> ControlFlow<()> {
    match teller.progress(done, total) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
