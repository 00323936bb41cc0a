//! The worked examples of Xiao, Tao, Koudas, "Transparent Anonymization", TODS 2010, on the literal twins.
//!
//! DIFFERENCE: Example 6 says "two tuples having bronchitis"; it is gastritis that two tuples have.
//! DIFFERENCE: Example 2 needs groups with disjoint boxes; with "equal quasi-identifiers stay together" alone, Table III
//! is never published.

use std::collections::BTreeMap;

use pellucid_model::exact::{Fraction, fraction};
use pellucid_testkit::adversary::{Belief, belief_about, beliefs, beliefs_of_multiset, worst_risk};
use pellucid_testkit::instance::{Group, Instance, Output, certainly, publish};
use pellucid_testkit::literal::ace::ValueOrder;
use pellucid_testkit::literal::assign::{Bucket, Choice, LabelledRow, assign};
use pellucid_testkit::literal::opt_gen::Ties;
use pellucid_testkit::literal::tailor::{share_robust, tailor_partition};
use pellucid_testkit::mechanism::{Ace, BrokenAce, Hybrid, Mechanism, Mondrian, OptGen, Setting, Tailor};
use pellucid_testkit::person::{Person, extents};

const BRONCHITIS: u32 = 0;
const DIABETES: u32 = 1;
const DYSPEPSIA: u32 = 2;
const FLU: u32 = 3;
const GASTRITIS: u32 = 4;

const ANN: usize = 0;
const BOB: usize = 1;
const CATE: usize = 2;
const DON: usize = 3;
const ED: usize = 4;
const FRED: usize = 5;
const GILL: usize = 6;
const HERA: usize = 7;

/// The eight people of Table I.
fn people() -> Vec<Person> {
    let quasi = [
        [21, 10_000],
        [27, 18_000],
        [32, 35_000],
        [32, 35_000],
        [54, 60_000],
        [60, 63_000],
        [60, 63_000],
        [60, 63_000],
    ];
    (0..).zip(quasi).map(|(id, quasi)| Person::new(id, quasi)).collect()
}

/// The voter list of Table II: the eight people and Bruce, who comes last here but between Bob and Cate by name.
fn voters() -> Vec<Person> {
    let mut voters = people();
    for person in &mut voters[CATE..] {
        person.id += 1;
    }
    voters.push(Person::new(2, [29, 19_000]));
    voters
}

/// Table I.
fn t1() -> Instance {
    Instance::of_all(&[DYSPEPSIA, FLU, GASTRITIS, BRONCHITIS, GASTRITIS, FLU, DYSPEPSIA, DIABETES])
}

/// Table IV.
fn t3() -> Instance {
    Instance::of_all(&[DYSPEPSIA, FLU, GASTRITIS, GASTRITIS, BRONCHITIS, FLU, DYSPEPSIA, DIABETES])
}

/// Table VIII.
fn t5() -> Instance {
    Instance::of_all(&[DYSPEPSIA, FLU, GASTRITIS, GASTRITIS, FLU, BRONCHITIS, DYSPEPSIA, DIABETES])
}

/// Table XI.
fn t8() -> Instance {
    Instance::of_all(&[FLU, DYSPEPSIA, GASTRITIS, GASTRITIS, DYSPEPSIA, BRONCHITIS, FLU, DIABETES])
}

type Interval = (i64, i64);

/// Rows of a printed table: age, zip code in thousands, diseases of the rows that share them.
fn printed(rows: &[(Interval, Interval, &[u32])]) -> Output {
    let mut output: Output = Vec::new();
    for &(age, zip, diseases) in rows {
        let bounds = vec![age, (zip.0 * 1000, zip.1 * 1000)];
        output.extend(diseases.iter().map(|&disease| (bounds.clone(), disease)));
    }
    output.sort();
    output
}

fn table_3() -> Output {
    printed(&[
        ((21, 27), (10, 18), &[DYSPEPSIA, FLU]),
        ((32, 32), (35, 35), &[GASTRITIS, BRONCHITIS]),
        ((54, 60), (60, 63), &[GASTRITIS, FLU, DYSPEPSIA, DIABETES]),
    ])
}

fn table_9() -> Output {
    printed(&[
        ((21, 32), (10, 35), &[DYSPEPSIA, FLU, GASTRITIS, GASTRITIS]),
        ((54, 60), (60, 63), &[FLU, BRONCHITIS]),
        ((60, 60), (63, 63), &[DYSPEPSIA, DIABETES]),
    ])
}

fn table_10() -> Output {
    printed(&[
        ((21, 27), (10, 18), &[DYSPEPSIA, FLU]),
        ((54, 60), (60, 63), &[DYSPEPSIA, FLU]),
        ((32, 60), (35, 63), &[GASTRITIS, BRONCHITIS, DIABETES, GASTRITIS]),
    ])
}

fn setting() -> Setting {
    Setting::new(2, extents(&people()))
}

#[test]
fn example_2_opt_gen_gives_ed_away() {
    let opt_gen = OptGen { l: 2, disjoint: true, ties: Ties::First };
    assert_eq!(opt_gen.outputs(&voters(), &t1()), certainly(Some(table_3())));
    let belief = belief_about(&opt_gen, &voters(), &table_3()).unwrap();
    assert_eq!(belief.instances, 24);
    assert_eq!(belief.posterior[ED], BTreeMap::from([(GASTRITIS, Fraction::ONE)]));
}

#[test]
fn example_4_tailor_publishes_table_9() {
    let groups = tailor_partition(&people(), &t5(), &extents(&people()), &share_robust(2, None)).unwrap();
    let names: Vec<Vec<usize>> = groups.iter().map(|group| group.iter().map(|row| row.0).collect()).collect();
    assert_eq!(names, [vec![ANN, BOB, CATE, DON], vec![ED, FRED], vec![GILL, HERA]]);
    assert_eq!(publish(&people(), &groups), table_9());
}

#[test]
fn example_5_tailor_publishes_table_9_for_the_isomorphic_table_4() {
    let tailor = Tailor(setting());
    assert_eq!(tailor.outputs(&people(), &t3()), certainly(Some(table_9())));
    assert_eq!(tailor.outputs(&people(), &t5()), certainly(Some(table_9())));
    let belief = belief_about(&tailor, &people(), &table_9()).unwrap();
    // 4!/2! * 2! * 2! arrangements within the three groups.
    assert_eq!((belief.instances, belief.max_risk()), (48, fraction(1, 2u8)));
    let belief = belief_about(&tailor, &voters(), &table_9()).unwrap();
    assert_eq!((belief.instances, belief.max_risk()), (192, fraction(1, 2u8)));
}

#[test]
fn example_6_assign_makes_the_buckets_of_figure_4() {
    let rows: Vec<LabelledRow> = t5().rows().iter().map(|row| (row.0, (row.1, 0))).collect();
    let order: Vec<(u32, u32)> = (0..5).map(|value| (value, 0)).collect();
    let outcomes = assign(&rows, 2, &order, Choice::Random);
    let bucket = |people: &[usize]| -> Bucket { people.iter().map(|&person| rows[person]).collect() };
    let first = bucket(&[ANN, BOB, ED, GILL]);
    let half = fraction(1, 2u8);
    let expected = BTreeMap::from([
        (vec![first.clone(), bucket(&[DON, FRED]), bucket(&[CATE, HERA])], half.clone()),
        (vec![first, bucket(&[CATE, FRED]), bucket(&[DON, HERA])], half),
    ]);
    assert_eq!(outcomes, expected);
}

#[test]
fn example_6_ace_publishes_table_10() {
    let ace = Ace(setting());
    // Both outcomes of Assign publish the same rows: B2 and B3 have one box.
    assert_eq!(ace.outputs(&people(), &t5()), certainly(Some(table_10())));
    // Lemma 6: the symmetric table of Figure 9 has the same releases.
    assert_eq!(ace.outputs(&people(), &t8()), certainly(Some(table_10())));
    let belief = belief_about(&ace, &people(), &table_10()).unwrap();
    assert_eq!((belief.weight.clone(), belief.max_risk()), (fraction(96, 1u8), fraction(1, 2u8)));
}

#[test]
fn section_3_3_hybrid_splits_the_first_group_of_table_9() {
    let output = printed(&[
        ((21, 32), (10, 35), &[DYSPEPSIA, GASTRITIS]),
        ((27, 32), (18, 35), &[FLU, GASTRITIS]),
        ((54, 60), (60, 63), &[FLU, BRONCHITIS]),
        ((60, 60), (63, 63), &[DYSPEPSIA, DIABETES]),
    ]);
    assert_eq!(Hybrid(setting()).outputs(&people(), &t5()), certainly(Some(output)));
}

/// People with these values on one attribute.
fn line(values: &[i64]) -> Vec<Person> {
    (0..).zip(values).map(|(id, &value)| Person::new(id, [value])).collect()
}

/// The largest risk over all arrangements of a multiset of values among everyone.
fn worst_over_multiset(mechanism: &dyn Mechanism, external: &[Person], values: &[u32]) -> Fraction {
    let beliefs = beliefs_of_multiset(mechanism, external, values);
    beliefs.values().map(Belief::max_risk).max().unwrap_or(Fraction::ZERO)
}

#[test]
fn smallest_violations() {
    let mondrian = |external: &[Person]| Mondrian { l: 2, norm: extents(external) };
    let six = line(&[0, 0, 0, 0, 1, 1]);
    assert_eq!(worst_over_multiset(&mondrian(&six), &six, &[0, 0, 1, 2, 3, 4]), Fraction::ONE);
    let plane = [[1, 1], [3, 1], [1, 0], [0, 0], [3, 0]];
    let plane: Vec<Person> = (0..).zip(plane).map(|(id, quasi)| Person::new(id, quasi)).collect();
    assert_eq!(worst_over_multiset(&mondrian(&plane), &plane, &[0, 0, 1, 2, 3]), Fraction::ONE);

    let five = line(&[0, 0, 1, 2, 2]);
    let opt_gen = OptGen { l: 2, disjoint: true, ties: Ties::First };
    assert_eq!(worst_over_multiset(&opt_gen, &five, &[0, 0, 1, 2, 3]), Fraction::ONE);

    let four = line(&[0, 1, 1, 1]);
    let setting = Setting::new(2, [1]);
    let by_id = BrokenAce { setting: setting.clone(), order: ValueOrder::Public, choice: Choice::First };
    assert_eq!(worst_over_multiset(&by_id, &four, &[0, 0, 1, 2]), Fraction::ONE);
    let five = line(&[0, 1, 1, 1, 1]);
    let appearance = BrokenAce { setting: setting.clone(), order: ValueOrder::FirstAppearance, choice: Choice::Random };
    assert_eq!(worst_over_multiset(&appearance, &five, &[0, 0, 1, 2, 3]), Fraction::ONE);

    // On the same people the transparent algorithms keep to one half.
    for (external, values) in [(&four, &[0, 0, 1, 2][..]), (&five, &[0, 0, 1, 2, 3]), (&six, &[0, 0, 1, 2, 3, 4])] {
        assert!(worst_over_multiset(&Tailor(setting.clone()), external, values) <= fraction(1, 2u8));
        assert!(worst_over_multiset(&Ace(setting.clone()), external, values) <= fraction(1, 2u8));
        assert!(worst_over_multiset(&Hybrid(setting.clone()), external, values) <= fraction(1, 2u8));
    }
}

#[test]
fn rows_in_the_order_of_identifiers_give_everyone_away() {
    // A mechanism that numbers the rows of its only group: two people suffice.
    let numbered = |_: &[Person], instance: &Instance| {
        let rows: Group = instance.rows().to_vec();
        let mut values: Vec<u32> = rows.iter().map(|row| row.1).collect();
        values.dedup();
        if values.len() < rows.len() {
            return certainly(None);
        }
        certainly(Some(rows.iter().map(|row| (vec![(row.0 as i64, row.0 as i64)], row.1)).collect()))
    };
    assert_eq!(worst_risk(&beliefs(&numbered, &line(&[0, 0]), 2, 0)), Fraction::ONE);
}
