//! Numbers and clauses as people read them.

use maud::{Markup, html};
use pellucid_model::words::{counted, thousands};

use crate::value::ReportNumber;

/// Exact fractions longer than this are left to the manifest.
const LONGEST: usize = 21;

/// A whole number with commas between thousands.
pub(crate) fn whole(number: u64) -> String {
    thousands(&number.to_string())
}

/// `1 row`, `1,200 rows`.
pub(crate) fn many(number: u64, one: &str, several: &str) -> String {
    counted(whole(number), one, several)
}

/// A number with about four significant digits.
pub(crate) fn decimal(value: f64) -> String {
    if !value.is_finite() {
        return "unknown".to_owned();
    }
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", thousands(&format!("{size:.0}")));
    }
    let digits = if size >= 100.0 {
        1
    } else if size >= 10.0 {
        2
    } else {
        4
    };
    trimmed(&format!("{value:.digits$}"))
}

/// Without zeros at the end of its decimals.
fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A share in percent. What is not everybody, or not nobody, is not rounded to it.
pub(crate) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "unknown".to_owned();
    }
    let value = share * 100.0;
    let size = value.abs();
    let text = if size > 0.0 && size < 0.001 {
        "below 0.001".to_owned()
    } else if (99.95..100.0).contains(&size) {
        "above 99.9".to_owned()
    } else {
        let digits = if size >= 10.0 {
            1
        } else if size >= 1.0 {
            2
        } else {
            3
        };
        trimmed(&format!("{value:.digits$}"))
    };
    format!("{text}\u{a0}%")
}

/// The exact fraction of a figure, where it says more than the decimal number.
fn exact(figure: &ReportNumber) -> Option<&str> {
    figure.exact.as_deref().filter(|text| text.contains('/') && text.len() <= LONGEST)
}

/// A figure that is a share: in percent, with its fraction.
pub(crate) fn share(figure: &ReportNumber) -> Markup {
    html! { (percent(figure.decimal)) @if let Some(text) = exact(figure) { " " span.exact { (text) } } }
}

/// A figure with its fraction.
pub(crate) fn number(figure: &ReportNumber) -> Markup {
    html! { (decimal(figure.decimal)) @if let Some(text) = exact(figure) { " " span.exact { (text) } } }
}

/// A share in a sentence: `33.3 % (1/3)`.
pub(crate) fn told(figure: &ReportNumber) -> String {
    exact(figure).map_or_else(|| percent(figure.decimal), |text| format!("{} ({text})", percent(figure.decimal)))
}

/// An amount of memory, or the size of a file.
pub(crate) fn bytes(size: u64) -> String {
    let size = size as f64;
    match size {
        size if size >= 1e9 => format!("{:.2}\u{a0}GB", size / 1e9),
        size if size >= 1e6 => format!("{:.1}\u{a0}MB", size / 1e6),
        size if size >= 1e4 => format!("{:.0}\u{a0}kB", size / 1e3),
        size => format!("{size:.0}\u{a0}B"),
    }
}

/// A number of seconds.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}\u{a0}s"),
        value if value >= 1.0 => format!("{value:.1}\u{a0}s"),
        value => format!("{value:.3}\u{a0}s"),
    }
}

/// A range of sizes: `5`, `8–15`.
pub(crate) fn range(from: u64, to: u64) -> String {
    if from == to { whole(from) } else { format!("{}\u{2013}{}", whole(from), whole(to)) }
}

/// A registry id as words.
pub(crate) fn plain(id: &str) -> String {
    id.replace('-', " ")
}

/// A clause of the manifest as a sentence.
pub(crate) fn sentence(clause: &str) -> Markup {
    let clause = clause.trim();
    let mut letters = clause.chars();
    let text: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?', ':']) || text.is_empty() { "" } else { "." };
    html! { (prose(&text)) (stop) }
}

/// Text in which words between backticks are code.
pub(crate) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_is_not_a_matter_of_rounding() {
        assert_eq!(
            [1.0, 0.999_999, 0.333_333, 0.0, 0.000_001, 0.05].map(percent),
            ["100\u{a0}%", "above 99.9\u{a0}%", "33.3\u{a0}%", "0\u{a0}%", "below 0.001\u{a0}%", "5\u{a0}%"]
        );
    }

    #[test]
    fn numbers_are_short_and_grouped() {
        assert_eq!([0.136_363, 12.345_6, 1_234_567.8, 0.0].map(decimal), ["0.1364", "12.35", "1,234,568", "0"]);
        assert_eq!([decimal(f64::NAN), percent(f64::INFINITY)], ["unknown", "unknown"]);
        assert_eq!([many(1, "row", "rows"), many(1200, "row", "rows"), range(8, 15)], ["1 row", "1,200 rows", "8–15"]);
    }

    #[test]
    fn a_clause_becomes_a_sentence_with_code() {
        let written = |text: &str| sentence(text).into_string();
        assert_eq!(written("use `tailor`; <b>"), "Use <code>tailor</code>; &lt;b&gt;.");
        assert_eq!(written("one ` alone."), "One ` alone.");
    }

    #[test]
    fn long_fractions_are_left_to_the_manifest() {
        let figure = |exact: &str| told(&ReportNumber { exact: Some(exact.to_owned()), decimal: 0.125 });
        assert_eq!(figure("1/8"), "12.5\u{a0}% (1/8)");
        assert_eq!(figure("123456789123456789/987654313987654312"), "12.5\u{a0}%");
    }
}
