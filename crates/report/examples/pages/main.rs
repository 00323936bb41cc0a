//! Writes example pages to a folder: `cargo run -p pellucid-report --example pages -- DIR`.

mod made_up;

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return failed("usage: pages DIR");
    };
    match written(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("{}: {error}; give a folder that can be written", folder.display())),
    }
}

#[expect(clippy::print_stderr, reason = "an example has no other way to say it")]
fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}

fn written(folder: &PathBuf) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let manifests = [
        ("public", made_up::transparent()),
        ("not-transparent", made_up::opaque()),
        ("sequence", made_up::walked()),
        ("search", made_up::searched()),
        ("not-for-publication", made_up::unfit()),
        ("crowded", made_up::crowded()),
    ];
    for (name, manifest) in &manifests {
        fs::write(folder.join(format!("{name}.html")), made_up::report(manifest).to_html())?;
    }
    let internal = pellucid_report::ReleaseReport {
        internal: Some(made_up::internal()),
        metrics: made_up::metrics(true),
        ..made_up::report(&manifests[0].1)
    };
    fs::write(folder.join("internal.html"), internal.to_html())?;
    fs::write(
        folder.join("comparison.html"),
        made_up::comparison(&["3", "5", "8", "10"]).to_html_with_bounds(&made_up::bounds()),
    )?;
    fs::write(folder.join("comparison-plain.html"), made_up::comparison(&[]).to_html())
}
