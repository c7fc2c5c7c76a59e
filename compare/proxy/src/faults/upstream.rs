//! An upstream that does what the script of a seed says.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::script::{Script, Step};

/// The head of every response.
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Starts the upstream in this runtime: its port.
///
/// # Errors
///
/// No port can be listened at.
pub async fn start() -> io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((peer, _)) = listener.accept().await {
            tokio::spawn(async move {
                // A connection that breaks is the proxy's.
                let _ = serve(peer).await;
            });
        }
    });
    Ok(port)
}

async fn serve(mut peer: TcpStream) -> io::Result<()> {
    peer.set_nodelay(true)?;
    let mut bytes = Vec::new();
    loop {
        let Some(seed) = seed_of(&bytes) else {
            let mut buffer = [0; 4096];
            let count = peer.read(&mut buffer).await?;
            if count == 0 {
                return Ok(());
            }
            bytes.extend_from_slice(&buffer[..count]);
            continue;
        };
        bytes.clear();
        peer.write_all(HEAD).await?;
        for step in Script::new(seed).steps {
            match step {
                Step::Send(bytes) => peer.write_all(&bytes).await?,
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Stall => {
                    let _ = peer.read(&mut [0; 1]).await?;
                    return Ok(());
                }
                Step::Cut => return Ok(()),
            }
        }
    }
}

/// The seed that a request asks for, once all of the request has come.
fn seed_of(request: &[u8]) -> Option<u64> {
    let text = core::str::from_utf8(request).ok()?;
    let (_, rest) = text.split_once("{\"seed\":")?;
    rest.split_once('}')?.0.parse().ok()
}
