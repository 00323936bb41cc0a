//! temp
use pellucid_core::exact::*;
use pellucid_core::histogram::Histogram;
use pellucid_core::principle::*;
use pellucid_core::publish::*;
use pellucid_core::table::*;
use std::time::Instant;
#[derive(Debug)]
struct F(u64);
impl Principle for F {
    fn id(&self) -> &'static str {
        "f"
    }
    fn describe(&self) -> String {
        "".into()
    }
    fn better(&self) -> Better {
        Better::Larger
    }
    fn share_bound(&self) -> Option<Fraction> {
        Some(fraction(1, self.0))
    }
    fn bind(&self, _: Sensitive<'_>) -> pellucid_core::error::Result<Box<dyn Test>> {
        Ok(Box::new(T(self.0)))
    }
}
#[derive(Debug)]
struct T(u64);
impl Test for T {
    fn holds(&self, g: &Histogram) -> bool {
        g.max() * self.0 <= g.total()
    }
    fn measure(&self, _: &Histogram) -> Measure {
        Measure::Unbounded
    }
    fn robust(&self, g: &Histogram) -> Option<u64> {
        Some(g.max() * self.0)
    }
}
fn main() {
    let copies: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let l: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut reader = csv::Reader::from_path("/work/shared/data/census/census_occ.csv").unwrap();
    let mut cols: Vec<Vec<u32>> = vec![vec![]; 5];
    for r in reader.records() {
        let r = r.unwrap();
        for c in 0..5 {
            cols[c].push(r[c].parse().unwrap());
        }
    }
    let names = ["age", "gender", "education", "birthplace", "occupation"];
    let cols: Vec<Column> = cols
        .into_iter()
        .enumerate()
        .map(|(i, c)| {
            let m = *c.iter().max().unwrap();
            let mut all = Vec::new();
            for _ in 0..copies {
                all.extend_from_slice(&c);
            }
            Column::new(
                names[i],
                if i < 4 { Role::Quasi } else { Role::Sensitive },
                Domain::Integer((0..=i64::from(m)).collect()),
                false,
                all,
            )
            .unwrap()
        })
        .collect();
    let n = cols[0].codes().len();
    let f = F(l);
    for entry in PUBLISHERS {
        let plan = Plan {
            rows: n,
            quasi: cols[..4].iter().map(|c| (c, Axis::new(c, None))).collect(),
            identifiers: vec![],
            goals: vec![Goal {
                column: &cols[4],
                principle: &f,
                test: Box::new(T(l)),
                share: f.share_bound(),
                protected: None,
            }],
        };
        let p = entry.make(&Default::default()).unwrap();
        let t = Instant::now();
        let out = p.publish(&plan, Randomness::System).unwrap();
        let Outcome::Groups(g) = out else { panic!() };
        println!("{} n={} groups={} {:?}", entry.id, n, g.len(), t.elapsed());
    }
}
