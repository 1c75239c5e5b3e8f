//! A whole Waymark in folders of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use agent::RetryPolicy;
use model::rehearsal::{REHEARSAL, Rehearsal};
use model::remote::{Api, Remote, RemoteConfig};
use model::scripted::Scripted;
use serde_json::{Value, json};
use sessions::Limits;
use tokio::sync::{mpsc, watch};
use uuid::Uuid;

use crate::connection::Connection;
use crate::inside::{Answering, Fittings, Inside};
use crate::{Asked, Door, Fault, Home, ModelServer, Process, Seen, Tab, WorldClock};

/// The name of the model that says what a test wrote down.
const SCRIPTED: &str = "scripted";

/// Where the server of a world runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the test's own process, asking the scripted model at once.
    Inside,
    /// In the test's own process, asking the scripted model over HTTP through the product's own provider.
    InsideThrough(Api),
    /// In a process of the real binary, asking the scripted model over HTTP.
    Binary,
    /// In the test's own process, with the built-in model.
    InsideRehearsing,
    /// In a process of the real binary, with the built-in model, as fast as it can.
    BinaryRehearsing,
}

enum Host {
    Inside(Box<Inside>),
    Binary(Box<Process>),
}

/// Folders, a server on a loopback port, a model that says what the test wrote down, and a first session.
pub struct World {
    /// First, so that in the end it is gone before its folders are.
    host: Host,
    /// The folders.
    pub home: Home,
    /// The model; add to its answers at any time, and look at what it was asked.
    pub model: Scripted,
    /// The server's time, where it runs in the test's own process.
    pub clock: WorldClock,
    /// The first session.
    pub session: Uuid,
    cookie: String,
    up: watch::Sender<Option<SocketAddr>>,
    /// The model's own server, where it is asked over HTTP.
    server: Option<ModelServer>,
}

impl World {
    /// Starts a server at `place`, with one session on an empty workspace.
    pub async fn at(place: Place) -> Self {
        Self::start(place, Limits::default(), RetryPolicy::never()).await
    }

    /// Starts a server in the test's own process that asks the scripted model at once, with limits of its own.
    pub async fn inside_with(limits: Limits) -> Self {
        Self::start(Place::Inside, limits, RetryPolicy::never()).await
    }

    /// Starts a server in the test's own process that asks again when the scripted model fails, by the world's clock.
    pub async fn inside_trying_again() -> Self {
        Self::start(Place::Inside, Limits::default(), RetryPolicy::default()).await
    }

    /// Starts a server in the test's own process that asks the scripted model through `api`, and again when that fails.
    pub async fn inside_through(api: Api) -> Self {
        Self::start(Place::InsideThrough(api), Limits::default(), RetryPolicy::default()).await
    }

    /// Lets the next request to the model's own server go wrong.
    pub fn model_will(&self, fault: Fault) {
        self.server.as_ref().expect("the model is asked over HTTP").will(fault);
    }

    async fn start(place: Place, limits: Limits, retry: RetryPolicy) -> Self {
        let (home, model, clock) = (Home::default(), Scripted::default(), WorldClock::default());
        let asks_over_http = matches!(place, Place::Binary | Place::InsideThrough(_));
        let server = if asks_over_http { Some(ModelServer::start(model.clone()).await) } else { None };
        let base_url = server.as_ref().map(ModelServer::base_url).unwrap_or_default();
        let host = match place {
            Place::Binary => {
                std::fs::write(home.config(), "retry.retries = 0\n").expect("the folder is ours");
                let environment = [("OPENAI_BASE_URL", base_url.as_str()), ("OPENAI_MODEL", SCRIPTED)];
                Host::Binary(Box::new(Process::start(&home, &environment).await))
            }
            Place::BinaryRehearsing => {
                std::fs::write(home.config(), "rehearsal.pace_ms = 0\n").expect("the folder is ours");
                Host::Binary(Box::new(Process::start(&home, &[]).await))
            }
            Place::Inside | Place::InsideThrough(_) | Place::InsideRehearsing => {
                let answering = answering(place, &model, &base_url);
                let fittings = Fittings { answering, clock: clock.clone(), limits, retry };
                Host::Inside(Box::new(Inside::start(&home, fittings).await))
            }
        };
        let door = host.door().clone();
        let (session, cookie) = (Uuid::now_v7(), door.sign_in().await);
        let created = door.post("/v1/sessions", &json!({"session": session})).await;
        assert_eq!(created.status, 201, "a session is created: {:?}", created.body);
        let up = watch::Sender::new(Some(door.address));
        Self { host, home, model, clock, session, cookie, up, server }
    }

    /// Opens a tab on the first session, and waits until it shows it.
    pub async fn tab(&self, name: &str) -> Tab {
        self.tab_on(self.session, name).await
    }

    /// Opens a tab on whatever session, and waits until it shows it.
    pub async fn tab_on(&self, session: Uuid, name: &str) -> Tab {
        let (sender, seen) = watch::channel(Seen::default());
        let (orders, taken) = mpsc::unbounded_channel();
        let connection = Connection {
            session,
            client: Uuid::now_v7(),
            cookie: self.cookie.clone(),
            up: self.up.subscribe(),
            seen: sender,
            orders: taken,
            unanswered: Vec::new(),
        };
        let keeping = tokio::spawn(connection.keep());
        let tab = Tab { name: name.to_owned(), session, seen, orders, keeping };
        tab.until("the first snapshot", |seen| seen.cursor.is_some()).await;
        tab
    }

    /// Returns the server's door: HTTP with the launch token.
    #[must_use]
    pub fn door(&self) -> &Door {
        self.host.door()
    }

    /// Forks the first session at a position, into a session with the id that is returned, too.
    pub async fn fork(&self, at_seq: u64) -> (Asked, Uuid) {
        let child = Uuid::now_v7();
        let path = format!("/v1/sessions/{}/fork", self.session);
        (self.door().post(&path, &json!({"session": child, "at_seq": at_seq})).await, child)
    }

    /// Returns the first session's head and slices, as plain HTTP tells them.
    pub async fn state(&self) -> Value {
        self.door().get(&format!("/v1/sessions/{}/state", self.session)).await.body
    }

    /// Returns the text of every message that the model saw with its newest request.
    #[must_use]
    pub fn asked_last(&self) -> String {
        let request = self.model.requests().pop().expect("the model was asked");
        serde_json::to_string(&request.messages).expect("messages are JSON")
    }

    /// Ends the server where it stands: SIGKILL for a process, torn-away threads in the test's own.
    pub async fn crash(&mut self) {
        self.up.send_replace(None);
        match &mut self.host {
            Host::Inside(inside) => inside.crash(),
            Host::Binary(process) => process.kill9().await,
        }
    }

    /// Starts the server again on the same folders and port.
    pub async fn restart(&mut self) {
        match &mut self.host {
            Host::Inside(inside) => inside.start_again(&self.home).await,
            Host::Binary(process) => process.start_again(&self.home).await,
        }
        self.up.send_replace(Some(self.door().address));
    }
}

impl Host {
    fn door(&self) -> &Door {
        match self {
            Self::Inside(inside) => &inside.door,
            Self::Binary(process) => &process.door,
        }
    }
}

fn answering(place: Place, model: &Scripted, base_url: &str) -> Answering {
    match place {
        Place::InsideRehearsing | Place::BinaryRehearsing => {
            Answering { provider: Arc::new(Rehearsal::new(Duration::ZERO)), model: REHEARSAL.to_owned() }
        }
        Place::InsideThrough(api) => {
            let provider = Remote::new(RemoteConfig::new(api, base_url)).expect("a loopback address will do");
            Answering { provider: Arc::new(provider), model: SCRIPTED.to_owned() }
        }
        Place::Inside | Place::Binary => {
            Answering { provider: Arc::new(model.clone()), model: SCRIPTED.to_owned() }
        }
    }
}
