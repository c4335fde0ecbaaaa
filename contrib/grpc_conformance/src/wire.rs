//! Messages on standard input and output, each after its length in four bytes.

use tablepb::{DecodeOwned, Message};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

type Error = Box<dyn std::error::Error>;

/// The next message; `None` at the end.
pub async fn read<M: DecodeOwned>(input: &mut (impl AsyncRead + Unpin)) -> Result<Option<M>, Error> {
    let Ok(len) = input.read_u32().await else { return Ok(None) };
    let mut bytes = vec![0; len as usize];
    input.read_exact(&mut bytes).await?;
    Ok(Some(M::decode(&bytes)?))
}

pub async fn write(output: &mut (impl AsyncWrite + Unpin), message: &impl Message) -> Result<(), Error> {
    let bytes = message.encode_to_vec()?;
    output.write_u32(bytes.len() as u32).await?;
    output.write_all(&bytes).await?;
    Ok(output.flush().await?)
}
