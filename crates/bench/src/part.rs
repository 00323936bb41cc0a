//! What benchmarks of several parts share: choosing parts by name, and finding the tables they need.

use std::path::{Path, PathBuf};

use pellucid_model::error::{Error, Result};
use pellucid_model::registry::did_you_mean;

/// A part of a benchmark, which writes to a board `B`, and what it shows.
pub struct Part<B> {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it shows.
    pub words: &'static str,
    /// Runs it.
    pub run: fn(&mut B) -> Result<()>,
}

/// The parts named in `wanted`, all when none is named.
pub fn chosen<'a, B>(parts: &'a [Part<B>], wanted: &'a [String]) -> Result<impl Iterator<Item = &'a Part<B>>> {
    if let Some(odd) = wanted.iter().find(|wanted| parts.iter().all(|part| part.id != wanted.as_str())) {
        let hint = did_you_mean(odd, parts.iter().map(|part| part.id));
        let known: Vec<&str> = parts.iter().map(|part| part.id).collect();
        return Err(Error::invalid(format!("no part `{odd}`{hint}; it is one of {}", known.join(", "))));
    }
    Ok(parts.iter().filter(|part| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part.id)))
}

/// A file below the folder `PELLUCID_DATA`, or below `shared/data` beside the repository; `None` when it is not there.
pub fn data(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PELLUCID_DATA").map_or(beside, PathBuf::from);
    let file = std::path::absolute(folder.join(name)).ok()?;
    file.is_file().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &[Part<()>] =
        &[Part { id: "adult", words: "", run: |()| Ok(()) }, Part { id: "census", words: "", run: |()| Ok(()) }];

    #[test]
    fn no_name_means_all_parts_and_a_wrong_one_is_refused_with_the_right_ones() {
        assert_eq!(chosen(PARTS, &[]).unwrap().count(), 2);
        let one = ["census".to_owned()];
        assert_eq!(chosen(PARTS, &one).unwrap().map(|part| part.id).collect::<Vec<_>>(), ["census"]);
        let wrong = ["censsus".to_owned()];
        let error = chosen(PARTS, &wrong).err().unwrap().to_string();
        assert!(error.contains("census") && error.contains("adult"), "{error}");
    }
}
