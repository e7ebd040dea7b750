//! An HTTP server of which a test decides every byte and every pause: no library can cut a packet where we want it.

use std::future::Future;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One connection with one request that was read whole.
pub(crate) struct Asked {
    /// `POST /api/chat`.
    pub(crate) line: String,
    /// All lines before the body.
    pub(crate) head: String,
    /// The body as JSON, or `null`.
    pub(crate) body: serde_json::Value,
    stream: TcpStream,
}

impl Asked {
    /// Sends bytes as they are, in a packet of their own.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("the client listens");
        self.stream.flush().await.expect("the client listens");
    }

    /// Sends bytes if the client still takes any.
    pub(crate) async fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok()
    }

    /// A whole answer.
    pub(crate) async fn answer(&mut self, status: &str, body: &str) {
        let length = body.len();
        self.send(format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}")).await;
    }

    /// The head of a stream of JSON lines that ends with the connection.
    pub(crate) async fn begin(&mut self) {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n").await;
    }

    /// Returns once the client has closed the connection.
    pub(crate) async fn until_closed(&mut self) {
        let mut byte = [0];
        // A reset is a close too.
        let read = self.stream.read(&mut byte).await.unwrap_or(0);
        assert_eq!(read, 0, "the client sent more");
    }
}

/// A server on a free port.
pub(crate) struct RawServer {
    listener: TcpListener,
}

impl RawServer {
    pub(crate) async fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.expect("a free port") }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.listener.local_addr().expect("it is bound"))
    }

    /// The next request.
    pub(crate) async fn next(&self) -> Asked {
        read(self.connection().await).await
    }

    /// The next connection, as a SOCKS proxy takes it, and the name and port that it is to reach.
    pub(crate) async fn next_through_socks(&self) -> (Asked, String, u16) {
        let mut stream = self.connection().await;
        let mut greeting = [0; 2];
        stream.read_exact(&mut greeting).await.expect("a greeting");
        let mut methods = vec![0; usize::from(greeting[1])];
        stream.read_exact(&mut methods).await.expect("its methods");
        stream.write_all(&[5, 0]).await.expect("the client listens");
        let mut wanted = [0; 5];
        stream.read_exact(&mut wanted).await.expect("a request");
        assert_eq!(wanted[..4], [5, 1, 0, 3], "a name, which the proxy resolves");
        let mut name = vec![0; usize::from(wanted[4])];
        stream.read_exact(&mut name).await.expect("a name");
        let port = stream.read_u16().await.expect("a port");
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.expect("the client listens");
        (read(stream).await, String::from_utf8(name).expect("a name is text"), port)
    }

    /// Answers the greeting of TLS in plain HTTP.
    pub(crate) async fn refuse_tls(&self) {
        let mut stream = self.connection().await;
        let mut greeting = [0; 1024];
        let read = stream.read(&mut greeting).await.expect("a greeting");
        assert_eq!(greeting[0], 22, "the greeting of TLS, not {read} bytes of something else");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("the client listens");
    }

    async fn connection(&self) -> TcpStream {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream
    }
}

async fn read(mut stream: TcpStream) -> Asked {
    let mut bytes = Vec::new();
    loop {
        let mut packet = vec![0; 4096];
        let read = stream.read(&mut packet).await.expect("a request");
        assert_ne!(read, 0, "the client left in the middle of its request");
        bytes.extend_from_slice(&packet[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if body.len() < length.unwrap_or(0) {
            continue;
        }
        let line = head.lines().next().expect("a request line").trim_end_matches(" HTTP/1.1").to_owned();
        let body = serde_json::from_str(body).unwrap_or_default();
        return Asked { line, head: head.to_owned(), body, stream };
    }
}

/// Runs the server's part beside the client's, and gives what the client's came to. Both must come to an end.
pub(crate) async fn beside<T>(server: impl Future<Output = ()>, client: impl Future<Output = T>) -> T {
    let both = async { tokio::join!(server, client).1 };
    tokio::time::timeout(Duration::from_secs(30), both).await.expect("one waits for the other for ever")
}
