//! The table that queries are asked about.

use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::table::{Column, ColumnCodes, ColumnType, Role, Table};
use rayon::prelude::*;

use super::{CountQuery, QueryWorkload, RankRange};

/// Rows that are looked at together.
const BLOCK: usize = 1 << 13;

/// A column in ranks.
#[derive(Debug)]
pub struct RankedColumn {
    name: String,
    /// By code of the column its rank; that of a missing cell comes after all others.
    ranks: Vec<u32>,
    values: u32,
    of_rows: ColumnCodes,
    /// By code, its text.
    texts: Vec<String>,
}

impl RankedColumn {
    fn new(column: &Column, hierarchy: Option<&Hierarchy>) -> Self {
        let mut ranks: Vec<u32> = (0..column.cardinality() as u32).collect();
        if let Some(hierarchy) = hierarchy.filter(|_| column.domain().kind() == ColumnType::Category) {
            // A missing cell comes last there.
            hierarchy.order().iter().zip(0..).for_each(|(&code, rank)| ranks[code as usize] = rank);
        }
        let of_rows =
            ColumnCodes::collect(column.codes().iter().map(|code| ranks[code as usize]), column.cardinality());
        let texts = (0..column.cardinality() as u32).map(|code| column.text(code)).collect();
        Self { name: column.name().to_owned(), ranks, values: column.domain().len() as u32, of_rows, texts }
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of values; ranks lie below it, but for that of a missing cell.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The position of `code` in the order of values; a missing cell comes last.
    pub fn rank(&self, code: u32) -> u32 {
        self.ranks[code as usize]
    }

    /// The rank of the value that is written `text`.
    pub(super) fn rank_of_text(&self, text: &str) -> Option<u32> {
        self.texts.iter().position(|own| own == text).map(|code| self.ranks[code])
    }
}

/// The quasi and sensitive columns of a table, in ranks.
#[derive(Debug)]
pub struct QueryTable {
    rows: usize,
    columns: Vec<RankedColumn>,
    quasi: usize,
}

impl QueryTable {
    /// The ground of `table`; `hierarchies` are by its columns.
    pub fn new(table: &Table, hierarchies: &[Option<Hierarchy>]) -> Self {
        let of_role = |role: Role| {
            let columns = table.columns().iter().zip(hierarchies).filter(move |(column, _)| column.role() == role);
            columns.map(|(column, hierarchy)| RankedColumn::new(column, hierarchy.as_ref()))
        };
        let columns: Vec<RankedColumn> = of_role(Role::Quasi).chain(of_role(Role::Sensitive)).collect();
        Self { rows: table.rows(), columns, quasi: table.with_role(Role::Quasi).count() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The quasi columns and, after them, the sensitive ones.
    pub fn columns(&self) -> &[RankedColumn] {
        &self.columns
    }

    /// Number of quasi columns.
    pub fn quasi(&self) -> usize {
        self.quasi
    }

    /// How many rows each query counts.
    ///
    /// # Cost
    /// A pass over the named columns for every query, a block of rows at a time.
    pub fn answers(&self, workload: &QueryWorkload) -> Vec<u64> {
        workload.queries.par_iter().map(|query| self.answer(query)).collect()
    }

    fn answer(&self, query: &CountQuery) -> u64 {
        let mut inside = [0u8; BLOCK];
        let blocks = (0..self.rows).step_by(BLOCK).map(|start| {
            let inside = &mut inside[..BLOCK.min(self.rows - start)];
            inside.fill(1);
            for range in &query.ranges {
                match &self.columns[range.column].of_rows {
                    ColumnCodes::U8(ranks) => narrow(inside, &ranks[start..], range, |rank| rank as u8),
                    ColumnCodes::U16(ranks) => narrow(inside, &ranks[start..], range, |rank| rank as u16),
                    ColumnCodes::U32(ranks) => narrow(inside, &ranks[start..], range, |rank| rank),
                }
            }
            // Ones are added up in bytes before they overflow.
            inside.chunks(255).map(|part| u64::from(part.iter().sum::<u8>())).sum::<u64>()
        });
        blocks.sum()
    }
}

/// Leaves marked who is in the range; ranks are compared in their own type, so that many are at once.
fn narrow<T: Copy + PartialOrd>(inside: &mut [u8], ranks: &[T], range: &RankRange, narrowed: impl Fn(u32) -> T) {
    let Some(last) = range.to.checked_sub(1).filter(|&last| last >= range.from) else {
        inside.fill(0);
        return;
    };
    let (first, last) = (narrowed(range.from), narrowed(last));
    for (inside, &rank) in inside.iter_mut().zip(ranks) {
        *inside &= u8::from(rank >= first) & u8::from(rank <= last);
    }
}
