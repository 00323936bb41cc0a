//! `cargo scaffold KIND NAME`: the file of a new principle, publisher, function, strategy or kind of case, and its entry in the list.
//!
//! The file compiles at once. The suites that walk the registries then say what is missing, until it is written.

mod edit;
mod names;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use names::NameForms;

/// Something that is one file and one list entry.
struct Addition {
    /// What users type.
    kind: &'static str,
    /// The folder of its file, which is also that of the list.
    folder: &'static str,
    /// The file with the list, in the folder.
    list_file: &'static str,
    /// The name of the list.
    list: &'static str,
    /// The entry, where `NAME` is the module.
    entry: &'static str,
    /// The line that declares its module, where `NAME` is the module.
    module: &'static str,
    template: &'static str,
    /// What the suites ask for besides, where `NAME` is the module.
    more: &'static str,
}

const ADDITIONS: [Addition; 5] = [
    Addition {
        kind: "principle",
        folder: "crates/model/src/principle",
        list_file: "mod.rs",
        list: "PRINCIPLES",
        entry: "NAME::ENTRY",
        module: "pub mod NAME;",
        template: include_str!("../templates/principle.rs.txt"),
        more: "its literal form in crates/testkit/src/principle.rs",
    },
    Addition {
        kind: "publisher",
        folder: "crates/publish/src/publisher",
        list_file: "mod.rs",
        list: "PUBLISHERS",
        entry: "NAME::ENTRY",
        module: "mod NAME;",
        template: include_str!("../templates/publisher.rs.txt"),
        more: "its literal twin in crates/testkit/src/literal/NAME.rs, named in crates/testkit/src/mechanism.rs",
    },
    Addition {
        kind: "function",
        folder: "crates/publish/src/function",
        list_file: "mod.rs",
        list: "FUNCTIONS",
        entry: "NAME::ENTRY",
        module: "mod NAME;",
        template: include_str!("../templates/function.rs.txt"),
        more: "",
    },
    Addition {
        kind: "strategy",
        folder: "crates/inference/src/sequence",
        list_file: "mod.rs",
        list: "STRATEGIES",
        entry: "NAME::ENTRY",
        module: "mod NAME;",
        template: include_str!("../templates/strategy.rs.txt"),
        more: "its literal form in crates/testkit/src/literal/strategy.rs",
    },
    Addition {
        kind: "case",
        folder: "crates/cases/src",
        list_file: "lib.rs",
        list: "KINDS",
        entry: "NAME::KIND",
        module: "mod NAME;",
        template: include_str!("../templates/case.rs.txt"),
        more: "its keys in docs/belief.md",
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (words, code) = match run(&arguments) {
        Ok(words) => (words, ExitCode::SUCCESS),
        Err(words) => (format!("error: {words}\n"), ExitCode::from(2)),
    };
    say(&words);
    code
}

#[expect(clippy::print_stderr, reason = "a tool for those who work on the code")]
fn say(words: &str) {
    eprint!("{words}");
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [kind, name] = arguments else {
        let kinds = ADDITIONS.map(|addition| addition.kind).join(", ");
        return Err(format!(
            "write `cargo scaffold KIND NAME`, e.g. `cargo scaffold principle beta-likeness`; KIND is one of {kinds}"
        ));
    };
    let addition = ADDITIONS.iter().find(|addition| addition.kind == kind);
    let addition = addition.ok_or_else(|| {
        format!("nothing is called `{kind}`; write one of {}", ADDITIONS.map(|addition| addition.kind).join(", "))
    })?;
    let names = NameForms::of(name)?;
    let root = root()?;
    let (file, list) = (
        root.join(addition.folder).join(format!("{}.rs", names.module)),
        root.join(addition.folder).join(addition.list_file),
    );
    if file.exists() {
        return Err(format!("`{}` exists already; choose another name", shown(&file, &root)));
    }
    let with_name = |text: &str| text.replace("NAME", &names.module);
    let text = fs::read_to_string(&list).map_err(|error| format!("`{}`: {error}", shown(&list, &root)))?;
    let text = edit::with_module(&text, &with_name(addition.module))?;
    let text = edit::with_entry(&text, addition.list, &with_name(addition.entry))?;
    write(&file, &names.fill(addition.template))?;
    write(&list, &text)?;
    format_files(&[&file, &list]);
    let asked = match addition.more {
        "" => String::new(),
        more => format!("The suites also ask for {}.\n", with_name(more)),
    };
    let (file, list_file) = (shown(&file, &root), shown(&list, &root));
    Ok(format!(
        "{file}: written\n{list_file}: `{}` has it\n{asked}Then run `make schema methods` and the tests; CONTRIBUTING.md has the rest.\n",
        addition.list
    ))
}

/// The folder of the workspace: the current one, or the nearest above it that has `crates/model`.
fn root() -> Result<PathBuf, String> {
    let here = env::current_dir().map_err(|error| error.to_string())?;
    let root = here.ancestors().find(|folder| folder.join("crates/model/Cargo.toml").is_file());
    root.map(Path::to_path_buf).ok_or_else(|| "this is no folder of Pellucid; run it there".to_owned())
}

fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

/// Formats the files, as far as there is a `rustfmt`; `cargo fmt` does the same later.
fn format_files(files: &[&Path]) {
    drop(Command::new("rustfmt").args(["--edition", "2024"]).args(files).status());
}
