//! `pellucid list --markdown`: the registries as a reference, which is `docs/methods.md`.

use std::fmt::Write;

use pellucid_model::registry::{EntryInfo, LEFT_OUT, ParamKind, ParamSpec, ProofStatus};

use crate::list::{RegistrySection, kind_words, promises};

/// What stands above the sections.
const HEAD: &str = "\
# Methods

What `pellucid list --markdown` prints; `make methods` writes it again. How the parts work together is in [job-file.md](job-file.md).
Lines for a job have examples for parameters that must be given; the lines behind `#` are defaults, and need not be written.

Every entry has a status:

";

/// The words that an example follows in the help of a parameter.
const BEFORE_EXAMPLES: [&str; 2] = ["e.g. ", "such as "];

/// A reference of everything in `sections`.
pub fn markdown(sections: &[RegistrySection]) -> String {
    let mut text = String::from(HEAD);
    for status in ProofStatus::ALL {
        let _ = writeln!(text, "- *{}*: {}.", status.as_str(), status.meaning());
    }
    for section in sections {
        let _ = writeln!(text, "\n## {}\n\n{}", capitalised(section.name), section.introduction);
        for entry in &section.entries {
            text += &of_entry(entry, section.chosen_by);
        }
    }
    text
}

fn of_entry(entry: &EntryInfo, chosen_by: Option<(&str, &str)>) -> String {
    let mut text = format!("\n### `{}`\n\n{}.\n\n", entry.id, capitalised(entry.summary));
    let _ = writeln!(text, "Status: {}. Reference: {}.", entry.status.as_str(), entry.reference.trim_end_matches('.'));
    for (class, with, attacker) in promises(entry) {
        let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
        let _ = writeln!(text, "\nPromise{with}: `{class}`, against {attacker}.");
    }
    if !entry.params.is_empty() {
        text += "\n| parameter | values | default | meaning |\n|---|---|---|---|\n";
        for param in entry.params {
            let default = match param.default {
                None => "must be given".to_owned(),
                Some(LEFT_OUT) => "may be left out".to_owned(),
                Some(default) => format!("`{default}`"),
            };
            let cells = [format!("`{}`", param.name), kind_cell(param.kind), default, escaped(param.help)];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    if let Some(snippet) = chosen_by.and_then(|(section, key)| snippet(entry, section, key)) {
        let _ = write!(text, "\n```toml\n{snippet}```\n");
    }
    text
}

/// What a job says to use the entry, defaults as comments; none when a parameter that must be given has no example.
fn snippet(entry: &EntryInfo, section: &str, key: &str) -> Option<String> {
    let mut text = format!("[{section}]\n{key} = \"{}\"\n", entry.id);
    for param in entry.params.iter().filter(|param| param.default != Some(LEFT_OUT)) {
        let mark = if param.default.is_some() { "# " } else { "" };
        let _ = writeln!(text, "{mark}{} = {}", param.name, value(param)?);
    }
    Some(text)
}

/// The default, or an example, as TOML.
fn value(param: &ParamSpec) -> Option<String> {
    /// Whole numbers that are good examples are at least so large.
    const USUAL: u64 = 3;
    let written = param.default.or_else(|| example(param.help));
    match (param.kind, written) {
        (ParamKind::Integer { min }, None) => Some(min.max(USUAL).to_string()),
        (ParamKind::Choice(words), None) => words.first().map(|word| format!("\"{word}\"")),
        (ParamKind::Choice(_), Some(word)) => Some(format!("\"{word}\"")),
        (_, Some(written)) => Some(if is_toml(written) { written.to_owned() } else { format!("\"{written}\"") }),
        (_, None) => None,
    }
}

/// The first example in a line of help: up to where its brackets close, or to the next blank.
fn example(help: &str) -> Option<&str> {
    let starts = BEFORE_EXAMPLES.iter().filter_map(|before| help.find(before).map(|at| at + before.len()));
    let rest = &help[starts.min()?..];
    let mut depth = 0_usize;
    let end = rest.char_indices().find_map(|(at, mark)| {
        match mark {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let closes = depth == 0 && matches!(mark, ']' | '}');
        let ends = depth == 0 && matches!(mark, ' ' | ',' | ';');
        if closes { Some(at + mark.len_utf8()) } else { ends.then_some(at) }
    });
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|example| !example.is_empty())
}

fn is_toml(text: &str) -> bool {
    toml::from_str::<toml::Table>(&format!("value = {text}")).is_ok()
}

fn kind_cell(kind: ParamKind) -> String {
    match kind {
        ParamKind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        kind => kind_words(kind),
    }
}

/// Text inside a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn capitalised(text: &str) -> String {
    let mut marks = text.chars();
    marks.next().map_or_else(String::new, |first| first.to_uppercase().chain(marks).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_in_help() {
        let of = |help| example(help).unwrap_or("none");
        assert_eq!(of("the largest share, above 0, e.g. 1/3"), "1/3");
        assert_eq!(
            of("a list such as [{ age = 1 }, { age = \"top\" }], \"chain\" or so"),
            "[{ age = 1 }, { age = \"top\" }]"
        );
        assert_eq!(of("how much, e.g. { age = 2 }; 1 for those left out"), "{ age = 2 }");
        assert_eq!(of("how many"), "none");
    }

    #[test]
    fn a_value_is_a_default_an_example_or_a_whole_number() {
        let of = |kind, default, help| value(&ParamSpec { name: "x", kind, default, help });
        assert_eq!(of(ParamKind::Integer { min: 1 }, None, "many").as_deref(), Some("3"));
        assert_eq!(of(ParamKind::Integer { min: 8 }, Some("9"), "many").as_deref(), Some("9"));
        assert_eq!(of(ParamKind::Number, None, "share, e.g. 1/3").as_deref(), Some("\"1/3\""));
        assert_eq!(of(ParamKind::Number, None, "share, e.g. 0.3").as_deref(), Some("0.3"));
        assert_eq!(of(ParamKind::Choice(&["1", "2"]), Some("2"), "points").as_deref(), Some("\"2\""));
        assert_eq!(of(ParamKind::Text, None, "something"), None);
    }
}
