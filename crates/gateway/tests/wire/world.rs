//! A server with its sessions.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use events::{ClientId, SessionId};
use gateway::{About, Access, Gateway, GatewayLimits, Tokens, serve};
use sessions::{Clock, Limits, NewSession, Residency, Session, Sessions, Setting};
use store::{Log, Options, SegmentLog};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// How long a test waits for what it expects.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A clock that goes on when it is told to.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Clock for Hand {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Nothing here has a deadline.
    fn reach(&self, _at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
}

pub(crate) struct World {
    folder: TempDir,
    log: Arc<dyn Log>,
    clock: Hand,
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
        let clock = Hand::default();
        let sessions = sessions_of(&log, clock.clone());
        let server = Server::start(folder.path(), &sessions, limits).await;
        Self { folder, log, clock, sessions, limits, server }
    }

    /// Ends the server and starts another on the same data, with another launch token and address.
    pub(crate) async fn restart(&mut self) {
        let next = Server::start(self.folder.path(), &self.sessions, self.limits).await;
        std::mem::replace(&mut self.server, next).stop().await;
    }

    /// Ends the whole process and starts another on the same log, which takes every session over anew.
    pub(crate) async fn restart_whole(&mut self) {
        self.sessions = self.another_host();
        self.restart().await;
    }

    /// Tells the server to end, and returns when it has.
    pub(crate) async fn stop(self) {
        self.server.stop().await;
    }

    /// Returns the sessions of another process on the same log.
    pub(crate) fn another_host(&self) -> Arc<Sessions> {
        sessions_of(&self.log, self.clock.clone())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address
    }

    pub(crate) fn token(&self) -> &str {
        &self.server.token
    }

    /// The tokens that are kept, as a command beside the server has them.
    pub(crate) fn tokens(&self) -> Tokens {
        Tokens::open(self.folder.path()).unwrap()
    }

    pub(crate) fn log_id(&self) -> String {
        self.log.id().to_string()
    }

    pub(crate) async fn session(&self) -> Session {
        self.sessions.create(new_session()).await.unwrap()
    }

    pub(crate) async fn session_named(&self, title: &str) -> Session {
        let new = NewSession { title: Some(title.to_owned()), ..new_session() };
        self.sessions.create(new).await.unwrap()
    }

    /// Makes what happens from now on later than what happened so far.
    pub(crate) fn clock_ticks(&self) {
        self.clock.0.fetch_add(1000, Ordering::SeqCst);
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
        let gateway = Gateway {
            sessions: Arc::clone(sessions),
            about,
            access,
            limits,
            hosts: Vec::new(),
            readings: None,
        };
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

fn sessions_of(log: &Arc<dyn Log>, clock: Hand) -> Arc<Sessions> {
    let setting = Setting {
        models: Default::default(),
        log: Arc::clone(log),
        clock: Arc::new(clock),
        host: "pid 1".to_owned(),
        limits: Limits::default(),
        residency: Residency::default(),
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
