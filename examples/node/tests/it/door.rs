//! The owner's page as a browser and others reach it: `archy-node serve`, raw requests to it, and its `WebSockets`.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Message, WebSocket};

use crate::node::{Node, wait_for};

/// `archy-node serve` at a free port; it ends with the test.
pub(crate) struct Served {
    pub(crate) node: Node,
    pub(crate) port: u16,
    /// The secret of the link that it has printed.
    pub(crate) once: String,
    child: Child,
    log: Option<JoinHandle<String>>,
}

/// Both halves of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Halves {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// A header of a request.
pub(crate) type Header = (&'static str, String);

/// The secret of a link.
pub(crate) fn once(link: &Value) -> String {
    link["link"].as_str().unwrap().split_once("/aiui/#once=").unwrap().1.to_owned()
}

impl Served {
    pub(crate) fn start() -> Self {
        Self::of(Node::fresh(), &["--no-model"])
    }

    pub(crate) fn of(node: Node, more: &[&str]) -> Self {
        let mut command = node.command([&["serve", "--port", "0", "--json"], more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let page = told["page"].as_str().unwrap();
        let port = page.strip_prefix("http://127.0.0.1:").unwrap().strip_suffix("/aiui/").unwrap();
        assert_eq!(told["link"], format!("{page}#once={}", once(&told)));
        let mut errors = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = String::new();
            errors.read_to_string(&mut log).unwrap();
            log
        });
        Self { port: port.parse().unwrap(), once: once(&told), node, child, log: Some(log) }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// Asks `line` (as `POST /rpc`), of this host where no header names another.
    pub(crate) fn ask(&self, line: &str, headers: &[Header], body: &str) -> Answer {
        let length = [headers, &[("content-length", body.len().to_string())]].concat();
        self.ask_raw(line, &length, body.as_bytes())
    }

    /// The same with a body as it is; its length is not said.
    pub(crate) fn ask_raw(&self, line: &str, headers: &[Header], body: &[u8]) -> Answer {
        let mut connection = self.connect();
        let headers = [headers, &[("connection", "close".to_owned())]].concat();
        // Who is refused early is not listened to any more.
        let _ = connection.write_all(&[self.head(line, &headers).as_bytes(), body].concat());
        let mut bytes = Vec::new();
        let _ = connection.read_to_end(&mut bytes);
        Answer::of(&String::from_utf8(bytes).unwrap())
    }

    /// Calls a method of the assistant: its whole answer.
    pub(crate) fn call(&self, halves: &Halves, method: &str, params: &Value) -> Value {
        let answer = self.ask("POST /rpc", &self.of_session(halves), &call(method, params).to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str(&answer.body).unwrap()
    }

    /// A `WebSocket`, or the status with which it is refused.
    pub(crate) fn socket(&self, headers: &[Header]) -> Result<Socket, u16> {
        let connection = self.connect();
        let upgrade = [
            ("connection", "Upgrade".to_owned()),
            ("upgrade", "websocket".to_owned()),
            ("sec-websocket-version", "13".to_owned()),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==".to_owned()),
        ];
        (&connection).write_all(self.head("GET /rpc", &[headers, &upgrade].concat()).as_bytes()).unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let mut byte = [0];
            (&connection).read_exact(&mut byte).unwrap();
            head.push(char::from(byte[0]));
        }
        let answer = Answer::of(&head);
        if answer.status != 101 {
            return Err(answer.status);
        }
        let socket = WebSocket::from_raw_socket(connection, Role::Client, None);
        Ok(Socket { socket, protocol: answer.header("sec-websocket-protocol").map(ToOwned::to_owned) })
    }

    /// As a browser's script does it.
    pub(crate) fn browser_socket(&self, halves: &Halves) -> Socket {
        let headers = [
            ("origin", self.origin()),
            ("cookie", self.cookie(&halves.cookie)),
            ("sec-websocket-protocol", format!("archy, {}", halves.csrf)),
        ];
        self.socket(&headers).unwrap()
    }

    /// As a browser sends it.
    pub(crate) fn cookie(&self, value: &str) -> String {
        format!("archy-{}={value}", self.port)
    }

    /// Opens a link.
    pub(crate) fn open(&self, once: &str) -> Answer {
        self.ask("POST /session", &[], &json!({ "once": once }).to_string())
    }

    /// Logs in with a new link.
    pub(crate) fn logs_in(&self) -> Halves {
        let answer = self.open(&once(&self.node.json(&["link"])));
        let cookie = answer.header("set-cookie").unwrap().strip_prefix(&self.cookie("")).unwrap();
        let cookie = cookie.split_once(';').unwrap().0.to_owned();
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        Halves { cookie, csrf: body["csrf"].as_str().unwrap().to_owned() }
    }

    /// What a page's requests carry.
    pub(crate) fn of_session(&self, halves: &Halves) -> Vec<Header> {
        vec![
            ("origin", self.origin()),
            ("cookie", self.cookie(&halves.cookie)),
            ("x-archy-csrf", halves.csrf.clone()),
            ("content-type", "application/json".to_owned()),
        ]
    }

    /// A turn that waits for a yes to what was said, and the number of its last event.
    pub(crate) fn waiting_turn(&self, halves: &Halves, text: &str) -> (Value, u64) {
        let began = self.call(halves, "chat", &json!({ "text": text }));
        let turn = began["result"]["turn"].clone();
        let mut last = None;
        wait_for("the question", || {
            let read = json!({"turn": turn, "after": last, "wait_ms": 1000});
            let events = self.call(halves, "events", &read)["result"]["events"].clone();
            let events = events.as_array().unwrap();
            last = events.last().map_or(last, |event| event["seq"].as_u64());
            events.iter().any(|event| event["event"]["type"] == "confirmation-required")
        });
        (turn, last.unwrap())
    }

    /// Tells it to end, as a service manager does.
    pub(crate) fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Has it end: the code, and what it has said meanwhile.
    pub(crate) fn ends(&mut self) -> (i32, String) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
        }
        let mut code = None;
        wait_for("the node to end", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        (code.unwrap().code().unwrap(), self.log.take().unwrap().join().unwrap())
    }

    /// A connection on which a test waits as long as for anything else, and not as long as an event may be waited for.
    fn connect(&self) -> TcpStream {
        let connection = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        connection
    }

    fn head(&self, line: &str, headers: &[Header]) -> String {
        let host = ("host", self.host());
        let is_said = headers.iter().any(|(name, _)| *name == "host");
        let headers = headers.iter().chain((!is_said).then_some(&host));
        let mut head = format!("{line} HTTP/1.1\r\n");
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head + "\r\n"
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already where the test has ended it; otherwise its database is closed as it should be.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

impl Answer {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let header = |line: &str| {
            line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        };
        Self { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The code of the JSON-RPC error in it.
    pub(crate) fn code(&self) -> Option<i64> {
        serde_json::from_str::<Value>(&self.body).ok()?["error"]["code"].as_i64()
    }
}

/// A call of one of the assistant's methods.
pub(crate) fn call(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": method, "method": format!("assistant.{method}"), "params": params})
}

/// An open `WebSocket`.
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
    /// Which protocol the server has chosen.
    pub(crate) protocol: Option<String>,
}

impl Socket {
    pub(crate) fn send(&mut self, said: &Value) {
        self.socket.send(Message::text(said.to_string())).unwrap();
    }

    /// The next message; `None` where it was closed.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Calls a method, and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(&call(method, params));
        let answer = self.next().unwrap();
        assert_eq!(answer["id"], method, "{answer}");
        answer
    }
}
