//! Axes: quasi columns as lines, on which groups are boxes and cuts are made.

use crate::table::{Column, ColumnType};

/// One quasi column as a line: codes in their order on it, and where they stand.
#[derive(Debug, Clone)]
pub struct QuasiAxis {
    rank: Vec<u32>,
    position: Vec<i128>,
}

impl QuasiAxis {
    /// The axis of `column`: numbers and dates stand where they are, categories at their rank in `order` (the walk of a
    /// hierarchy that keeps siblings together) or in the domain. A missing number stands one full extent below the
    /// smallest, so that it is far from every value.
    pub fn new(column: &Column, order: Option<&[u32]>) -> Self {
        let domain = column.domain();
        if domain.kind() == ColumnType::Category {
            let count = column.cardinality();
            let mut rank = vec![0; count];
            match order {
                Some(order) => order.iter().zip(0..).for_each(|(&code, at)| rank[code as usize] = at),
                None => rank = (0..count as u32).collect(),
            }
            return Self { rank, position: (0..count as i128).collect() };
        }
        let values = domain.len() as u32;
        let positions = (0..values).map(|code| domain.position(code));
        let Some(missing) = column.missing() else {
            return Self { rank: (0..values).collect(), position: positions.collect() };
        };
        let mut position: Vec<i128> = positions.collect();
        let extent = position.last().zip(position.first()).map_or(0, |(last, first)| last - first);
        let outside = position.first().map_or(0, |first| first - extent.max(1));
        position.insert(0, outside);
        let rank = (0..=values).map(|code| if code == missing { 0 } else { code + 1 }).collect();
        Self { rank, position }
    }

    /// Where the codes stand, by rank.
    pub fn positions(&self) -> &[i128] {
        &self.position
    }

    /// The rank of `code` on the axis.
    pub fn rank(&self, code: u32) -> u32 {
        self.rank[code as usize]
    }
}
