//! An allocator that measures, when asked to, how many bytes a piece of work takes at its peak.
//!
//! ```
//! use pellucid_memory::CountingAllocator;
//!
//! #[global_allocator]
//! static MEMORY: CountingAllocator = CountingAllocator::new();
//!
//! MEMORY.start();
//! drop(vec![0u8; 1000]);
//! assert!(MEMORY.peak() >= 1000);
//! ```

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait; it only counts and hands on to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// Counts the bytes that came into use since [`CountingAllocator::start`], and their peak; until then it only hands on.
#[derive(Debug)]
pub struct CountingAllocator {
    on: AtomicBool,
    used: AtomicI64,
    peak: AtomicI64,
}

impl CountingAllocator {
    /// Counts nothing yet.
    pub const fn new() -> Self {
        Self { on: AtomicBool::new(false), used: AtomicI64::new(0), peak: AtomicI64::new(0) }
    }

    /// Counts from here on.
    pub fn start(&self) {
        self.used.store(0, Relaxed);
        self.peak.store(0, Relaxed);
        self.on.store(true, Relaxed);
    }

    /// The largest number of bytes in use beyond those at the last [`CountingAllocator::start`].
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed).max(0) as usize
    }

    fn add(&self, bytes: i64) {
        if self.on.load(Relaxed) {
            let used = self.used.fetch_add(bytes, Relaxed) + bytes;
            if bytes > 0 {
                self.peak.fetch_max(used, Relaxed);
            }
        }
    }
}

impl Default for CountingAllocator {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.add(-(layout.size() as i64));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there for a moment.
        self.add(size as i64);
        self.add(-(layout.size() as i64));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_before_the_start() {
        let counting = CountingAllocator::new();
        let layout = Layout::from_size_align(64, 8).unwrap();
        // SAFETY: the layout is not empty, and what is allocated is given back with it.
        unsafe {
            let before = counting.alloc(layout);
            assert_eq!(counting.peak(), 0);
            counting.start();
            let more = counting.alloc_zeroed(layout);
            let more = counting.realloc(more, layout, 128);
            counting.dealloc(before, layout);
            counting.dealloc(more, Layout::from_size_align(128, 8).unwrap());
        }
        assert_eq!(counting.peak(), 192);
    }
}
