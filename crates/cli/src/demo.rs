//! `pellucid demo`: publishes the bundled example and says what was done.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pellucid_model::error::{Error, Result};
use pellucid_model::randomness::RandomSource;

use crate::CommandEnding;
use crate::numbers::whole;
use crate::patients::{JOB, SEX, table};
use crate::publish::{PublishCall, publish_job, read_job, report};
use crate::terminal::UserTerminal;

/// Publish a bundled, generated table of patients and show what was done, what it costs and what attackers learn
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  pellucid demo\n  pellucid demo --dir /tmp/example --rows 10000")]
pub struct DemoArguments {
    /// The folder for the example and its release; an earlier example there is replaced
    #[arg(long, default_value = "pellucid-demo", value_name = "DIR")]
    dir: PathBuf,
    /// Number of patients
    #[arg(long, default_value_t = 4000, value_parser = whole::<u32>(100..=1_000_000))]
    rows: u32,
}

pub fn run(arguments: &DemoArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let dir = &arguments.dir;
    refuse_foreign(dir)?;
    fs::create_dir_all(dir).map_err(|error| Error::io(dir.display(), error))?;
    for (name, content) in [("patients.csv", table(arguments.rows).as_str()), ("sex.csv", SEX), ("job.toml", JOB)] {
        write(&dir.join(name), content)?;
    }
    let path = dir.join("job.toml");
    let (job, base_dir) = read_job(&path, &[], terminal)?;
    let call = PublishCall {
        out: None,
        dry_run: false,
        overwrite: true,
        randomness: RandomSource::System,
        explain: false,
        keeper: None,
    };
    let published = publish_job(&job, &base_dir, &call, terminal)?;
    if !terminal.wants_json() {
        let shown = dir.display();
        terminal.text(&format!(
            "The example: {} generated patients in {shown}/patients.csv, to be published as {shown}/job.toml says.\n\n",
            arguments.rows
        ))?;
    }
    let ending = report(&published, &call, terminal)?;
    if !terminal.wants_json() {
        let shown = dir.display();
        let program = std::env::args().next().unwrap_or_else(|| "pellucid".to_owned());
        terminal.text(&format!(
            "\nLook at it:   head {shown}/release/data.csv\n\
             Check it:     {program} verify {shown}/release --source {shown}/patients.csv\n\
             Change it:    {program} publish {shown}/job.toml --overwrite --set privacy.k=50 --set method.function=hierarchy\n"
        ))?;
    }
    Ok(ending)
}

/// Refuses a folder that holds anything but an earlier example.
fn refuse_foreign(dir: &Path) -> Result<()> {
    let empty = match fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => true,
    };
    let earlier = fs::read_to_string(dir.join("job.toml")).is_ok_and(|job| job == JOB);
    if empty || earlier {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` holds something else than an earlier example; name another folder with --dir",
        dir.display()
    )))
}

fn write(path: &Path, content: &str) -> Result<()> {
    fs::write(path, content).map_err(|error| Error::io(path.display(), error))
}
