//! What a gateway takes at most.

use std::time::Duration;

/// The limits in force; all of them can be configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Sockets at a time; further ones get 503.
    pub sockets_max: u32,
    /// Bytes of one frame from a client; a larger one closes its socket with 1009.
    pub frame_bytes_max: usize,
    /// Bytes of one HTTP body.
    pub body_bytes_max: usize,
    /// Frames that may wait for one client.
    pub queue_frames_max: usize,
    /// Bytes of frames that may wait for one client; a single larger frame waits alone.
    pub queue_bytes_max: usize,
    /// Sessions that one socket may follow.
    pub sessions_per_socket_max: usize,
    /// Commands of one socket that may be on their way.
    pub commands_in_flight_max: usize,
    /// Events that a follower may be behind; further behind, its client gets a snapshot instead of updates.
    pub lag_events_max: u64,
    /// Events of one page of history.
    pub page_events_max: usize,
    /// Bytes of one page of history; at least one batch is in it.
    pub page_bytes_max: usize,
    /// Events behind a cursor that are sent one by one; behind more, its client gets the newest page.
    pub resume_events_max: u64,
    /// Time between two pings of the server.
    pub ping_every: Duration,
    /// Time after which a client that says nothing is given up.
    pub silence_max: Duration,
    /// Time between two frames of news of the session list.
    pub list_every: Duration,
    /// Rows of one page of the session list.
    pub list_rows_max: usize,
    /// Bytes of a search in the session list.
    pub list_query_bytes_max: usize,
    /// Time that a closing socket has for what still waits.
    pub goodbye_max: Duration,
    /// Wrong tokens within a minute, after which no token is looked at for a minute.
    pub wrong_tokens_max: usize,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            sockets_max: 1024,
            frame_bytes_max: 1 << 20,
            body_bytes_max: 2 << 20,
            queue_frames_max: 256,
            queue_bytes_max: 2 << 20,
            sessions_per_socket_max: 64,
            commands_in_flight_max: 256,
            lag_events_max: 1000,
            page_events_max: 500,
            page_bytes_max: 1 << 20,
            resume_events_max: 2000,
            ping_every: Duration::from_secs(15),
            silence_max: Duration::from_secs(30),
            list_every: Duration::from_millis(250),
            list_rows_max: 100,
            list_query_bytes_max: 256,
            goodbye_max: Duration::from_secs(2),
            wrong_tokens_max: 20,
        }
    }
}
