//! Lines of bytes to a radio.

use std::future::Future;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A line that is open.
pub trait Line: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Line for T {}

/// A line that is being opened.
pub type Dialling<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Line>>> + Send + 'a>>;

/// Opens a line to a radio, again and again as it is lost.
pub trait Dial: Send + Sync + 'static {
    /// Opens it.
    fn dial(&self) -> Dialling<'_>;
}

/// A radio in the network, or a bridge to one. There is no password in this protocol: whoever reaches the address has the
/// radio.
#[derive(Debug, Clone)]
pub struct Tcp(
    /// `host:port`; the port is mostly 5000.
    pub String,
);

impl Dial for Tcp {
    fn dial(&self) -> Dialling<'_> {
        Box::pin(async {
            let stream = TcpStream::connect(&self.0).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Line>)
        })
    }
}

/// A radio on a serial port.
#[cfg(feature = "serial")]
#[derive(Debug, Clone)]
pub struct Serial(
    /// Such as `/dev/ttyUSB0`, or better a name below `/dev/serial/by-id`.
    pub std::path::PathBuf,
);

#[cfg(feature = "serial")]
impl Dial for Serial {
    fn dial(&self) -> Dialling<'_> {
        Box::pin(async {
            let port = serial2_tokio::SerialPort::open(&self.0, 115_200)?;
            // What a radio has printed while it started is no frame.
            port.discard_buffers()?;
            Ok(Box::new(port) as Box<dyn Line>)
        })
    }
}
