//! The demo app: one page over HTTP/1.1, on this machine only.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a request's head.
const HEAD_CAP: usize = 8 * 1024;
const REQUEST_PATIENCE: Duration = Duration::from_secs(5);
/// Requests that are answered at the same time.
const CONNECTIONS: usize = 16;

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Hello</title>
<style>body { font: 1.25rem system-ui; margin: 20vh auto; max-width: 30rem; padding: 0 1rem }</style>
<h1>Hello from your node</h1>
<p>This page is served by the demo app.
</html>
";

/// `hello-app PORT`: serves until it is ended; one log line per request.
pub fn serve(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(port) = arguments.next().and_then(|word| word.to_str()?.parse::<u16>().ok()) else {
        say("hello-app takes one argument, a port");
        return ExitCode::FAILURE;
    };
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(listener) => listener,
        Err(error) => {
            say(&format!("cannot listen on 127.0.0.1:{port}: {error}"));
            return ExitCode::FAILURE;
        }
    };
    say(&format!("listening on 127.0.0.1:{port}"));
    let seats = Arc::new(());
    for connection in listener.incoming() {
        // A connection that failed before it was ours; short of descriptors, later ones may work.
        let Ok(connection) = connection else { continue };
        let seat = Arc::clone(&seats);
        if Arc::strong_count(&seats) > CONNECTIONS + 1 {
            let _ = answer(&connection, &Head::Full);
            continue;
        }
        // When no thread can be had, the connection is dropped with the closure.
        let _ = std::thread::Builder::new().spawn(move || {
            let _ = read_head(&connection).and_then(|head| answer(&connection, &head));
            drop(seat);
        });
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    // A log that is gone is no reason to stop serving.
    let _ = writeln!(io::stdout(), "{line}");
}

enum Head {
    Complete(String),
    TooLong,
    Unfinished,
    Full,
}

/// Reads up to the empty line, no longer and no more than the caps allow.
fn read_head(mut connection: &TcpStream) -> io::Result<Head> {
    let deadline = Instant::now() + REQUEST_PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > HEAD_CAP {
            return Ok(Head::TooLong);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Head::Unfinished);
        }
        connection.set_read_timeout(Some(left))?;
        match connection.read(&mut piece) {
            Ok(0) => return Ok(Head::Unfinished),
            Ok(length) => head.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Ok(Head::Unfinished),
        }
    }
    Ok(Head::Complete(String::from_utf8_lossy(&head).into_owned()))
}

fn answer(mut connection: &TcpStream, head: &Head) -> io::Result<()> {
    let (request, status) = match head {
        Head::Complete(text) => {
            let line = text.lines().next().unwrap_or_default();
            (line, status(line))
        }
        Head::TooLong => ("-", "431 Request Header Fields Too Large"),
        Head::Unfinished => ("-", "408 Request Timeout"),
        Head::Full => ("-", "503 Service Unavailable"),
    };
    // Quoted, so that a request cannot forge lines of the log.
    say(&format!("{:?} {status}", request.chars().take(200).collect::<String>()));
    let page = if status.starts_with("200") { PAGE } else { status };
    let kind = if status.starts_with("200") { "text/html; charset=utf-8" } else { "text/plain" };
    let body = if request.starts_with("HEAD ") { "" } else { page };
    connection.set_write_timeout(Some(REQUEST_PATIENCE))?;
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nAllow: GET, HEAD\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{body}",
        page.len()
    )?;
    connection.shutdown(Shutdown::Write)
}

fn status(request: &str) -> &'static str {
    let words: Vec<&str> = request.split(' ').collect();
    let [method, target, version] = words[..] else { return "400 Bad Request" };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return "400 Bad Request";
    }
    match (method, target.split('?').next()) {
        ("GET" | "HEAD", Some("/")) => "200 OK",
        ("GET" | "HEAD", _) => "404 Not Found",
        _ => "405 Method Not Allowed",
    }
}
