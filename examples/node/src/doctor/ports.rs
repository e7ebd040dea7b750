//! Whether a model can be asked past the node, at a port of its own.

use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::ask::Asker;
use super::check::Check;
use super::model_api::{ASKS, ask, known};
use super::target::Target;

/// How long a port is tried.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where such things listen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ports {
    /// A proxy that adds a key.
    pub(super) proxy: u16,
    pub(super) ollama: u16,
}

pub(super) const USUAL: Ports = Ports { proxy: 3142, ollama: 11434 };

/// Looks at the host of the target, and at the addresses that this machine has beside it.
pub(super) async fn checks(target: &Target, ports: Ports, own: &[IpAddr]) -> Vec<Check> {
    let asker = match Asker::short() {
        Ok(asker) => asker,
        Err(why) => return vec![Check::warn("ports", format!("no port was tried: {why}"), "Try again")],
    };
    let own = own.iter().map(|address| match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    });
    let mut hosts = vec![(target.host().to_owned(), target.is_here())];
    hosts.extend(own.map(|host| (host, false)));
    let mut checks = Vec::new();
    for (host, is_loopback) in &hosts {
        checks.extend(proxy(&asker, host, ports.proxy).await);
        if !is_loopback {
            checks.extend(ollama(&asker, host, ports.ollama).await);
        }
    }
    if checks.is_empty() {
        let all = hosts.iter().map(|(host, _)| host.as_str()).collect::<Vec<_>>().join(", ");
        let Ports { proxy, ollama } = ports;
        checks.push(Check::ok(
            "ports",
            format!("no model answers at port {proxy} or, from outside, {ollama} of {all}"),
        ));
    }
    checks
}

async fn proxy(asker: &Asker, host: &str, port: u16) -> Option<Check> {
    if !is_open(host, port).await {
        return None;
    }
    if let Some(name) = name(asker, host, port).await {
        return Some(Check::fail(
            "ports",
            format!("a model can be asked past the node: {name} answers at {host}:{port}"),
            "Stop and remove the program that listens there (claude-api-proxy), and replace the key that it had",
        ));
    }
    Some(Check::warn(
        "ports",
        format!("something listens at {host}:{port}, where a proxy to a model would"),
        format!("See what it is: ss -ltnp sport = :{port}"),
    ))
}

async fn ollama(asker: &Asker, host: &str, port: u16) -> Option<Check> {
    if !is_open(host, port).await {
        return None;
    }
    let name = name(asker, host, port).await?;
    Some(Check::fail(
        "ports",
        format!("{name} answers to everyone at {host}:{port}"),
        "Let it listen on this machine alone (OLLAMA_HOST=127.0.0.1), or let a firewall close the port",
    ))
}

/// Whose API answers there.
async fn name(asker: &Asker, host: &str, port: u16) -> Option<&'static str> {
    for (below, verb) in ASKS {
        let said = ask(asker, &format!("http://{host}:{port}/{below}"), verb).await;
        if let Some(known) = said.as_ref().and_then(known) {
            return Some(known.name());
        }
    }
    None
}

async fn is_open(host: &str, port: u16) -> bool {
    matches!(timeout(PATIENCE, TcpStream::connect(format!("{host}:{port}"))).await, Ok(Ok(_)))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{Ipv4Addr, TcpListener};

    use super::super::check::State;
    use super::*;

    /// A server that says one thing to everything.
    fn says(body: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let lines = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
                // One that only looks whether the port is open says nothing.
                if lines.take_while(|line| !line.is_empty()).count() > 0 {
                    let length = body.len();
                    let head =
                        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
                    let _ = connection.write_all((head + body).as_bytes());
                }
            }
        });
        port
    }

    async fn states(ports: Ports, own: &[IpAddr]) -> Vec<State> {
        let target = Target::new("http://127.0.0.1:1", None, "/rpc").unwrap();
        checks(&target, ports, own).await.iter().map(|check| check.state).collect()
    }

    #[tokio::test]
    async fn a_port_is_judged_by_what_answers_and_from_where() {
        // As the program does; an error says that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // What listens for everyone is reached at another address of the machine too.
        let outside = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let (ollama, page) = (says("Ollama is running"), says("<!doctype html>"));
        for (proxy, model, own, expected) in [
            (1, 1, &outside[..], &[State::Ok][..]),
            (1, ollama, &[], &[State::Ok]),
            (1, ollama, &outside, &[State::Fail]),
            (1, page, &outside, &[State::Ok]),
            (ollama, 1, &[], &[State::Fail]),
            (page, 1, &[], &[State::Warn]),
            (page, ollama, &outside, &[State::Warn, State::Warn, State::Fail]),
        ] {
            assert_eq!(
                states(Ports { proxy, ollama: model }, own).await,
                expected,
                "{proxy} {model} {own:?}"
            );
        }
    }
}
