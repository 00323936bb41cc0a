//! Cells: distinct places in the space of quasi-identifiers, and the boxes around them.
//!
//! A cell is a vector of axis codes. Codes are held in fixed lanes as narrow as the domains allow, so that growing a box
//! by a cell is a handful of vector instructions; tables with very many quasi columns use lanes of run-time length.

/// A table of cells that boxes can be grown over.
pub trait Cells: Sync {
    /// Smallest and largest code per axis.
    type Box: Clone + PartialEq + Send + std::fmt::Debug;

    /// The box around nothing; growing it by a cell gives the box around that cell.
    fn nothing(&self) -> Self::Box;
    /// Grows `bounds` by `cell`.
    fn grow(&self, bounds: &mut Self::Box, cell: u32);
    /// Grows `bounds` by another box.
    fn join(&self, bounds: &mut Self::Box, other: &Self::Box);
    /// Smallest and largest code on `axis`.
    fn range(&self, bounds: &Self::Box, axis: usize) -> (usize, usize);
    /// The code of `cell` on `axis`.
    fn code(&self, cell: u32, axis: usize) -> u32;
}

/// An unsigned integer that a lane can be made of.
pub trait Lane: Copy + Ord + Send + Sync + std::fmt::Debug {
    /// The largest value.
    const MAX: Self;
    /// Zero.
    const ZERO: Self;
    /// From a code known to fit.
    fn narrow(code: u32) -> Self;
    /// Back to a code.
    fn widen(self) -> u32;
}

macro_rules! lane {
    ($type:ty) => {
        impl Lane for $type {
            const MAX: Self = <$type>::MAX;
            const ZERO: Self = 0;
            #[inline]
            fn narrow(code: u32) -> Self {
                code as Self
            }
            #[inline]
            fn widen(self) -> u32 {
                u32::from(self)
            }
        }
    };
}

lane!(u8);
lane!(u16);
lane!(u32);

/// Cells of up to `D` axes.
#[derive(Debug)]
pub struct Fixed<L, const D: usize> {
    cells: Vec<[L; D]>,
}

/// A box of up to `D` axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedBox<L, const D: usize> {
    low: [L; D],
    high: [L; D],
}

impl<L: Lane, const D: usize> Fixed<L, D> {
    /// From the codes of each cell, cell after cell, `axes` at a time.
    pub fn new(codes: &[u32], axes: usize) -> Self {
        let lanes = |cell: &[u32]| std::array::from_fn(|axis| cell.get(axis).map_or(L::ZERO, |&code| L::narrow(code)));
        Self { cells: codes.chunks_exact(axes).map(lanes).collect() }
    }
}

impl<L: Lane, const D: usize> Cells for Fixed<L, D> {
    type Box = FixedBox<L, D>;

    #[inline]
    fn nothing(&self) -> Self::Box {
        FixedBox { low: [L::MAX; D], high: [L::ZERO; D] }
    }

    #[inline]
    fn grow(&self, bounds: &mut Self::Box, cell: u32) {
        let cell = &self.cells[cell as usize];
        for axis in 0..D {
            bounds.low[axis] = bounds.low[axis].min(cell[axis]);
            bounds.high[axis] = bounds.high[axis].max(cell[axis]);
        }
    }

    #[inline]
    fn join(&self, bounds: &mut Self::Box, other: &Self::Box) {
        for axis in 0..D {
            bounds.low[axis] = bounds.low[axis].min(other.low[axis]);
            bounds.high[axis] = bounds.high[axis].max(other.high[axis]);
        }
    }

    #[inline]
    fn range(&self, bounds: &Self::Box, axis: usize) -> (usize, usize) {
        (bounds.low[axis].widen() as usize, bounds.high[axis].widen() as usize)
    }

    #[inline]
    fn code(&self, cell: u32, axis: usize) -> u32 {
        self.cells[cell as usize][axis].widen()
    }
}

/// Cells of any number of axes.
#[derive(Debug)]
pub struct Any {
    codes: Vec<u32>,
    axes: usize,
}

impl Any {
    /// From the codes of each cell, cell after cell, `axes` at a time.
    pub fn new(codes: Vec<u32>, axes: usize) -> Self {
        Self { codes, axes }
    }

    fn cell(&self, cell: u32) -> &[u32] {
        &self.codes[cell as usize * self.axes..][..self.axes]
    }
}

impl Cells for Any {
    type Box = Vec<(u32, u32)>;

    fn nothing(&self) -> Self::Box {
        vec![(u32::MAX, 0); self.axes]
    }

    fn grow(&self, bounds: &mut Self::Box, cell: u32) {
        for (bound, &code) in bounds.iter_mut().zip(self.cell(cell)) {
            *bound = (bound.0.min(code), bound.1.max(code));
        }
    }

    fn join(&self, bounds: &mut Self::Box, other: &Self::Box) {
        for (bound, other) in bounds.iter_mut().zip(other) {
            *bound = (bound.0.min(other.0), bound.1.max(other.1));
        }
    }

    fn range(&self, bounds: &Self::Box, axis: usize) -> (usize, usize) {
        (bounds[axis].0 as usize, bounds[axis].1 as usize)
    }

    fn code(&self, cell: u32, axis: usize) -> u32 {
        self.cell(cell)[axis]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans<C: Cells>(cells: &C, members: &[u32], axes: usize) -> Vec<(usize, usize)> {
        let mut bounds = cells.nothing();
        for &cell in members {
            cells.grow(&mut bounds, cell);
        }
        (0..axes).map(|axis| cells.range(&bounds, axis)).collect()
    }

    #[test]
    fn all_widths_give_the_same_boxes() {
        let codes = [3, 1, 9, 0, 7, 2, 200, 5, 4];
        let expected = [(3, 200), (1, 5), (4, 9)];
        assert_eq!(spans(&Fixed::<u8, 8>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&Fixed::<u32, 16>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&Any::new(codes.to_vec(), 3), &[0, 2], 3), expected);
    }
}
