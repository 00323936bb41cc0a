//! Pellucid as a library: record batches in, a release, attacks, a comparison and a gate out. No file is read or written.
//!
//! Run it with `cargo run -p pellucid-app --example library`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use pellucid_app::gate::{Author, Showing};
use pellucid_app::{
    AttackRequest, Attacked, CompareOptions, Dataset, Ended, Error, Gate, Job, PublishAnswer, Result, Session,
    Verification, compare, publishers,
};

/// What is published, and how: a job without `[input]`, because the table is handed over.
const JOB: &str = r#"
[columns]
age     = { role = "quasi", hierarchy = { widths = [10, 20] } }
sex     = { role = "quasi" }
disease = { role = "sensitive" }

[privacy]
principle = "frequency-l-diversity"
l = 2

[method]
publisher = "tailor"

[views]
table = "patients"
"#;

fn main() -> Result<()> {
    let patients = patients();
    // The labels of `sex`, as a hierarchy file has them.
    let job = Dataset::with_hierarchy(Job::read(JOB, &[])?, "sex", "F;*\nM;*\n")?;
    let data = Dataset::from_batches(&job, &patients)?;

    // Progress comes by a callback; an error from it ends the work, and nothing is made.
    let progress = |stage: pellucid_app::Stage| {
        eprintln!("{}", stage.words());
        Ok::<(), Error>(())
    };
    let session = Session::new(&job, &data).with_progress(&progress);

    let release = match session.publish()? {
        PublishAnswer::Release(release) => release,
        nothing @ PublishAnswer::Nothing(_) => {
            println!("no release is possible: {}", json(&nothing));
            return Ok(());
        }
    };
    for table in release.tables()? {
        let rows: usize = table.batches()?.iter().map(RecordBatch::num_rows).sum();
        println!("table {}: {rows} rows", table.name());
    }
    let manifest = release.manifest();
    println!("{} equivalence classes, promise {:?}", manifest.classes, manifest.mechanism.promise);
    println!("report: {} bytes of HTML", release.public_report()?.to_html().len());

    // An independent check; nothing of the code that made the release takes part.
    let assignment = release.assignment()?.batches()?;
    let report = Verification::of_release(&release)?.with_source(&patients).with_assignment(&assignment)?.run()?;
    println!("verified: {}", report.passed());

    // What an attacker believes who knows how the release was made and everybody's quasi-identifiers.
    match session.attack(&AttackRequest::default())? {
        Attacked::Release(found) => println!("attack: {}", json(&found)),
        Attacked::Nothing(_) => println!("nothing was released, so there is nothing to attack"),
    }

    // Publishers side by side. Do not pick one because it wins here: the choice itself leaks information about the data.
    let cases = publishers(&job, &["tailor", "hybrid", "mondrian"])?;
    for compared in compare(&data, cases, &CompareOptions::default())? {
        match compared.ended {
            Ended::Released(released) => println!("{}: {} classes", compared.case.name, released.manifest.classes),
            Ended::Nothing(_) => println!("{}: no release is possible", compared.case.name),
            Ended::Refused(why) => println!("{}: {why}", compared.case.name),
        }
    }

    // Queries on the same table, each decided with everything that was shown before it.
    let mut gate = Gate::in_memory(&job, &data)?;
    for sql in [
        "select disease from patients where age between 20 and 39",
        "select disease from patients where age between 20 and 29",
    ] {
        let request = gate.source().ask(sql)?;
        let decided = gate.add(&Showing::of(&[request])?, Author::named("the data steward"))?;
        println!("{sql}: {:?}, {}", decided.outcome, decided.finding.verdict());
    }
    Ok(())
}

/// Eight made-up patients.
fn patients() -> Vec<RecordBatch> {
    let age: ArrayRef = Arc::new(Int64Array::from(vec![23, 27, 31, 36, 44, 48, 52, 57]));
    let sex: ArrayRef = Arc::new(StringArray::from(vec!["F", "M", "F", "M", "F", "M", "F", "M"]));
    let disease = vec!["flu", "gout", "flu", "asthma", "gout", "flu", "asthma", "flu"];
    let disease: ArrayRef = Arc::new(StringArray::from(disease));
    vec![
        RecordBatch::try_from_iter([("age", age), ("sex", sex), ("disease", disease)])
            .expect("columns of equal length"),
    ]
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("results are plain data")
}
