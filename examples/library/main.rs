//! Pellucid as a library: record batches in, a release, attacks, a comparison and a gate out. No file is read or written.
//!
//! Run it with `cargo run -p pellucid-app --example library`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program is for")]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use pellucid_app::parts::{NoRelease, OwnerFacts, QuerySweep, ReleaseFigures, RestorationRequest, Verdict};
use pellucid_app::{
    AttackAnswer, AttackRequest, Comparison, Error, ErrorKind, ExternalPeople, Gate, Job, JobData, JobSession,
    MemoryLedger, PublishAnswer, ReleaseOutput, ReleaseVerification, Result, RunStage, SeenAnswer,
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
    let patients = patients()?;
    // The labels of `sex`, as a hierarchy file has them.
    let job = Job::read(JOB, &[])?.with_hierarchy("sex", "F;*\nM;*\n")?;
    let data = JobData::from_batches(&job, &patients)?.with_register(&job, &neighbours()?)?;
    let Some(release) = publish(&job, &data)? else { return Ok(()) };
    verify(&release, &patients)?;
    search(&job, &data)?;
    attack(&job, &data, &release)?;
    compare(&job, &data)?;
    answer_queries(&job, &data, &release)
}

/// Publishes, and tells what came of it.
fn publish(job: &Job, data: &JobData) -> Result<Option<Box<ReleaseOutput>>> {
    // Progress comes by a callback; an error from it ends the work, and nothing is made.
    let stop = |_: RunStage| Err(Error::new(ErrorKind::Interrupted, "stopped by the user"));
    let stopped = JobSession::new(job, data).with_progress(&stop).publish();
    println!("stopped: {}", stopped.is_err_and(|error| error.kind() == ErrorKind::Interrupted));

    let progress = |stage: RunStage| {
        eprintln!("{}", stage.label());
        Ok(())
    };
    let session = JobSession::new(job, data).with_progress(&progress);
    let release = match session.publish()? {
        PublishAnswer::Release(release) => release,
        PublishAnswer::Nothing(NoRelease::Ineligible(why)) => {
            println!("no release is possible: not even the whole table meets {}", why.principle);
            return Ok(None);
        }
        PublishAnswer::Nothing(_) => {
            println!("no release is possible");
            return Ok(None);
        }
    };
    for table in release.tables()? {
        println!("table {}: {} rows", table.name, table.rows());
    }
    let manifest = release.manifest();
    println!("{} equivalence classes, promise {:?}", manifest.classes, manifest.mechanism.promise);
    println!("public report: {} bytes of HTML", release.public_report()?.to_html().len());
    let report = release.owner_report(&session, &OwnerFacts::default())?;
    println!("owner's report: {} unique rows", report.internal.map_or(0, |internal| internal.unique_rows));
    Ok(Some(release))
}

/// An independent check; nothing of the code that made the release takes part.
fn verify(release: &ReleaseOutput, patients: &[RecordBatch]) -> Result<()> {
    let public = ReleaseVerification::new(release.manifest().clone(), &release.tables()?)?;
    // The manifest names the labels of `sex` as a file; its content is public.
    let public = public.with_hierarchy("sex", "F;*\nM;*\n")?;
    let report = public.with_source(patients).with_assignment(&release.assignment()?)?.run()?;
    println!("verified: {}", report.passed());
    Ok(())
}

/// The most specific levels with which the principle holds; nothing is released.
fn search(job: &Job, data: &JobData) -> Result<()> {
    // Another publisher, and labels for every quasi column.
    let job = job.with_publisher("search")?;
    let found = JobSession::new(&job, data).search()?;
    println!("search: {} of {} granulations checked", found.checked, found.nodes);
    Ok(())
}

/// What attackers believe who know how the release was made.
fn attack(job: &Job, data: &JobData, release: &ReleaseOutput) -> Result<()> {
    let session = JobSession::new(job, data);
    // One who knows the quasi-identifiers of everybody in the table, and the release that the job makes of it.
    tell("the table's people", &session.attack(&AttackRequest::default())?);
    // One who has this release, and knows the first person's disease beforehand.
    let seen = SeenAnswer::release(job, &release.tables()?)?;
    let request = AttackRequest { seen: Some(seen.clone()), knows: vec![0], ..AttackRequest::default() };
    tell("a release that was seen", &session.attack(&request)?);
    // One who has this release and a register of nine people, and does not know who of them is in the table.
    let external = Some(ExternalPeople::from_batches(neighbours()?));
    let request = AttackRequest { seen: Some(seen), external, ..AttackRequest::default() };
    tell("without the table", &request.without_table(job, &|_| Ok(()))?);
    Ok(())
}

fn tell(what: &str, answer: &AttackAnswer) {
    match answer {
        AttackAnswer::Release(found) => {
            let knowing: &Verdict = &found.account.knowing;
            println!("attack, {what}: at most {:.2}, {} certain", knowing.highest.within.high, knowing.certain);
        }
        AttackAnswer::Nothing(_) => println!("attack, {what}: nothing was released"),
    }
}

/// Publishers side by side. Do not pick one because it wins here: the choice itself leaks information about the data.
fn compare(job: &Job, data: &JobData) -> Result<()> {
    let publishers = Comparison::of_publishers(job, &["tailor", "hybrid", "mondrian"])?;
    let queries = Some(QuerySweep::usual(20));
    let comparison = Comparison { queries, attack: Some(AttackRequest::default()), ..publishers };
    for compared in comparison.run(data)? {
        let name = &compared.case.name;
        match compared.figures() {
            Some(figures) => println!("{name}: {} classes, attacked: {}", figures.manifest.classes, is_known(figures)),
            None => println!("{name}: no release"),
        }
    }
    Ok(())
}

fn is_known(figures: &ReleaseFigures) -> bool {
    matches!(figures.attack, Some(Ok(_)))
}

/// Queries on the same table, each decided with everything that was shown before it.
fn answer_queries(job: &Job, data: &JobData, release: &ReleaseOutput) -> Result<()> {
    let mut gate = Gate::new(job, data, Box::new(MemoryLedger::default()))?;
    let [broad, narrow] = [
        "select disease from patients where age between 20 and 39",
        "select disease from patients where age between 20 and 35",
    ];
    for sql in [broad, narrow] {
        let view = gate.ask(sql)?;
        println!("{sql}: would be {}", gate.check(&view.showing())?.verdict());
        let decided = gate.add(&view.showing(), "the data steward")?;
        println!("{sql}: {:?}, {} values", decided.outcome, decided.values.concat().len());
    }
    let state = gate.state("disease")?;
    println!("shown so far: {} people, {}", state.seen, state.verdict.conclusion);
    let view = gate.ask(narrow)?;
    let sought = gate.restore("disease", Some(&view), &RestorationRequest::default(), &|_| Ok(()))?;
    println!("a further view makes up for the refused one: {}", sought.found.is_some());
    for showing in gate.ask_release(release)? {
        println!("the release on top of that: {}", gate.check(&showing)?.verdict());
    }
    Ok(())
}

const AGES: [i64; 8] = [23, 27, 31, 36, 44, 48, 52, 57];
const SEXES: [&str; 8] = ["F", "M", "F", "M", "F", "M", "F", "M"];

/// Eight made-up patients.
fn patients() -> Result<Vec<RecordBatch>> {
    let disease = ["flu", "gout", "cold", "asthma", "flu", "fever", "cough", "gout"];
    batches(vec![("age", integers(&AGES)), ("sex", texts(&SEXES)), ("disease", texts(&disease))])
}

/// Everybody who could be among them: nine people.
fn neighbours() -> Result<Vec<RecordBatch>> {
    let (ages, sexes) = ([AGES.as_slice(), &[61]].concat(), [SEXES.as_slice(), &["F"]].concat());
    batches(vec![("age", integers(&ages)), ("sex", texts(&sexes))])
}

fn integers(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn batches(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<RecordBatch>> {
    let batch = RecordBatch::try_from_iter(columns);
    Ok(vec![batch.map_err(|error| Error::bad_input(error.to_string()))?])
}
