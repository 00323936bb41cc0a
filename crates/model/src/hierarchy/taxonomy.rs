//! Hierarchies written out as a tree of labels with values at the bottom.

use std::collections::BTreeMap;
use std::ops::Range;

use hashbrown::HashSet;
use serde_json::{Map, Value};

use super::Hierarchy;
use super::draft::{HierarchyDraft, LeafPartition};
use super::leaves::{LeafIndex, remedy};
use super::spec::SpecKeys;
use crate::error::{Error, Result};
use crate::table::Column;
use crate::words::part_of_values;

/// What stands under a label of a [`TaxonomyTree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaxonomyBranch {
    /// Values of the column.
    Values(Vec<String>),
    /// Further labels.
    Labels(BTreeMap<String, TaxonomyBranch>),
}

/// A written-out taxonomy: nested labels, values at the bottom.
///
/// The height of a label over values is 1, of a label over labels 1 more than the highest of them. A label stands for
/// its values on every level from its own height to below that of the label above it, so a shorter branch repeats its
/// label upwards. Labels are ordered by their text, values as written. All values of the tree count as leaves, also
/// those that the table lacks.
///
/// # Guarantee
/// A label always stands for all values under it, so levels are nested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxonomyTree {
    branches: BTreeMap<String, TaxonomyBranch>,
}

impl TaxonomyTree {
    /// The tree of `branches`.
    ///
    /// # Errors
    /// When it is empty, a label is empty, or nothing stands under a label.
    pub fn new(branches: BTreeMap<String, TaxonomyBranch>) -> Result<Self> {
        check("tree", &branches)?;
        Ok(Self { branches })
    }

    /// The labels at the top, with what stands under them.
    pub fn branches(&self) -> &BTreeMap<String, TaxonomyBranch> {
        &self.branches
    }

    pub(super) fn from_options(options: &mut SpecKeys) -> Result<Self> {
        match options.take("tree") {
            Some(Value::Object(tree)) => Self::new(labels_from(tree)?),
            _ => Err(Error::bad_hierarchy(
                "`tree` of a hierarchy must be a table; write it like { Upper = [\"a\", \"b\"], Lower = [\"c\"] }",
            )),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value = Map::new();
        value.insert("tree".to_owned(), labels_to(&self.branches));
        Value::Object(value)
    }

    pub(super) fn build(&self, column: &Column) -> Result<Hierarchy> {
        let name = column.name();
        let mut walk = Walk {
            index: LeafIndex::new(column.domain().kind()),
            branch_of: Vec::new(),
            levels: Vec::new(),
            column: name,
        };
        let nodes = walk.labels(&self.branches)?;
        let height = nodes.iter().map(|node| node.height).max().unwrap_or(0);
        walk.settle(nodes, height + 1);
        let leaves = walk.index.len();
        let values = column.domain().len();
        let leaf_of = walk.index.bind(column).map_err(|lacking| {
            let (part, remedy) = (part_of_values(lacking, values), remedy(column.domain().kind()));
            Error::bad_hierarchy(format!("`tree` lacks {part} of column `{name}`; {remedy}"))
        })?;
        for (at, level) in walk.levels.iter().enumerate() {
            let mut seen = HashSet::new();
            if let Some(label) = level.labels.iter().find(|label| !seen.insert(label.as_str())) {
                return Err(Error::bad_hierarchy(format!(
                    "`tree` of column `{name}` has two labels `{label}` on level {}; rename one",
                    at + 1
                )));
            }
        }
        HierarchyDraft { leaves, leaf_of, levels: walk.levels, covering: true }.nested(column)
    }
}

/// A label met on the walk, with the leaves under it.
struct Node<'a> {
    label: &'a str,
    leaves: Range<usize>,
    height: usize,
}

/// A depth-first walk that numbers leaves and fills in levels from below.
struct Walk<'a> {
    index: LeafIndex,
    /// The label right above each leaf.
    branch_of: Vec<&'a str>,
    levels: Vec<LeafPartition>,
    column: &'a str,
}

impl<'a> Walk<'a> {
    /// Walks everything under `branches`; the nodes returned still have to be settled.
    fn labels(&mut self, branches: &'a BTreeMap<String, TaxonomyBranch>) -> Result<Vec<Node<'a>>> {
        branches.iter().map(|(label, branch)| self.branch(label, branch)).collect()
    }

    fn branch(&mut self, label: &'a str, branch: &'a TaxonomyBranch) -> Result<Node<'a>> {
        let first = self.index.len();
        let height = match branch {
            TaxonomyBranch::Values(values) => {
                for value in values {
                    self.index.push(value).map_err(|earlier| {
                        Error::bad_hierarchy(format!(
                            "`tree` of column `{}` lists a value twice, under `{}` and `{label}`; remove one",
                            self.column, self.branch_of[earlier]
                        ))
                    })?;
                    self.branch_of.push(label);
                }
                1
            }
            TaxonomyBranch::Labels(branches) => {
                let nodes = self.labels(branches)?;
                let height = 1 + nodes.iter().map(|node| node.height).max().unwrap_or(0);
                self.settle(nodes, height);
                height
            }
        };
        Ok(Node { label, leaves: first..self.index.len(), height })
    }

    /// Makes each of `nodes` a block of the levels from its height to below `above`.
    fn settle(&mut self, nodes: Vec<Node<'a>>, above: usize) {
        for node in nodes {
            for level in node.height..above {
                while self.levels.len() < level {
                    self.levels.push(LeafPartition { blocks: Vec::new(), labels: Vec::new() });
                }
                let partition = &mut self.levels[level - 1];
                // A later, deeper branch may have settled before: its leaves lie to the right.
                if partition.blocks.len() < node.leaves.end {
                    partition.blocks.resize(node.leaves.end, 0);
                }
                partition.blocks[node.leaves.clone()].fill(partition.labels.len() as u32);
                partition.labels.push(node.label.to_owned());
            }
        }
    }
}

fn check(above: &str, branches: &BTreeMap<String, TaxonomyBranch>) -> Result<()> {
    let nothing = |label: &str| {
        Error::bad_hierarchy(format!("nothing stands under `{label}` of a hierarchy's `tree`; add values or remove it"))
    };
    if branches.is_empty() {
        return Err(nothing(above));
    }
    for (label, branch) in branches {
        if label.is_empty() {
            return Err(Error::bad_hierarchy(format!(
                "a label under `{above}` of a hierarchy's `tree` is empty; name it"
            )));
        }
        match branch {
            TaxonomyBranch::Values(values) if values.is_empty() => return Err(nothing(label)),
            TaxonomyBranch::Values(_) => {}
            TaxonomyBranch::Labels(branches) => check(label, branches)?,
        }
    }
    Ok(())
}

fn labels_from(labels: Map<String, Value>) -> Result<BTreeMap<String, TaxonomyBranch>> {
    let mut branches = BTreeMap::new();
    for (label, under) in labels {
        let branch = match under {
            Value::Object(labels) => Some(TaxonomyBranch::Labels(labels_from(labels)?)),
            Value::Array(values) => {
                let text = |value: &Value| value.as_str().map(str::to_owned);
                values.iter().map(text).collect::<Option<Vec<String>>>().map(TaxonomyBranch::Values)
            }
            _ => None,
        };
        let branch = branch.ok_or_else(|| {
            Error::bad_hierarchy(format!(
                "`{label}` of a hierarchy's `tree` must hold labels or a list of quoted values; \
                 write it like {label} = [\"a\", \"b\"]"
            ))
        })?;
        branches.insert(label, branch);
    }
    Ok(branches)
}

fn labels_to(branches: &BTreeMap<String, TaxonomyBranch>) -> Value {
    let under = |branch: &TaxonomyBranch| match branch {
        TaxonomyBranch::Values(values) => Value::from(values.clone()),
        TaxonomyBranch::Labels(branches) => labels_to(branches),
    };
    Value::Object(branches.iter().map(|(label, branch)| (label.clone(), under(branch))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::HierarchySpec;
    use crate::hierarchy::tests::labels;
    use crate::table::{ColumnDomain, Role};

    fn column(values: &[&str], missing: bool) -> Column {
        let domain = ColumnDomain::Category(values.iter().map(|&value| value.to_owned()).collect());
        Column::new("disease", Role::Sensitive, domain, missing, vec![0]).unwrap()
    }

    fn build(tree: &str, column: &Column) -> Result<Hierarchy> {
        let value: Value = serde_json::from_str(tree).unwrap();
        let mut options = Map::new();
        options.insert("tree".into(), value);
        HierarchySpec::from_value(Value::Object(options))?.build(column, std::path::Path::new(""))
    }

    const DISEASES: &str = r#"{ "Respiratory": ["flu", "bronchitis"],
        "Digestive": { "Upper": ["gastritis"], "Lower": ["colitis", "ileus"] } }"#;

    #[test]
    fn shorter_branches_repeat_their_label() {
        let column = column(&["bronchitis", "colitis", "flu", "gastritis"], false);
        let hierarchy = build(DISEASES, &column).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["Lower", "Upper", "Respiratory"]);
        assert_eq!(labels(&hierarchy, 2), ["Digestive", "Respiratory"]);
        assert_eq!(labels(&hierarchy, 3), ["*"]);
        // Labels by their text, values as written: colitis, gastritis, flu, bronchitis.
        assert_eq!(hierarchy.order(), [1, 3, 2, 0]);
    }

    #[test]
    fn values_that_the_table_lacks_are_leaves_too() {
        let hierarchy = build(DISEASES, &column(&["colitis", "flu"], true)).unwrap();
        assert_eq!(hierarchy.leaves(1, 0), 2);
        assert_eq!(hierarchy.leaf_count(), 6);
        assert_eq!(labels(&hierarchy, 2), ["Digestive", "Respiratory", "(missing)"]);
        assert_eq!(hierarchy.leaves(3, 0), 6);
    }

    #[test]
    fn a_label_waits_for_its_highest_branch() {
        let tree = r#"{ "A": { "B": ["x"], "C": { "D": ["y"], "E": ["z"] } } }"#;
        let hierarchy = build(tree, &column(&["x", "y", "z"], true)).unwrap();
        assert_eq!(labels(&hierarchy, 1), ["B", "D", "E", "(missing)"]);
        assert_eq!(labels(&hierarchy, 2), ["B", "C", "(missing)"]);
        assert_eq!(labels(&hierarchy, 3), ["A"]);
        assert_eq!(hierarchy.levels(), 4);
        assert_eq!(hierarchy.leaves(3, 0), 4);
    }

    #[test]
    fn values_not_covered_are_counted() {
        let message = build(DISEASES, &column(&["ague", "flu", "gout"], false)).unwrap_err().to_string();
        assert_eq!(message, "`tree` lacks 2 of the 3 values of column `disease`; add them or mask the column instead");
    }

    #[test]
    fn values_and_labels_listed_twice_are_refused() {
        let column = column(&["a", "b"], false);
        let message = build(r#"{ "X": ["a"], "Y": ["b", "a"] }"#, &column).unwrap_err().to_string();
        assert_eq!(message, "`tree` of column `disease` lists a value twice, under `X` and `Y`; remove one");
        let message = build(r#"{ "P": { "U": ["a"] }, "Q": { "U": ["b"] } }"#, &column).unwrap_err().to_string();
        assert_eq!(message, "`tree` of column `disease` has two labels `U` on level 1; rename one");
    }

    #[test]
    fn empty_and_malformed_branches_are_refused() {
        for tree in ["{}", r#"{ "A": [] }"#, r#"{ "A": {} }"#, r#"{ "": ["x"] }"#, r#"{ "A": "x" }"#, r#"{ "A": [1] }"#]
        {
            assert!(build(tree, &column(&["x"], false)).is_err(), "{tree}");
        }
    }
}
