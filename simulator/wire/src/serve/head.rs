//! The head of a request, before the server parses it.

use std::sync::Arc;

use tokio::io::AsyncReadExt;

use super::connection::HEAD_BYTES_MAX;
use crate::Stream;

/// How much is read at a time.
const PIECE_BYTES: usize = 4096;
/// What ends a head.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// Changes the bytes of a request head before the server parses them. The blank line that ends the head is
/// among them; the body is not.
///
/// This is how a proxy in front of a server can be imitated: by the time a parsed request reaches a
/// handler, the spelling of its header names is gone.
pub type HeadFilter = Arc<dyn Fn(Vec<u8>) -> Vec<u8> + Send + Sync>;

/// The head of a request as `filter` makes it, and what was read beyond it. `None` when the head has no end.
pub(super) async fn filtered(stream: &mut Stream, filter: &HeadFilter) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        if let Some(at) = head.windows(BLANK_LINE.len()).position(|bytes| bytes == BLANK_LINE) {
            let mut beyond = head.split_off(at + BLANK_LINE.len());
            let mut start = filter(head);
            start.append(&mut beyond);
            return Some(start);
        }
        if head.len() > HEAD_BYTES_MAX {
            return None;
        }
        // On the heap: a buffer in here would take its room in the task of every connection.
        head.reserve(PIECE_BYTES);
        if stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
}
