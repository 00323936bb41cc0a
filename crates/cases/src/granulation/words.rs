//! Levels as words: what of a date, of a string of digits or of a number a partition keeps.
//!
//! | word | of | keeps |
//! |---|---|---|
//! | `dd/mm/yy`, `mm/yy`, `yyyy`, .. | dates | the named parts |
//! | `d1d2d3**` | strings of digits | the digits that are named by their places |
//! | `I5` | whole numbers | the interval of that width, counted from 0 |
//! | `*`, `*****` | all of them | nothing |

use pellucid_model::error::{Error, Result};

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueForm {
    /// A date, with its parts in the order in which they are written.
    Date(Vec<DateField>),
    /// So many digits.
    Digits(usize),
    /// A whole number.
    Number,
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateField {
    /// `dd`
    Day,
    /// `mm`
    Month,
    /// `yy`, two digits, or `yyyy`.
    Year {
        /// Whether only two digits are written.
        short: bool,
    },
}

/// What a level keeps of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptPrecision {
    Nothing,
    /// Parts of a date.
    Parts(Vec<DateField>),
    /// By place, whether the digit is kept.
    Places(Vec<bool>),
    /// The interval of this width.
    Width(i64),
}

/// The levels of a column, and the form of its values that they tell.
pub fn read(words: &[&str]) -> Result<(ValueForm, Vec<KeptPrecision>)> {
    let mut levels = words.iter().map(|word| level(word)).collect::<Result<Vec<KeptPrecision>>>()?;
    let telling = levels.iter().find(|level| **level != KeptPrecision::Nothing && !is_starred(level));
    let form = match telling {
        Some(KeptPrecision::Width(_)) => ValueForm::Number,
        Some(KeptPrecision::Places(places)) => ValueForm::Digits(places.len()),
        Some(_) => ValueForm::Date(whole_date(&levels)?),
        None => {
            return Err(Error::bad_input(
                "no word says what the values are; add the one that keeps all, such as dd/mm/yy, d1d2d3 or I1",
            ));
        }
    };
    for (word, level) in words.iter().zip(&mut levels) {
        let fits = match (&form, &*level) {
            (_, KeptPrecision::Nothing)
            | (ValueForm::Date(_), KeptPrecision::Parts(_))
            | (ValueForm::Number, KeptPrecision::Width(_)) => true,
            (ValueForm::Digits(digits), KeptPrecision::Places(places)) => places.len() == *digits,
            _ => false,
        };
        if !fits && is_starred(level) && !matches!(form, ValueForm::Digits(_)) {
            *level = KeptPrecision::Nothing;
        } else if !fits {
            return Err(Error::bad_input(format!("word `{word}` does not go with the words before it; correct it")));
        }
    }
    Ok((form, levels))
}

/// Whether this is a row of stars, which says nothing but how many places there are.
fn is_starred(level: &KeptPrecision) -> bool {
    matches!(level, KeptPrecision::Places(places) if !places.contains(&true))
}

fn level(word: &str) -> Result<KeptPrecision> {
    let unknown = || {
        Error::bad_input(format!(
            "word `{word}` is no level; write parts of a date (dd/mm/yy), digits by place (d1d2*), a width (I5) or *"
        ))
    };
    if word == "*" {
        return Ok(KeptPrecision::Nothing);
    }
    if let Some(width) = word.strip_prefix('I') {
        let width = width.parse::<i64>().ok().filter(|&width| width > 0);
        return width.map(KeptPrecision::Width).ok_or_else(unknown);
    }
    if word.starts_with('*') || word.starts_with("d1") {
        return places(word).map(KeptPrecision::Places).ok_or_else(unknown);
    }
    parts(word).map(KeptPrecision::Parts).ok_or_else(unknown)
}

/// `d1d2*`: every place is named by its number or starred.
fn places(word: &str) -> Option<Vec<bool>> {
    let mut places = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix('*') {
            places.push(false);
            rest = tail;
        } else {
            places.push(true);
            rest = rest.strip_prefix('d')?.strip_prefix(places.len().to_string().as_str())?;
        }
    }
    Some(places)
}

/// `dd/mm/yy`: parts between marks that are no letters, each at most once.
fn parts(word: &str) -> Option<Vec<DateField>> {
    let mut parts = Vec::new();
    for name in word.split(|mark: char| !mark.is_alphanumeric()) {
        let part = match name {
            "dd" => DateField::Day,
            "mm" => DateField::Month,
            "yy" => DateField::Year { short: true },
            "yyyy" => DateField::Year { short: false },
            _ => return None,
        };
        if parts.iter().any(|known| std::mem::discriminant(known) == std::mem::discriminant(&part)) {
            return None;
        }
        parts.push(part);
    }
    Some(parts)
}

/// The parts of the word that keeps a whole date.
fn whole_date(levels: &[KeptPrecision]) -> Result<Vec<DateField>> {
    let whole = levels.iter().find_map(|level| match level {
        KeptPrecision::Parts(parts) if parts.len() == 3 => Some(parts.clone()),
        _ => None,
    });
    whole.ok_or_else(|| {
        Error::bad_input("no word keeps the whole date and says how dates are written; add one such as dd/mm/yy")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &[&str]) -> String {
        read(words).unwrap_err().to_string()
    }

    #[test]
    fn words_tell_the_form_of_values() {
        let (form, levels) = read(&["yyyy-mm-dd", "mm/yyyy", "*"]).unwrap();
        let year = DateField::Year { short: false };
        assert_eq!(form, ValueForm::Date(vec![year, DateField::Month, DateField::Day]));
        assert_eq!(levels[1..], [KeptPrecision::Parts(vec![DateField::Month, year]), KeptPrecision::Nothing]);
        let (form, levels) = read(&["***", "d1d2d3", "*d2*", "*"]).unwrap();
        assert_eq!(form, ValueForm::Digits(3));
        assert_eq!(levels[0], KeptPrecision::Places(vec![false; 3]));
        assert_eq!(levels[2], KeptPrecision::Places(vec![false, true, false]));
        assert_eq!(read(&["I1", "I25", "**"]).unwrap(), {
            (ValueForm::Number, vec![KeptPrecision::Width(1), KeptPrecision::Width(25), KeptPrecision::Nothing])
        });
    }

    #[test]
    fn more_than_nine_digits_are_named_by_their_numbers() {
        assert_eq!(read(&["d1d2d3d4d5d6d7d8d9d10d11"]).unwrap().0, ValueForm::Digits(11));
    }

    #[test]
    fn words_that_mean_nothing_are_named() {
        for (words, expected) in [
            (&["d1d3"][..], "word `d1d3` is no level"),
            (&["I0"], "word `I0` is no level"),
            (&["dd/dd/yy"], "word `dd/dd/yy` is no level"),
            (&["I1", "d1d2"], "word `d1d2` does not go with"),
            (&["d1d2", "d1**"], "word `d1**` does not go with"),
            (&["*"], "no word says what the values are"),
            (&["mm/yy", "*"], "no word keeps the whole date"),
        ] {
            assert!(refusal(words).contains(expected), "{}", refusal(words));
        }
    }
}
