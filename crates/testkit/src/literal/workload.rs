//! Count queries as their definition says: answered by looking at every row, estimated from the texts of a release.
//!
//! A reader takes a published cell for any of the values of its column that the text leaves open, each as likely: those between
//! the ends of an interval, in a set, under a label, or the one nearest to a number.

use pellucid_model::exact::{Fraction, fraction, parse_fraction};

/// A column: what its values are, in the order of queries, each with the labels above it; a missing cell comes last.
#[derive(Debug, Clone)]
pub struct Values {
    /// The texts of the values.
    pub texts: Vec<String>,
    /// By value, all labels that it is under.
    pub labels: Vec<Vec<String>>,
    /// Whether values are numbers.
    pub numeric: bool,
}

/// A query: by column the texts that are counted, or `None` for all.
pub type Wanted = Vec<Option<Vec<String>>>;

/// How many of `rows`, given by the texts of their cells, are counted.
pub fn answer(rows: &[Vec<String>], wanted: &Wanted) -> u64 {
    let counted = |row: &&Vec<String>| {
        row.iter().zip(wanted).all(|(cell, wanted)| wanted.as_ref().is_none_or(|wanted| wanted.contains(cell)))
    };
    rows.iter().filter(counted).count() as u64
}

/// The values that a published cell leaves open; a missing cell is a value of its own.
pub fn left_open(cell: &str, values: &Values, nearest: bool) -> Vec<String> {
    let number = |text: &str| parse_fraction(text).unwrap();
    let numbers = || values.texts.iter().filter(|text| *text != "(missing)");
    if cell == "(missing)" {
        return vec![cell.to_owned()];
    }
    if let Some(inside) = cell.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        // Intervals have commas of their own.
        let parts: Vec<&str> = match inside.strip_suffix(", (missing)") {
            Some(interval) if values.numeric => vec![interval, "(missing)"],
            _ => inside.split(", ").collect(),
        };
        return parts.into_iter().flat_map(|part| left_open(part, values, nearest)).collect();
    }
    if let Some((low, high)) = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.split_once(", ")) {
        let within = |text: &&String| number(low) <= number(text) && number(text) <= number(high);
        return numbers().filter(within).cloned().collect();
    }
    if nearest && values.numeric {
        let away = |text: &&String| {
            let distance = number(text) - number(cell);
            if distance < Fraction::ZERO { -distance } else { distance }
        };
        // The first of the smallest.
        return numbers().min_by_key(away).into_iter().cloned().collect();
    }
    let under = |at: &usize| values.texts[*at] == cell || values.labels[*at].iter().any(|label| label == cell);
    (0..values.texts.len()).filter(under).map(|at| values.texts[at].clone()).collect()
}

/// The share of the values that `cell` leaves open which are wanted.
fn share(cell: &str, values: &Values, nearest: bool, wanted: Option<&Vec<String>>) -> Fraction {
    let Some(wanted) = wanted else { return Fraction::ONE };
    let open = left_open(cell, values, nearest);
    let inside = open.iter().filter(|value| wanted.contains(value)).count();
    fraction(inside as u64, open.len() as u64)
}

/// The estimate from a release of one table: every line by itself, its quasi cells first and its sensitive one last.
pub fn estimate(lines: &[Vec<String>], columns: &[Values], nearest: bool, wanted: &Wanted) -> Fraction {
    let (quasi, sensitive) = (columns.len() - 1, wanted.last().and_then(Option::as_ref));
    let of_line = |line: &Vec<String>| {
        let counted = sensitive.is_none_or(|wanted| wanted.contains(&line[quasi]));
        let shares = (0..quasi).map(|at| share(&line[at], &columns[at], nearest, wanted[at].as_ref()));
        shares.fold(Fraction::from(u8::from(counted)), |product, share| product * share)
    };
    lines.iter().map(of_line).fold(Fraction::ZERO, |sum, line| sum + line)
}

/// The estimate from two tables joined by a group: quasi cells, and sensitive values, by group.
pub fn estimate_of_two(groups: &[(Vec<Vec<String>>, Vec<String>)], wanted: &Wanted) -> Fraction {
    let (quasi, sensitive) = (wanted.len() - 1, wanted.last().and_then(Option::as_ref));
    let of_group = |(lines, values): &(Vec<Vec<String>>, Vec<String>)| {
        let inside = answer(lines, &wanted[..quasi].to_vec());
        let counted = values.iter().filter(|value| sensitive.is_none_or(|wanted| wanted.contains(value))).count();
        fraction(inside * counted as u64, lines.len() as u64)
    };
    groups.iter().map(of_group).fold(Fraction::ZERO, |sum, group| sum + group)
}
