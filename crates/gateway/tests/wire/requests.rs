//! HTTP as it stands on the wire, so that a test can say anything in it.

use std::collections::HashMap;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::world::{PATIENCE, World};

pub(crate) struct Ask {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

pub(crate) fn get(path: impl Into<String>) -> Ask {
    Ask { method: "GET", path: path.into(), headers: Vec::new(), body: String::new() }
}

pub(crate) fn post(path: impl Into<String>, body: impl ToString) -> Ask {
    Ask { method: "POST", body: body.to_string(), ..get(path) }
}

pub(crate) fn delete(path: impl Into<String>) -> Ask {
    Ask { method: "DELETE", ..get(path) }
}

impl Ask {
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn signed(self, world: &World) -> Self {
        self.with("Authorization", format!("Bearer {}", world.token()))
    }

    pub(crate) async fn of(mut self, world: &World) -> Answer {
        if !self.headers.iter().any(|(name, _)| *name == "Host") {
            self = self.with("Host", world.address().to_string());
        }
        let mut text = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{}", self.body.len(), self.body);
        let mut stream = TcpStream::connect(world.address()).await.unwrap();
        // A server that refuses a large body may hang up before it has read all of it.
        let _ = stream.write_all(text.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("no answer");
        Answer::read(&String::from_utf8(answer).unwrap())
    }
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the status and the code of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap().to_owned())
    }
}
