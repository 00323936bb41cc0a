//! Made-up releases and comparisons, for examples and tests; no figure in them was measured.

use std::collections::BTreeMap;

use pellucid_inference::belief::UnitInterval;
use pellucid_inference::estimate::HighestProbability;
use pellucid_inference::verdict::{CountRange, Verdict, VerdictBasis};
use pellucid_model::manifest::{
    MANIFEST_FORMAT, Manifest, MeasuredPrinciple, PublishedColumn, PublishedFile, PublishedFunction, PublishedGrain,
    PublishedMechanism, PublishedPrinciple, PublishedSearch, PublishedSequence,
};
use pellucid_model::promise::PromiseClass;
use pellucid_model::table::{ColumnType, Role};
use pellucid_report::{
    ColumnLine, ComparedMethod, ComparisonPage, InternalFacts, MethodFigures, MethodOutcome, MetricLine, ReleaseReport,
    ReportNumber, RiskLine, RiskTable, WorkloadLine,
};

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn column(name: &str, role: Role, kind: ColumnType) -> PublishedColumn {
    let (protect, aggregate, hierarchy) = (None, None, None);
    PublishedColumn {
        name: name.to_owned(),
        role,
        kind,
        hierarchy,
        protect,
        aggregate,
        missing: Vec::new(),
        lost: None,
    }
}

fn fraction(above: u32, below: u32) -> ReportNumber {
    ReportNumber { exact: Some(format!("{above}/{below}")), decimal: f64::from(above) / f64::from(below) }
}

/// A release that may be published.
pub fn transparent() -> Manifest {
    let file = |name: &str, bytes| PublishedFile {
        name: name.to_owned(),
        blake3: "9f2c4b7a1e60d85377c1f0ab24e9d6308b5f1c72e4a9063d8f17b2c5a0e49d31".to_owned(),
        bytes,
    };
    Manifest {
        format: MANIFEST_FORMAT,
        made_by: "pellucid 0.1.0".to_owned(),
        for_publication: true,
        caveat: None,
        not_transparent: None,
        earlier_result: None,
        rows: 30_162,
        left_out: 0,
        classes: 6_204,
        columns: vec![
            column("age", Role::Quasi, ColumnType::Integer),
            column("sex", Role::Quasi, ColumnType::Category),
            column("marital_status", Role::Quasi, ColumnType::Category),
            column("education", Role::Quasi, ColumnType::Category),
            column("occupation", Role::Sensitive, ColumnType::Category),
        ],
        group_column: None,
        privacy: vec![PublishedPrinciple {
            principle: "frequency-l-diversity".to_owned(),
            parameters: map(&[("l", "3")]),
            means: "at most 1/3 of a group shares a value".to_owned(),
        }],
        mechanism: PublishedMechanism {
            publisher: "hybrid".to_owned(),
            publisher_reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010".to_owned(),
            publisher_parameters: BTreeMap::new(),
            function: "mbr".to_owned(),
            function_reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, section 2.1".to_owned(),
            sequence: None,
            search: None,
            levels: None,
            altered: None,
            promise: Some(PromiseClass::RandomWorlds),
            ties: "by all quasi columns in order, then at random".to_owned(),
            randomness: "the operating system".to_owned(),
            guarantee: "holds against an adversary who knows this file, the algorithm and the quasi-identifiers of everyone, and \
                        holds every assignment of sensitive values to people equally likely beforehand"
                .to_owned(),
        },
        measured: vec![
            MeasuredPrinciple {
                principle: "frequency-l-diversity".to_owned(),
                column: "occupation".to_owned(),
                value: "3".to_owned(),
            },
            MeasuredPrinciple {
                principle: "distinct-l-diversity".to_owned(),
                column: "occupation".to_owned(),
                value: "3".to_owned(),
            },
        ],
        utility: BTreeMap::new(),
        files: vec![file("data.csv", 1_934_211), file("summary.txt", 1_420), file("hierarchies/education.csv", 912)],
    }
}

/// A release that is not transparent.
pub fn opaque() -> Manifest {
    let mut manifest = transparent();
    "mondrian".clone_into(&mut manifest.mechanism.publisher);
    "LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity, ICDE 2006"
        .clone_into(&mut manifest.mechanism.publisher_reference);
    "holds on every published group, against an adversary who does not know how the groups were made"
        .clone_into(&mut manifest.mechanism.guarantee);
    manifest.not_transparent = Some(
        "whoever knows that groups were cut as long as both halves passed learns which halves failed, can rule out possible \
         originals, and may believe more of a person than the principle allows; publisher `hybrid` or `tailor` holds against that"
            .to_owned(),
    );
    manifest
}

/// A release of a sequence of functions.
pub fn walked() -> Manifest {
    let mut manifest = transparent();
    let grain = |level| PublishedGrain::Level(level);
    let function = |age: usize, education: usize, ruled_out: Option<&str>| PublishedFunction {
        columns: [("age".to_owned(), grain(age)), ("education".to_owned(), grain(education))].into(),
        ruled_out: ruled_out.map(str::to_owned),
    };
    "sequence".clone_into(&mut manifest.mechanism.publisher);
    manifest.mechanism.publisher_parameters =
        map(&[("sequence", "chain"), ("strategy", "k-jump"), ("jumps", "secret")]);
    "Liu, Wang, Zhang: k-jump strategy, ICDT 2010; Zhang, Wang, Jajodia: exclusive strategy, DBSec 2008"
        .clone_into(&mut manifest.mechanism.publisher_reference);
    manifest.mechanism.sequence = Some(PublishedSequence {
        strategy: "k-jump".to_owned(),
        strategy_reference: "Liu, Wang and Zhang 2010, table 7".to_owned(),
        means: "a function whose groups fail is passed over, one whose groups pass and whose disclosure set fails is followed by \
                a jump"
            .to_owned(),
        family: Some("64".to_owned()),
        silence: "unknown".to_owned(),
        functions: vec![
            function(0, 0, Some("k-anonymity")),
            function(1, 0, None),
            function(1, 1, None),
            PublishedFunction {
                columns: [("age".to_owned(), PublishedGrain::Borders(["20", "40", "60"].map(str::to_owned).into()))].into(),
                ruled_out: None,
            },
            function(3, 2, None),
        ],
        released: 4,
    });
    "there are none; the jumps were drawn at random".clone_into(&mut manifest.mechanism.ties);
    manifest
}

/// A release with levels that were searched for and people who are left out, with altered and protected values.
pub fn searched() -> Manifest {
    let mut manifest = opaque();
    "search".clone_into(&mut manifest.mechanism.publisher);
    let levels = [("age", 2), ("sex", 0), ("marital_status", 1), ("education", 3)];
    manifest.mechanism.search = Some(PublishedSearch {
        measure: "normalized-certainty-penalty".to_owned(),
        levels: levels.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect(),
        may_leave_out: 301,
    });
    manifest.mechanism.levels = Some([("age".to_owned(), PublishedGrain::Level(2))].into());
    manifest.mechanism.altered = Some("occupation".to_owned());
    manifest.columns[4].protect = Some(vec!["Priv-house-serv".to_owned(), "Armed-Forces".to_owned()]);
    manifest.columns.push(column("remark", Role::Keep, ColumnType::Category));
    (manifest.left_out, manifest.rows) = (214, 29_948);
    manifest
}

/// A release that may not be published.
pub fn unfit() -> Manifest {
    let mut manifest = opaque();
    manifest.for_publication = false;
    manifest.caveat =
        Some("random choices came from a seed that can be replayed; publish without `--insecure-seed`".to_owned());
    manifest
}

/// A release with many columns, of long names, and a sequence of many functions.
pub fn crowded() -> Manifest {
    let mut manifest = walked();
    let name =
        |at: usize| format!("{}_{at}_<of>_the_person_&_the_household", "a_column_with_a_long_name".repeat(1 + at % 3));
    manifest.columns = (0..24).map(|at| column(&name(at), Role::Quasi, ColumnType::Category)).collect();
    if let Some(sequence) = &mut manifest.mechanism.sequence {
        let mut function = sequence.functions[1].clone();
        function.columns = [(name(2), PublishedGrain::Level(1)), (name(4), PublishedGrain::Level(3))].into();
        sequence.functions.resize(120, function);
        sequence.released = 97;
    }
    manifest
}

fn risks(worst: u32, average: f64, above: f64) -> RiskTable {
    let line = |model: &str, means: &str, highest: Option<ReportNumber>, average: f64, above: Option<f64>| RiskLine {
        model: model.to_owned(),
        means: means.to_owned(),
        highest,
        average: average.into(),
        above: above.map(ReportNumber::from),
    };
    RiskTable {
        threshold: fraction(1, 5),
        lines: vec![
            line(
                "prosecutor",
                "looks for a certain person and knows that this person is in the release; finds the record with one over the size of \
                 its class",
                Some(fraction(1, worst)),
                average,
                Some(above),
            ),
            line(
                "journalist",
                "looks for anybody, to show that it can be done, and does not know who is in the release; one over the size of the \
                 class in the population",
                Some(fraction(1, worst)),
                average * 0.9,
                Some(above * 0.9),
            ),
            line("marketer", "joins all records with a register and counts how many are right", None, average, None),
        ],
        population: None,
    }
}

/// Metrics, with those of the table where `before` is asked for.
pub fn metrics(before: bool) -> Vec<MetricLine> {
    let line = |id: &str, means: &str, was: f64, after: ReportNumber| MetricLine {
        id: id.to_owned(),
        means: means.to_owned(),
        before: before.then(|| was.into()),
        after,
    };
    vec![
        line("average-class-size", "records in a class, on average", 1.6, fraction(5027, 1034)),
        line("discernibility", "sum of the squared sizes of classes", 61_204.0, 212_034.0.into()),
        line(
            "normalized-certainty-penalty",
            "share of the span that is lost, on average over all cells",
            0.0,
            0.0713.into(),
        ),
        line("perimeter", "sum of the extents of all classes", 0.0, 1_204.22.into()),
    ]
}

/// The public edition of the report on a release.
pub fn report(manifest: &Manifest) -> ReleaseReport<'_> {
    let line = |name: &str, role: &str, shown: &str, lost: Option<f64>| ColumnLine {
        name: name.to_owned(),
        role: role.to_owned(),
        shown: shown.to_owned(),
        lost: lost.map(ReportNumber::from),
        worst: lost.map(|lost| ReportNumber::from((lost * 6.0).min(1.0))),
        intact: lost.map(|lost| (30_162.0 * (1.0 - lost * 2.0)) as u64),
    };
    let mut columns = vec![
        line("age", "quasi", "an interval, from the lowest to the highest of the class", Some(0.0712)),
        line("sex", "quasi", "a set of the values in the class", Some(0.1201)),
        line("marital_status", "quasi", "a set of the values in the class", Some(0.0533)),
        line("education", "quasi", "a label of the hierarchy `hierarchies/education.csv`", Some(0.0406)),
        line("occupation", "sensitive", "as it is", None),
    ];
    for other in manifest.columns.iter().skip(columns.len()) {
        let lost = (other.role == Role::Quasi).then_some(0.3);
        columns.push(line(&other.name, other.role.as_str(), "as it is", lost));
    }
    ReleaseReport {
        manifest,
        bound: Some(fraction(1, 3)),
        highest_share: Some(fraction(1, 3)),
        single_value: 0,
        risks: risks(3, 0.2057, 0.614),
        columns,
        metrics: metrics(false),
        sizes: vec![(3, 3, 1502), (4, 7, 3890), (8, 15, 741), (16, 31, 66), (32, 63, 5)],
        smallest: 3,
        job: "[input]\npath = \"TABLE.csv\"\n\n[columns]\nage = { role = \"quasi\", type = \"integer\" }\nsex = { role = \"quasi\" }\n\
              occupation = { role = \"sensitive\" }\n\n[[privacy]]\nprinciple = \"frequency-l-diversity\"\nl = 3\n\n\
              [method]\npublisher = \"hybrid\" # a comment that is rather long, so that the box has something to scroll on a narrow screen\n"
            .to_owned(),
        command: "pellucid publish job.toml --out release".to_owned(),
        verify: "pellucid verify release --source TABLE.csv".to_owned(),
        internal: None,
    }
}

/// What only the owner may see.
pub fn internal() -> InternalFacts {
    let population = Some("register of 41,200 people, `register.csv`".to_owned());
    InternalFacts {
        source: "/data/private/adult.csv".to_owned(),
        source_checksum: "51c07d8e2a9b4f630d1e8c75b2fa46930e7d1c85af2b60943d7e5f18c2ab9046".to_owned(),
        started: "2024-05-17 09:30:12 UTC".to_owned(),
        unique_rows: 11_873,
        risks_before: risks(1, 0.6321, 0.957),
        risks_after: RiskTable { population, ..risks(3, 0.2057, 0.614) },
        workload: Some(WorkloadLine { queries: 10_000, qd: 3, s: 0.1, error: 0.0731 }),
        account: vec![
            "Of 6,204 groups, 212 could not be cut any further because a half would have failed `frequency-l-diversity`.".to_owned(),
            "The largest group has 41 rows.".to_owned(),
        ],
        seconds: vec![("reading".to_owned(), 0.081), ("grouping".to_owned(), 1.42), ("writing".to_owned(), 0.122)],
    }
}

/// Names and values of the bounds that the comparison is to be held against.
pub fn bounds() -> Vec<(String, f64)> {
    [3, 5, 8, 10].map(|l| (format!("bound 1/{l}"), 1.0 / f64::from(l))).into()
}

/// A comparison of methods at these values of l, or at one that is not named.
pub fn comparison(at: &[&str]) -> ComparisonPage {
    let mut methods = Vec::new();
    let values: Vec<Option<&str>> = if at.is_empty() { vec![None] } else { at.iter().map(|&l| Some(l)).collect() };
    for l in values {
        for (which, name) in ["hybrid", "tailor", "ace", "mondrian", "search"].into_iter().enumerate() {
            let outcome = MethodOutcome::Released(Box::new(row(which, l.map_or(3.0, |l| l.parse().unwrap_or(3.0)))));
            methods.push(ComparedMethod { name: name.to_owned(), at: l.map(str::to_owned), outcome });
        }
        let nothing = "the groups of step 2 pass, but its disclosure set does not, and strategy `exclusive` then releases nothing";
        methods.push(ComparedMethod {
            name: "sequence".to_owned(),
            at: l.map(str::to_owned),
            outcome: MethodOutcome::Nothing(nothing.to_owned()),
        });
    }
    methods.push(ComparedMethod {
        name: "mask".to_owned(),
        at: None,
        outcome: MethodOutcome::Refused("`mask` needs `k` (least rows of a group); add it".to_owned()),
    });
    ComparisonPage {
        title: "Publishers compared on a made-up table".to_owned(),
        about: vec![
            ("Table".to_owned(), "30,162 rows; 4 quasi columns, `occupation` is sensitive".to_owned()),
            ("Principle".to_owned(), "`frequency-l-diversity`".to_owned()),
        ],
        vary: (!at.is_empty()).then(|| "l".to_owned()),
        methods,
        workload: "Errors are means over 10,000 counting queries on 3 quasi columns and the sensitive one, each made to select 10 % of the table."
            .to_owned(),
        note: "Choosing by this table is itself a mechanism: its release tells that the others looked worse here, and that can give people away \
               even where each publisher is safe. Keep to one that you chose beforehand."
            .to_owned(),
        command: "pellucid compare job.toml --vary l=3,5,8,10 --html comparison.html".to_owned(),
    }
}

/// Figures that grow with l, and differ a little between methods.
fn row(which: usize, l: f64) -> MethodFigures {
    let method = which as f64;
    let transparent = which < 3;
    let error = 0.02 + 0.011 * l * (1.0 + method / 5.0);
    let verdict = |basis: VerdictBasis, (low, high): (f64, f64), (least, most): (u64, u64)| Verdict {
        basis,
        above: Some(CountRange { low: least, high: most }),
        highest: HighestProbability::within(UnitInterval { low, at: None, high }),
        ..Verdict::unknown(0, String::new())
    };
    let (knowing, unattacked) = match which {
        0..=2 => (Some(verdict(VerdictBasis::Proof, (0.0, 1.0 / l), (0, 0))), None),
        3 => (Some(verdict(VerdictBasis::Samples, (0.55 + 0.3 / l, 1.0 - 0.3 / l), (772, 15_820))), None),
        _ => (None, Some("what it tells besides its groups is not known in a form that can be counted".to_owned())),
    };
    MethodFigures {
        transparent,
        promise: if transparent { "random-worlds" } else { "none" }.to_owned(),
        caveat: (!transparent)
            .then(|| "whoever knows the publisher may believe more than the principle allows".to_owned()),
        classes: (30_000.0 / (l * (1.5 + method / 4.0))) as u64,
        rows: if which == 4 { 29_948 } else { 30_162 },
        left_out: if which == 4 { 214 } else { 0 },
        error: Some(error),
        metrics: vec![
            ("average-class-size".to_owned(), l * (1.5 + method / 4.0)),
            ("discernibility".to_owned(), 90_000.0 * l * (1.0 + method)),
            ("normalized-certainty-penalty".to_owned(), error * 1.7),
            ("perimeter".to_owned(), 402.5 * l),
        ],
        risks: risks(l as u32, 0.7 / l, 0.8 / l),
        blind: Some(verdict(VerdictBasis::Exact, (1.0 / l, 1.0 / l), (0, 0))),
        knowing,
        unattacked,
        seconds: 0.04 * l * (1.0 + 40.0 * method),
        sizes: vec![(l as u64, 15, 3000 - 500 * which as u64), (16, 31, 200 + 10 * which as u64), (32, 63, 12)],
        by_qd: (1..=4).map(|qd| (f64::from(qd), error * (0.5 + f64::from(qd) / 4.0))).collect(),
        by_s: [0.01, 0.05, 0.1, 0.2, 0.4].iter().map(|s| (*s, error * (0.4 + 0.05 / s))).collect(),
    }
}
