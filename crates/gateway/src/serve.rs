//! From a listener to a server that ends when it is told to.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::serve::ListenerExt as _;
use events::LogId;
use serde::Serialize;
use sessions::Sessions;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::access::Pass;
use crate::errors::Fault;
use crate::guard::now_ms;
use crate::http::routes;
use crate::origin::Hosts;
use crate::tokens::Role;
use crate::{Access, GatewayLimits};

/// Everything that a gateway serves, and to whom.
pub struct Gateway {
    /// The sessions.
    pub sessions: Arc<Sessions>,
    /// What a client is told first.
    pub about: About,
    /// Who may ask.
    pub access: Access,
    /// The limits in force.
    pub limits: GatewayLimits,
    /// Names under which this server answers beside the loopback ones and the listening address, as
    /// `host:port`; a proxy's, as a rule.
    pub hosts: Vec<String>,
    /// What the process counts, in the text form of Prometheus; nothing where nobody counts.
    pub readings: Option<Readings>,
}

/// Returns what is counted now.
pub type Readings = Arc<dyn Fn() -> String + Send + Sync>;

/// What a client is told first.
#[derive(Debug, Clone, Serialize)]
pub struct About {
    /// The log that cursors are positions in.
    pub log: LogId,
    /// The version of this program.
    pub version: String,
    /// The model's provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Absolute path of the folder that new sessions work in.
    pub workspace: String,
}

/// What all connections share.
pub(crate) struct Front {
    pub(crate) gateway: Gateway,
    pub(crate) hosts: Hosts,
    pub(crate) sockets: Arc<Semaphore>,
    /// Turns true when the server is told to end.
    pub(crate) closing: watch::Receiver<bool>,
}

impl Front {
    /// Returns what somebody may do who was let in by `pass`; nothing when it holds no longer.
    pub(crate) fn role(&self, pass: &Pass) -> Option<Role> {
        self.gateway.access.role(pass, now_ms())
    }

    /// Takes one of the connections that may be open at a time.
    pub(crate) fn admit(&self) -> Result<OwnedSemaphorePermit, Fault> {
        Arc::clone(&self.sockets).try_acquire_owned().map_err(|_| {
            let message = "this server has as many connections as it takes; close one and try again";
            Fault::new(StatusCode::SERVICE_UNAVAILABLE, "TOO_MANY_SOCKETS", message)
        })
    }
}

/// Serves until `shutdown` is done, then says goodbye to every client and returns.
///
/// # Errors
///
/// When the listener's address cannot be read; what goes wrong with a connection ends that connection alone.
pub async fn serve(
    listener: TcpListener,
    gateway: Gateway,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let hosts = Hosts::of(listener.local_addr()?, &gateway.hosts);
    let limits = gateway.limits;
    let (close, closing) = watch::channel(false);
    let sockets = Arc::new(Semaphore::new(limits.sockets_max as usize));
    let front = Arc::new(Front { gateway, hosts, sockets, closing });
    let told = async move {
        shutdown.await;
        close.send_replace(true);
    };
    let listener = listener.tap_io(move |stream| {
        if let Err(error) = set_up(stream, limits.silence_max) {
            tracing::debug!(%error, "a connection keeps its delays");
        }
    });
    let server = axum::serve(listener, routes(Arc::clone(&front))).with_graceful_shutdown(told);
    tokio::select! {
        served = async { server.await } => served?,
        () = overdue(front.closing.clone(), limits.goodbye_max) => {}
    }
    // Each socket has its own time to say goodbye, and one moment more to be gone.
    let gone = front.sockets.acquire_many(limits.sockets_max);
    let _ = timeout(limits.goodbye_max + Duration::from_secs(1), gone).await;
    Ok(())
}

/// A frame is not to wait for the acknowledgement of the one before it, and a peer that acknowledges nothing any more
/// is gone: a stream of events hears nothing of its client by which it could tell.
fn set_up(stream: &TcpStream, silence_max: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    SockRef::from(stream).set_tcp_user_timeout(Some(silence_max))?;
    Ok(())
}

/// Waits until requests that were still running at the end have had their time.
async fn overdue(mut closing: watch::Receiver<bool>, goodbye_max: Duration) {
    // Nobody drops the sender without having told first.
    let _ = closing.wait_for(|closing| *closing).await;
    sleep(goodbye_max).await;
}
