//! The socket in the data folder at which a running server does errands for `waymark log`.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::{Stream, StreamExt, stream};
use store::SegmentLog;
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use super::errand::{Errand, Owner};
use super::told::{Told, telling};

/// The socket's name in the data folder.
pub(super) const SOCKET: &str = "socket";
/// Where errands are sent to.
pub(super) const ERRAND: &str = "/errand";

/// An open socket; closed when it is dropped.
pub(crate) struct Socket {
    path: PathBuf,
    serving: JoinHandle<()>,
}

/// Opens the socket in the data folder of an open log, which nobody but this user can use.
///
/// # Errors
///
/// What the system says: a path that is too long for a socket, above all.
pub(crate) fn open_socket(folder: &Path, log: Arc<SegmentLog>) -> io::Result<Socket> {
    let path = folder.join(SOCKET);
    let listener = bind(folder, &path)?;
    let desk = Desk { owner: Owner { log, runtime: Handle::current() }, folder: folder.to_owned() };
    let router = Router::new().route(ERRAND, post(take)).with_state(Arc::new(desk));
    let serving = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "the socket for log commands is closed");
        }
    });
    Ok(Socket { path, serving })
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.serving.abort();
        // The next server replaces one that stays.
        let _ = fs::remove_file(&self.path);
    }
}

/// Binds where nobody else can connect, and shows the socket only once it has its rights. Whoever has the log locked
/// may replace what an earlier process left there.
fn bind(folder: &Path, path: &Path) -> io::Result<UnixListener> {
    let private = folder.join("socket.new");
    if private.exists() {
        fs::remove_dir_all(&private)?;
    }
    DirBuilder::new().mode(0o700).create(&private)?;
    let made = private.join("s");
    let bound = UnixListener::bind(&made).and_then(|listener| {
        fs::set_permissions(&made, Permissions::from_mode(0o600))?;
        fs::rename(&made, path)?;
        Ok(listener)
    });
    fs::remove_dir_all(&private)?;
    bound
}

/// Where errands are taken.
struct Desk {
    owner: Owner,
    /// The data folder, where what comes with an errand is put down.
    folder: PathBuf,
}

/// Takes an errand, and whatever follows its line, and answers with a line for each thing that is told.
async fn take(State(desk): State<Arc<Desk>>, body: Body) -> Response {
    let (errand, input) = match receive(&desk.folder, body).await {
        Ok(received) => received,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("{error:#}")).into_response(),
    };
    let (teller, told) = telling();
    let owner = desk.owner.clone();
    spawn_blocking(move || owner.run(&errand, Some(input), &teller));
    Body::from_stream(lines(told)).into_response()
}

fn lines(told: mpsc::Receiver<Told>) -> impl Stream<Item = Result<String, serde_json::Error>> {
    stream::unfold(told, |mut told| async {
        let line = serde_json::to_string(&told.recv().await?).map(|line| line + "\n");
        Some((line, told))
    })
}

async fn receive(folder: &Path, body: Body) -> Result<(Errand, File)> {
    let mut file = tempfile::tempfile_in(folder).context("making a file for what comes")?;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.context("reading what comes")?;
        file = spawn_blocking(move || file.write_all(&chunk).map(|()| file)).await?.context("keeping it")?;
    }
    spawn_blocking(move || read_errand(file)).await?
}

/// Reads the first line, and leaves the file behind it.
fn read_errand(mut file: File) -> Result<(Errand, File)> {
    file.rewind()?;
    let mut line = String::new();
    let read = BufReader::new(&file).read_line(&mut line)?;
    let errand = serde_json::from_str(&line).context("this server does not know the command")?;
    file.seek(SeekFrom::Start(read as u64))?;
    Ok((errand, file))
}
