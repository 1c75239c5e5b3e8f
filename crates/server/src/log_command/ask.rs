//! Asks a running server, at the socket in its data folder.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use futures_util::{Stream, StreamExt, stream};
use http_body_util::{BodyExt, StreamBody};
use hyper::Request;
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

use super::errand::Errand;
use super::socket::{ERRAND, SOCKET};
use super::told::{Teller, Told};

/// Bytes of a file that are sent at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Returns a connection to the server that has the folder open; none when there is none, whatever one left behind.
///
/// # Errors
///
/// When the socket is there and not for this user.
pub(super) async fn connect(folder: &Path) -> Result<Option<UnixStream>> {
    let path = folder.join(SOCKET);
    match UnixStream::connect(&path).await {
        Ok(stream) => Ok(Some(stream)),
        // A path that is too long for a socket names none.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("cannot use {}", path.display())),
    }
}

/// Has the server do an errand, and passes on all that it tells.
///
/// # Errors
///
/// When the server does not understand, or is gone before the end.
pub(super) async fn ask(
    stream: UnixStream,
    (errand, input): (Errand, Option<File>),
    teller: &Teller,
) -> Result<()> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let carrying = tokio::spawn(connection);
    let body = StreamBody::new(sent(&errand, input)?.boxed());
    let request = Request::post(ERRAND).header("host", "waymark").body(body)?;
    let response = sender.send_request(request).await.context("the server does not answer")?;
    let is_taken = response.status().is_success();
    let mut body = response.into_body();
    if !is_taken {
        let complaint = body.collect().await?.to_bytes();
        bail!("{}", String::from_utf8_lossy(&complaint));
    }
    let told = pass_on(&mut body, teller).await;
    carrying.abort();
    told
}

/// Returns what is sent: the errand as a line, then the file.
fn sent(
    errand: &Errand,
    input: Option<File>,
) -> Result<impl Stream<Item = io::Result<Frame<Bytes>>> + Send + use<>> {
    let line = Bytes::from(serde_json::to_string(errand)? + "\n");
    let file = stream::unfold(input.map(tokio::fs::File::from_std), |file| async {
        let mut file = file?;
        let mut chunk = vec![0; CHUNK_BYTES];
        match file.read(&mut chunk).await {
            Ok(0) => None,
            Ok(read) => {
                chunk.truncate(read);
                Some((Ok(Bytes::from(chunk)), Some(file)))
            }
            Err(error) => Some((Err(error), None)),
        }
    });
    Ok(stream::iter([Ok(line)]).chain(file).map(|chunk| chunk.map(Frame::data)))
}

async fn pass_on(body: &mut Incoming, teller: &Teller) -> Result<()> {
    let mut pending = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.context("the server is gone")?.into_data() else { continue };
        pending.extend_from_slice(&data);
        while let Some(end) = pending.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            let told: Told = serde_json::from_slice(&line).context("the server is of another version")?;
            let is_last = matches!(told, Told::Done(_) | Told::Failed(_));
            teller.pass_on(told).await?;
            if is_last {
                return Ok(());
            }
        }
    }
    bail!("the server stopped before it was done")
}
