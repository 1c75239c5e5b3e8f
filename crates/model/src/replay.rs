//! A provider that plays recorded answers, byte for byte as a server sent them.
//!
//! A file is the answer to every request; of a folder, each request gets the next file by name. In which API an answer
//! was given is told by its words.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;

use crate::remote::{Api, decode_recorded};
use crate::{Chunk, ChunkStream, Failure, FailureClass, Provider, Request};

/// The provider's name.
pub const REPLAY: &str = "replay";

/// A provider with recorded answers. Clones share their place in the recording.
#[derive(Debug, Clone)]
pub struct Replay {
    recording: Arc<Recording>,
}

#[derive(Debug)]
enum Recording {
    Always(Vec<u8>),
    InTurn(Mutex<Vec<Vec<u8>>>),
}

/// A recording that cannot be played.
#[derive(Debug, thiserror::Error)]
#[error("cannot play {}: {source}; name a recorded answer, or a folder of them", path.display())]
pub struct ReplayError {
    /// The file or folder.
    path: PathBuf,
    /// What the system said.
    source: io::Error,
}

impl Replay {
    /// Reads the recording at `path`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or a folder has nothing in it.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        let recording = read(path).map_err(|source| ReplayError { path: path.to_owned(), source })?;
        Ok(Self { recording: Arc::new(recording) })
    }

    fn next(&self) -> Option<Vec<u8>> {
        match &*self.recording {
            Recording::Always(answer) => Some(answer.clone()),
            Recording::InTurn(answers) => answers.lock().pop(),
        }
    }
}

impl Provider for Replay {
    fn name(&self) -> &'static str {
        REPLAY
    }

    fn stream(&self, _: Request) -> ChunkStream {
        let Some(answer) = self.next() else {
            let failure = Failure::new(FailureClass::BadRequest, "the recording has no further answer");
            return stream::iter([Err(failure)]).boxed();
        };
        let api = Api::of_recording(&String::from_utf8_lossy(&answer));
        let (chunks, finish) = decode_recorded(api, [answer]);
        let end = finish.map(Chunk::Finish);
        stream::iter(chunks.into_iter().map(Ok).chain([end])).boxed()
    }
}

fn read(path: &Path) -> io::Result<Recording> {
    if !path.is_dir() {
        return std::fs::read(path).map(Recording::Always);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() {
        return Err(io::Error::other("the folder has no file"));
    }
    files.sort();
    // The last one first, for answers are taken from the end.
    let answers = files.iter().rev().map(std::fs::read).collect::<io::Result<Vec<_>>>()?;
    Ok(Recording::InTurn(Mutex::new(answers)))
}

#[cfg(test)]
mod tests;
