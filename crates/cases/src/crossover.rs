//! The kind `aog-ga`: granulations as strings of bits, and what a crossover makes of two of them.

use std::fmt::Write;

use pellucid_model::error::{Error, Result};
use pellucid_publish::search::{GranulationGenome, GranulationLevels, cross};
use serde_json::{Value, json};

use super::object::{CaseObject, list, whole, wrong};
use super::{AnswerOptions, CaseAnswer, CaseKind, CaseQuestion};

/// The registry entry of crossovers.
pub const KIND: CaseKind = CaseKind {
    id: "aog-ga",
    summary: "two granulations as strings of bits, and their children after a crossover",
    example: r#"{"levels": [4, 6, 5], "parent1": "01011010", "parent2": "00100101", "cut": 3}"#,
    read: |input| Ok(Box::new(Crossover::read(input)?)),
};

/// The keys of the input.
const KEYS: &[&str] = &["parent1", "parent2", "cut", "sizes"];

/// The numbers of partitions in the paper's example, whose codes have 8 bits; taken when a case has such codes and no
/// sizes.
const SIZES: [u32; 3] = [4, 6, 5];

/// The most partitions that a column may have here.
const MOST: usize = 1 << 31;

#[derive(Debug)]
struct Crossover {
    genome: GranulationGenome,
    parents: [Vec<bool>; 2],
    cuts: Vec<usize>,
}

impl Crossover {
    fn read(input: &Value) -> Result<Self> {
        let input = CaseObject::new(input, KEYS).map_err(|error| error.context("key `input`"))?;
        input.refuse_misspelt()?;
        let parents = [bits("parent1", input.text("parent1")?)?, bits("parent2", input.text("parent2")?)?];
        let length = parents[0].len();
        let sizes = match input.find("sizes") {
            Some(sizes) => list("sizes", sizes)?.iter().map(size).collect::<Result<Vec<u32>>>()?,
            None if length == GranulationGenome::new(SIZES.to_vec()).len() => SIZES.to_vec(),
            None => {
                return Err(Error::bad_input(format!(
                    "key `sizes` is missing; add it, how many partitions each column has (only codes of {} bits do without)",
                    GranulationGenome::new(SIZES.to_vec()).len()
                )));
            }
        };
        let genome = GranulationGenome::new(sizes);
        for (key, parent) in ["parent1", "parent2"].iter().zip(&parents) {
            if parent.len() != genome.len() {
                return Err(Error::bad_input(format!(
                    "key `{key}` has {} bits, but `sizes` takes {}; correct one of them",
                    parent.len(),
                    genome.len()
                )));
            }
        }
        let cut = input.get("cut")?;
        let cuts = if cut.is_array() { list("cut", cut)? } else { std::slice::from_ref(cut) };
        let cuts = cuts.iter().map(|cut| whole("cut", cut)).collect::<Result<Vec<usize>>>()?;
        if !matches!(cuts.len(), 1 | 2) || !cuts.is_sorted() || cuts.iter().any(|&cut| cut > length) {
            let rule =
                format!("one place, or a list of two in ascending order, from 0 to {length}, the number of bits");
            return Err(wrong("cut", &rule));
        }
        Ok(Self { genome, parents, cuts })
    }
}

/// A string of bits.
fn bits(key: &str, text: &str) -> Result<Vec<bool>> {
    let bit = |byte: u8| match byte {
        b'0' => Ok(false),
        b'1' => Ok(true),
        _ => Err(wrong(key, "a text of the digits 0 and 1")),
    };
    text.bytes().map(bit).collect()
}

/// How many partitions a column has.
fn size(value: &Value) -> Result<u32> {
    let size = whole("sizes", value)?;
    if size == 0 || size > MOST {
        return Err(wrong("sizes", "made of numbers of partitions, from 1 to 2^31"));
    }
    Ok(size as u32)
}

impl CaseQuestion for Crossover {
    fn answer(&self, _options: &AnswerOptions) -> Result<Box<dyn CaseAnswer>> {
        let [mut a, mut b] = self.parents.clone();
        cross(&mut a, &mut b, &self.cuts);
        let raw = [a, b];
        let decoded = |codes: &[Vec<bool>; 2]| codes.each_ref().map(|code| self.genome.decode(code));
        let (parents, children) = (decoded(&self.parents), decoded(&raw));
        let fixed = children.each_ref().map(|levels| self.genome.encode(levels));
        let cuts = self.cuts.clone();
        Ok(Box::new(Offspring { codes: self.parents.clone(), parents, raw, fixed, children, cuts }))
    }
}

/// What comes out of a crossover.
#[derive(Debug)]
struct Offspring {
    codes: [Vec<bool>; 2],
    parents: [GranulationLevels; 2],
    raw: [Vec<bool>; 2],
    fixed: [Vec<bool>; 2],
    children: [GranulationLevels; 2],
    cuts: Vec<usize>,
}

fn digits(code: &[bool]) -> String {
    code.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
}

impl CaseAnswer for Offspring {
    fn json(&self) -> Value {
        let words = |codes: &[Vec<bool>; 2]| codes.each_ref().map(|code| digits(code));
        json!({
            "decoded_parent1": self.parents[0],
            "decoded_parent2": self.parents[1],
            "children_raw": words(&self.raw),
            "children_fixed": words(&self.fixed),
            "decoded_children": self.children,
        })
    }

    fn text(&self) -> String {
        let cuts: Vec<String> = self.cuts.iter().map(ToString::to_string).collect();
        let mut text = format!("crossover of codes of {} bits, cut at {}\n", self.codes[0].len(), cuts.join(" and "));
        for at in 0..2 {
            let _ = writeln!(text, "  parent {}  {}  {:?}", at + 1, digits(&self.codes[at]), self.parents[at]);
        }
        for at in 0..2 {
            let (raw, fixed) = (digits(&self.raw[at]), digits(&self.fixed[at]));
            let note =
                if raw == fixed { String::new() } else { format!(", from {raw}, which stands for no granulation") };
            let _ = writeln!(text, "  child {}   {fixed}  {:?}{note}", at + 1, self.children[at]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(input: &Value) -> Result<Value> {
        Ok(Crossover::read(input)?.answer(&AnswerOptions::default())?.json())
    }

    #[test]
    fn two_cuts_exchange_the_middle_and_sizes_say_what_bits_mean() {
        let input = json!({ "parent1": "0000", "parent2": "1110", "cut": [1, 3], "sizes": [3, 1, 4] });
        let expected = json!({
            "decoded_parent1": [0, 0, 0], "decoded_parent2": [0, 0, 2],
            "children_raw": ["0110", "1000"], "children_fixed": ["0110", "1000"],
            "decoded_children": [[1, 0, 2], [2, 0, 0]],
        });
        assert_eq!(answer(&input).unwrap(), expected);
    }

    #[test]
    fn bad_input_is_refused_with_its_key() {
        let good = json!({ "parent1": "01011010", "parent2": "00100101", "cut": 3 });
        assert!(answer(&good).is_ok());
        for (key, value, words) in [
            ("parent1", json!("01x"), "key `parent1` must be a text of the digits 0 and 1"),
            ("parent1", json!("010"), "key `sizes` is missing"),
            ("parent2", json!("010"), "key `parent2` has 3 bits, but `sizes` takes 8"),
            ("cut", json!(9), "key `cut` must be one place"),
            ("cut", json!([5, 3]), "key `cut` must be one place"),
            ("cut", json!([]), "key `cut` must be one place"),
            ("sizes", json!([0]), "key `sizes` must be made of numbers of partitions"),
            ("sizes", json!([4, 4]), "key `parent1` has 8 bits, but `sizes` takes 4"),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            let message = answer(&bad).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
