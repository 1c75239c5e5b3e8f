//! Reaching somebody outside.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::cell::{BOTH, Cell, ESCAPED, cells};

fn by_tcp(listener: &TcpListener) -> String {
    let port = listener.local_addr().unwrap().port();
    format!(
        "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) or exit; \
        connect(S, sockaddr_in({port}, inet_aton(q(127.0.0.1)))) and print q(ESC), qq(APED\\n)'"
    )
}

fn by_unix(path: &str) -> String {
    format!(
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit; \
        connect(S, pack_sockaddr_un({path})) and print q(ESC), qq(APED\\n)'"
    )
}

#[tokio::test]
async fn a_listener_on_loopback_is_not_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let attempt = by_tcp(&listener);
    for cell in cells(BOTH) {
        cell.holds(&attempt).await;
    }
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    assert!(Cell::free().prints(&attempt).await.contains(ESCAPED));
}

#[tokio::test]
async fn a_unix_socket_of_the_host_is_not_reached() {
    for cell in cells(BOTH).into_iter().chain([Cell::free()]) {
        let is_free = !cell.name().contains(':');
        for path in [cell.beside("outside/socket"), cell.path("socket")] {
            let _listener = UnixListener::bind(&path).unwrap();
            let text = cell.prints(&by_unix(&format!("q({})", path.display()))).await;
            assert_eq!(text.contains(ESCAPED), is_free, "{}: {text}", cell.name());
        }
    }
}

#[tokio::test]
async fn an_abstract_unix_socket_of_the_host_is_not_reached() {
    let name = format!("waymark-test-{}", std::process::id());
    let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let attempt = by_unix(&format!("qq(\\0{name})"));
    for cell in cells(BOTH) {
        cell.holds(&attempt).await;
    }
    assert!(Cell::free().prints(&attempt).await.contains(ESCAPED));
}

/// Families: UNIX, IPv4, IPv6, netlink, packet, Bluetooth, alg, vsock.
#[tokio::test]
async fn no_socket_of_any_family_is_made() {
    let attempt = "for family in 1 2 10 16 17 31 38 40; do for kind in 1 2 3; do \
        perl -MSocket -e \"socket(S, $family, $kind, 0) and print q(ESC), qq(APED\\n)\"; done; done";
    for cell in cells(BOTH) {
        cell.holds(attempt).await;
    }
    assert!(Cell::free().prints(attempt).await.contains(ESCAPED));
}

/// A pair of datagram sockets can be turned to another address later.
#[tokio::test]
async fn a_socket_pair_is_a_stream_or_nothing() {
    for cell in cells(BOTH) {
        cell.holds(
            "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) and print q(ESC), qq(APED\\n)'",
        )
        .await;
        cell.does("perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1'").await;
    }
}

#[tokio::test]
async fn a_ring_that_makes_sockets_by_itself_is_not_set_up() {
    for cell in cells(BOTH) {
        cell.holds("perl -e '$p = chr(0) x 120; print q(ESC), qq(APED\\n) if syscall(425, 1, $p) >= 0'")
            .await;
    }
}

#[tokio::test]
async fn granted_network_is_there_and_unix_sockets_are_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    for cell in cells(BOTH) {
        let cell = cell.with_network();
        let text = cell.does(&by_tcp(&listener)).await;
        assert!(text.contains(ESCAPED) && text.contains("+network"), "{text}");
        let path = cell.path("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        cell.holds(&by_unix(&format!("q({})", path.display()))).await;
    }
}
