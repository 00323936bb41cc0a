//! Without the assignment: whether there is one at all.
//!
//! Rows with the same sensitive and kept values must be placed on lines with these values whose cells cover them. For
//! each such combination that is a flow from vectors of quasi values to classes; a release is true to its source when
//! every flow places all rows.

use hashbrown::HashMap;

use crate::cells::QuasiCells;
use crate::coverage::ClassCoverage;
use crate::exact::VectorNumbers;
use crate::flow::FlowGraph;
use crate::number::{NumberBuckets, VectorNumbering};
use crate::report::{CheckStatus, VerificationReport, counted};
use crate::source::{QuasiComparison, SourceComparison};
use crate::statistics;

/// Most looks at edges of all flows together; some ten seconds.
const FLOW_STEPS: u64 = 2_000_000_000;

const NOWHERE: u32 = u32::MAX;

/// What could be shown.
enum Found {
    /// Rows can be placed; the class of each, when there is only one way.
    Placed(Option<Vec<u32>>),
    /// They cannot, and why.
    Impossible(String),
    /// Not within limits, or not by these means.
    Open(String),
}

/// Decides whether rows can be placed; gives the class of each row when there is only one choice.
pub(crate) fn check(case: &SourceComparison<'_>, limit: u64, report: &mut VerificationReport) -> Option<Vec<u32>> {
    let found = match &case.quasi {
        QuasiComparison::Cells(cells, _) => by_flow(case, cells, limit),
        QuasiComparison::Vectors(vectors) => by_counting(case, vectors),
        QuasiComparison::Statistics(cells) => match statistics::impossible(case, cells) {
            Some(reason) => Found::Impossible(reason),
            None => Found::Open("statistics do not tell which rows they are of; pass the assignment".to_owned()),
        },
    };
    let rows = counted(case.shown.rows(), "row", "rows");
    match found {
        Found::Placed(Some(classes)) => {
            report.note("matching", CheckStatus::Passed, format!("each of {rows} has one class that it can be in"));
            Some(classes)
        }
        Found::Placed(None) => {
            report.note("matching", CheckStatus::Passed, format!("{rows} can be placed on lines that show them"));
            None
        }
        Found::Impossible(reason) => {
            report.note("matching", CheckStatus::Failed, reason);
            None
        }
        Found::Open(reason) => {
            report.note("matching", CheckStatus::Undecided, reason);
            None
        }
    }
}

fn by_flow(case: &SourceComparison<'_>, cells: &[QuasiCells], limit: u64) -> Found {
    let shown = case.shown;
    let mut numbering = VectorNumbering::new(case.columns.len());
    let mut first_rows: Vec<u32> = Vec::new();
    let vector_of: Vec<u32> = (0..case.rows)
        .map(|row| {
            let vector = numbering.number(case.columns.iter().map(|column| column.code(row)));
            if vector as usize == first_rows.len() {
                first_rows.push(row as u32);
            }
            vector
        })
        .collect();
    let coverage = match ClassCoverage::find(shown, cells, &case.columns, &first_rows, limit) {
        Ok(coverage) => coverage,
        Err(reason) => return Found::Open(reason),
    };
    let left_out = case.rows.saturating_sub(shown.rows()) as u64;
    let uncovered = vector_of.iter().filter(|&&vector| coverage.get(vector as usize).is_empty()).count();
    if uncovered as u64 > left_out
        && let Some(at) = (0..first_rows.len()).find(|&vector| coverage.get(vector).is_empty())
    {
        let (number, row) = (counted(uncovered as u64, "row is", "rows are"), case.source_row(first_rows[at] as usize));
        let but =
            if left_out == 0 { String::new() } else { format!(", and {} left out", counted(left_out, "is", "are")) };
        return Found::Impossible(format!("{number} covered by no class, first source row {row}{but}"));
    }
    let rows_by_plain = NumberBuckets::new(&case.plain.of_row, case.plain.count);
    let lines_by_plain = NumberBuckets::new(&case.plain.of_line, case.plain.count);
    let mut budget = FLOW_STEPS;
    let mut box_of = vec![NOWHERE; shown.classes];
    for plain in 0..case.plain.count {
        let (rows, lines) = (rows_by_plain.get(plain), lines_by_plain.get(plain));
        let graph = graph_of(rows, lines, &vector_of, shown.quasi_class(), &coverage, &mut box_of);
        let Some(placed) = graph.placed(&mut budget) else {
            return Found::Open(format!("needs more than {FLOW_STEPS} steps to place rows; pass the assignment"));
        };
        // Rows that are left out need no line, but every line needs a row.
        if placed < lines.len().min(rows.len()) as u64 {
            let sheet = shown.plain_sheet();
            let line = lines.first().map_or(0, |&line| sheet.number(line as usize));
            let file = &sheet.file;
            return Found::Impossible(format!(
                "of {} of the source with the sensitive and kept values of line {line} of `{file}`, at most {placed} \
                 can be placed on lines that show them",
                counted(rows.len() as u64, "row", "rows")
            ));
        }
    }
    let single = left_out == 0 && (0..first_rows.len()).all(|vector| coverage.get(vector).len() == 1);
    Found::Placed(single.then(|| vector_of.iter().map(|&vector| coverage.get(vector as usize)[0]).collect()))
}

/// Vectors of `rows` with their numbers, classes of `lines` with theirs, and who covers whom; `box_of` is scratch.
fn graph_of(
    rows: &[u32],
    lines: &[u32],
    vector_of: &[u32],
    class_of: &[u32],
    coverage: &ClassCoverage,
    box_of: &mut [u32],
) -> FlowGraph {
    let mut graph = FlowGraph::default();
    let classes: Vec<u32> = lines.iter().map(|&line| class_of[line as usize]).collect();
    for &class in &classes {
        let place = &mut box_of[class as usize];
        if *place == NOWHERE {
            *place = graph.boxes.len() as u32;
            graph.boxes.push(0);
        }
        graph.boxes[*place as usize] += 1;
    }
    let mut vectors: Vec<u32> = rows.iter().map(|&row| vector_of[row as usize]).collect();
    vectors.sort_unstable();
    graph.starts.push(0);
    for alike in vectors.chunk_by(|a, b| a == b) {
        graph.cells.push(alike.len() as u64);
        let covering = coverage.get(alike[0] as usize).iter().map(|&class| box_of[class as usize]);
        graph.heads.extend(covering.filter(|&place| place != NOWHERE));
        graph.starts.push(graph.heads.len() as u32);
    }
    for class in classes {
        box_of[class as usize] = NOWHERE;
    }
    graph
}

/// For anatomy: when quasi vectors, or else plain ones, occur in one group each, rows have their groups from them, and
/// counting the others in every group decides.
///
/// In general the question is whether a table of three dimensions has given margins, for which no fast way is known.
fn by_counting(case: &SourceComparison<'_>, quasi: &VectorNumbers) -> Found {
    let (quasi_class, plain_class) = (case.shown.quasi_class(), case.shown.plain_class());
    let tries = [(quasi, quasi_class, &case.plain, plain_class), (&case.plain, plain_class, quasi, quasi_class)];
    for (telling, telling_class, other, other_class) in tries {
        let Some(class_of) = only_classes(telling, telling_class) else { continue };
        let class_of_row: Vec<u32> = telling.of_row.iter().map(|&vector| class_of[vector as usize]).collect();
        let mut surplus: HashMap<(u32, u32), i64> = HashMap::new();
        for (&class, &vector) in other_class.iter().zip(&other.of_line) {
            *surplus.entry((class, vector)).or_default() += 1;
        }
        for (&class, &vector) in class_of_row.iter().zip(&other.of_row) {
            *surplus.entry((class, vector)).or_default() -= 1;
        }
        let lacking = |row: &usize| surplus[&(class_of_row[*row], other.of_row[*row])] < 0;
        return match (0..case.rows).find(lacking) {
            None => Found::Placed(Some(class_of_row)),
            Some(row) => {
                let (row, group) = (case.source_row(row), class_of_row[row] + 1);
                Found::Impossible(format!(
                    "source row {row} can only be in group {group}, which does not show its values often enough"
                ))
            }
        };
    }
    Found::Open("quasi and sensitive values both occur in several groups; pass the assignment".to_owned())
}

/// For each vector the only class of its lines; `None` when one has several.
fn only_classes(vectors: &VectorNumbers, class_of: &[u32]) -> Option<Vec<u32>> {
    let mut only = vec![NOWHERE; vectors.count];
    for (&vector, &class) in vectors.of_line.iter().zip(class_of) {
        let known = &mut only[vector as usize];
        if *known != NOWHERE && *known != class {
            return None;
        }
        *known = class;
    }
    Some(only)
}
