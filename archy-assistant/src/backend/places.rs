//! How many replies a server gives at once. A machine at home gives one: a second makes both slow, or reloads the model.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Locality;

/// The places at a server; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Places(Option<Arc<Semaphore>>);

impl Places {
    /// What is usual there: one, or any number at a remote server.
    pub(crate) fn at(locality: Locality) -> Self {
        if locality.is_home() { Self::only(1) } else { Self(None) }
    }

    /// So many, at least one.
    pub(crate) fn only(most: usize) -> Self {
        Self(Some(Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)))))
    }

    /// Waits for a place, first come first served; it is free again when what this gives is dropped. Dropping the wait
    /// leaves the queue.
    pub(crate) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        let places = Arc::clone(self.0.as_ref()?);
        places.acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_waits_for_the_other_and_may_leave() {
        let places = Places::at(Locality::OwnNetwork);
        let first = places.take().await;
        assert!(first.is_some());
        let again = places.clone();
        let mut second = Box::pin(again.take());
        assert!(is_pending(&mut second).await);
        let mut third = Box::pin(places.take());
        assert!(is_pending(&mut third).await);
        drop(second);
        drop(first);
        assert!(third.await.is_some());
        assert!(Places::at(Locality::Remote).take().await.is_none());
        assert!(Places::only(0).take().await.is_some());
    }

    async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
        std::future::poll_fn(|cx| {
            std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(cx).is_pending())
        })
        .await
    }
}
