//! `pellucid man`: manual pages, made from what reads the command line.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use pellucid_io::replace_file;
use pellucid_model::error::{Error, Result};
use pellucid_model::words::counted;
use serde_json::{Value, json};

use crate::CommandEnding;
use crate::call;
use crate::terminal::UserTerminal;

/// Print the manual page of pellucid, or write the pages of all commands to a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        pellucid man | man -l -\n  \
        pellucid man --out ~/.local/share/man/man1")]
pub struct ManArguments {
    /// The folder for the pages of all commands, such as pellucid-view-add.1; made where it is missing, earlier pages are replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The manual page of a command.
struct Page {
    /// What is typed, without the name of the program.
    command: String,
    file: String,
    text: String,
}

pub fn run(arguments: &ManArguments, terminal: &UserTerminal) -> Result<CommandEnding> {
    let pages = pages()?;
    if let Some(dir) = &arguments.out {
        write(dir, &pages)?;
    }
    match &arguments.out {
        Some(dir) if terminal.wants_json() => {
            let written = |page: &Page| json!({ "command": page.command, "file": page.file });
            terminal.json(&json!({ "out": dir, "pages": pages.iter().map(written).collect::<Vec<Value>>() }))?;
        }
        Some(dir) => terminal.text(&format!("{}: {}\n", dir.display(), counted(pages.len(), "page", "pages")))?,
        None if terminal.wants_json() => terminal.json(&json!({ "file": pages[0].file, "page": pages[0].text }))?,
        None => terminal.text(&pages[0].text)?,
    }
    Ok(CommandEnding::Done)
}

/// The pages of the program and of all its commands, in the order of its help.
fn pages() -> Result<Vec<Page>> {
    let mut command = call::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "", &mut pages)?;
    Ok(pages)
}

fn collect(command: &Command, path: &str, pages: &mut Vec<Page>) -> Result<()> {
    let bare = command.clone().after_help(None::<&'static str>);
    let man = Man::new(bare).source(concat!("pellucid ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| Error::io(man.get_filename(), error))?;
    let mut text = String::from_utf8_lossy(&page).into_owned();
    if let Some(help) = command.get_after_help() {
        text += &sections(&help.to_string());
    }
    pages.push(Page { command: path.to_owned(), file: man.get_filename(), text });
    for nested in command.get_subcommands() {
        let path = format!("{path} {}", nested.get_name());
        collect(nested, path.trim_start(), pages)?;
    }
    Ok(())
}

/// What stands after the options, a section for every paragraph that begins with its title; lists are not filled.
fn sections(help: &str) -> String {
    let mut roff = Roff::new();
    for paragraph in help.split("\n\n") {
        let (title, content) = paragraph.split_once(':').unwrap_or(("Notes", paragraph));
        roff.control("SH", [title.to_uppercase().as_str()]);
        let is_list = content.starts_with('\n');
        if is_list {
            roff.control("nf", []);
        }
        for line in content.trim_start_matches('\n').lines() {
            roff.text([roman(if is_list { line } else { line.trim_start() })]);
        }
        if is_list {
            roff.control("fi", []);
        }
    }
    roff.to_roff()
}

fn write(dir: &Path, pages: &[Page]) -> Result<()> {
    if dir.exists() && !dir.is_dir() {
        return Err(Error::io(dir.display(), std::io::ErrorKind::NotADirectory.into()));
    }
    fs::create_dir_all(dir).map_err(|error| Error::io(dir.display(), error))?;
    for page in pages {
        let path = dir.join(&page.file);
        let fail = |error| Error::io(path.display(), error);
        replace_file(&path, |file| file.write_all(page.text.as_bytes()).map_err(fail))?;
    }
    Ok(())
}
