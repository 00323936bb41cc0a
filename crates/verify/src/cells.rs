//! Quasi cells that stand for several values: read once each, and held against the values of the source.

use hashbrown::HashMap;
use pellucid_model::hierarchy::{ANY, Hierarchy};
use pellucid_model::manifest::PublishedColumn;
use pellucid_model::notation::{ReleasedCell, parse};
use pellucid_model::table::coder::ColumnCoder;
use pellucid_model::table::{Column, ColumnType, MISSING};

use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::exact::{ColumnFault, coder_of, why};
use crate::labels::{LabelVocabulary, codes_under};

/// What a cell covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CellCover {
    /// Everything.
    All,
    /// A label of a hierarchy.
    Label,
    /// Values from a rank to a rank, ascending and apart from each other, and perhaps a missing cell.
    Spans(Vec<(u32, u32)>, bool),
}

/// The distinct cells of a quasi column.
#[derive(Debug)]
pub(crate) struct QuasiCells {
    pub covers: Vec<CellCover>,
    /// The rank of each value of the source, on one scale with the cells; `None` is a missing cell.
    ranks: Vec<Option<u32>>,
    /// `(rank, code)` of the values of the source, ascending.
    by_rank: Vec<(u32, u32)>,
    /// The codes of the source under each cell that is a label.
    under: Vec<Vec<u32>>,
}

/// A column of the source, with its hierarchy where labels need it.
pub(crate) type SourceColumn<'a> = (&'a Column, Option<&'a Hierarchy>);

/// Cells while they are read: parts as places in the order in which their ends were pushed.
struct Reader<'a> {
    kind: ColumnType,
    form: ReleaseForm,
    spellings: &'a [String],
    coder: ColumnCoder,
}

enum Draft {
    Done(CellCover),
    Parts(Vec<(usize, usize)>, bool),
}

impl QuasiCells {
    /// Reads the distinct cells `texts` of `column`, with what they cover in the source where there is one.
    pub fn read(
        claim: &ReleaseClaim,
        column: &PublishedColumn,
        texts: &[String],
        source: Option<SourceColumn<'_>>,
    ) -> Result<Self, ColumnFault> {
        let spec = column.hierarchy.as_ref().filter(|_| claim.form != ReleaseForm::Boxes);
        let under = match source {
            Some((source, Some(hierarchy))) => codes_under(texts, source, hierarchy),
            _ => Vec::new(),
        };
        let vocabulary = match spec {
            Some(spec) if under.is_empty() => Some(LabelVocabulary::of(spec).map_err(|why| (None, why))?),
            // A column that is left as it is needs no hierarchy; its labels are its values.
            None if claim.form == ReleaseForm::Labels && claim.levels.is_some() => Some(LabelVocabulary::Ruled),
            None if claim.form == ReleaseForm::Labels => return Err((None, "the column has no hierarchy".to_owned())),
            _ => None,
        };
        let spellings = claim.spellings(column);
        let coder = coder_of(column, spellings);
        let mut reader = Reader { kind: column.kind, form: claim.form, spellings, coder };
        let mut drafts = Vec::with_capacity(texts.len());
        for (code, text) in (0u32..).zip(texts) {
            let labelled = match &vocabulary {
                Some(vocabulary) => vocabulary.admits(text),
                None => under.get(code as usize).is_some_and(|codes| !codes.is_empty()),
            };
            drafts.push(reader.cell(text, labelled, under.is_empty()).map_err(|why| (Some(code), why))?);
        }
        let source_texts = source
            .map(|(column, _)| column)
            .into_iter()
            .flat_map(|column| (0..column.cardinality() as u32).map(move |code| column.text(code)));
        let mut source_places = Vec::new();
        for text in source_texts {
            source_places.push(reader.push(&text).map_err(|why| (None, why))?);
        }
        let scale = reader.coder.finish().map_err(|error| (None, error.to_string()))?;
        let rank = |place: usize| Some(scale.code(place)).filter(|&code| Some(code) != scale.missing());
        let covers = (0u32..).zip(drafts).map(|(code, draft)| draft.finish(&scale).map_err(|why| (Some(code), why)));
        let covers = covers.collect::<Result<Vec<CellCover>, ColumnFault>>()?;
        let ranks: Vec<Option<u32>> = source_places.into_iter().map(rank).collect();
        let mut by_rank: Vec<(u32, u32)> =
            (0u32..).zip(&ranks).filter_map(|(code, rank)| rank.map(|rank| (rank, code))).collect();
        by_rank.sort_unstable();
        let cells = Self { covers, ranks, by_rank, under };
        if claim.form == ReleaseForm::Boxes { cells.check_spellings() } else { Ok(()) }?;
        Ok(cells)
    }

    /// Different cells must cover different values: two spellings would tell rows of a class apart.
    fn check_spellings(&self) -> Result<(), ColumnFault> {
        let mut seen = HashMap::new();
        for (code, cover) in (0u32..).zip(&self.covers) {
            if seen.insert(cover, code).is_some() {
                return Err((Some(code), "a second spelling of the same values".to_owned()));
            }
        }
        Ok(())
    }

    /// Whether `cell` covers the value `code` of the source.
    pub fn covers(&self, cell: u32, code: u32) -> bool {
        match &self.covers[cell as usize] {
            CellCover::All => true,
            CellCover::Label => self.under.get(cell as usize).is_some_and(|codes| codes.binary_search(&code).is_ok()),
            CellCover::Spans(spans, missing) => match self.ranks[code as usize] {
                None => *missing,
                Some(rank) => {
                    let at = spans.partition_point(|span| span.1 < rank);
                    spans.get(at).is_some_and(|span| span.0 <= rank)
                }
            },
        }
    }

    /// Calls `each` with every code of the source that `cell` covers.
    pub fn for_codes(&self, cell: u32, mut each: impl FnMut(u32)) {
        match &self.covers[cell as usize] {
            CellCover::All => (0..self.ranks.len() as u32).for_each(each),
            CellCover::Label => self.under.get(cell as usize).into_iter().flatten().copied().for_each(each),
            CellCover::Spans(spans, missing) => {
                for &span in spans {
                    self.within(span).iter().for_each(|&(_, code)| each(code));
                }
                if *missing {
                    let lacking = (0u32..).zip(&self.ranks).filter(|(_, rank)| rank.is_none());
                    lacking.for_each(|(code, _)| each(code));
                }
            }
        }
    }

    /// About how many codes of the source `cell` covers.
    pub fn reach(&self, cell: u32) -> usize {
        match &self.covers[cell as usize] {
            CellCover::All => self.ranks.len(),
            CellCover::Label => self.under.get(cell as usize).map_or(0, Vec::len),
            CellCover::Spans(spans, missing) => {
                spans.iter().map(|&span| self.within(span).len()).sum::<usize>() + usize::from(*missing)
            }
        }
    }

    /// The values of the source from a rank to a rank.
    fn within(&self, (low, high): (u32, u32)) -> &[(u32, u32)] {
        let from = self.by_rank.partition_point(|&(rank, _)| rank < low);
        let to = self.by_rank.partition_point(|&(rank, _)| rank <= high);
        &self.by_rank[from..to]
    }

    /// The rank of the value `code` of the source; `None` for a missing cell.
    pub fn rank(&self, code: u32) -> Option<u32> {
        self.ranks[code as usize]
    }
}

impl Reader<'_> {
    /// Reads one cell; `labelled` when it is a known label, `loose` when labels are not checked by the source.
    fn cell(&mut self, text: &str, labelled: bool, loose: bool) -> Result<Draft, String> {
        if labelled {
            return Ok(Draft::Done(CellCover::Label));
        }
        match self.form {
            ReleaseForm::Labels => {
                // A file may write the leaf 7 as 007, and the top and the missing cell are in none.
                let known =
                    [ANY, MISSING].contains(&text) || (self.kind != ColumnType::Category && self.push(text).is_ok());
                if loose && known {
                    Ok(Draft::Done(CellCover::Label))
                } else {
                    Err("not a label of the column's hierarchy".to_owned())
                }
            }
            ReleaseForm::Foreign if text == ANY => Ok(Draft::Done(CellCover::All)),
            ReleaseForm::Foreign if text.is_empty() => Ok(Draft::Parts(Vec::new(), true)),
            _ => {
                let (mut parts, mut missing) = (Vec::new(), false);
                self.parts(text, &parse(text), &mut parts, &mut missing)?;
                Ok(Draft::Parts(parts, missing))
            }
        }
    }

    fn parts(
        &mut self,
        text: &str,
        cell: &ReleasedCell,
        parts: &mut Vec<(usize, usize)>,
        missing: &mut bool,
    ) -> Result<(), String> {
        match cell {
            ReleasedCell::Value(value) if value == MISSING || self.spellings.contains(value) => *missing = true,
            ReleasedCell::Value(value) => {
                let place = self.push(value)?;
                parts.push((place, place));
            }
            ReleasedCell::Interval(..) if self.kind == ColumnType::Category && self.form == ReleaseForm::Foreign => {
                let place = self.push(text)?;
                parts.push((place, place));
            }
            ReleasedCell::Interval(..) if self.kind == ColumnType::Category => {
                return Err("an interval in a column of words".to_owned());
            }
            ReleasedCell::Interval(low, high) => {
                let (low, high) = (self.push(low)?, self.push(high)?);
                parts.push((low, high));
            }
            ReleasedCell::Set(members) => {
                for member in members {
                    if matches!(member, ReleasedCell::Set(_)) {
                        return Err("a set within a set".to_owned());
                    }
                    self.parts(text, member, parts, missing)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a value on the scale and says where.
    fn push(&mut self, value: &str) -> Result<usize, String> {
        if value.is_empty() {
            return Err("an empty value".to_owned());
        }
        let place = self.coder.rows();
        self.coder.push_text(value).map(|()| place).map_err(why)
    }
}

impl Draft {
    fn finish(self, scale: &Column) -> Result<CellCover, String> {
        let (parts, missing) = match self {
            Self::Done(cover) => return Ok(cover),
            Self::Parts(parts, missing) => (parts, missing),
        };
        let mut spans = Vec::with_capacity(parts.len());
        for (low, high) in parts {
            let (low, high) = (scale.code(low), scale.code(high));
            if scale.missing().is_some_and(|missing| missing == low || missing == high) {
                return Err("an interval that ends in a missing value".to_owned());
            }
            if low > high {
                return Err("an interval whose first end is above its second".to_owned());
            }
            spans.push((low, high));
        }
        spans.sort_unstable();
        let mut apart: Vec<(u32, u32)> = Vec::with_capacity(spans.len());
        for (low, high) in spans {
            match apart.last_mut() {
                Some(last) if low <= last.1 => last.1 = last.1.max(high),
                _ => apart.push((low, high)),
            }
        }
        Ok(CellCover::Spans(apart, missing))
    }
}
