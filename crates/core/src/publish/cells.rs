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
    /// From a code known to fit.
    fn narrow(code: u32) -> Self;
    /// Back to a code.
    fn widen(self) -> u32;
    /// The largest value minus this one.
    fn complement(self) -> Self;
}

macro_rules! lane {
    ($type:ty) => {
        impl Lane for $type {
            const MAX: Self = <$type>::MAX;
            #[inline]
            fn narrow(code: u32) -> Self {
                code as Self
            }
            #[inline]
            fn widen(self) -> u32 {
                u32::from(self)
            }
            #[inline]
            fn complement(self) -> Self {
                !self
            }
        }
    };
}

lane!(u8);
lane!(u32);

/// Cells of up to `W / 2` axes.
///
/// A cell's lanes are its codes and then their complements, so that the lane-wise minimum of two cells, or of a cell and a
/// box, is the box around both: one instruction for the smallest and the largest codes together.
#[derive(Debug)]
pub struct Fixed<L, const W: usize> {
    cells: Vec<[L; W]>,
}

impl<L: Lane, const W: usize> Fixed<L, W> {
    /// From the codes of each cell, cell after cell, `axes` at a time.
    pub fn new(codes: &[u32], axes: usize) -> Self {
        let lanes = |cell: &[u32]| {
            let mut lanes = [L::MAX; W];
            for (axis, &code) in cell.iter().enumerate() {
                lanes[axis] = L::narrow(code);
                lanes[W / 2 + axis] = L::narrow(code).complement();
            }
            lanes
        };
        Self { cells: codes.chunks_exact(axes).map(lanes).collect() }
    }
}

impl<L: Lane, const W: usize> Cells for Fixed<L, W> {
    type Box = [L; W];

    #[inline]
    fn nothing(&self) -> Self::Box {
        [L::MAX; W]
    }

    #[inline]
    fn grow(&self, bounds: &mut Self::Box, cell: u32) {
        self.join(bounds, &self.cells[cell as usize]);
    }

    #[inline]
    fn join(&self, bounds: &mut Self::Box, other: &Self::Box) {
        for (bound, &other) in bounds.iter_mut().zip(other) {
            *bound = (*bound).min(other);
        }
    }

    #[inline]
    fn range(&self, bounds: &Self::Box, axis: usize) -> (usize, usize) {
        (bounds[axis].widen() as usize, bounds[W / 2 + axis].complement().widen() as usize)
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
        assert_eq!(spans(&Fixed::<u8, 16>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&Fixed::<u32, 32>::new(&codes, 3), &[0, 2], 3), expected);
        assert_eq!(spans(&Any::new(codes.to_vec(), 3), &[0, 2], 3), expected);
    }
}
