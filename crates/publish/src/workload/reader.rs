//! A release as somebody reads it who spreads every class evenly over what it shows.

use pellucid_model::error::{Error, ErrorKind, Result};
use rayon::prelude::*;

use super::{CountQuery, QueryTable, QueryWorkload};
use crate::function::{ReleaseSupport, ReleasedTables};
use pellucid_model::table::ReleasedColumn;

/// Rows of a class up to which values are compared one by one.
const FEW: usize = 32;

/// A release in ranks.
///
/// The estimate of a query is the sum over classes of the number of published sensitive values in the query's range times the
/// share of the class that lies in its ranges of quasi columns. That share is the product over columns of the share of a cell's
/// values that lie in the range; where the lines of a class differ, its mean over them. Rows that are left out are not counted.
///
/// # Reference
/// Mondrian Multidimensional K-Anonymity, ICDE 2006; for two tables Xiao, Tao: Anatomy, VLDB 2006.
#[derive(Debug)]
pub struct ReleaseReader {
    /// By quasi column.
    faces: Vec<Face>,
    /// Where the rows of each class end.
    ends: Vec<u32>,
    /// By sensitive column the published ranks, ascending in every class.
    values: Vec<Vec<u32>>,
    by_line: bool,
}

/// What is shown of one quasi column.
#[derive(Debug)]
struct Face {
    /// By cell the ranks that it may stand for, ascending, one cell after the other.
    ranks: Vec<u32>,
    ends: Vec<u32>,
    /// By class, or by line, its cell.
    of: Vec<u32>,
}

impl Face {
    /// By cell, the share of its values from rank `from` to below `to`.
    fn shares(&self, from: u32, to: u32) -> Vec<f64> {
        let mut start = 0;
        let share = |&end: &u32| {
            let ranks = &self.ranks[start as usize..end as usize];
            start = end;
            let below = |rank: u32| ranks.partition_point(|&other| other < rank);
            (below(to) - below(from)) as f64 / ranks.len().max(1) as f64
        };
        self.ends.iter().map(share).collect()
    }
}

impl ReleaseReader {
    /// Reads `exhibit`, whose quasi cells may stand for `spreads`; both are of a release of the table of `ground`.
    ///
    /// # Errors
    /// When the release is of another table.
    pub fn new(ground: &QueryTable, exhibit: &ReleasedTables, spreads: &ReleaseSupport) -> Result<Self> {
        let (quasi, sensitive) = ground.columns().split_at(ground.quasi());
        let faces = quasi.iter().zip(&spreads.columns).map(|(scale, spread)| {
            let mut face = Face { ranks: Vec::new(), ends: Vec::new(), of: spread.of.clone() };
            for codes in &spread.cells {
                let start = face.ranks.len();
                face.ranks.extend(codes.iter().map(|&code| scale.rank(code)));
                face.ranks[start..].sort_unstable();
                face.ends.push(face.ranks.len() as u32);
            }
            face
        });
        let faces = faces.collect();
        let mut ends = Vec::with_capacity(exhibit.classes.len());
        let mut end = 0;
        for rows in exhibit.classes.iter() {
            end += rows.len() as u32;
            ends.push(end);
        }
        // Sensitive values are in the last sheet, one class after the other.
        let sheet = exhibit.sheets.last();
        let values = sensitive.iter().map(|scale| {
            let shown = sheet.and_then(|sheet| sheet.columns.iter().find(|(name, _)| name == scale.name()));
            let Some((_, ReleasedColumn::Values { domain, codes })) = shown else {
                return Err(other_table(scale.name()));
            };
            let rank = |code: u32| match code {
                code if (code as usize) < domain.len() => {
                    scale.rank_of_text(&domain.text(code)).ok_or_else(|| other_table(scale.name()))
                }
                _ => Ok(scale.values()),
            };
            let rank_of = (0..=domain.len() as u32).map(rank).collect::<Result<Vec<u32>>>()?;
            let mut ranks: Vec<u32> = codes.iter().map(|code| rank_of[code as usize]).collect();
            let mut start = 0;
            for &end in &ends {
                ranks[start as usize..end as usize].sort_unstable();
                start = end;
            }
            Ok(ranks)
        });
        let values = values.collect::<Result<_>>()?;
        Ok(Self { faces, ends, values, by_line: spreads.by_line })
    }

    /// The estimates of all queries. The same release and queries always give the same numbers.
    ///
    /// # Cost
    /// A pass over the classes for every query, or over the lines where these differ in a class.
    pub fn estimates(&self, workload: &QueryWorkload) -> Vec<f64> {
        workload.queries.par_iter().map(|query| self.estimate(query)).collect()
    }

    fn estimate(&self, query: &CountQuery) -> f64 {
        let quasi = query.ranges.iter().filter(|range| range.column < self.faces.len());
        let shares: Vec<(&[u32], Vec<f64>)> = quasi
            .map(|range| {
                let face = &self.faces[range.column];
                (&face.of[..], face.shares(range.from, range.to))
            })
            .collect();
        let wanted = query.ranges.iter().find(|range| range.column >= self.faces.len());
        let wanted = wanted.map(|range| (&self.values[range.column - self.faces.len()][..], range.from, range.to));
        let of_line = |line: usize| shares.iter().map(|(cells, shares)| shares[cells[line] as usize]).product::<f64>();
        let mut start = 0;
        let mut estimate = 0.0;
        for (class, &end) in self.ends.iter().enumerate() {
            let rows = start as usize..end as usize;
            start = end;
            let counted = match wanted {
                Some((values, from, to)) => count(&values[rows.clone()], from, to),
                None => rows.len(),
            };
            if counted == 0 {
                continue;
            }
            let share = if self.by_line {
                let size = rows.len() as f64;
                rows.map(of_line).sum::<f64>() / size
            } else {
                of_line(class)
            };
            estimate += share * counted as f64;
        }
        estimate
    }
}

/// How many of `values`, which ascend, are from `from` to below `to`.
fn count(values: &[u32], from: u32, to: u32) -> usize {
    if values.len() <= FEW {
        return values.iter().filter(|&&value| from <= value && value < to).count();
    }
    values.partition_point(|&value| value < to) - values.partition_point(|&value| value < from)
}

fn other_table(column: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("the release does not show column `{column}` of this table"))
}
