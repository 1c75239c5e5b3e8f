//! A server within the test's own process, on threads of its own, so that it can be torn away.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use agent::{Models, Outfit, RetryPolicy, Route};
use gateway::{About, Access, Gateway, GatewayLimits};
use model::Provider;
use server::{Engine, Parts};
use sessions::{Limits, Residency};
use store::{Log, Options, SegmentLog};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tools::Registry;

use crate::{Door, Home, WorldClock};

/// How long threads may take to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(10);

/// Who answers, and under which name.
#[derive(Clone)]
pub(crate) struct Answering {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) model: String,
}

/// What a server is started with besides its folders, each time.
#[derive(Clone)]
pub(crate) struct Fittings {
    pub(crate) answering: Answering,
    pub(crate) clock: WorldClock,
    pub(crate) limits: Limits,
    pub(crate) retry: RetryPolicy,
}

/// A server; it runs until it crashes.
pub(crate) struct Inside {
    running: Option<(Runtime, Engine)>,
    data: PathBuf,
    fittings: Fittings,
    pub(crate) door: Door,
}

impl Inside {
    /// Opens the folders and listens on a free port.
    pub(crate) async fn start(home: &Home, fittings: Fittings) -> Self {
        let (runtime, engine, door) = start(home, fittings.clone(), 0).await;
        Self { running: Some((runtime, engine)), data: home.data(), fittings, door }
    }

    /// Opens the same folders and listens on the same port.
    pub(crate) async fn start_again(&mut self, home: &Home) {
        assert!(self.running.is_none(), "the server still runs");
        let port = self.door.address.port();
        let (runtime, engine, door) = start(home, self.fittings.clone(), port).await;
        (self.running, self.door) = (Some((runtime, engine)), door);
    }

    /// Tears the server away: whatever it is doing stops where it is, and nothing is written any more.
    pub(crate) fn crash(&mut self) {
        let Some((runtime, engine)) = self.running.take() else { return };
        let lock = self.data.join("LOCK");
        let (done, gone) = mpsc::channel();
        // A runtime is not dropped on the threads of another.
        std::thread::spawn(move || {
            runtime.shutdown_timeout(GONE_WITHIN);
            drop(engine);
            // Whoever waits has given up when this cannot be told.
            let _ = done.send(wait_until_free(&lock));
        });
        let free = gone.recv_timeout(2 * GONE_WITHIN).expect("a server that is torn away lets its folder go");
        free.expect("the lock of the data folder can be taken");
    }
}

/// Waits until nobody holds the lock. A program that another test is just starting has it for a moment, too: between
/// fork and exec a process has a copy of everything that is open here.
fn wait_until_free(lock: &Path) -> std::io::Result<()> {
    let file = File::open(lock)?;
    file.lock()?;
    // Closing would not do, for the same reason.
    file.unlock()
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.crash();
    }
}

async fn start(home: &Home, fittings: Fittings, port: u16) -> (Runtime, Engine, Door) {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = built.expect("the system has threads to spare");
    let started = runtime.spawn(open((home.data(), home.workspace()), fittings, port));
    let (engine, door) = started.await.expect("the server starts");
    (runtime, engine, door)
}

async fn open(
    (data, workspace): (PathBuf, PathBuf),
    Fittings { answering, clock, limits, retry }: Fittings,
    port: u16,
) -> (Engine, Door) {
    let folder = data.clone();
    let opened = tokio::task::spawn_blocking(move || SegmentLog::open(&folder, Options::default()));
    let log: Arc<dyn Log> = Arc::new(opened.await.expect("opening does not panic").expect("the log opens"));
    let access = Access::open(&data, log.id()).expect("the data folder is ours");
    let about = About {
        log: log.id(),
        version: "test".to_owned(),
        provider: answering.provider.name().to_owned(),
        model: answering.model.clone(),
        workspace: workspace.display().to_string(),
    };
    let outfit = Outfit {
        models: Models::only(Route::new(answering.provider, answering.model)),
        retry,
        chance: || 0.5,
        registry: Arc::new(Registry::standard()),
        modes: Arc::default(),
        protected: vec![data],
        sandbox: tools::Sandbox::none(),
    };
    let parts = Parts { log, clock: Arc::new(clock), limits, residency: Residency::default(), outfit };
    let engine = Engine::start(parts).await.expect("the engine starts");
    let door = serve(&engine, (about, access), port).await;
    (engine, door)
}

async fn serve(engine: &Engine, (about, access): (About, Access), port: u16) -> Door {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(address).await.expect("the port is free");
    let address = listener.local_addr().expect("it listens");
    let door = Door { address, token: access.launch_token().to_owned() };
    let gateway = Gateway {
        sessions: Arc::clone(engine.sessions()),
        about,
        access,
        limits: GatewayLimits::default(),
        hosts: Vec::new(),
        readings: None,
    };
    tokio::spawn(async move {
        let served = gateway::serve(listener, gateway, std::future::pending()).await;
        served.expect("the listener serves");
    });
    door
}
