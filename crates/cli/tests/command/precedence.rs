//! Which of several places counts: the option, then the environment, then the job, then what is usual (`docs/stability.md`).

use crate::common::{Desk, Outcome};
use serde_json::Value;

const VIEW: &str = "select condition from patients where age between 23 and 26";

/// Which of the option, the environment and the job name something, in all combinations.
fn combinations() -> impl Iterator<Item = [bool; 3]> {
    (0..8).map(|bits| [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0])
}

/// A folder with the job of `examples/views` in `jobs`, with `views` as its keys of `[views]`.
fn desk(views: &str) -> Desk {
    let desk = Desk::of_views();
    std::fs::create_dir(desk.path("jobs")).unwrap();
    std::fs::rename(desk.path("patients.csv"), desk.path("jobs/patients.csv")).unwrap();
    let job = desk.read("job.toml");
    desk.write("jobs/job.toml", job.replace("ledger = \"ledger.sqlite\"", views));
    desk
}

/// Runs a call with the environment variables `set`, and without any other that counts.
fn run(desk: &Desk, call: &[&str], set: &[(&str, &str)]) -> Outcome {
    let mut command = desk.command(call);
    for name in ["PELLUCID_LEDGER", "USER", "LOGNAME"] {
        command.env_remove(name);
    }
    let output = command.envs(set.iter().copied()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome { status: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// The ledgers that lie in the folder.
fn ledgers(desk: &Desk) -> Vec<String> {
    let of = |folder: &str, prefix: &str| {
        let entries = std::fs::read_dir(desk.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".sqlite")).map(|name| format!("{prefix}{name}")).collect::<Vec<_>>()
    };
    [of("", ""), of("jobs", "jobs/")].concat()
}

/// Runs `call` with the ledger named in the places of `named`; an empty name in the environment names nothing.
fn with_ledger(desk: &Desk, call: &[&str], [option, environment, _]: [bool; 3]) -> Outcome {
    let option: &[&str] = if option { &["--ledger", "option.sqlite"] } else { &[] };
    let variable = if environment { "environment.sqlite" } else { "" };
    run(desk, &[call, option].concat(), &[("PELLUCID_LEDGER", variable)])
}

/// The ledger that counts, where `usual` is taken when none is named.
fn counts(named: [bool; 3], usual: Option<&str>) -> Option<&str> {
    let places = ["option.sqlite", "environment.sqlite", "jobs/job.sqlite"];
    places.into_iter().zip(named).find(|(_, named)| *named).map(|(place, _)| place).or(usual)
}

#[test]
fn the_ledger_is_that_of_the_option_then_the_environment_then_the_job_then_the_usual_one() {
    for named in combinations() {
        let desk = || desk(if named[2] { "ledger = \"job.sqlite\"" } else { "" });
        let expected = counts(named, Some("jobs/ledger.sqlite")).unwrap();
        let fresh = desk();
        with_ledger(&fresh, &["view", "add", "jobs/job.toml", VIEW], named).ended(0);
        assert_eq!(ledgers(&fresh), [expected], "view add {named:?}");
        for call in
            [&["view", "list", "jobs/job.toml"][..], &["ledger", "withdraw", "1", "jobs/job.toml", "--reason", "x"]]
        {
            // What only reads says where it found nothing.
            let told = with_ledger(&desk(), call, named).ended(2).err;
            assert!(told.contains(&format!("no ledger at `{expected}`")), "{call:?} {named:?}: {told}");
        }
        // A release is judged with a ledger only where one is named.
        let fresh = desk();
        with_ledger(&fresh, &["publish", "jobs/job.toml", "--set", "method.publisher=ace"], named);
        let expected: Vec<&str> = counts(named, None).into_iter().collect();
        assert_eq!(ledgers(&fresh), expected, "publish {named:?}");
    }
}

#[test]
fn without_a_job_the_ledger_is_that_of_the_option_then_the_environment() {
    for named in combinations().filter(|named| !named[2]) {
        let desk = Desk::new();
        let expected = counts(named, Some("ledger.sqlite")).unwrap();
        let told = with_ledger(&desk, &["ledger", "withdraw", "1", "--reason", "x"], named).ended(2).err;
        assert!(told.contains(&format!("no ledger at `{expected}`")), "{named:?}: {told}");
        let told = with_ledger(&desk, &["view", "list", "--table", "patients"], named).ended(2).err;
        let expected = counts(named, None).map_or("no ledger is named".to_owned(), |at| format!("no ledger at `{at}`"));
        assert!(told.contains(&expected), "{named:?}: {told}");
    }
}

#[test]
fn a_call_without_ledger_takes_none() {
    let desk = desk("ledger = \"job.sqlite\"");
    let call = ["publish", "jobs/job.toml", "--set", "method.publisher=ace", "--without-ledger"];
    run(&desk, &call, &[("PELLUCID_LEDGER", "environment.sqlite")]).ended(0);
    assert_eq!(ledgers(&desk), [""; 0]);
}

/// What is found about [`VIEW`], estimated.
fn finding(desk: &Desk, more: &[&str]) -> Value {
    let call = ["view", "check", "jobs/job.toml", VIEW, "--budget", "1", "--json"];
    run(desk, &[&call[..], more].concat(), &[]).json()["findings"][0].clone()
}

#[test]
fn tolerance_and_confidence_are_those_of_the_option_then_the_job_then_the_usual_ones() {
    for (option, key, told, usual) in
        [("--epsilon", "epsilon", "epsilon", 0.0), ("--theta", "theta", "confidence", 0.95)]
    {
        let silent = desk("");
        assert_eq!(finding(&silent, &[])[told], usual, "{key}");
        assert_eq!(finding(&silent, &[option, "0.25"])[told], 0.25, "{key}");
        let speaking = desk(&format!("{key} = 0.5"));
        assert_eq!(finding(&speaking, &[])[told], 0.5, "{key}");
        assert_eq!(finding(&speaking, &[option, "0.25"])[told], 0.25, "{key}");
        // What `--set` sets is the job's.
        let set = format!("views.{key}=0.75");
        assert_eq!(finding(&speaking, &["--set", &set])[told], 0.75, "{key}");
        assert_eq!(finding(&speaking, &["--set", &set, option, "0.25"])[told], 0.25, "{key}");
    }
}

#[test]
fn the_demand_is_that_of_the_option_then_the_job() {
    let desk = desk("");
    assert!(finding(&desk, &[])["demanded"][0].as_str().unwrap().contains("1/2"));
    assert!(finding(&desk, &["--gamma", "3/4"])["demanded"][0].as_str().unwrap().contains("3/4"));
}

#[test]
fn who_decides_is_the_option_then_the_user() {
    let desk = desk("");
    let variables = [("USER", "user"), ("LOGNAME", "logname")];
    let mut expected = Vec::new();
    for option in [true, false] {
        for set in [&variables[..], &variables[..1], &variables[1..], &[]] {
            let by: &[&str] = if option { &["--by", "option"] } else { &[] };
            run(&desk, &[&["view", "add", "jobs/job.toml", VIEW][..], by].concat(), set).ended(0);
            expected.push(if option { "option" } else { set.first().map_or("unknown", |(_, user)| *user) });
        }
    }
    let listed = run(&desk, &["view", "list", "jobs/job.toml", "--json"], &[]).ended(0).json();
    let by: Vec<&str> =
        listed["decisions"].as_array().unwrap().iter().map(|decision| decision["by"].as_str().unwrap()).collect();
    assert_eq!(by, expected);
}

#[test]
fn the_table_is_that_of_the_option_then_the_job_then_its_file() {
    let desk = desk("");
    run(&desk, &["view", "add", "jobs/job.toml", VIEW], &[]).ended(0);
    let list = |more: &[&str]| run(&desk, &[&["view", "list", "jobs/job.toml"][..], more].concat(), &[]);
    list(&[]).ended(0);
    assert!(list(&["--table", "others"]).ended(2).err.contains("no table `others`"));
    desk.write("jobs/job.toml", desk.read("jobs/job.toml").replace("table = \"patients\"", "table = \"renamed\""));
    assert!(list(&[]).ended(2).err.contains("no table `renamed`"));
    list(&["--table", "patients"]).ended(0);
    desk.write("jobs/job.toml", desk.read("jobs/job.toml").replace("table = \"renamed\"\n", ""));
    list(&[]).ended(0);
}

#[test]
fn the_folder_is_that_of_the_option_then_the_job_then_the_usual_one() {
    let desk = desk("");
    let publish = |more: &[&str]| {
        let call = ["publish", "jobs/job.toml", "--set", "method.publisher=ace"];
        run(&desk, &[&call[..], more].concat(), &[]).ended(0);
    };
    publish(&[]);
    publish(&["--set", "output.dir=\"job\""]);
    publish(&["--set", "output.dir=\"other\"", "--out", "option"]);
    assert!(
        ["jobs/release", "jobs/job", "option"].iter().all(|folder| desk.path(folder).join("manifest.json").is_file())
    );
    assert!(!desk.path("jobs/other").exists());
}
