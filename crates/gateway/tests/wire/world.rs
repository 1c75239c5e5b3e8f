//! A server with its sessions.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use events::{ClientId, SessionId};
use gateway::{About, Access, Gateway, GatewayLimits, serve};
use sessions::{Limits, NewSession, Session, Sessions, Setting, SystemClock};
use store::{Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// How long a test waits for what it expects.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct World {
    folder: TempDir,
    log: Arc<dyn Log>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) limits: GatewayLimits,
    server: Server,
}

struct Server {
    address: SocketAddr,
    token: String,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::with(GatewayLimits::default()).await
    }

    pub(crate) async fn with(limits: GatewayLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { segment_bytes: 4 << 20, ..Options::default() };
        let log: Arc<dyn Log> = Arc::new(SegmentLog::open(&folder.path().join("log"), options).unwrap());
        let sessions = sessions_of(&log);
        let server = Server::start(folder.path(), &sessions, limits).await;
        Self { folder, log, sessions, limits, server }
    }

    /// Ends the server and starts another on the same data, with another launch token and address.
    pub(crate) async fn restart(&mut self) {
        let next = Server::start(self.folder.path(), &self.sessions, self.limits).await;
        std::mem::replace(&mut self.server, next).stop().await;
    }

    /// Tells the server to end, and returns when it has.
    pub(crate) async fn stop(self) {
        self.server.stop().await;
    }

    /// Returns the sessions of another process on the same log.
    pub(crate) fn another_host(&self) -> Arc<Sessions> {
        sessions_of(&self.log)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address
    }

    pub(crate) fn token(&self) -> &str {
        &self.server.token
    }

    pub(crate) fn log_id(&self) -> String {
        self.log.id().to_string()
    }

    pub(crate) async fn session(&self) -> Session {
        self.sessions.create(new_session()).await.unwrap()
    }
}

impl Server {
    async fn start(folder: &Path, sessions: &Arc<Sessions>, limits: GatewayLimits) -> Self {
        let log = sessions.log().id();
        let access = Access::open(folder, log).unwrap();
        let token = access.launch_token().to_owned();
        let about = About {
            log,
            version: "0.1.0".to_owned(),
            provider: "rehearsal".to_owned(),
            model: "rehearsal".to_owned(),
            workspace: "/tmp/workspace".to_owned(),
        };
        let gateway = Gateway { sessions: Arc::clone(sessions), about, access, limits, hosts: Vec::new() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            let _ = stopped.await;
        };
        let serving = tokio::spawn(serve(listener, gateway, shutdown));
        Self { address, token, stop, serving }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        tokio::time::timeout(PATIENCE, self.serving).await.unwrap().unwrap().unwrap();
    }
}

fn sessions_of(log: &Arc<dyn Log>) -> Arc<Sessions> {
    let setting = Setting {
        log: Arc::clone(log),
        clock: Arc::new(SystemClock),
        host: "pid 1".to_owned(),
        limits: Limits::default(),
    };
    Sessions::new(setting).0
}

pub(crate) fn new_session() -> NewSession {
    NewSession {
        session: SessionId(Uuid::now_v7()),
        title: None,
        workspace: "/tmp/workspace".to_owned(),
        client: ClientId::from("test"),
    }
}
