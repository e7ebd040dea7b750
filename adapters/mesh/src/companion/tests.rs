use std::sync::Mutex;

use archy_assistant::SystemClock;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::*;

/// A radio that another program takes so long after it was ready.
struct Taken {
    after: Duration,
    radios: Mutex<JoinSet<()>>,
    dialled: Arc<Mutex<Vec<u64>>>,
    began: Instant,
}

impl Dial for Taken {
    fn dial(&self) -> Dialling<'_> {
        Box::pin(async {
            self.dialled.lock().unwrap().push(self.began.elapsed().as_secs());
            let (near, far) = duplex(1 << 16);
            let after = self.after;
            self.radios.lock().unwrap().spawn(async move { play(far, after).await });
            Ok(Box::new(near) as Box<dyn Line>)
        })
    }
}

/// Answers each command as a radio without contacts does, and closes the line some time after it was ready.
async fn play(line: DuplexStream, after: Duration) {
    let (mut from, mut to) = tokio::io::split(line);
    while matches!(answered(&mut from, &mut to).await, Ok(command) if command != 0x0a) {}
    tokio::select! {
        () = sleep(after) => {}
        () = async { while answered(&mut from, &mut to).await.is_ok() {} } => {}
    }
}

/// Answers one command; gives which one it was.
async fn answered(from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin)) -> io::Result<u8> {
    let mut head = [0; 3];
    from.read_exact(&mut head).await?;
    let mut payload = vec![0; usize::from(u16::from_le_bytes([head[1], head[2]]))];
    from.read_exact(&mut payload).await?;
    let answers: Vec<Vec<u8>> = match payload[0] {
        0x16 => vec![vec![0x0d, 13]],
        0x01 => vec![[&[0x05, 1, 22, 22][..], &[7; 32], &[0; 20], &[8, 8], b"home"].concat()],
        0x04 => vec![vec![2, 0, 0, 0, 0], vec![4, 0, 0, 0, 0]],
        0x0a => vec![vec![0x0a]],
        other => vec![vec![0x01, other]],
    };
    for answer in answers {
        to.write_all(&[0x3e]).await?;
        to.write_all(&u16::try_from(answer.len()).unwrap().to_le_bytes()).await?;
        to.write_all(&answer).await?;
    }
    Ok(payload[0])
}

/// When a radio is dialled, in seconds, that is taken away so long after it was ready.
async fn dialled(after: Duration, times: usize) -> Vec<u64> {
    let dialled = Arc::new(Mutex::new(Vec::new()));
    let radio =
        Taken { after, radios: Mutex::default(), dialled: Arc::clone(&dialled), began: Instant::now() };
    let mut companion = Companion::new(radio, Arc::new(SystemClock));
    while dialled.lock().unwrap().len() < times {
        companion.next().await;
    }
    std::mem::take(&mut *dialled.lock().unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_radio_that_a_phone_takes_again_and_again_is_left_to_it_for_longer_and_longer() {
    assert_eq!(dialled(Duration::ZERO, 7).await, [0, 30, 90, 210, 450, 750, 1050]);
}

#[tokio::test(start_paused = true)]
async fn a_radio_that_was_there_for_long_is_looked_for_soon() {
    assert_eq!(dialled(Duration::from_secs(600), 3).await, [0, 630, 1260]);
}
