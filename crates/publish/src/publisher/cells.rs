//! Cells: distinct places in the space of quasi-identifiers, and the boxes around them.
//!
//! A cell is a vector of axis codes. Codes are held in fixed lanes as narrow as the domains allow, so that growing a box
//! by a cell is a handful of vector instructions; tables with very many quasi columns use lanes of run-time length.

use wide::{u8x16, u32x8};

/// A table of cells that boxes can be grown over.
pub trait CellTable: Sync {
    /// Smallest and largest code per axis.
    type Box: Clone + PartialEq + Send + std::fmt::Debug;

    /// The box around nothing; growing it by a cell gives the box around that cell.
    fn nothing(&self) -> Self::Box;
    /// The smallest box around `bounds` and `cell`, in place.
    fn grow(&self, bounds: &mut Self::Box, cell: u32);
    /// Grows `bounds` by another box.
    fn join(&self, bounds: &mut Self::Box, other: &Self::Box);
    /// Smallest and largest code on `axis`.
    fn range(&self, bounds: &Self::Box, axis: usize) -> (usize, usize);
    /// The code of `cell` on `axis`.
    fn code(&self, cell: u32, axis: usize) -> u32;
}

/// A vector of lanes: the codes of a cell and then their complements, so that the lane-wise minimum of two cells, or of a
/// cell and a box, is the box around both; one instruction for the smallest and the largest codes together.
pub trait LaneVector: Copy + PartialEq + Send + Sync + std::fmt::Debug {
    /// How many axes fit.
    const AXES: usize;
    /// All lanes at their largest.
    fn nothing() -> Self;
    /// The lanes of a cell.
    fn of(codes: &[u32]) -> Self;
    /// The lane-wise minimum.
    fn least(self, other: Self) -> Self;
    /// The code and the complement of the complement on `axis`.
    fn range(&self, axis: usize) -> (u32, u32);
}

macro_rules! lanes {
    ($vector:ty, $lane:ty, $count:literal) => {
        impl LaneVector for $vector {
            const AXES: usize = $count / 2;

            #[inline]
            fn nothing() -> Self {
                Self::splat(<$lane>::MAX)
            }

            fn of(codes: &[u32]) -> Self {
                let mut lanes = [<$lane>::MAX; $count];
                for (axis, &code) in codes.iter().enumerate() {
                    lanes[axis] = code as $lane;
                    lanes[Self::AXES + axis] = !(code as $lane);
                }
                Self::from(lanes)
            }

            #[inline]
            fn least(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline]
            fn range(&self, axis: usize) -> (u32, u32) {
                let lanes = self.as_array();
                (u32::from(lanes[axis]), u32::from(!lanes[Self::AXES + axis]))
            }
        }
    };
}

lanes!(u8x16, u8, 16);
lanes!(u32x8, u32, 8);

/// Lanes for up to 16 axes of any number of codes.
impl LaneVector for [u32; 32] {
    const AXES: usize = 16;

    fn nothing() -> Self {
        [u32::MAX; 32]
    }

    fn of(codes: &[u32]) -> Self {
        let mut lanes = Self::nothing();
        for (axis, &code) in codes.iter().enumerate() {
            lanes[axis] = code;
            lanes[Self::AXES + axis] = !code;
        }
        lanes
    }

    #[inline]
    fn least(mut self, other: Self) -> Self {
        for (lane, other) in self.iter_mut().zip(other) {
            *lane = (*lane).min(other);
        }
        self
    }

    #[inline]
    fn range(&self, axis: usize) -> (u32, u32) {
        (self[axis], !self[Self::AXES + axis])
    }
}

/// Cells whose axes fit a vector of lanes.
#[derive(Debug)]
pub struct FixedCells<V> {
    cells: Vec<V>,
}

impl<V: LaneVector> FixedCells<V> {
    /// From the codes of each cell, cell after cell, `axes` at a time.
    pub fn new(codes: &[u32], axes: usize) -> Self {
        Self { cells: codes.chunks_exact(axes).map(V::of).collect() }
    }
}

impl<V: LaneVector> CellTable for FixedCells<V> {
    type Box = V;

    #[inline]
    fn nothing(&self) -> V {
        V::nothing()
    }

    #[inline]
    fn grow(&self, bounds: &mut V, cell: u32) {
        *bounds = bounds.least(self.cells[cell as usize]);
    }

    #[inline]
    fn join(&self, bounds: &mut V, other: &V) {
        *bounds = bounds.least(*other);
    }

    #[inline]
    fn range(&self, bounds: &V, axis: usize) -> (usize, usize) {
        let (low, high) = bounds.range(axis);
        (low as usize, high as usize)
    }

    #[inline]
    fn code(&self, cell: u32, axis: usize) -> u32 {
        self.cells[cell as usize].range(axis).0
    }
}

/// Cells of any number of axes.
#[derive(Debug)]
pub struct DynamicCells {
    codes: Vec<u32>,
    axes: usize,
}

impl DynamicCells {
    /// From the codes of each cell, cell after cell, `axes` at a time.
    pub fn new(codes: Vec<u32>, axes: usize) -> Self {
        Self { codes, axes }
    }

    fn cell(&self, cell: u32) -> &[u32] {
        &self.codes[cell as usize * self.axes..][..self.axes]
    }
}

impl CellTable for DynamicCells {
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

    fn spans<C: CellTable>(cells: &C, members: &[u32], axes: usize) -> Vec<(usize, usize)> {
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
        assert_eq!(spans(&FixedCells::<u8x16>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&FixedCells::<[u32; 32]>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&FixedCells::<u32x8>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&DynamicCells::new(codes.to_vec(), 3), &[0, 2], 3), expected);
    }
}
