//! The documentation for newcomers: every command of `docs/quick-start.md` works when typed in order, and links lead somewhere.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::{Numbers, root};

/// A command, the status that the page says it ends with, and lines that the page shows of what it prints.
struct Step {
    command: String,
    status: i32,
    shown: Vec<String>,
}

/// The commands of a page, in order. Lines that a page shows belong to the last command before them.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        let (kind, body) = block.split_once('\n').unwrap();
        match kind {
            "sh" => steps.extend(body.lines().map(|line| {
                let (command, status) = line.split_once("# exit status ").unwrap_or((line, "0"));
                Step { command: command.trim().to_owned(), status: status.parse().unwrap(), shown: Vec::new() }
            })),
            "text" => steps.last_mut().unwrap().shown.extend(body.lines().map(str::to_owned)),
            _ => {}
        }
    }
    steps
}

/// A line without what differs from run to run: widths of columns, and numbers with a point.
fn steady(line: &str) -> String {
    let word = |word: &str| {
        let measured = word.split("..").any(|part| part.split_once('.').is_some_and(|(_, digits)| is_number(digits)));
        if measured { "#".to_owned() } else { word.to_owned() }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit())
}

#[test]
fn the_commands_of_the_quick_start_work_in_order_and_print_what_it_shows() {
    let steps = steps(&read("docs/quick-start.md"));
    let place = TempDir::new().unwrap();
    // The first two commands copy the example and go there.
    let [copy, enter, rest @ ..] = &steps[..] else { panic!("the page begins with a copy") };
    assert_eq!(
        [&copy.command[..], &enter.command[..]],
        ["cp -r examples/quick-start my-release", "cd my-release"],
        "the example is copied first"
    );
    let folder = place.path().join("my-release");
    let copied = Command::new("cp").arg("-r").arg(root().join("examples/quick-start")).arg(&folder).status();
    assert!(copied.unwrap().success());
    let command = Path::new(env!("CARGO_BIN_EXE_pellucid"));
    let path = format!("{}:{}", command.parent().unwrap().display(), std::env::var("PATH").unwrap());
    assert!(rest.len() >= 9, "{}", rest.len());
    for step in rest {
        let mut shell = Command::new("sh");
        let output = shell_output(shell.args(["-c", &step.command]).current_dir(&folder).env("PATH", &path));
        assert_eq!(output.0, step.status, "{}: {}", step.command, output.1);
        let printed: BTreeSet<String> = output.1.lines().map(steady).collect();
        for line in &step.shown {
            assert!(printed.contains(&steady(line)), "{}: no line `{line}` in\n{}", step.command, output.1);
        }
    }
}

fn shell_output(shell: &mut Command) -> (i32, String) {
    let output = shell.env_remove("PELLUCID_LEDGER").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn the_job_that_the_quick_start_explains_is_that_of_the_example() {
    let (page, job) = (read("docs/quick-start.md"), read("examples/quick-start/job.toml"));
    let plain = |line: &str| line.split('#').next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: BTreeSet<String> = job.lines().map(plain).collect();
    let shown = page.split("```toml\n").skip(1).flat_map(|rest| rest.split("```").next().unwrap().lines());
    let shown: BTreeSet<String> = shown.map(plain).collect();
    let unexplained: Vec<&String> = lines.difference(&shown).filter(|line| !line.starts_with("path")).collect();
    assert_eq!(unexplained, ["[input]"]);
    assert!(shown.is_subset(&lines), "{shown:#?}");
}

/// The patients, by a rule: nobody in the file exists.
fn patients() -> String {
    const FIRST: &str =
        "Ada Ben Cleo Dan Eva Finn Gro Hal Ida Jon Kim Leo Mia Ned Olga Per Rosa Sam Tess Ugo Vera Will Yara Zeno";
    const LAST: &str = "Adler Brook Cole Dorn Ekman Falk Gard Holm Iversen Jansen Koch Lund Marsh Noll Oster Park Quist Reed \
                        Stone Thorn Urban Vogt West Young Zander";
    const ZIPS: [u32; 14] =
        [10115, 10117, 10119, 10243, 10245, 10247, 10405, 10407, 10435, 12043, 12045, 12047, 12049, 12051];
    const DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    /// Of a hundred people below 40, of 40 to 64, and above.
    const DIAGNOSES: [(&str, [u32; 3]); 10] = [
        ("asthma", [22, 10, 5]),
        ("depression", [17, 14, 6]),
        ("diabetes", [4, 16, 17]),
        ("gastritis", [14, 15, 7]),
        ("heart failure", [1, 7, 20]),
        ("hepatitis", [4, 4, 2]),
        ("HIV", [3, 2, 1]),
        ("hypertension", [5, 15, 22]),
        ("migraine", [22, 10, 3]),
        ("pneumonia", [8, 7, 17]),
    ];
    let (first, last): (Vec<&str>, Vec<&str>) = (FIRST.split(' ').collect(), LAST.split(' ').collect());
    let mut numbers = Numbers::new(12);
    let mut text = String::from("name,age,zip,sex,admitted,diagnosis\n");
    for row in 0..480 {
        // 7 and 600 have no common factor: no name comes twice.
        let name = row * 7 % 600;
        let age = 18 + numbers.below(40) + numbers.below(36);
        let zip = ZIPS[numbers.below(14) as usize];
        let sex = ["F", "M"][numbers.below(2) as usize];
        let (mut month, mut day) = (0, numbers.below(365));
        while day >= DAYS[month] {
            day -= DAYS[month];
            month += 1;
        }
        let (mut at, mut pick) = (0, numbers.below(100));
        let shares = |at: usize| DIAGNOSES[at].1[usize::from(age >= 40) + usize::from(age >= 65)];
        while pick >= shares(at) {
            pick -= shares(at);
            at += 1;
        }
        let (given, family, diagnosis) = (first[name % 24], last[name / 24], DIAGNOSES[at].0);
        let _ = writeln!(text, "{given} {family},{age},{zip},{sex},2025-{:02}-{:02},{diagnosis}", month + 1, day + 1);
    }
    text
}

#[test]
fn the_patients_of_the_quick_start_are_made_up() {
    assert!(read("examples/quick-start/patients.csv") == patients(), "the table is not what the rule makes");
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The pages of the documentation, and the first page.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = entries.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain([root().join("README.md")]).collect()
}

/// A page without what stands in fences.
fn prose(page: &str) -> String {
    let mut fenced = false;
    let outside = |line: &&str| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    };
    page.lines().filter(outside).collect::<Vec<_>>().join("\n")
}

/// Where the links of a page lead, but for those that leave the repository.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let targets = prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchors of a page, made of its headings as the usual viewers make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || "-_ ".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_of_the_documentation_lead_to_files_and_headings() {
    let pages = pages();
    assert!(pages.len() > 10, "{pages:?}");
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: no file for the link {link}", page.display());
            let found = anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor);
            assert!(found, "{}: no heading for the link {link}", page.display());
        }
    }
}

#[test]
fn the_index_leads_to_every_page() {
    let index = links(&read("docs/README.md"));
    for page in pages().iter().filter(|page| page.parent().is_some_and(|folder| folder.ends_with("docs"))) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || index.iter().any(|link| link == name), "docs/README.md lacks {name}");
    }
}
