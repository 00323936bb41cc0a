//! Hierarchies of masked characters, as for postal codes: `02139`, `0213*`, `021**` and so on.

use serde_json::{Value, json};

use super::Hierarchy;
use super::draft::{HierarchyDraft, LeafPartition};
use super::spec::{SpecKeys, single_character};
use crate::error::{Error, Result};
use crate::registry::did_you_mean;
use crate::table::Column;

/// Longest value that gets a level per character unless the levels are named.
const MAX_LEVELS: usize = 64;

/// From which end characters are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskSide {
    /// The last characters first, as for postal codes.
    Suffix,
    /// The first characters first, as for telephone extensions.
    Prefix,
}

impl MaskSide {
    /// The word used in job files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Suffix => "suffix",
            Self::Prefix => "prefix",
        }
    }
}

/// Masking of ever more characters from one side, one level per character unless levels are named.
///
/// Values are aligned on the side that is not masked: shorter ones are taken as continued on the masked side with
/// blanks up to the length of the longest value of the column. The level of `n` masked characters masks the last
/// (`suffix`) or first (`prefix`) `n` positions, blanks included; its label is what remains, without blanks, and `n`
/// mask characters, or as many as there are positions. So with `12` and `12345`, level 2 has `12**` and `123**`, and
/// level 3 joins both to `12***`: a mask character stands for one character or none. Characters are Unicode scalar
/// values of the published text. Codes with leading zeros should be read as categories, or the zeros are lost before
/// they can be masked.
///
/// # Guarantee
/// Two values share a node exactly when the positions that remain are equal, so levels are nested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacterMask {
    side: MaskSide,
    character: char,
    levels: Vec<usize>,
}

impl CharacterMask {
    /// Masks with `*` from `side`.
    pub fn new(side: MaskSide) -> Self {
        Self { side, character: '*', levels: Vec::new() }
    }

    /// The same masking with another character.
    #[must_use]
    pub fn with_character(mut self, character: char) -> Self {
        self.character = character;
        self
    }

    /// The same masking with only these numbers of masked characters as levels.
    ///
    /// # Errors
    /// When there are none, or they are not growing from at least 1.
    pub fn with_levels(mut self, levels: Vec<usize>) -> Result<Self> {
        if levels.is_empty() || levels[0] == 0 || levels.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err(Error::bad_hierarchy(
                "`levels` of a mask must be growing numbers of masked characters from 1; write them like [1, 3]",
            ));
        }
        self.levels = levels;
        Ok(self)
    }

    /// From which end characters are masked.
    pub fn side(&self) -> MaskSide {
        self.side
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        let side = match options.text("mask")?.as_str() {
            "suffix" => MaskSide::Suffix,
            "prefix" => MaskSide::Prefix,
            other => {
                let hint = did_you_mean(other, ["suffix", "prefix"]);
                return Err(Error::bad_hierarchy(format!(
                    "`mask` of a hierarchy cannot be `{other}`{hint}; it is `suffix` or `prefix`"
                )));
            }
        };
        let mut mask = Self::new(side);
        if let Some(character) = options.take("character") {
            mask = mask.with_character(single_character("character", &character)?);
        }
        if let Some(levels) = options.take("levels") {
            let numbers = levels.as_array().and_then(|levels| {
                let number = |level: &Value| level.as_u64().and_then(|level| usize::try_from(level).ok());
                levels.iter().map(number).collect::<Option<Vec<usize>>>()
            });
            mask = mask.with_levels(numbers.unwrap_or_default())?;
        }
        Ok(mask)
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value = json!({ "mask": self.side.as_str(), "character": self.character.to_string() });
        if !self.levels.is_empty() {
            value["levels"] = json!(self.levels);
        }
        value
    }

    pub(super) fn build(&self, column: &Column) -> Result<Hierarchy> {
        let texts: Vec<String> = (0..column.domain().len() as u32).map(|code| column.text(code)).collect();
        let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        if self.levels.is_empty() && longest > MAX_LEVELS {
            return Err(Error::bad_hierarchy(format!(
                "column `{}` has values of more than {MAX_LEVELS} characters; name the numbers of characters to mask \
                 with `levels = [...]`",
                column.name()
            )));
        }
        let counts = if self.levels.is_empty() { (1..=longest).collect() } else { self.levels.clone() };
        let levels = counts.iter().map(|&count| self.level(&texts, &lengths, longest, count)).collect();
        let mut draft = HierarchyDraft::of_values(column, levels);
        draft.covering = counts.last().is_some_and(|&count| count >= longest);
        draft.nested(column)
    }

    /// The level with `count` masked positions of `longest`.
    fn level(&self, texts: &[String], lengths: &[usize], longest: usize, count: usize) -> LeafPartition {
        let kept = longest.saturating_sub(count);
        let masked: String = std::iter::repeat_n(self.character, count.min(longest.max(1))).collect();
        let mut partition = LeafPartition { blocks: Vec::with_capacity(texts.len()), labels: Vec::new() };
        let mut block_of = hashbrown::HashMap::new();
        for (text, &length) in texts.iter().zip(lengths) {
            let rest = match self.side {
                _ if length <= kept => text.as_str(),
                MaskSide::Suffix => &text[..byte_of(text, kept)],
                MaskSide::Prefix => &text[byte_of(text, length - kept)..],
            };
            let block = *block_of.entry(rest).or_insert_with(|| {
                partition.labels.push(match self.side {
                    MaskSide::Suffix => format!("{rest}{masked}"),
                    MaskSide::Prefix => format!("{masked}{rest}"),
                });
                partition.labels.len() as u32 - 1
            });
            partition.blocks.push(block);
        }
        partition
    }
}

/// Where character number `at` of `text` starts.
fn byte_of(text: &str, at: usize) -> usize {
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::tests::labels;
    use crate::table::{ColumnDomain, Role};

    fn column(values: &[&str], missing: bool) -> Column {
        let domain = ColumnDomain::Category(values.iter().map(|&value| value.to_owned()).collect());
        Column::new("zip", Role::Quasi, domain, missing, vec![0]).unwrap()
    }

    #[test]
    fn the_suffix_is_masked_character_by_character() {
        let hierarchy = CharacterMask::new(MaskSide::Suffix).build(&column(&["021", "022", "113"], false)).unwrap();
        assert_eq!(hierarchy.levels(), 4);
        assert_eq!(labels(&hierarchy, 1), ["02*", "11*"]);
        assert_eq!(labels(&hierarchy, 2), ["0**", "1**"]);
        assert_eq!(labels(&hierarchy, 3), ["***"]);
    }

    #[test]
    fn the_prefix_is_masked_and_siblings_are_adjacent() {
        let hierarchy = CharacterMask::new(MaskSide::Prefix).build(&column(&["1a", "1b", "2a"], false)).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["*a", "*b"]);
        assert_eq!(hierarchy.order(), [0, 2, 1]);
        assert_eq!(hierarchy.codes(1, 0), [0, 2]);
    }

    #[test]
    fn shorter_values_are_continued_with_blanks_on_the_masked_side() {
        let hierarchy = CharacterMask::new(MaskSide::Suffix).build(&column(&["12", "12345"], false)).unwrap();
        assert_eq!(labels(&hierarchy, 2), ["12**", "123**"]);
        assert_eq!(labels(&hierarchy, 3), ["12***"]);
        let hierarchy = CharacterMask::new(MaskSide::Prefix).build(&column(&["12", "99912"], false)).unwrap();
        assert_eq!(labels(&hierarchy, 2), ["**12", "**912"]);
        assert_eq!(labels(&hierarchy, 3), ["***12"]);
    }

    #[test]
    fn levels_and_character_can_be_chosen() {
        let mask = CharacterMask::new(MaskSide::Suffix).with_character('#').with_levels(vec![1, 3]).unwrap();
        let hierarchy = mask.build(&column(&["0213", "0214", "0999"], true)).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["021#", "099#", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["0###", "(missing)"]);
        // Not all characters are masked, so a missing cell joins only on a level above.
        assert_eq!(labels(&hierarchy, 3), ["*"]);
    }

    #[test]
    fn a_missing_cell_joins_what_is_masked_completely() {
        let hierarchy = CharacterMask::new(MaskSide::Suffix).build(&column(&["äö", "äü"], true)).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["ä*", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["**"]);
        assert_eq!(hierarchy.leaves(2, 0), 3);
    }

    #[test]
    fn no_more_than_all_characters_are_masked() {
        let mask = CharacterMask::new(MaskSide::Suffix).with_levels(vec![1, usize::MAX]).unwrap();
        let hierarchy = mask.build(&column(&["12", "13"], true)).unwrap();
        assert_eq!(labels(&hierarchy, 2), ["**"]);
        assert_eq!(hierarchy.levels(), 3);
    }

    #[test]
    fn levels_that_do_not_grow_from_one_are_refused() {
        for levels in [vec![], vec![0, 1], vec![2, 2], vec![3, 1]] {
            assert!(CharacterMask::new(MaskSide::Suffix).with_levels(levels).is_err());
        }
    }

    #[test]
    fn long_values_need_named_levels() {
        let long = "x".repeat(65);
        let column = column(&[&long], false);
        let message = CharacterMask::new(MaskSide::Suffix).build(&column).unwrap_err().to_string();
        assert!(message.contains("more than 64 characters"), "{message}");
        assert!(CharacterMask::new(MaskSide::Suffix).with_levels(vec![60]).unwrap().build(&column).is_ok());
    }
}
