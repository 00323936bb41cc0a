//! What is claimed of a release: by its manifest, or by whoever declares the columns of a foreign table.

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::error::{Error, Result};
use pellucid_model::manifest::{MANIFEST_FORMAT, Manifest, PublishedColumn};
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::{ColumnType, Role};
use pellucid_publish::function::FUNCTIONS;

use crate::levels::{ClaimedLevels, levels};
use crate::statistics;

/// What is known of a table that another tool made.
#[derive(Debug, Clone, Default)]
pub struct DeclaredTable {
    /// The columns that matter; all others are ignored.
    pub columns: Vec<PublishedColumn>,
    /// What must hold: registry ids and parameters.
    pub principles: Vec<(String, EntryArgs)>,
    /// What a line shows in every quasi column when its row is suppressed; such lines are left out of all checks.
    pub suppressed: Option<String>,
    /// The most rows of the source that the table has no line for.
    pub may_be_absent: u64,
}

impl DeclaredTable {
    /// The same with one more column, without hierarchy, protected list or spellings of missing cells.
    #[must_use]
    pub fn with_column(mut self, name: impl Into<String>, role: Role, kind: ColumnType) -> Self {
        let name = name.into();
        self.columns.push(PublishedColumn {
            name,
            role,
            kind,
            hierarchy: None,
            protect: None,
            aggregate: None,
            missing: Vec::new(),
            lost: None,
        });
        self
    }

    /// The same with one more principle.
    #[must_use]
    pub fn with_principle(mut self, id: impl Into<String>, args: EntryArgs) -> Self {
        self.principles.push((id.into(), args));
        self
    }
}

/// How quasi values are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReleaseForm {
    /// Intervals and sets.
    Boxes,
    /// Labels of hierarchies.
    Labels,
    /// As they are, in a table of their own.
    Anatomy,
    /// Means, medians and modes.
    Statistics,
    /// As another tool does: labels where there is a hierarchy, `*`, intervals, sets or values.
    Foreign,
}

impl ReleaseForm {
    /// What the cells of function `id` are.
    fn of_function(id: &str) -> Result<Self> {
        let claims = FUNCTIONS.iter().find(|entry| entry.id == id).map_or(&[][..], |entry| entry.claims);
        let form = claims.iter().find_map(|claim| match claim {
            EntryClaim::Cells(CellForm::Boxes) => Some(Self::Boxes),
            EntryClaim::Cells(CellForm::Labels) => Some(Self::Labels),
            EntryClaim::Cells(CellForm::Anatomy) => Some(Self::Anatomy),
            EntryClaim::Cells(CellForm::Statistics) => Some(Self::Statistics),
            _ => None,
        });
        form.ok_or_else(|| Error::bad_input(format!("the manifest names an unknown function `{id}`")))
    }

    /// What quasi cells that are values are.
    pub fn quasi_words(self) -> &'static str {
        if self == Self::Statistics { "aggregated quasi" } else { "quasi" }
    }
}

/// What is claimed.
#[derive(Debug)]
pub(crate) struct ReleaseClaim {
    pub form: ReleaseForm,
    pub columns: Vec<PublishedColumn>,
    pub group_column: Option<String>,
    /// The levels of the released function of a sequence, or of the granulation that was searched for.
    pub levels: Option<ClaimedLevels>,
    /// Whether levels were searched for, so that rows of groups that fail are left out.
    pub searched: bool,
    /// Rows that are left out.
    pub left_out: u64,
    /// How many of these need not be, because nobody says how many there are.
    pub may_be_absent: u64,
    pub principles: Vec<(String, EntryArgs)>,
    /// The sensitive column whose values may not be the source's.
    altered: Option<String>,
}

impl ReleaseClaim {
    /// The claim of `manifest`.
    pub fn of_manifest(manifest: &Manifest) -> Result<Self> {
        let (format, known) = (manifest.format, MANIFEST_FORMAT);
        if format != known {
            return Err(Error::bad_input(format!(
                "the manifest has format {format}, this program reads {known}; use the version that made it"
            )));
        }
        let form = ReleaseForm::of_function(&manifest.mechanism.function)?;
        match &manifest.group_column {
            Some(_) if form != ReleaseForm::Anatomy => {
                return Err(Error::bad_input("the manifest names a group column, which its function does not have"));
            }
            None if form == ReleaseForm::Anatomy => {
                return Err(Error::bad_input("the manifest lacks the group column of its function"));
            }
            _ => {}
        }
        if form == ReleaseForm::Statistics {
            statistics::check_stated(manifest).map_err(Error::bad_input)?;
        }
        let principles = manifest.privacy.iter().map(|privacy| {
            let args = privacy.parameters.iter().fold(EntryArgs::new(), |args, (name, value)| args.with(name, value));
            (privacy.principle.clone(), args)
        });
        let mut columns = manifest.columns.clone();
        let levels = levels(manifest, &mut columns).map_err(Error::bad_input)?;
        Ok(Self {
            form,
            columns,
            levels,
            searched: manifest.mechanism.search.is_some(),
            left_out: manifest.left_out,
            may_be_absent: 0,
            group_column: manifest.group_column.clone(),
            principles: principles.collect(),
            altered: manifest.mechanism.altered.clone(),
        })
    }

    /// The claim of `declared`, of whose table `suppressed` lines are left out.
    pub fn of_declared(declared: &DeclaredTable, suppressed: u64) -> Self {
        Self {
            form: ReleaseForm::Foreign,
            levels: None,
            searched: false,
            left_out: declared.may_be_absent.saturating_add(suppressed),
            may_be_absent: declared.may_be_absent,
            columns: declared.columns.clone(),
            group_column: None,
            principles: declared.principles.clone(),
            altered: None,
        }
    }

    /// The columns of `role`, in order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &PublishedColumn> {
        self.columns.iter().filter(move |column| column.role == role)
    }

    /// In the order of the manifest.
    pub fn quasi(&self) -> impl Iterator<Item = &PublishedColumn> {
        self.with_role(Role::Quasi)
    }

    /// The columns that are shown as they are: the sensitive ones, then the kept ones.
    pub fn plain(&self) -> impl Iterator<Item = &PublishedColumn> {
        self.with_role(Role::Sensitive).chain(self.with_role(Role::Keep))
    }

    /// Whether values of `column` may not be the source's.
    pub fn alters(&self, column: &PublishedColumn) -> bool {
        self.altered.as_ref() == Some(&column.name)
    }

    /// The spellings by which a released cell of `column` is missing.
    pub fn spellings<'a>(&self, column: &'a PublishedColumn) -> &'a [String] {
        // A release of ours spells it one way; the manifest's spellings are those of the source.
        if self.form == ReleaseForm::Foreign { &column.missing } else { &[] }
    }
}
