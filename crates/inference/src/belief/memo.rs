//! Memos: answers remembered for all threads.

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard};

use hashbrown::HashMap;

/// Answers by question.
#[derive(Debug)]
pub(super) struct AnswerMemo<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for AnswerMemo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash, V: Clone> AnswerMemo<K, V> {
    /// The answer to `question`, when it is known.
    pub(super) fn get(&self, question: &K) -> Option<V> {
        self.lock().get(question).cloned()
    }

    /// Remembers an answer, and gives it back.
    pub(super) fn put(&self, question: K, answer: V) -> V {
        self.lock().insert(question, answer.clone());
        answer
    }

    /// All answers, for several look-ups at once.
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<K, V>> {
        self.0.lock().expect("no thread panicked")
    }
}
