//! A server that speaks like Ollama's `/api`, byte for byte as its wire does: chunked lines of JSON, the request without
//! messages that only loads the model, refusals as `{"error"}`.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::node::wait_for;

const CREATED: &str = "2026-11-30T20:00:12.123456789Z";

/// A model that the server has.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) size: u64,
    pub(crate) capabilities: &'static [&'static str],
    /// Whether the list of models says what they can do, as servers do since 2026.
    pub(crate) listed: bool,
}

/// One that can call tools.
pub(crate) const TINY: Model =
    Model { name: "tiny:1b", size: 1_300_000_000, capabilities: &["completion", "tools"], listed: true };

/// What it answers to a request with messages, in order.
pub(crate) enum Reply {
    /// Text, in these pieces.
    Says(&'static [&'static str]),
    /// Calls, after which it waits for results.
    Calls(Vec<(&'static str, Value)>),
    /// Nothing until it is let go, and then "Done."
    Holds(Arc<AtomicBool>),
    /// The lines so far, and then the connection is gone.
    Dies(Vec<Value>),
}

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

/// What the connections share.
struct Desk {
    models: Vec<Model>,
    replies: Mutex<VecDeque<Reply>>,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    pub(crate) fn start(models: &[Model], replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::default();
        let replies = Mutex::new(replies.into_iter().collect());
        let desk = Arc::new(Desk { models: models.to_vec(), replies, asked: Arc::clone(&asked) });
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let desk = Arc::clone(&desk);
                // A client that goes away early is no fault.
                std::thread::spawn(move || desk.serve(connection?));
            }
        });
        Self { url: format!("http://127.0.0.1:{port}"), port, asked }
    }

    /// What was asked so far: the path and the body.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The requests with messages.
    pub(crate) fn chats(&self) -> Vec<Value> {
        let with_messages = |(path, body): (String, Value)| {
            (path == "/api/chat" && body["messages"].as_array().is_some_and(|all| !all.is_empty()))
                .then_some(body)
        };
        self.asked().into_iter().filter_map(with_messages).collect()
    }
}

impl Desk {
    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        let mut from = BufReader::new(connection.try_clone()?);
        while let Some((path, body)) = request(&mut from)? {
            self.asked.lock().unwrap().push((path.clone(), body.clone()));
            match &*path {
                "/api/version" => whole(&mut connection, 200, &json!({"version": "0.12.11"}))?,
                "/api/tags" => {
                    let models: Vec<Value> = self.models.iter().map(Model::listed).collect();
                    whole(&mut connection, 200, &json!({"models": models}))?;
                }
                "/api/show" => match self.model(&body) {
                    Some(model) => whole(&mut connection, 200, &model.shown())?,
                    None => not_found(&mut connection, &body)?,
                },
                "/api/chat" => {
                    let Some(model) = self.model(&body) else { return not_found(&mut connection, &body) };
                    if !self.chat(&mut connection, model, &body)? {
                        return Ok(());
                    }
                }
                _ => whole(&mut connection, 404, &json!("404 page not found"))?,
            }
        }
        Ok(())
    }

    fn model(&self, body: &Value) -> Option<&Model> {
        self.models.iter().find(|model| body["model"] == model.name)
    }

    /// Whether the connection can go on.
    fn chat(&self, connection: &mut TcpStream, model: &Model, body: &Value) -> io::Result<bool> {
        let says = |content: &str| json!({"role": "assistant", "content": content});
        let line = |message: Value| json!({"model": model.name, "created_at": CREATED, "message": message, "done": false});
        if body["messages"].as_array().is_none_or(Vec::is_empty) {
            let mut loaded = line(says(""));
            (loaded["done"], loaded["done_reason"]) = (json!(true), json!("load"));
            whole(connection, 200, &loaded)?;
            return Ok(true);
        }
        let uses_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        if uses_tools && !model.capabilities.contains(&"tools") {
            let says = format!("registry.ollama.ai/library/{} does not support tools", model.name);
            whole(connection, 400, &json!({ "error": says }))?;
            return Ok(true);
        }
        let Some(reply) = self.replies.lock().unwrap().pop_front() else {
            whole(connection, 500, &json!({"error": "the test expected no more requests"}))?;
            return Ok(true);
        };
        if let Reply::Holds(go) = &reply {
            wait_for("the reply to be let go", || go.load(Ordering::Relaxed));
        }
        begin(connection)?;
        let dies = matches!(reply, Reply::Dies(_));
        for message in match reply {
            Reply::Says(pieces) => pieces.iter().map(|piece| says(piece)).collect(),
            Reply::Calls(calls) => {
                calls.iter().enumerate().map(|(index, (name, args))| called(index, name, args)).collect()
            }
            Reply::Holds(_) => vec![says("Done.")],
            Reply::Dies(messages) => messages,
        } {
            chunk(connection, &line(message))?;
        }
        if dies {
            return Ok(false);
        }
        let mut end = line(says(""));
        for (key, value) in [
            ("done", json!(true)),
            ("done_reason", json!("stop")),
            ("total_duration", json!(9_000_000)),
            ("load_duration", json!(1_000_000)),
            ("prompt_eval_count", json!(20)),
            ("prompt_eval_duration", json!(4_000_000)),
            ("eval_count", json!(4)),
            ("eval_duration", json!(4_000_000)),
        ] {
            end[key] = value;
        }
        chunk(connection, &end)?;
        connection.write_all(b"0\r\n\r\n")?;
        Ok(true)
    }
}

impl Model {
    fn listed(&self) -> Value {
        let details = json!({"family": "tiny", "parameter_size": "1.2B", "quantization_level": "Q4_K_M"});
        let mut listed = json!({
            "name": self.name, "model": self.name, "modified_at": CREATED, "size": self.size, "digest": "0123", "details": details,
        });
        if self.listed {
            listed["capabilities"] = json!(self.capabilities);
        }
        listed
    }

    fn shown(&self) -> Value {
        let info = json!({"general.architecture": "tiny", "tiny.context_length": 8192});
        json!({"capabilities": self.capabilities, "details": {"family": "tiny"}, "model_info": info, "parameters": ""})
    }
}

/// A line that holds one call.
pub(crate) fn called(index: usize, name: &str, args: &Value) -> Value {
    let call = json!({
        "id": format!("call_{index:08}"), "function": {"index": index, "name": name, "arguments": args},
    });
    json!({"role": "assistant", "content": "", "tool_calls": [call]})
}

/// The next request of a connection: its path and its body.
fn request(from: &mut impl BufRead) -> io::Result<Option<(String, Value)>> {
    let (mut path, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            break;
        }
        if path.is_none() {
            path = line.split(' ').nth(1).map(str::to_owned);
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(path.map(|path| (path, serde_json::from_slice(&body).unwrap_or_default())))
}

fn whole(to: &mut TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json; charset=utf-8\r\n");
    write!(to, "{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn not_found(to: &mut TcpStream, body: &Value) -> io::Result<()> {
    let says = format!("model '{}' not found", body["model"].as_str().unwrap_or_default());
    whole(to, 404, &json!({ "error": says }))
}

fn begin(to: &mut TcpStream) -> io::Result<()> {
    to.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n",
    )
}

/// One line of the stream, as a chunk of its own.
fn chunk(to: &mut TcpStream, line: &Value) -> io::Result<()> {
    let line = format!("{line}\n");
    write!(to, "{:x}\r\n{line}\r\n", line.len())?;
    to.flush()
}
