//! Plain HTTP, as a script would speak it.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server's address and the launch token that opens it.
#[derive(Debug, Clone)]
pub struct Door {
    /// Where it listens.
    pub address: SocketAddr,
    /// The token of this launch.
    pub token: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The status.
    pub status: u16,
    /// The cookie that was set, as it is sent back.
    pub cookie: Option<String>,
    /// The body; null when it is no JSON.
    pub body: Value,
    /// The body as it came.
    pub text: String,
}

impl Asked {
    /// Returns the body's code.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

impl Door {
    /// Reads what is at `path`.
    pub async fn get(&self, path: &str) -> Asked {
        let authorization = format!("Authorization: Bearer {}\r\n", self.token);
        self.ask(&format!("GET {path} HTTP/1.1\r\n{authorization}"), "").await
    }

    /// Sends `body` to `path`.
    pub async fn post(&self, path: &str, body: &Value) -> Asked {
        let authorization = format!("Authorization: Bearer {}\r\n", self.token);
        let head = format!("POST {path} HTTP/1.1\r\n{authorization}Content-Type: application/json\r\n");
        self.ask(&head, &body.to_string()).await
    }

    /// Deletes what is at `path`.
    pub async fn delete(&self, path: &str) -> Asked {
        let authorization = format!("Authorization: Bearer {}\r\n", self.token);
        self.ask(&format!("DELETE {path} HTTP/1.1\r\n{authorization}"), "").await
    }

    /// Signs a browser in, and returns its cookie.
    pub async fn sign_in(&self) -> String {
        let asked = self.ask(&format!("GET /?token={} HTTP/1.1\r\n", self.token), "").await;
        assert_eq!(asked.status, 303, "the launch token signs a browser in");
        asked.cookie.expect("a browser that is signed in has a cookie")
    }

    async fn ask(&self, head: &str, body: &str) -> Asked {
        let (address, bytes) = (self.address, body.len());
        let rest = format!("Host: {address}\r\nConnection: close\r\nContent-Length: {bytes}\r\n\r\n{body}");
        let exchange = async {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(format!("{head}{rest}").as_bytes()).await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            std::io::Result::Ok(answer)
        };
        let answer = exchange.await.unwrap_or_else(|error| panic!("nobody answers at {address}: {error}"));
        parse(&answer)
    }
}

fn parse(answer: &str) -> Asked {
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let cookie = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap_or(value).to_owned())
    });
    Asked {
        status: status.expect("an answer has a status"),
        cookie,
        body: serde_json::from_str(body).unwrap_or(Value::Null),
        text: body.to_owned(),
    }
}
