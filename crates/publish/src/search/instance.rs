//! The ground of a search: the table as the lattice sees it, what is asked of its classes, and how one granulation is
//! looked at.

use pellucid_model::principle::BoundPrinciple;
use pellucid_model::table::ColumnCodes;

use super::classes::ClassTable;
use super::lattice::{ColumnLattice, GranulationLattice};
use super::measure::BoundMeasure;
use super::requirements::{ClassRequirements, ClassVerdict};
use super::score::MeasureScore;

/// A column that principles look at.
#[derive(Debug, Clone, Copy)]
pub struct JudgedCodes<'a> {
    /// A code per row.
    pub codes: &'a ColumnCodes,
    /// Number of codes.
    pub cardinality: usize,
}

/// What a search is about: a table, its lattice, and what must hold.
#[derive(Debug)]
pub struct SearchInstance<'a> {
    pub(super) lattice: GranulationLattice,
    pub(super) judge: ClassRequirements<'a>,
    pub(super) base: ClassTable,
    class_of: Vec<u32>,
    rows: u64,
    limit: u64,
    /// By column, partition and block, the rows of the table in it.
    counts: Vec<Vec<Vec<u64>>>,
}

impl<'a> SearchInstance<'a> {
    /// The rows with the codes `quasi`, by column of `lattice`; `tests` look at one of `judged`, or at the number of rows of
    /// a class. At most `limit` rows may be suppressed.
    ///
    /// # Cost
    /// Linear in rows times columns.
    pub fn new(
        lattice: GranulationLattice,
        quasi: &[&ColumnCodes],
        judged: &[JudgedCodes<'a>],
        tests: Vec<(Option<usize>, &'a dyn BoundPrinciple)>,
        rows: usize,
        limit: u64,
    ) -> Self {
        let judge = ClassRequirements::new(judged.iter().map(|column| column.cardinality).collect(), tests);
        let codes: Vec<&ColumnCodes> = judged.iter().map(|column| column.codes).collect();
        let (base, class_of) = ClassTable::of_rows(&lattice, quasi, &codes, rows, &judge);
        let blocks = |column: &ColumnLattice| vec![0; column.partitions()[column.bottom() as usize].len()];
        let mut bottoms: Vec<Vec<u64>> = lattice.columns().iter().map(blocks).collect();
        base.count(|_| true, &mut bottoms);
        let counts = lattice.columns().iter().zip(bottoms).map(|(column, bottom)| {
            let counts = column.partitions().iter().zip(0..).map(|(partition, level)| {
                let mut counts = vec![0; partition.len()];
                for (block, rows) in column.lift(column.bottom(), level).into_iter().zip(&bottom) {
                    counts[block as usize] += rows;
                }
                counts
            });
            counts.collect()
        });
        let counts = counts.collect();
        Self { judge, base, class_of, rows: rows as u64, limit, counts, lattice }
    }

    /// All granulations that may be chosen, ordered by refinement.
    pub fn lattice(&self) -> &GranulationLattice {
        &self.lattice
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that may be suppressed.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// By block of a partition, the rows in it.
    pub fn counts(&self, column: usize, partition: u32) -> &[u64] {
        &self.counts[column][partition as usize]
    }

    /// The tests with the judged column each looks at.
    pub fn tests(&self) -> &[(Option<usize>, &'a dyn BoundPrinciple)] {
        self.judge.tests()
    }

    /// Whether every granulation that is less specific than a passing one passes; asked of the principles.
    ///
    /// Without suppression a class of the less specific granulation is a union of passing classes, so it suffices that
    /// principles are closed under mixtures. With it, a passing class may be joined with a failing one, so they must be
    /// closed under growth: then every class with a passing part passes, and fewer rows are suppressed.
    pub fn is_monotone(&self) -> bool {
        if self.limit == 0 { self.judge.mixtures } else { self.judge.growth }
    }

    /// Whether a granulation passes: no more rows fail than may be suppressed, and some row is left.
    pub(super) fn accepts(&self, classes: &ClassTable) -> bool {
        let failing = classes.failing_rows();
        failing <= self.limit && failing < self.rows
    }

    /// Whether a granulation fails and every more specific one does: too many rows are in classes of which no part passes.
    pub(super) fn rules_out_below(&self, classes: &ClassTable) -> bool {
        let short = classes.rows_with(|verdict| verdict == ClassVerdict::Short);
        short > self.limit || short == self.rows
    }

    /// The classes of a granulation, made from the rows of the table.
    pub(super) fn classes(&self, levels: &[u32]) -> ClassTable {
        self.rolled_up(levels).1
    }

    fn rolled_up(&self, levels: &[u32]) -> (Vec<u32>, ClassTable) {
        self.base.roll_up(&self.lattice, levels, &self.judge, true)
    }

    /// What `gauge` says of a granulation.
    pub fn score(&self, gauge: &dyn BoundMeasure, levels: &[u32]) -> MeasureScore {
        let table = self.classes(levels);
        gauge.score(&GranulationView { ground: self, levels, suppressed: table.failing_rows(), table: &table })
    }

    /// What `gauge` would say of a granulation if all its classes passed; it then follows from quasi-identifiers, unless the
    /// measure looks at sensitive values.
    pub fn score_if_passing(&self, gauge: &dyn BoundMeasure, levels: &[u32]) -> MeasureScore {
        let table = self.classes(levels).forgiven();
        gauge.score(&GranulationView { ground: self, levels, suppressed: 0, table: &table })
    }

    /// By row, the number of its class under `levels`, and by class whether it passes.
    pub fn partition(&self, levels: &[u32]) -> (Vec<u32>, Vec<bool>) {
        let (of_base, classes) = self.rolled_up(levels);
        let passes = (0..classes.len()).map(|class| classes.passes(class)).collect();
        (self.class_of.iter().map(|&base| of_base[base as usize]).collect(), passes)
    }
}

/// One granulation as measures see it.
#[derive(Debug, Clone, Copy)]
pub struct GranulationView<'a> {
    /// What is searched.
    pub ground: &'a SearchInstance<'a>,
    /// The granulation.
    pub levels: &'a [u32],
    pub(super) table: &'a ClassTable,
    pub(super) suppressed: u64,
}

impl<'a> GranulationView<'a> {
    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.ground.rows
    }

    /// Rows of failing classes.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// Number of classes, failing ones included.
    pub fn classes(&self) -> usize {
        self.table.len()
    }

    /// Rows of every class, and whether it passes.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, bool)> + 'a {
        let table = self.table;
        (0..table.len()).map(move |class| (table.rows(class), table.passes(class)))
    }

    /// By column and block, the rows that are suppressed.
    pub fn suppressed_by_block(&self) -> Vec<Vec<u64>> {
        self.by_block(|verdict| verdict != ClassVerdict::Passes)
    }

    /// By column and block, the rows that are suppressed here and under every more specific granulation, because their
    /// classes have too few rows or values.
    pub fn short_by_block(&self) -> Vec<Vec<u64>> {
        self.by_block(|verdict| verdict == ClassVerdict::Short)
    }

    fn by_block(&self, wanted: impl Fn(ClassVerdict) -> bool) -> Vec<Vec<u64>> {
        let columns = self.ground.lattice.columns().iter().zip(self.levels);
        let mut counts: Vec<Vec<u64>> =
            columns.map(|(column, &level)| vec![0; column.partitions()[level as usize].len()]).collect();
        self.table.count(wanted, &mut counts);
        counts
    }

    /// `(code, count)` of a judged column for every class, with the rows of the class and whether it passes.
    pub fn tallies(&self, judged: usize) -> impl Iterator<Item = (&'a [(u32, u32)], u64, bool)> + 'a {
        let table = self.table;
        (0..table.len()).map(move |class| (table.tally(judged).class(class), table.rows(class), table.passes(class)))
    }
}
