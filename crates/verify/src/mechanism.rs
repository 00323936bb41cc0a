//! What the manifest says of a publisher that is not transparent, or that alters values.
//!
//! How such groups were made is not done again. Released values that are not the source's are held against its set of values
//! alone; all else that is released is held against the rows.

use std::collections::BTreeSet;

use pellucid_model::manifest::Manifest;
use pellucid_model::principle::make;
use pellucid_model::registry::ProofStatus;
use pellucid_model::table::{Role, Table};
use pellucid_publish::job::MethodJob;
use pellucid_publish::publisher::PUBLISHERS;

use crate::claim::ReleaseClaim;
use crate::exact::ExactColumn;
use crate::shown::ClassedTables;

/// Checks what can be told of the publisher from the manifest alone; `None` when it is proved, or the levels of a search, which
/// have a check of their own.
pub(crate) fn check_stated(manifest: &Manifest, claim: &ReleaseClaim) -> Option<Result<String, String>> {
    let mechanism = &manifest.mechanism;
    let entry = PUBLISHERS.iter().find(|entry| entry.id == mechanism.publisher);
    let proved = entry.is_none_or(|entry| entry.status == ProofStatus::Proven) || mechanism.search.is_some();
    if proved && mechanism.altered.is_none() {
        return None;
    }
    let made = MethodJob::remade(mechanism).args().and_then(|args| entry.map(|entry| entry.make(&args)).transpose());
    let alters = match made {
        Ok(publisher) => publisher.is_some_and(|publisher| !publisher.keeps_values()),
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(stated(manifest, claim, alters))
}

fn stated(manifest: &Manifest, claim: &ReleaseClaim, alters: bool) -> Result<String, String> {
    let id = &manifest.mechanism.publisher;
    let needed = |(id, args): &(String, _)| make(id, args).is_ok_and(|principle| principle.needs_sensitive());
    let by_values = claim.principles.iter().any(needed);
    if manifest.not_transparent.is_none() && by_values {
        return Err(format!(
            "publisher `{id}` makes groups by sensitive values, so that they tell something about these, and the manifest does \
             not say that it is not transparent"
        ));
    }
    let mut words = format!("publisher `{id}`");
    match &manifest.mechanism.altered {
        None if alters => {
            return Err(format!("publisher `{id}` alters values, and the manifest does not say of which column"));
        }
        Some(_) if !alters => {
            return Err(format!("the manifest says that values are altered, and publisher `{id}` alters none"));
        }
        Some(name) if !claim.with_role(Role::Sensitive).any(|column| column.name == *name) => {
            return Err(format!("values of column `{name}` are said to be altered, and it is no sensitive column"));
        }
        Some(name) => {
            words = format!("{words}; ALTERED values of column `{name}`, which cannot be held against the source");
        }
        None => {}
    }
    words += if manifest.not_transparent.is_some() {
        "; NOT TRANSPARENT, as the release says itself: whoever knows the publisher may learn more than the principles say"
    } else {
        "; groups follow from quasi-identifiers alone"
    };
    Ok(words)
}

/// Checks that every released value of the altered column is one that the source has.
pub(crate) fn check_values(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    plain: &[ExactColumn],
    source: &Table,
) -> Result<(), String> {
    let Some(at) = claim.plain().position(|column| claim.alters(column)) else { return Ok(()) };
    let raw = shown.plain_columns()[at];
    let column = source.column(raw.name()).map_err(|error| error.to_string())?;
    let known: BTreeSet<String> = column.codes().iter().map(|code| column.text(code)).collect();
    let values = &plain[at].values;
    let absent = (0..raw.distinct().len() as u32).find(|&cell| !known.contains(&values.text(plain[at].code(cell))));
    absent.map_or(Ok(()), |cell| {
        Err(format!("{}: a value that the source does not have", shown.plain_sheet().place(raw, cell)))
    })
}
