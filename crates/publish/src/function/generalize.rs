//! Generalization: every quasi value of a group is replaced by what the group has in common.
//!
//! `mbr` shows the tightest interval of a number or date and the set of the categories that occur; `hierarchy` shows the
//! lowest label that covers the whole group.

use std::collections::BTreeMap;

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::notation::{interval, quoted, set};
use pellucid_model::partition::Partition;
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};
use pellucid_model::table::{Column, ColumnType, DistinctCodes, MISSING, Role, Table};
use rayon::prelude::*;

use super::lines::{DistinctCells, GroupCells, arrange};
use super::support::cells_of_classes;
use super::{CellSupport, Function, FunctionInput, GroupLabelling, JoinRule, ReleaseSupport, ReleasedTables, SpanRule};
use pellucid_model::table::ReleasedColumn;

/// Minimum bounding rectangles.
pub const MBR: RegistryEntry<dyn Function> = RegistryEntry {
    id: "mbr",
    summary: "tightest intervals of numbers and dates, sets of the categories that occur",
    reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, section 2.1",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Cells(CellForm::Boxes)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Generalize::Mbr)),
};

/// Labels of hierarchies.
pub const HIERARCHY: RegistryEntry<dyn Function> = RegistryEntry {
    id: "hierarchy",
    summary: "the lowest label of each column's hierarchy that covers the whole group",
    reference: "Samarati: Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Cells(CellForm::Labels)],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Generalize::Hierarchy)),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generalize {
    Mbr,
    Hierarchy,
}

/// What a group shows of one column; ordered as lines are.
type Key = Vec<u32>;

impl Function for Generalize {
    /// Boxes of two groups that a publisher cuts along axes are equal only where all their people are.
    fn joins(&self) -> JoinRule {
        if *self == Self::Mbr { JoinRule::EqualPeople } else { JoinRule::EqualCells }
    }

    fn accepts(&self, table: &Table, hierarchies: &[Option<Hierarchy>]) -> Result<()> {
        if *self == Self::Mbr {
            return Ok(());
        }
        let lacking = table.columns().iter().zip(hierarchies);
        let mut lacking = lacking.filter(|(column, hierarchy)| column.role() == Role::Quasi && hierarchy.is_none());
        lacking.next().map_or(Ok(()), |(column, _)| {
            Err(Error::invalid(format!(
                "column `{}` has no hierarchy; give it one or use function = \"mbr\"",
                column.name()
            )))
        })
    }

    fn show(&self, scene: FunctionInput<'_>) -> Result<ReleasedTables> {
        if scene.granulation.is_none() {
            self.accepts(scene.table, scene.hierarchies)?;
        }
        let quasi: Vec<_> = scene.labellings().collect();
        let faces = quasi.par_iter().map(|&(column, labelling)| {
            let (labels, of_group) = labels(column, labelling.filter(|_| *self == Self::Hierarchy), scene.groups);
            GroupCells { cells: DistinctCells::Labels(labels), of_group }
        });
        let reach = if *self == Self::Hierarchy { SpanRule::Label } else { SpanRule::Rows };
        Ok(arrange(scene, faces.collect(), reach))
    }

    /// A box stands for the values between its ends, or for the categories that it lists; a label for all values under the nodes
    /// that bear it.
    fn spread(&self, scene: FunctionInput<'_>, exhibit: &ReleasedTables) -> ReleaseSupport {
        let quasi: Vec<_> = scene.labellings().collect();
        let spreads = quasi.par_iter().map(|&(column, labelling)| {
            if let Some(labelling) = labelling.filter(|_| *self == Self::Hierarchy) {
                let (shown, cells) = cells_of_classes(exhibit, column.name());
                let ReleasedColumn::Labels { labels, .. } = shown else { unreachable!("generalization shows labels") };
                return CellSupport::collect(cells, |&cell| codes_under(labelling.hierarchy(), &labels[cell as usize]));
            }
            let mut distinct = DistinctCodes::default();
            let boxes = exhibit.classes.iter().map(|rows| bounds(column, distinct.of(column, rows)));
            CellSupport::collect(boxes, |key| codes_within(column, key))
        });
        ReleaseSupport { columns: spreads.collect(), by_line: false }
    }

    fn covers(&self, scene: FunctionInput<'_>, class: &[u32], row: u32) -> bool {
        let with = [class, &[row]].concat();
        scene.labellings().all(|(column, labelling)| {
            let mut distinct = DistinctCodes::default();
            let (mut of_class, mut of_both) =
                (distinct.of(column, class).to_vec(), distinct.of(column, &with).to_vec());
            if let Some(labelling) = labelling.filter(|_| *self == Self::Hierarchy) {
                if matches!(labelling, GroupLabelling::Level(_)) {
                    // One row stands for the class, the other for itself.
                    (of_class, of_both) = (vec![column.code(class[0] as usize)], vec![column.code(row as usize)]);
                }
                let label =
                    |codes: &[u32]| labelling.node(codes).map(|(level, node)| labelling.hierarchy().label(level, node));
                return label(&of_class) == label(&of_both);
            }
            bounds(column, &of_class) == bounds(column, &of_both)
        })
    }
}

/// The labels of a column in the order of lines, and for each group the index of its label; boxes without `labelling`.
fn labels(column: &Column, labelling: Option<GroupLabelling<'_>>, groups: &Partition) -> (Vec<String>, Vec<u32>) {
    let mut known: BTreeMap<Key, u32> = BTreeMap::new();
    let mut codes = Vec::with_capacity(groups.len());
    let mut distinct = DistinctCodes::default();
    for rows in groups.iter() {
        // All rows of a group that was made by levels have the same label.
        let rows = if matches!(labelling, Some(GroupLabelling::Level(_))) { &rows[..1] } else { rows };
        let distinct = distinct.of(column, rows);
        let key = match labelling {
            Some(labelling) => label_key(labelling, distinct),
            None => bounds(column, distinct),
        };
        let next = known.len() as u32;
        codes.push(*known.entry(key).or_insert(next));
    }
    // Nodes that bear the same text are one label: the public cannot tell them apart.
    let mut texts: BTreeMap<String, (Key, Vec<u32>)> = BTreeMap::new();
    for (key, at) in known {
        let text = match labelling {
            Some(labelling) => labelling.hierarchy().label(key[1] as usize, key[2]).to_owned(),
            None => box_label(column, &key),
        };
        texts.entry(text).or_insert((key, Vec::new())).1.push(at);
    }
    if let Some(hierarchy) = labelling.map(GroupLabelling::hierarchy) {
        // The place of a label is that of the first node that bears it, whether or not a group shows that node.
        for level in 0..hierarchy.levels() {
            for node in 0..hierarchy.nodes(level) as u32 {
                if let Some((key, _)) = texts.get_mut(hierarchy.label(level, node)) {
                    *key = std::mem::take(key).min(node_key(hierarchy, level, node));
                }
            }
        }
    }
    let mut texts: Vec<(String, (Key, Vec<u32>))> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.0.cmp(&b.1.0));
    let mut rank = vec![0; codes.iter().max().map_or(0, |&last| last as usize + 1)];
    let mut labels = Vec::with_capacity(texts.len());
    for (place, (text, (_, alike))) in texts.into_iter().enumerate() {
        for at in alike {
            rank[at as usize] = place as u32;
        }
        labels.push(text);
    }
    for code in &mut codes {
        *code = rank[*code as usize];
    }
    (labels, codes)
}

/// The key of the label of a group.
fn label_key(labelling: GroupLabelling<'_>, distinct: &[u32]) -> Key {
    let (level, node) = labelling.node(distinct).expect("groups have rows");
    node_key(labelling.hierarchy(), level, node)
}

/// `[first code under the node, level, node]`; the order of labels.
fn node_key(hierarchy: &Hierarchy, level: usize, node: u32) -> Key {
    let first = hierarchy.codes(level, node).iter().min().copied().unwrap_or(0);
    vec![first, level as u32, node]
}

/// Categories: all codes that occur. Numbers and dates: the smallest, the largest and, when a cell is missing, its code.
fn bounds(column: &Column, distinct: &[u32]) -> Key {
    if column.domain().kind() == ColumnType::Category {
        return distinct.to_vec();
    }
    let present: &[u32] = match column.missing() {
        Some(missing) if distinct.last() == Some(&missing) => &distinct[..distinct.len() - 1],
        _ => distinct,
    };
    let mut key: Key = present.first().into_iter().chain(present.last()).copied().collect();
    key.extend(&distinct[present.len()..]);
    key
}

/// The codes that a box may stand for, ascending.
fn codes_within(column: &Column, key: &[u32]) -> Vec<u32> {
    match *key {
        _ if column.domain().kind() == ColumnType::Category => key.to_vec(),
        [low, high] => (low..=high).collect(),
        [low, high, missing] => (low..=high).chain([missing]).collect(),
        _ => key.to_vec(),
    }
}

/// The codes under all nodes that bear `text`, ascending.
fn codes_under(hierarchy: &Hierarchy, text: &str) -> Vec<u32> {
    let levels =
        (0..hierarchy.levels()).flat_map(|level| (0..hierarchy.nodes(level) as u32).map(move |node| (level, node)));
    let alike = levels.filter(|&(level, node)| hierarchy.label(level, node) == text);
    let mut codes: Vec<u32> = alike.flat_map(|(level, node)| hierarchy.codes(level, node)).copied().collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn box_label(column: &Column, key: &[u32]) -> String {
    let text = |code: u32| quoted(&column.text(code));
    if column.domain().kind() == ColumnType::Category {
        return match key {
            [only] => text(*only),
            several => set(&several.iter().map(|&code| text(code)).collect::<Vec<_>>()),
        };
    }
    let span = |low: u32, high: u32| if low == high { text(low) } else { interval(&text(low), &text(high)) };
    match *key {
        [low, high] => span(low, high),
        [low, high, _] => set(&[span(low, high), MISSING.to_owned()]),
        _ => MISSING.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use pellucid_model::hierarchy::HierarchySpec;
    use pellucid_model::table::ColumnDomain;

    use super::*;

    /// The lines shown of groups of the codes of `a, b, c, d`, and the number of classes.
    fn shown(groups: &[&[u32]]) -> (Vec<String>, usize) {
        let domain = ColumnDomain::Category(["a", "b", "c", "d"].map(str::to_owned).to_vec());
        let rows: Vec<u32> = (0..groups.iter().map(|group| group.len() as u32).sum()).collect();
        let codes: Vec<u32> = groups.concat();
        let quasi = Column::new("q", Role::Quasi, domain, false, codes).unwrap();
        // X joins a and c on level 1, b and d on level 2.
        let spec = serde_json::json!({ "tree": { "P": { "X": ["a", "c"] }, "X": { "Y": ["b"], "Z": ["d"] } } });
        let hierarchy = HierarchySpec::from_value(spec).unwrap().build(&quasi, std::path::Path::new(".")).unwrap();
        let sensitive = ColumnDomain::Category(vec!["s".to_owned()]);
        let sensitive = Column::new("s", Role::Sensitive, sensitive, false, vec![0; rows.len()]).unwrap();
        let table = Table::new(vec![quasi, sensitive]).unwrap();
        let mut made = Partition::default();
        let mut next = rows.into_iter();
        for group in groups {
            next.by_ref().take(group.len()).for_each(|row| made.push_row(row));
            made.close();
        }
        let hierarchies = [Some(hierarchy), None];
        let scene = FunctionInput {
            table: &table,
            hierarchies: &hierarchies,
            groups: &made,
            granulation: None,
            statistics: &[None, None],
        };
        let exhibit = Generalize::Hierarchy.show(scene).unwrap();
        let ReleasedColumn::Labels { labels, codes } = &exhibit.sheets[0].columns[0].1 else {
            panic!("labels are shown")
        };
        let lines = codes.iter().map(|code| labels[code as usize].clone()).collect();
        (lines, exhibit.classes.len())
    }

    #[test]
    fn nodes_of_the_same_text_are_one_class() {
        let (lines, classes) = shown(&[&[0, 2], &[1, 3]]);
        assert_eq!(lines, ["X", "X", "X", "X"]);
        assert_eq!(classes, 1);
    }

    #[test]
    fn the_place_of_a_label_does_not_depend_on_the_node_behind_it() {
        // `a` comes first by its code, the label X of `b` and `d` by the node of `a` and `c` that bears it too.
        assert_eq!(shown(&[&[1, 3], &[0]]), (["a", "X", "X"].map(str::to_owned).to_vec(), 2));
        assert_eq!(shown(&[&[0, 2], &[1]]), (["X", "X", "b"].map(str::to_owned).to_vec(), 2));
        assert_eq!(shown(&[&[1, 3], &[1]]), (["X", "X", "b"].map(str::to_owned).to_vec(), 2));
    }
}
