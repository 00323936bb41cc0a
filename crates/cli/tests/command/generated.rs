//! `pellucid completions` and `pellucid man`: made from the definitions that read the command line.

use std::process::Command;

use crate::common::Desk;

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = desk.run(&["completions", shell]).ended(0).out;
        for word in ["publish", "restore", "insecure-seed", "dry-run", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let told = desk.run(&["completions", shell, "--json"]).ended(0).json();
        assert_eq!((told["shell"].as_str(), told["script"].as_str()), (Some(shell), Some(script.as_str())));
    }
    let refused = desk.run(&["completions", "tcsh"]).ended(2).err;
    assert!(refused.contains("bash") && refused.contains("fish"), "{refused}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn bash_completes_commands_and_options() {
    let desk = Desk::new();
    desk.write("pellucid.bash", desk.run(&["completions", "bash"]).ended(0).out);
    let ask = "source ./pellucid.bash; COMP_WORDS=(pellucid view re); COMP_CWORD=2; _pellucid pellucid re view; \
               echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", ask]).current_dir(desk.path("")).output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: there is no bash here");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "restore\n", "{output:?}");
}

#[test]
fn the_page_of_the_program_is_printed() {
    let desk = Desk::new();
    let page = desk.run(&["man"]).ended(0).out;
    for part in [".TH pellucid 1", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", "pellucid\\-publish(1)"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(desk.names().is_empty());
    assert_eq!(desk.run(&["man", "--json"]).ended(0).json()["page"], page);
}

#[test]
fn pages_of_all_commands_are_written_and_replaced() {
    let desk = Desk::new();
    let told = desk.run(&["man", "--out", "share/man1"]).ended(0).out;
    let pages = desk.bytes("share/man1");
    assert_eq!(told, format!("share/man1: {} pages\n", pages.len()));
    for name in ["pellucid.1", "pellucid-publish.1", "pellucid-view.1", "pellucid-view-add.1", "pellucid-man.1"] {
        let page = String::from_utf8(pages[name].clone()).unwrap();
        assert!(page.contains(".SH EXAMPLES\n.nf\n"), "{name}: {page}");
    }
    assert!(!pages.keys().any(|name| name.contains("help")), "{:?}", pages.keys());
    desk.write("share/man1/pellucid.1", "old");
    desk.run(&["man", "--out", "share/man1"]).ended(0);
    assert_eq!(desk.bytes("share/man1"), pages);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let desk = Desk::new();
    desk.write("file", "");
    for place in ["file", "file/pages"] {
        let refused = desk.run(&["man", "--out", place]).ended(2).err;
        assert!(refused.contains(&format!("`{place}`")) && refused.contains("not a folder"), "{refused}");
    }
}
