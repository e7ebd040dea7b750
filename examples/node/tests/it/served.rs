//! A node's web side as it should be: what is right is answered here, and a test bends one thing of it.

use std::fmt::Write as _;
use std::io::{self, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use archy_web::{BASE, File, Kind, Site};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use crate::played::{Asked, request};

/// The value of a header, in lower case.
pub(crate) fn header<'a>(asked: &'a Asked, name: &str) -> Option<&'a str> {
    asked.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

/// A whole answer.
pub(crate) fn answer(status: u16, headers: &[(&str, String)], body: &str) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    (text + "\r\n" + body).into_bytes()
}

/// The site under the name by which it was asked.
pub(crate) fn site(asked: &Asked) -> Site {
    Site::new(&format!("http://{}", header(asked, "host").unwrap()), BASE).unwrap()
}

/// A file as it should be served.
pub(crate) fn file(file: &File) -> Vec<u8> {
    answer(200, &file.headers, &file.body)
}

/// The file that a request is for, whether it may have it or not.
pub(crate) fn wanted(asked: &Asked) -> Option<File> {
    let path = asked.line.strip_prefix("GET ")?.strip_prefix(BASE)?;
    site(asked).file(path)
}

/// What the assistant says to whoever has no session.
pub(crate) fn refused(call: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32050, "message": "log in first", "data": "unauthenticated"}})
}

pub(crate) fn result(call: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": call["id"], "result": {}})
}

/// The answer to one call, or to a batch of them.
pub(crate) fn replies(said: &Value, reply: impl Fn(&Value) -> Value) -> Vec<u8> {
    let body = match said.as_array() {
        Some(calls) => calls.iter().map(reply).collect(),
        None => reply(said),
    };
    answer(200, &[("content-type", "application/json".to_owned())], &body.to_string())
}

/// What a node should answer.
pub(crate) fn right(asked: &Asked) -> Vec<u8> {
    let nothing = |status| answer(status, &[], "");
    let host = header(asked, "host").unwrap();
    if !host.starts_with("127.0.0.1:") {
        return nothing(421);
    }
    if asked.line.ends_with(" /rpc") {
        if header(asked, "origin").is_some_and(|origin| origin != format!("http://{host}")) {
            return nothing(403);
        }
        return if asked.line.starts_with("POST") { replies(&asked.body, refused) } else { nothing(401) };
    }
    let Some(wanted) = wanted(asked) else { return nothing(404) };
    let (dest, from) = (header(asked, "sec-fetch-dest"), header(asked, "sec-fetch-site"));
    match wanted.kind {
        Kind::Page if dest == Some("iframe") => nothing(403),
        Kind::Frame if (dest, from) != (Some("iframe"), Some("same-origin")) => nothing(403),
        _ => file(&wanted),
    }
}

/// A server that takes every WebSocket, and says to each call there what `reply` says. Its other answers are right.
pub(crate) fn with_sockets(reply: impl Fn(&Value) -> Value + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let reply = Arc::new(reply);
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let reply = Arc::clone(&reply);
            // A client that goes away early is no fault.
            std::thread::spawn(move || -> io::Result<()> {
                let mut connection: TcpStream = connection?;
                let Some(asked) = request(&mut BufReader::new(connection.try_clone()?))? else {
                    return Ok(());
                };
                let is_own =
                    header(&asked, "origin").is_some_and(|origin| origin.starts_with("http://127.0.0.1:"));
                if header(&asked, "upgrade").is_none() || !is_own {
                    return connection.write_all(&right(&asked));
                }
                connection
                    .write_all(b"HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")?;
                let mut socket = WebSocket::from_raw_socket(connection, Role::Server, None);
                while let Ok(Message::Text(text)) = socket.read() {
                    let said: Value = serde_json::from_str(&text).unwrap();
                    let body: Value = match said.as_array() {
                        Some(calls) => calls.iter().map(&*reply).collect(),
                        None => reply(&said),
                    };
                    if socket.send(Message::text(body.to_string())).is_err() {
                        break;
                    }
                }
                Ok(())
            });
        }
    });
    url
}
