//! An allocator that knows the largest number of bytes in use.

#![allow(unsafe_code, reason = "an allocator is unsafe by its trait; it only counts and hands on to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts bytes in use and their peak.
pub struct Counting {
    used: AtomicUsize,
    peak: AtomicUsize,
}

impl Counting {
    /// Nothing in use.
    pub const fn new() -> Self {
        Self { used: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// Starts a new peak at the bytes in use, and gives them.
    pub fn start(&self) -> usize {
        let used = self.used.load(Relaxed);
        self.peak.store(used, Relaxed);
        used
    }

    /// The largest number of bytes in use since [`Counting::start`].
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }

    fn add(&self, bytes: usize) {
        let used = self.used.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(used, Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.used.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.add(size);
        self.used.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
