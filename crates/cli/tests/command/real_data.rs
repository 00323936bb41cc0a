//! Real tables, published and verified. They are read from `PELLUCID_DATA`, or from the folder `shared/data` beside the
//! repository; where they are absent the tests say so and pass.

use std::path::PathBuf;

use crate::common::Desk;

/// The file `name` of the real data, or `None` after saying that the test is skipped.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn real(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("PELLUCID_DATA").map_or(beside, PathBuf::from).join(name);
    if path.is_file() {
        return Some(path.canonicalize().unwrap());
    }
    eprintln!("SKIPPED: no real table at {}; set PELLUCID_DATA", path.display());
    None
}

fn adult_job(adult: &std::path::Path) -> String {
    let folder = adult.parent().unwrap().display();
    let quasi = ["sex", "race", "marital-status", "education", "native-country", "workclass", "salary-class"];
    let hierarchies = quasi
        .map(|name| format!("{name} = {{ role = \"quasi\", hierarchy = \"{folder}/adult_hierarchy_{name}.csv\" }}\n"));
    format!(
        "[input]\npath = \"{}\"\n[columns]\nage = {{ role = \"quasi\", type = \"integer\", hierarchy = \
         \"{folder}/adult_hierarchy_age.csv\" }}\n{}occupation = {{ role = \"sensitive\" }}\n\
         [privacy]\nprinciple = \"frequency-l-diversity\"\nl = 3\n",
        adult.display(),
        hierarchies.concat()
    )
}

#[test]
fn adult_is_published_and_verified_with_every_function() {
    let Some(adult) = real("adult/adult.csv") else { return };
    let desk = Desk::new();
    desk.write("job.toml", adult_job(&adult));
    for (publisher, function) in
        [("hybrid", "mbr"), ("tailor", "hierarchy"), ("ace", "anatomy"), ("hybrid", "microaggregation")]
    {
        let publisher = format!("method.publisher={publisher}");
        let function = format!("method.function={function}");
        let made = desk.run(&["publish", "job.toml", "--overwrite", "--json", "--set", &publisher, "--set", &function]);
        let made = made.ended(0).json();
        assert_eq!(made["manifest"]["rows"], 30_162);
        let checked = desk.run(&["verify", "release", "--source", adult.to_str().unwrap(), "--json"]).ended(0).json();
        assert_eq!(checked["passed"], true, "{checked:#}");
    }
}

#[test]
fn heart_disease_has_missing_cells_and_wants_a_choice() {
    let Some(heart) = real("heart/heart_hungarian.csv") else { return };
    let header = std::fs::read_to_string(&heart).unwrap();
    let header: Vec<&str> = header.lines().next().unwrap().split(',').collect();
    let columns = header.iter().map(|name| {
        let role = match *name {
            "num" => "sensitive",
            "age" | "sex" | "cp" | "chol" => "quasi",
            _ => "drop",
        };
        let kind = if role == "quasi" { ", type = \"decimal\"" } else { "" };
        format!("{name} = {{ role = \"{role}\"{kind} }}\n")
    });
    let desk = Desk::new();
    let job = format!(
        "[input]\npath = \"{}\"\nmissing = [\"\", \"?\"]\n[columns]\n{}[privacy]\nprinciple = \"highest-ratio\"\n\
         ratio = 0.7\n[method]\npublisher = \"tailor\"\n",
        heart.display(),
        columns.collect::<String>()
    );
    desk.write("job.toml", job);
    let refused = desk.run(&["publish", "job.toml"]).ended(2);
    assert!(refused.err.contains("on_missing"), "{}", refused.err);
    desk.run(&["publish", "job.toml", "--set", "input.on_missing=category"]).ended(0);
    assert!(desk.read("release/data.csv").contains("(missing)"));
    desk.run(&["verify", "release", "--source", heart.to_str().unwrap()]).ended(0);
}
