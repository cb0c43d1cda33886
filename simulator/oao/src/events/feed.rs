//! The event stream.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream, stream::BoxStream};
use wire::sse::Frame;

use super::{Row, cursor};
use crate::Service;

/// One open stream.
struct Feed {
    service: Service,
    project: String,
    position: u64,
    once: bool,
    greeted: bool,
    ended: bool,
    opened: Duration,
    spoken: Duration,
    bell: tokio::sync::watch::Receiver<u64>,
}

/// The events of a project after a position, as they come. With `once`, one page and the end.
pub(super) fn open(service: &Service, project: &str, position: u64, once: bool) -> BoxStream<'static, Bytes> {
    let now = service.clock().elapsed();
    let feed = Feed {
        service: service.clone(),
        project: project.to_owned(),
        position,
        once,
        greeted: false,
        ended: false,
        opened: now,
        spoken: now,
        bell: service.events().bell(),
    };
    stream::unfold(feed, |mut feed| async move { Some((feed.next().await?, feed)) }).boxed()
}

impl Feed {
    async fn next(&mut self) -> Option<Bytes> {
        if !self.once && !self.greeted {
            self.greeted = true;
            return Some(comment(" connected"));
        }
        let (service, limits) = (self.service.clone(), self.service.parts().events.feed);
        let lifetime = Duration::from_millis(limits.lifetime_ms);
        let keepalive = Duration::from_millis(limits.keepalive_ms);
        while !self.ended {
            let now = service.clock().elapsed();
            let left = (self.opened + lifetime).saturating_sub(now);
            if left.is_zero() && !self.once {
                break;
            }
            // The bell is marked as heard before the log is read, so nothing falls between the two.
            self.bell.mark_unchanged();
            let rows = service.events().after(&self.project, self.position, limits.page);
            self.ended = self.once;
            if let Some(last) = rows.last() {
                self.position = last.position;
                self.spoken = now;
                return Some(rows.iter().map(|row| self.frame(row)).collect::<String>().into());
            }
            if self.once {
                break;
            }
            let quiet = (self.spoken + keepalive).saturating_sub(now);
            if quiet.is_zero() {
                self.spoken = now;
                return Some(comment(" keepalive"));
            }
            tokio::select! {
                biased;
                _ = self.bell.changed() => {}
                () = service.clock().pause(left.min(quiet)) => {}
            }
        }
        None
    }

    fn frame(&self, row: &Row) -> String {
        let data = (self.service.parts().events.stream_row)(row);
        Frame {
            id: Some(cursor::encode(row.position)),
            event: Some(row.event.kind.clone()),
            data: Some(data.to_string()),
            ..Frame::default()
        }
        .encode()
    }
}

fn comment(text: &str) -> Bytes {
    Frame { comments: vec![text.to_owned()], ..Frame::default() }.encode().into()
}
