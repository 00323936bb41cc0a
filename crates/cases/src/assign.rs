//! The kind `assign`: the buckets that Assign makes of the counts of values.

use std::fmt::Write;

use dashu_int::UBig;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, format_fraction, fraction};
use pellucid_publish::publisher::{BucketSignature, signatures};
use serde_json::{Value, json};

use super::object::{CaseObject, whole, wrong};
use super::people::{diversity, object, ordered};
use super::values::ratio;
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of Assign.
pub const KIND: CaseKind = CaseKind {
    id: "assign",
    summary: "the buckets that Assign makes of the counts of values",
    example: r#"{"counts": {"flu": 2, "gout": 2, "asthma": 1}, "l": 2}"#,
    read: |input| Ok(Box::new(Rows::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["counts", "l"];

/// The most rows, so that ways to deal them can be counted.
const MOST_ROWS: u64 = 100_000;

#[derive(Debug)]
struct Rows {
    names: Vec<String>,
    /// Of each value.
    counts: Vec<u64>,
    l: u64,
}

impl Rows {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let counts = object("counts", input.get("counts")?)?;
        let names = ordered(counts.keys().map(|name| (name.clone(), name.parse::<i128>().is_ok())));
        let count = |name: &String| Ok(whole("counts", &counts[name])? as u64);
        let counts = names.iter().map(count).collect::<Result<Vec<u64>>>()?;
        let rows = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        match rows {
            Some(1..=MOST_ROWS) => Ok(Self { names, counts, l: diversity(&input)? }),
            Some(0) => Err(Error::invalid("key `counts` has no rows; count one value at least")),
            _ => Err(wrong("counts", &format!("about {MOST_ROWS} rows or fewer"))),
        }
    }

    fn is_eligible(&self) -> bool {
        let most = self.counts.iter().max().copied().unwrap_or(0);
        most.saturating_mul(self.l) <= self.counts.iter().sum()
    }
}

impl CaseQuestion for Rows {
    fn answer(&self, _options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let made = self.is_eligible().then(|| signatures(&self.counts, self.l));
        Ok(Box::new(Dealt { names: self.names.clone(), counts: self.counts.clone(), l: self.l, made }))
    }
}

#[derive(Debug)]
struct Dealt {
    names: Vec<String>,
    counts: Vec<u64>,
    l: u64,
    /// `None` when the counts are not eligible.
    made: Option<Vec<BucketSignature>>,
}

impl Dealt {
    /// The probability of each way to deal the rows into the buckets: all are equally likely.
    fn probability(&self, made: &[BucketSignature]) -> Fraction {
        let mut ways = self.counts.iter().fold(UBig::ONE, |ways, &count| ways * factorial(count));
        for signature in made {
            ways /= factorial(signature.alpha).pow(signature.values.len());
        }
        fraction(1, ways)
    }

    fn buckets<'a>(&'a self, made: &'a [BucketSignature]) -> impl Iterator<Item = (u64, Vec<&'a str>)> {
        let names =
            |signature: &BucketSignature| signature.values.iter().map(|&value| self.names[value].as_str()).collect();
        made.iter().map(move |signature| (signature.alpha, names(signature)))
    }
}

impl CaseAnswer for Dealt {
    fn json(&self) -> Value {
        let Some(made) = &self.made else { return json!({ "signatures": null }) };
        json!({
            "signatures": self.buckets(made).collect::<Vec<_>>(),
            "prob_each_partition": ratio(&self.probability(made)),
        })
    }

    fn text(&self) -> String {
        let rows: u64 = self.counts.iter().sum();
        let mut text = format!("{rows} rows, {} values, l = {}\n\n", self.names.len(), self.l);
        let Some(made) = &self.made else {
            let _ = writeln!(text, "  one value has more than one in {} rows: nothing can be dealt", self.l);
            return text;
        };
        for (alpha, names) in self.buckets(made) {
            let _ = writeln!(text, "  {alpha} of each: {}", names.join(", "));
        }
        let _ =
            writeln!(text, "  each way to deal the rows has probability {}", format_fraction(&self.probability(made)));
        text
    }
}

fn factorial(n: u64) -> UBig {
    (2..=n).fold(UBig::ONE, |product, factor| product * UBig::from(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(input: &Value) -> Box<dyn CaseAnswer> {
        Rows::read(input).unwrap().answer(&AnswerOptions::default()).unwrap()
    }

    #[test]
    fn buckets_are_listed_in_the_order_they_are_made() {
        // Example 6 of the paper; one of the two gastritis rows goes to the second bucket.
        let counts = json!({ "dyspepsia": 2, "flu": 2, "gastritis": 2, "bronchitis": 1, "diabetes": 1 });
        let expected = json!({
            "signatures": [[2, ["dyspepsia", "flu"]], [1, ["gastritis", "bronchitis"]], [1, ["diabetes", "gastritis"]]],
            "prob_each_partition": "1/2",
        });
        let answer = answer(&json!({ "counts": counts, "l": 2 }));
        assert_eq!(answer.json(), expected);
        assert!(answer.text().contains("2 of each: dyspepsia, flu"));
    }

    #[test]
    fn a_value_with_too_many_rows_leaves_nothing() {
        let answer = answer(&json!({ "counts": { "a": 3, "b": 1 }, "l": 2 }));
        assert_eq!(answer.json(), json!({ "signatures": null }));
        assert!(answer.text().contains("nothing can be dealt"));
    }

    #[test]
    fn bad_counts_are_refused() {
        for (counts, words) in [
            (json!([]), "key `counts` must be an object"),
            (json!({}), "key `counts` has no rows"),
            (json!({ "a": -1 }), "key `counts` must be made of whole numbers"),
            (json!({ "a": 1_000_000 }), "key `counts` must be about 100000 rows or fewer"),
        ] {
            let message = Rows::read(&json!({ "counts": counts, "l": 2 })).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
