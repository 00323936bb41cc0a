//! What the paper found, and whether it is so here.

use super::measure::{Data, Measured};
use super::{L, LS, PUBLISHERS};

/// Errors differ by at most this share of the larger one where they are called close.
const CLOSE: f64 = 0.15;

/// How many times longer than in proportion a publisher may take for the largest table and still be near linear.
const NEAR_LINEAR: f64 = 1.3;

/// A finding of the paper.
pub struct Finding {
    /// What it says.
    pub claim: String,
    /// By table, whether it is so.
    pub holds: Vec<(&'static str, bool)>,
    /// The numbers that it is judged by.
    pub numbers: String,
}

/// All findings on errors and times.
pub fn findings(tables: &[Data], measured: &Measured) -> Vec<Finding> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let usual = |table: &str, publisher: &str| measured.at(11, table, publisher, L as f64).unwrap_or(f64::NAN);
    let mut all = Vec::new();
    let mut add = |claim: &str, holds: &dyn Fn(&'static str) -> bool, numbers: &dyn Fn(&'static str) -> String| {
        let holds: Vec<(&'static str, bool)> = tables.iter().map(|data| (data.name, holds(data.name))).collect();
        let numbers: Vec<String> = tables.iter().map(|data| format!("{}: {}", data.name, numbers(data.name))).collect();
        all.push(Finding { claim: claim.to_owned(), holds, numbers: numbers.join("; ") });
    };
    let at_l = |table: &str, publisher: &str, l: u64| measured.at(11, table, publisher, l as f64).unwrap_or(f64::NAN);
    let everywhere = |claim: &dyn Fn(u64) -> bool| LS.iter().all(|&l| claim(l));
    let listed = |table: &'static str| {
        PUBLISHERS.map(|publisher| format!("{publisher} {}", percent(usual(table, publisher)))).join(", ")
    };
    add(
        "The error of every method grows with l (Figure 11)",
        &|table| PUBLISHERS.iter().all(|publisher| rises(measured.points(11, table, publisher))),
        &|table| {
            let falling = PUBLISHERS.iter().filter(|publisher| !rises(measured.points(11, table, publisher)));
            let names: Vec<&str> = falling.copied().collect();
            if names.is_empty() { "all do".to_owned() } else { format!("not always: {}", names.join(", ")) }
        },
    );
    add(
        "Hybrid and Mondrian have the smallest errors at every l",
        &|table| {
            everywhere(&|l| {
                let most = at_l(table, "hybrid", l).max(at_l(table, "mondrian", l));
                ["tailor", "ace", "mask"].iter().all(|other| at_l(table, other, l) >= most)
            })
        },
        &|table| format!("at l = {L}: {}", listed(table)),
    );
    add(
        "Hybrid and Mondrian are close to each other (within 15 % of the larger error) at l = 8",
        &|table| {
            let (a, b) = (usual(table, "hybrid"), usual(table, "mondrian"));
            (a - b).abs() <= CLOSE * a.max(b)
        },
        &|table| format!("hybrid {}, mondrian {}", percent(usual(table, "hybrid")), percent(usual(table, "mondrian"))),
    );
    add(
        "Hybrid and Mondrian are below 10 % at the defaults",
        &|table| usual(table, "hybrid") < 0.1 && usual(table, "mondrian") < 0.1,
        &|table| format!("hybrid {}, mondrian {}", percent(usual(table, "hybrid")), percent(usual(table, "mondrian"))),
    );
    for other in ["mask", "tailor", "ace"] {
        add(
            &format!("{} has a larger error than Hybrid at every l", capitalised(other)),
            &|table| everywhere(&|l| at_l(table, other, l) > at_l(table, "hybrid", l)),
            &|table| {
                let pair =
                    |l: u64| format!("{} and {}", percent(at_l(table, other, l)), percent(at_l(table, "hybrid", l)));
                format!("{other} and hybrid {} at l = {}, {} at l = {}", pair(LS[0]), LS[0], pair(LS[4]), LS[4])
            },
        );
    }
    let ace = |table: &str| usual(table, "ace");
    let names: Vec<&'static str> = tables.iter().map(|data| data.name).collect();
    if let [occ, sal] = names[..] {
        add("Ace does worse on SAL than on OCC at l = 8", &|_| ace(sal) > ace(occ), &|table| percent(ace(table)));
    }
    for (figure, what) in [(12, "dimensionality (Figure 12)"), (13, "expected selectivity (Figure 13)")] {
        add(
            &format!("The error of every method falls with {what}"),
            &|table| PUBLISHERS.iter().all(|publisher| falls(measured.points(figure, table, publisher))),
            &|table| {
                let rising = PUBLISHERS.iter().filter(|publisher| !falls(measured.points(figure, table, publisher)));
                let names: Vec<&str> = rising.copied().collect();
                if names.is_empty() { "all do".to_owned() } else { format!("not always: {}", names.join(", ")) }
            },
        );
    }
    let growth = |table: &str, publisher: &str| {
        let points = measured.points(14, table, publisher);
        let (first, last) =
            (points.first().copied().unwrap_or((1.0, 1.0)), points.last().copied().unwrap_or((1.0, 1.0)));
        (last.1 / first.1) / (last.0 / first.0)
    };
    let growths = |table: &'static str| {
        PUBLISHERS.map(|publisher| format!("{publisher} {:.2}", growth(table, publisher))).join(", ")
    };
    add(
        "All but Mask take near linear time in n (Figure 14): the largest table takes at most 1.3 times as long as in proportion to the smallest",
        &|table| {
            let others = PUBLISHERS.iter().filter(|publisher| **publisher != "mask");
            others.clone().all(|publisher| growth(table, publisher) <= NEAR_LINEAR)
        },
        &|table| format!("times in proportion: {}", growths(table)),
    );
    add("Mask takes more than linear time in n", &|table| growth(table, "mask") > NEAR_LINEAR, &|table| {
        format!("{:.2} times as long as in proportion", growth(table, "mask"))
    });
    let largest =
        |table: &str, publisher: &str| measured.points(14, table, publisher).last().copied().unwrap_or_default();
    add(
        "Hybrid anonymizes nearly ten million rows within five minutes",
        &|table| largest(table, "hybrid").1 < 300.0,
        &|table| format!("{:.0} rows in {:.1} s", largest(table, "hybrid").0, largest(table, "hybrid").1),
    );
    add(
        "Hybrid takes longer than Mondrian",
        &|table| largest(table, "hybrid").1 > largest(table, "mondrian").1,
        &|table| {
            format!(
                "{:.2} s and {:.2} s for the largest table",
                largest(table, "hybrid").1,
                largest(table, "mondrian").1
            )
        },
    );
    let ends = |table: &str, publisher: &str| {
        let points = measured.points(15, table, publisher);
        (points.first().map_or(f64::NAN, |point| point.1), points.last().map_or(f64::NAN, |point| point.1))
    };
    for publisher in ["tailor", "hybrid"] {
        add(
            &format!("The time of {} falls as l grows (Figure 15)", capitalised(publisher)),
            &|table| ends(table, publisher).1 < ends(table, publisher).0,
            &|table| {
                let (first, last) = ends(table, publisher);
                format!("{first:.3} s at l = {}, {last:.3} s at l = {}", LS[0], LS[4])
            },
        );
    }
    all
}

/// Whether values never fall along the axis.
fn rises(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|pair| pair[0].1 <= pair[1].1)
}

/// Whether values never rise along the axis.
fn falls(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|pair| pair[0].1 >= pair[1].1)
}

/// A publisher's name at the beginning of a sentence.
pub fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_rise_or_fall_when_no_step_goes_the_other_way() {
        let up = [(1.0, 1.0), (2.0, 1.0), (3.0, 2.0)];
        assert!(rises(&up) && !falls(&up));
        let down = [(1.0, 2.0), (2.0, 1.0)];
        assert!(falls(&down) && !rises(&down));
        assert_eq!(capitalised("mask"), "Mask");
    }
}
