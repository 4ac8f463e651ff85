//! The body of a request as it arrives: limited in bytes, and in how slowly it may come.

use crate::problem::Problem;
use crate::serve::request::held_bytes::{Held, HeldBytes};
use crate::serve::settings::MIN_BYTES_PER_SECOND;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// What is read of a body that nobody wants any more. A connection that is closed while its client still sends is reset, and the client may
/// lose the answer that says why.
const LINGER_BYTES: u64 = 16 << 20;
const LINGER: Duration = Duration::from_secs(2);

/// A body as it arrives.
pub(crate) struct RequestBody {
    /// Nothing once it is at its end or broken.
    body: Option<Body>,
    /// How much longer the client may keep us waiting. What arrives adds to it; it never exceeds `patience`.
    allowance: Duration,
    patience: Duration,
    /// Whether the client waits for `100 Continue` before it sends.
    is_expected: bool,
    received: u64,
}

impl RequestBody {
    pub(crate) fn new(headers: &HeaderMap, body: Body, patience: Duration) -> RequestBody {
        let is_expected = headers.contains_key(header::EXPECT);
        RequestBody { body: Some(body), allowance: patience, patience, is_expected, received: 0 }
    }

    /// The next bytes; nothing at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        while let Some(body) = &mut self.body {
            let start = Instant::now();
            let Ok(frame) = timeout(self.allowance, body.frame()).await else {
                self.body = None;
                let message = format!(
                    "the body arrives too slowly: less than {MIN_BYTES_PER_SECOND} bytes a second, or nothing for {} s",
                    self.patience.as_secs_f32()
                );
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "timeout", message));
            };
            match frame {
                None => self.body = None,
                Some(Err(error)) => {
                    self.body = None;
                    return Err(Problem::bad_request(format!("the body is broken: {error}")));
                }
                // Trailers mean nothing here.
                Some(Ok(frame)) => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    self.received += bytes.len() as u64;
                    let earned = Duration::from_secs_f64(bytes.len() as f64 / f64::from(MIN_BYTES_PER_SECOND));
                    self.allowance = self.allowance.saturating_sub(start.elapsed()).saturating_add(earned);
                    // A fast start must not pay for a long pause later.
                    self.allowance = self.allowance.min(self.patience);
                    // An empty piece is not the end of the body.
                    if !bytes.is_empty() {
                        return Ok(Some(bytes));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The bytes that arrived.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// The whole body, at most `max_bytes` bytes. It is refused as soon as it is known to be too large or to exceed what all requests may
    /// hold.
    pub(crate) async fn read(&mut self, max_bytes: usize, held: &HeldBytes) -> Result<(Vec<u8>, Held), Problem> {
        let too_large =
            || Problem::of_kind("too_large", format!("the body is larger than the limit of {max_bytes} bytes"));
        let announced = self.body.as_ref().map_or(0, |body| body.size_hint().lower());
        if announced > max_bytes as u64 {
            return Err(too_large());
        }
        let (mut all, mut own) = (Vec::new(), Held::default());
        while let Some(bytes) = self.next().await? {
            if all.len() + bytes.len() > max_bytes {
                return Err(too_large());
            }
            if !held.try_add(&mut own, bytes.len()) {
                return Err(Problem::overloaded("the bodies of other requests fill the memory for them"));
            }
            if all.is_empty() {
                // What a client announces is believed up to a size that every page may have.
                all.reserve((announced as usize).min(TRUSTED_BYTES));
            }
            all.extend_from_slice(&bytes);
        }
        Ok((all, own))
    }
}

/// The largest announced length for which memory is taken at once.
const TRUSTED_BYTES: usize = 256 << 10;

impl Drop for RequestBody {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take() else { return };
        // A client that waits to be told to send does not send a body that was refused.
        if self.is_expected || body.is_end_stream() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(timeout(LINGER, async move {
            let mut left = LINGER_BYTES;
            while let Some(Ok(frame)) = body.frame().await {
                left = left.saturating_sub(frame.data_ref().map_or(0, |bytes| bytes.len() as u64));
                if left == 0 {
                    break;
                }
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use tokio_stream::StreamExt as _;

    fn body(parts: Vec<(u64, &'static [u8])>) -> RequestBody {
        let parts = tokio_stream::iter(parts).then(|(wait, bytes)| async move {
            tokio::time::sleep(Duration::from_secs(wait)).await;
            Ok::<_, std::io::Error>(Bytes::from_static(bytes))
        });
        RequestBody::new(&HeaderMap::new(), Body::from_stream(parts), Duration::from_secs(10))
    }

    #[tokio::test(start_paused = true)]
    async fn slow_bodies_are_refused() {
        let held = HeldBytes::new(1 << 20);
        let (bytes, _) = body(vec![(9, b"ab"), (0, b"cd")]).read(100, &held).await.unwrap();
        assert_eq!(bytes, b"abcd");
        let status = async |parts| body(parts).read(1 << 20, &held).await.err().unwrap().status.as_u16();
        assert_eq!(status(vec![(11, b"ab")]).await, 408);
        // A byte now and then is no progress.
        assert_eq!(status(vec![(4, b"a"), (4, b"a"), (4, b"a")]).await, 408);
        // 4 KiB a second is.
        static MUCH: [u8; 20_480] = [0; 20_480];
        assert!(body(vec![(5, &MUCH), (5, &MUCH), (5, &MUCH), (5, &MUCH)]).read(1 << 20, &held).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_are_refused() {
        let held = HeldBytes::new(10);
        let refused = async |parts, max| body(parts).read(max, &held).await.err().unwrap().kind;
        assert_eq!(refused(vec![(0, b"abc"), (0, b"def")], 5).await, "too_large");
        assert_eq!(refused(vec![(0, b"abcdef"), (0, b"abcdef")], 50).await, "overloaded");
        assert_eq!(held.now(), 0);
        let (_, kept) = body(vec![(0, b"abcdef")]).read(50, &held).await.unwrap();
        assert_eq!(held.now(), 6);
        drop(kept);
    }
}
