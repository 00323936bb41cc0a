//! Checking a job without its table: names against the registries, keys against what they belong to.

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::principle::PRINCIPLES;
use pellucid_model::registry::{EntryArgs, EntryInfo, did_you_mean, find};
use pellucid_model::table::Role;

use super::{Job, ResolvedJob};
use crate::function::FUNCTIONS;
use crate::publisher::PUBLISHERS;

impl Job {
    /// Resolves names against the registries and checks what can be checked without the table.
    pub fn check(&self) -> Result<ResolvedJob<'_>> {
        let mut principles = Vec::new();
        for privacy in &self.privacy {
            let entry = find(PRINCIPLES, "principle", &privacy.principle)?;
            check_keys("privacy", &["principle", "suppression"], &entry.info(), privacy.parameters.keys())?;
            let args = privacy.args()?;
            principles.push((args.clone(), entry.make(&args)?));
        }
        if principles.is_empty() {
            return Err(Error::invalid("the job states no principle; add a [privacy] section"));
        }
        let publisher = find(PUBLISHERS, "publisher", &self.method.publisher)?;
        check_keys(
            "method",
            &["publisher", "function", "suppression"],
            &publisher.info(),
            self.method.parameters.keys(),
        )?;
        let publisher = publisher.make(&self.method.args()?)?;
        for key in self.method.parameters.keys() {
            if let Some(why) = publisher.ignores(key) {
                return Err(Error::invalid(format!("key `{key}` in [method] {why}")));
            }
        }
        let function = find(FUNCTIONS, "function", &self.method.function)?.make(&EntryArgs::new())?;
        if function.shows_quasi() && principles.iter().all(|(_, principle)| !principle.needs_sensitive()) {
            return Err(Error::invalid(format!(
                "function `{}` shows quasi-identifiers as they are, so that `{}` hides nobody among others; use another \
                 function, such as `mbr`, or add a principle about sensitive values",
                self.method.function, self.privacy[0].principle
            )));
        }
        let suppression = self.suppression()?;
        if suppression > Fraction::ZERO && !publisher.suppresses() {
            return Err(Error::invalid(format!(
                "publisher `{}` leaves no row out; remove `suppression` or use publisher = \"search\"",
                self.method.publisher
            )));
        }
        let with_role = |role: Role| self.columns.values().filter(|column| column.role == role).count();
        if with_role(Role::Quasi) == 0 {
            return Err(Error::invalid("no column has role `quasi`; declare what an adversary may know of people"));
        }
        if with_role(Role::Sensitive) == 0 && principles.iter().any(|(_, principle)| principle.needs_sensitive()) {
            return Err(Error::invalid("no column has role `sensitive`; declare what must not be learned"));
        }
        self.check_people(&principles)?;
        self.check_views()?;
        for (name, column) in &self.columns {
            if column.protect.is_some() && column.role != Role::Sensitive {
                return Err(Error::invalid(format!(
                    "column `{name}` has `protect` but role `{}`; only sensitive values are protected",
                    column.role
                )));
            }
            if column.hierarchy.is_some() && !matches!(column.role, Role::Quasi | Role::Sensitive) {
                return Err(Error::invalid(format!(
                    "column `{name}` has a hierarchy but role `{}`; remove it or change the role",
                    column.role
                )));
            }
            if column.aggregate.is_some() && column.role != Role::Quasi {
                return Err(Error::invalid(format!(
                    "column `{name}` has `aggregate` but role `{}`; remove it, only quasi values are aggregated",
                    column.role
                )));
            }
        }
        Ok(ResolvedJob { job: self, principles, publisher, function, suppression, explain: false, spread: false })
    }
}

/// Fails on a key of `section` that is neither one of its `own` nor a parameter of `entry`.
fn check_keys<'a>(
    section: &str,
    own: &[&str],
    entry: &EntryInfo,
    mut keys: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let known: Vec<&str> = own.iter().copied().chain(entry.params.iter().map(|param| param.name)).collect();
    keys.find(|key| !known.contains(&key.as_str())).map_or(Ok(()), |key| {
        let owner = PUBLISHERS.iter().find(|other| other.params.iter().any(|param| param.name == key));
        let hint = match owner {
            Some(owner) if section == "method" => format!(", it belongs to publisher `{}`", owner.id),
            _ => did_you_mean(key, known.iter().copied()),
        };
        let known = known.join("`, `");
        Err(Error::invalid(format!("unknown key `{key}` in [{section}]{hint}; with `{}` it has `{known}`", entry.id)))
    })
}
