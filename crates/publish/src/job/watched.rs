//! Long work on all processors, of which the caller is told how far it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use pellucid_model::error::Result;
use pellucid_model::progress::RunStage;

/// How often it is looked whether the work is done, and the caller is told.
const PAUSE: Duration = Duration::from_millis(10);

/// How many originals have been tried.
#[derive(Debug, Default)]
pub struct TriedCount(AtomicU64);

impl TriedCount {
    /// One more was tried.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Does `work`, which counts here, and tells `progress` of it again and again; `of` is the count it comes to.
    ///
    /// # Errors
    /// That of the work or, when it is done, the first that `progress` gave.
    pub fn watch<T: Send>(
        &self,
        of: u64,
        progress: &dyn Fn(RunStage) -> Result<()>,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        thread::scope(|scope| {
            let work = scope.spawn(work);
            let mut told = Ok(());
            while !work.is_finished() {
                if told.is_ok() {
                    told = progress(RunStage::Try { done: self.0.load(Ordering::Relaxed), of });
                }
                thread::sleep(PAUSE);
            }
            let done = work.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))?;
            told.map(|()| done)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use pellucid_model::error::Error;

    use super::*;

    #[test]
    fn progress_is_told_while_work_is_done() {
        let (count, told) = (TriedCount::default(), RefCell::new(Vec::new()));
        let progress = |stage| {
            told.borrow_mut().push(stage);
            Ok(())
        };
        let work = || {
            for _ in 0..3 {
                count.add();
                thread::sleep(Duration::from_millis(60));
            }
            Ok(5)
        };
        assert_eq!(count.watch(3, &progress, work).unwrap(), 5);
        let last = told.borrow().last().copied();
        assert!(matches!(last, Some(RunStage::Try { done: 1..=3, of: 3 })), "{last:?}");
        let stopped = count.watch(3, &|_| Err(Error::invalid("stopped")), || {
            thread::sleep(Duration::from_millis(20));
            Ok(())
        });
        assert_eq!(stopped.unwrap_err().message(), "stopped");
    }
}
