//! Servers that speak like Anthropic's Messages API and like OpenAI's chat completions, byte for byte as their wires do:
//! server-sent events, their own end markers, refusals in their own form. And one that says whatever a test wants.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// A request: its line without the version, its head in lower case, and its body.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// What a vendor's model replies, in order.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Says(&'static str),
    Calls(Vec<(&'static str, Value)>),
}

/// A server that ends with the test.
pub(crate) struct Played {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Played {
    /// One that answers each request with these bytes, and closes the connection.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                // A client that goes away early is no fault.
                std::thread::spawn(move || -> io::Result<()> {
                    let mut connection: TcpStream = connection?;
                    let Some(request) = request(&mut BufReader::new(connection.try_clone()?))? else {
                        return Ok(());
                    };
                    let bytes = answer(&request);
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(request);
                    connection.write_all(&bytes)
                });
            }
        });
        Self { port, asked }
    }

    /// Anthropic's, for who has this key.
    pub(crate) fn claude(key: &'static str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::start(move |asked| {
            let refused = |status, kind: &str, message: String| {
                let error = json!({"type": kind, "message": message});
                whole(
                    status,
                    &json!({"type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}),
                )
            };
            if !asked.head.contains("anthropic-version: 2023-06-01\r\n") {
                return refused(
                    400,
                    "invalid_request_error",
                    "anthropic-version: header is required".to_owned(),
                );
            }
            if !asked.head.contains(&format!("x-api-key: {key}\r\n").to_lowercase()) {
                return refused(401, "authentication_error", "invalid x-api-key".to_owned());
            }
            match &*asked.line {
                "GET /v1/models?limit=1000" => {
                    let model = |id: &str| json!({"type": "model", "id": id, "display_name": "Claude", "created_at": "2025-09-29T00:00:00Z"});
                    whole(
                        200,
                        &json!({"data": [model("claude-sonnet-4-5")], "has_more": false, "first_id": "claude-sonnet-4-5", "last_id": "claude-sonnet-4-5"}),
                    )
                }
                "POST /v1/messages" if asked.body["stream"] == true => {
                    match replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                        Some(reply) => stream(&messages(&reply)),
                        None => refused(500, "api_error", "the test expected no more requests".to_owned()),
                    }
                }
                other => refused(404, "not_found_error", format!("Not found: {other}")),
            }
        })
    }

    /// One like OpenAI's, without a key.
    pub(crate) fn openai(model: &'static str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Mutex<VecDeque<Reply>> = Mutex::new(replies.into_iter().collect());
        Self::start(move |asked| {
            let refused = |status, kind: &str, message: String| {
                whole(
                    status,
                    &json!({"error": {"message": message, "type": kind, "param": null, "code": null}}),
                )
            };
            match &*asked.line {
                "GET /v1/models" => {
                    let listed =
                        json!({"id": model, "object": "model", "created": 1_733_000_000, "owned_by": "me"});
                    whole(200, &json!({"object": "list", "data": [listed]}))
                }
                "POST /v1/chat/completions" if asked.body["stream"] == true => {
                    match replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                        Some(reply) => stream(&completions(model, &reply)),
                        None => refused(500, "server_error", "the test expected no more requests".to_owned()),
                    }
                }
                other => refused(404, "invalid_request_error", format!("Invalid URL ({other})")),
            }
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Not the plain address of this machine, so it counts as anywhere.
    pub(crate) fn elsewhere(&self) -> String {
        format!("http://127.1:{}", self.port)
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The bodies of the requests for a reply.
    pub(crate) fn chats(&self) -> Vec<Value> {
        let is_chat = |asked: &Asked| asked.line.contains("/chat") || asked.line.contains("/messages");
        self.asked().into_iter().filter(is_chat).map(|asked| asked.body).collect()
    }
}

/// The events of Anthropic's stream.
fn messages(reply: &Reply) -> String {
    let usage = |output: u32| json!({"input_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output});
    let mut events = vec![json!({"type": "message_start", "message": {
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(1),
    }})];
    let mut block = |index: usize, starts: Value, deltas: Vec<Value>| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": starts}));
        events.push(json!({"type": "ping"}));
        let delta = |delta| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    let stop = match reply {
        Reply::Says(text) => {
            let (first, rest) = text.split_at(1);
            let delta = |text| json!({"type": "text_delta", "text": text});
            block(0, json!({"type": "text", "text": ""}), vec![delta(first), delta(rest)]);
            "end_turn"
        }
        Reply::Calls(calls) => {
            for (index, (name, args)) in calls.iter().enumerate() {
                let starts =
                    json!({"type": "tool_use", "id": format!("toolu_{index:02}"), "name": name, "input": {}});
                let delta = |part: &str| json!({"type": "input_json_delta", "partial_json": part});
                block(index, starts, vec![delta(""), delta(&args.to_string())]);
            }
            "tool_use"
        }
    };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage(4)}));
    events.push(json!({"type": "message_stop"}));
    let mut text = String::new();
    for event in events {
        let _ = write!(text, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    }
    text
}

/// The chunks of OpenAI's stream.
fn completions(model: &str, reply: &Reply) -> String {
    let chunk = |delta: Value, finish: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_733_000_000, "model": model,
               "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]})
    };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let finish = match reply {
        Reply::Says(text) => {
            chunks.push(chunk(json!({"content": text}), Value::Null));
            "stop"
        }
        Reply::Calls(calls) => {
            for (index, (name, args)) in calls.iter().enumerate() {
                let call = json!({"index": index, "id": format!("call_{index:02}"), "type": "function",
                                  "function": {"name": name, "arguments": args.to_string()}});
                chunks.push(chunk(json!({"tool_calls": [call]}), Value::Null));
            }
            "tool_calls"
        }
    };
    chunks.push(chunk(json!({}), json!(finish)));
    chunks.push(json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_733_000_000, "model": model,
        "choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24}}));
    chunks.iter().map(Value::to_string).chain(["[DONE]".to_owned()]).fold(String::new(), |mut text, data| {
        let _ = write!(text, "data: {data}\n\n");
        text
    })
}

/// A whole answer.
pub(crate) fn whole(status: u16, body: &Value) -> Vec<u8> {
    typed(status, "application/json", &body.to_string())
}

/// A whole answer of that type.
pub(crate) fn typed(status: u16, kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}

/// Events in chunks of a few bytes, which cut them anywhere.
fn stream(events: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut bytes = head.as_bytes().to_vec();
    for part in events.as_bytes().chunks(61) {
        bytes.extend(format!("{:x}\r\n", part.len()).bytes());
        bytes.extend(part);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

/// The next request of a connection.
pub(crate) fn request(from: &mut impl BufRead) -> io::Result<Option<Asked>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let mut line = Vec::new();
        // What is no text is no request (the greeting of TLS is none).
        if from.by_ref().take(8192).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let Ok(line) = String::from_utf8(line) else {
            return Ok(Some(Asked { line: "TLS".to_owned(), head: String::new(), body: Value::Null }));
        };
        head.push_str(&line);
    }
    let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    from.read_exact(&mut body)?;
    Ok(Some(Asked { line, head, body: serde_json::from_slice(&body).unwrap_or_default() }))
}
