//! A SOCKS proxy that leads every name to one server of this machine, as Tor's would lead to it, and remembers the names.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A proxy that ends with the test.
pub(crate) struct Socks {
    port: u16,
    named: Arc<Mutex<Vec<String>>>,
}

impl Socks {
    /// One that leads to this port.
    pub(crate) fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let named: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&named);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let kept = Arc::clone(&kept);
                // Whoever only looks whether it is there goes away early.
                std::thread::spawn(move || lead(connection?, server, &kept));
            }
        });
        Self { port, named }
    }

    pub(crate) fn url(&self) -> String {
        format!("socks5h://127.0.0.1:{}", self.port)
    }

    /// The names and ports that it was asked to reach, each once.
    pub(crate) fn named(&self) -> Vec<String> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner).clone();
        named.sort();
        named.dedup();
        named
    }
}

fn lead(mut client: TcpStream, server: u16, named: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut greeting = [0; 2];
    client.read_exact(&mut greeting)?;
    client.read_exact(&mut vec![0; usize::from(greeting[1])])?;
    client.write_all(&[5, 0])?;
    let mut wanted = [0; 5];
    client.read_exact(&mut wanted)?;
    // Anything but a name was looked up before it came here.
    let mut name = format!("kind {}", wanted[3]).into_bytes();
    if wanted[3] == 3 {
        name = vec![0; usize::from(wanted[4])];
        client.read_exact(&mut name)?;
    }
    let mut port = [0; 2];
    client.read_exact(&mut port)?;
    let name = format!("{}:{}", String::from_utf8_lossy(&name), u16::from_be_bytes(port));
    named.lock().unwrap_or_else(PoisonError::into_inner).push(name);
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    let mut server = TcpStream::connect(("127.0.0.1", server))?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_server);
    });
    io::copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Both)
}
