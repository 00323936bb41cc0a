//! Words in messages: what is counted stands in the singular after one and in the plural after every other number; words as shells take them.

use std::fmt::Display;

use dashu_int::UBig;

/// `1 row`, `2 rows`; the number may be text already.
pub fn counted(number: impl Display, one: &str, many: &str) -> String {
    let number = number.to_string();
    let word = if number == "1" { one } else { many };
    format!("{number} {word}")
}

/// The digits of a whole number with commas between thousands.
pub fn thousands(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number in full while it has at most 18 digits, and then about as a power of ten.
pub fn magnitude(number: &UBig) -> String {
    let text = number.to_string();
    if text.len() <= 18 { text } else { format!("about 10^{}", text.len() - 1) }
}

/// `is` after one, `are` after every other number.
pub fn are(number: impl Display) -> &'static str {
    if number.to_string() == "1" { "is" } else { "are" }
}

/// `1 of the 3 values`, or `the only value` where there is no other.
pub fn part_of_values(part: usize, values: usize) -> String {
    if values == 1 { "the only value".to_owned() } else { format!("{part} of the {values} values") }
}

/// That `absent` of the `listed` values that `list` has for `column` do not occur there, and what to do.
pub fn absent_values(absent: usize, listed: usize, list: &str, column: &str) -> String {
    let part = part_of_values(absent, listed);
    let (occur, their, them) = if absent == 1 { ("does", "its", "it") } else { ("do", "their", "them") };
    format!(
        "{part} that {list} lists for column `{column}` {occur} not occur in it; check {their} spelling, a misspelt value \
         would go unprotected, or remove {them}"
    )
}

/// `word` as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |mark: char| mark.is_ascii_alphanumeric() || "-_./=,:+@%".contains(mark);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// `words` in lines of up to 118 letters, each behind two blanks.
pub fn wrapped(words: &str) -> String {
    let mut lines = vec!["  ".to_owned()];
    for word in words.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if last.len() + word.len() >= 118 {
            lines.push(format!("  {word}"));
        } else {
            if last.len() > 2 {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_numbers_are_written_out() {
        assert_eq!(magnitude(&UBig::from(123_456u32)), "123456");
        assert_eq!(magnitude(&(UBig::from(3u8) * UBig::from(10u8).pow(1000))), "about 10^1000");
    }

    #[test]
    fn digits_are_read_in_threes() {
        let read = ["0", "999", "1000", "12345678"].map(thousands);
        assert_eq!(read, ["0", "999", "1,000", "12,345,678"]);
    }

    #[test]
    fn one_is_singular_and_all_else_plural() {
        let counts = [0u64, 1, 2, 11].map(|number| counted(number, "class", "classes"));
        assert_eq!(counts, ["0 classes", "1 class", "2 classes", "11 classes"]);
        assert_eq!(counted("1", "world", "worlds"), "1 world");
        assert_eq!((part_of_values(1, 1), part_of_values(1, 4)), ("the only value".into(), "1 of the 4 values".into()));
        assert!(absent_values(1, 3, "it", "ill").contains("`ill` does not occur in it; check its spelling"));
    }
}
