//! Keys of a job, and values of them, that are still read although no page, schema or help offers them.
//!
//! A job that has one is read as if it had its successor, and whoever reads the job is warned once. Manifests of earlier versions
//! and the keys of `pellucid compare --with` go the same way.

use toml::{Table, Value};

/// A key, or one value of it, with its successor.
///
/// # Guarantee
/// The successor gives the same answer.
#[derive(Debug)]
pub struct DeprecatedKey {
    /// The section of the job; `columns` for the keys of every column. Publishers listed in `method` count as that section.
    pub section: &'static str,
    /// The deprecated key.
    pub key: &'static str,
    /// The only value that is deprecated; `None` when the key is, whatever its value.
    pub value: Option<&'static str>,
    /// The first version that warns.
    pub since: &'static str,
    /// The key to write, in the same section.
    pub new_key: &'static str,
    /// The value to write; `None` to keep the value.
    pub new_value: Option<&'static str>,
}

/// All of them.
pub static DEPRECATED_KEYS: &[DeprecatedKey] = &[
    DeprecatedKey {
        section: "method",
        key: "search",
        value: Some("incognito"),
        since: "0.2.0",
        new_key: "search",
        new_value: Some("fast"),
    },
    DeprecatedKey {
        section: "method",
        key: "search",
        value: Some("breadth-first"),
        since: "0.2.0",
        new_key: "search",
        new_value: Some("fast"),
    },
];

impl DeprecatedKey {
    /// What is deprecated, since when, and what to write.
    pub fn warning(&self) -> String {
        let written = |key: &str, value: Option<&str>| {
            let value = value.map_or_else(String::new, |value| format!(" = \"{value}\""));
            format!("`{}.{key}{value}`", self.section)
        };
        let (old, new) = (written(self.key, self.value), written(self.new_key, self.new_value));
        format!("{old} is deprecated since {}; write {new}, which gives the same answer", self.since)
    }

    /// Replaces it in `keys` by its successor, unless that is there too; says whether it did.
    fn replace(&self, keys: &mut Table) -> bool {
        let Some(value) = keys.get(self.key) else { return false };
        let is_meant = self.value.is_none_or(|deprecated| value.as_str() == Some(deprecated));
        if !is_meant || (self.new_key != self.key && keys.contains_key(self.new_key)) {
            return false;
        }
        let kept = keys.remove(self.key);
        let value = self.new_value.map(Value::from).or(kept);
        keys.extend(value.map(|value| (self.new_key.to_owned(), value)));
        true
    }
}

/// Replaces what is deprecated in `job` and gives a warning for each.
pub(super) fn replace_in_job(job: &mut Table) -> Vec<String> {
    replace_known(DEPRECATED_KEYS, job)
}

/// Replaces what is deprecated in the `[method]` with the keys `method`.
pub(super) fn replace_in_method(method: &mut Table) {
    for known in DEPRECATED_KEYS.iter().filter(|known| known.section == "method") {
        replace_in_section(known, method);
    }
}

fn replace_known(known: &[DeprecatedKey], job: &mut Table) -> Vec<String> {
    let mut warnings = Vec::new();
    for deprecated in known {
        let Some(section) = job.get_mut(deprecated.section) else { continue };
        let tables: Vec<&mut Table> = match section {
            Value::Table(columns) if deprecated.section == "columns" => {
                columns.iter_mut().filter_map(|(_, column)| column.as_table_mut()).collect()
            }
            Value::Table(table) => vec![table],
            Value::Array(several) => several.iter_mut().filter_map(Value::as_table_mut).collect(),
            _ => Vec::new(),
        };
        let replaced = tables.into_iter().filter_map(|table| replace_in_section(deprecated, table).then_some(()));
        if replaced.count() > 0 {
            warnings.push(deprecated.warning());
        }
    }
    warnings
}

/// Replaces `deprecated` in `section` and in the publishers that it lists; says whether it stood anywhere.
fn replace_in_section(deprecated: &DeprecatedKey, section: &mut Table) -> bool {
    let mut replaced = deprecated.replace(section);
    let lists = section.iter_mut().filter_map(|(_, value)| value.as_array_mut());
    let members = lists.flatten().filter_map(Value::as_table_mut).filter(|member| member.contains_key("publisher"));
    for member in members {
        replaced |= deprecated.replace(member);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use pellucid_model::registry::ParamKind;

    use super::*;
    use crate::publisher::PUBLISHERS;

    fn table(text: &str) -> Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_deprecated_value_is_replaced_wherever_a_publisher_has_it_and_warned_of_once() {
        let mut job = table(
            "[method]\npublisher = \"best-of\"\nof = [\"tailor\", { publisher = \"search\", search = \"incognito\" }, \
             { publisher = \"search\", search = \"incognito\", measure = \"height\" }]",
        );
        let warnings = replace_in_job(&mut job);
        let said = "`method.search = \"incognito\"` is deprecated since 0.2.0; write `method.search = \"fast\"`, which gives \
                    the same answer";
        assert_eq!(warnings, [said]);
        let members = job["method"]["of"].as_array().unwrap();
        assert_eq!(members[1]["search"].as_str(), Some("fast"));
        assert_eq!((members[2]["search"].as_str(), members[2]["measure"].as_str()), (Some("fast"), Some("height")));
        assert_eq!(replace_in_job(&mut job), [""; 0]);
    }

    #[test]
    fn a_key_with_a_new_name_keeps_its_value_unless_both_are_there() {
        let renamed = |section| DeprecatedKey {
            section,
            key: "old",
            value: None,
            since: "9.0.0",
            new_key: "new",
            new_value: None,
        };
        let known = [renamed("columns"), renamed("privacy")];
        let mut job =
            table("columns = { age = { old = 3 }, old = { new = 4 } }\nprivacy = [{ old = 1 }, { old = 2, new = 5 }]");
        let warnings = replace_known(&known, &mut job);
        assert_eq!(
            warnings[0],
            "`columns.old` is deprecated since 9.0.0; write `columns.new`, which gives the same answer"
        );
        assert_eq!(warnings.len(), 2);
        assert_eq!(
            job,
            table("columns = { age = { new = 3 }, old = { new = 4 } }\nprivacy = [{ new = 1 }, { old = 2, new = 5 }]")
        );
    }

    #[test]
    fn nothing_deprecated_is_offered_and_every_successor_is() {
        let words = |key: &str| {
            let params = PUBLISHERS.iter().flat_map(|entry| entry.params).filter(|param| param.name == key);
            let words = params.filter_map(|param| match param.kind {
                ParamKind::Choice(words) => Some(words),
                _ => None,
            });
            words.flatten().copied().collect::<Vec<&str>>()
        };
        for known in DEPRECATED_KEYS.iter().filter(|known| known.section == "method") {
            if let (Some(old), Some(new)) = (known.value, known.new_value) {
                assert!(!words(known.key).contains(&old), "{known:?}");
                assert!(words(known.new_key).contains(&new), "{known:?}");
            }
        }
    }
}
