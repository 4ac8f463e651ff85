//! The bytes of request bodies held in memory, over all requests.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many bytes of bodies may be held at the same time.
#[derive(Clone)]
pub(crate) struct HeldBytes {
    free: Arc<Semaphore>,
    total: usize,
}

/// The bytes that one request holds, free again when this is dropped.
#[derive(Default)]
pub(crate) struct Held(Option<OwnedSemaphorePermit>);

impl HeldBytes {
    pub(crate) fn new(total: usize) -> HeldBytes {
        let total = total.min(Semaphore::MAX_PERMITS);
        HeldBytes { free: Arc::new(Semaphore::new(total)), total }
    }

    /// Adds bytes to those held, if they are free.
    pub(crate) fn try_add(&self, held: &mut Held, bytes: usize) -> bool {
        let Ok(bytes) = u32::try_from(bytes) else { return false };
        match self.free.clone().try_acquire_many_owned(bytes) {
            Ok(permit) => {
                held.add(permit);
                true
            }
            Err(_) => false,
        }
    }

    /// Waits until bytes are free and adds them to those held. Returns false if that many can never be free.
    pub(crate) async fn add(&self, held: &mut Held, bytes: usize) -> bool {
        let Some(bytes) = u32::try_from(bytes).ok().filter(|bytes| *bytes as usize <= self.total) else { return false };
        match self.free.clone().acquire_many_owned(bytes).await {
            Ok(permit) => {
                held.add(permit);
                true
            }
            Err(_) => false,
        }
    }

    /// The bytes held now.
    pub(crate) fn now(&self) -> usize {
        self.total.saturating_sub(self.free.available_permits())
    }
}

impl Held {
    fn add(&mut self, permit: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(held) => held.merge(permit),
            None => self.0 = Some(permit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_free_again_when_dropped() {
        let bytes = HeldBytes::new(100);
        let (mut one, mut two) = (Held::default(), Held::default());
        assert!(bytes.try_add(&mut one, 40) && bytes.try_add(&mut one, 40) && !bytes.try_add(&mut two, 40));
        assert_eq!(bytes.now(), 80);
        drop(one);
        assert!(bytes.try_add(&mut two, 100) && !bytes.try_add(&mut Held::default(), 1));
        drop(two);
        assert_eq!(bytes.now(), 0);
    }
}
