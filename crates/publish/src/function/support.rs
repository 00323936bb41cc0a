//! What a reader takes published cells for: the values that each may stand for, every one as likely as the others.
//!
//! This is the uniform-spread reading of the paper on Mondrian (ICDE 2006): a class is taken to lie evenly in its box, column by
//! column. The values are those of the column, so that an interval of ages is spread over the ages that occur in the table.

use std::collections::BTreeMap;

use dashu_int::IBig;
use pellucid_model::table::{Column, ColumnDomain};

use super::ReleasedTables;
use pellucid_model::table::ReleasedColumn;

/// What the cells of one quasi column may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSupport {
    /// The distinct cells: the codes of the column that each may stand for, ascending.
    pub cells: Vec<Vec<u32>>,
    /// By class, or by line, the place of its cell; see [`ReleaseSupport::by_line`].
    pub of: Vec<u32>,
}

impl CellSupport {
    /// Equal keys are one cell, which stands for the codes that `codes` gives for it.
    pub(super) fn collect<K: Ord + Clone>(
        keys: impl Iterator<Item = K>,
        mut codes: impl FnMut(&K) -> Vec<u32>,
    ) -> Self {
        let mut known: BTreeMap<K, u32> = BTreeMap::new();
        let mut cells = Vec::new();
        let of = keys.map(|key| {
            let next = known.len() as u32;
            *known.entry(key).or_insert_with_key(|key| {
                cells.push(codes(key));
                next
            })
        });
        let of = of.collect();
        Self { cells, of }
    }
}

/// What all quasi cells of a release may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseSupport {
    /// By quasi column, in the order of the table.
    pub columns: Vec<CellSupport>,
    /// Whether the lines of a class differ, so that cells are given line by line, class after class; otherwise one line stands for
    /// the whole class.
    pub by_line: bool,
}

/// What the first sheet of `exhibit`, in which classes follow one another, shows of column `name`, and the code of the cell of every class.
pub(super) fn cells_of_classes<'e>(
    exhibit: &'e ReleasedTables,
    name: &str,
) -> (&'e ReleasedColumn, impl Iterator<Item = u32> + use<'e>) {
    let shown = exhibit.sheets[0].columns.iter().find(|(column, _)| column == name);
    let (_, shown) = shown.expect("every quasi column is shown");
    let codes = shown.codes().expect("functions show labels or values");
    let mut next = 0;
    let cells = exhibit.classes.iter().map(move |rows| {
        next += rows.len();
        codes.get(next - rows.len())
    });
    (shown, cells)
}

/// The code of `column` whose value is nearest to that of `code` of `shown`, of two the smaller; a code after the last stands for a
/// missing cell.
///
/// Categories must be equal. `None` when the column has nothing to be near to.
pub(super) fn nearest(column: &Column, shown: &ColumnDomain, code: u32) -> Option<u32> {
    if code as usize >= shown.len() {
        return column.missing();
    }
    let own = column.domain();
    if let (ColumnDomain::Category(own), ColumnDomain::Category(shown)) = (own, shown) {
        return own.binary_search(&shown[code as usize]).ok().map(|at| at as u32);
    }
    let scale = own.scale().max(shown.scale());
    let place = |domain: &ColumnDomain, code: u32| {
        IBig::from(domain.position(code)) * IBig::from(10).pow((scale - domain.scale()) as usize)
    };
    let target = place(shown, code);
    let codes: Vec<u32> = (0..own.len() as u32).collect();
    let above = codes.partition_point(|&code| place(own, code) < target);
    let neighbours = above.saturating_sub(1)..(above + 1).min(codes.len());
    let distance = |at: &usize| {
        let distance = place(own, codes[*at]) - &target;
        if distance < IBig::ZERO { -distance } else { distance }
    };
    neighbours.min_by_key(distance).map(|at| codes[at])
}

#[cfg(test)]
mod tests {
    use pellucid_model::table::Role;

    use super::*;

    #[test]
    fn a_statistic_stands_for_the_nearest_value() {
        let column =
            Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![20, 30, 60]), true, vec![0, 1, 2, 3]).unwrap();
        let means = ColumnDomain::Decimal { scale: 1, unscaled: vec![0, 249, 250, 251, 999] };
        let near: Vec<_> = (0..6).map(|code| nearest(&column, &means, code)).collect();
        assert_eq!(near, [Some(0), Some(0), Some(0), Some(1), Some(2), Some(3)]);
        let words = |words: &[&str]| ColumnDomain::Category(words.iter().map(|&word| word.to_owned()).collect());
        let column = Column::new("sex", Role::Quasi, words(&["f", "m"]), false, vec![0, 1]).unwrap();
        assert_eq!(nearest(&column, &words(&["m"]), 0), Some(1));
    }
}
