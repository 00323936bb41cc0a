//! Coding of cells to dense integers.
