//! Exit statuses: how a call ends, as a number and in words. The one list; help, manual pages and `docs/terminal.md` agree with it.

use std::process::ExitCode;

use pellucid_model::error::{Error, ErrorKind};

/// How a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnding {
    /// It did what was asked.
    Done,
    /// What the user can mend by changing the call or the input.
    BadInput,
    /// No release is possible.
    NothingDisclosed,
    /// A check did not pass, or a gate did not let it pass.
    NotPassed,
    /// Everything else that went wrong.
    Failed,
}

impl CommandEnding {
    /// All of them, in the order in which help tells them.
    pub const ALL: [Self; 5] = [Self::Done, Self::BadInput, Self::NothingDisclosed, Self::NotPassed, Self::Failed];

    /// How a call ends that fails with `error`.
    pub fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidParameter
            | ErrorKind::UnknownColumn
            | ErrorKind::BadHierarchy
            | ErrorKind::BadInput
            | ErrorKind::LimitExceeded => Self::BadInput,
            ErrorKind::Io if error.is_missing_or_forbidden() => Self::BadInput,
            _ => Self::Failed,
        }
    }

    /// The exit status.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::NothingDisclosed => 3,
            Self::NotPassed => 4,
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::BadInput => "bad usage or input, and the message says what to change",
            Self::NothingDisclosed => "no release is possible",
            Self::NotPassed => "a verification failed, or what is to be shown would disclose too much or is undecided",
            Self::Failed => "anything else, an interrupt too",
        }
    }
}

impl From<CommandEnding> for ExitCode {
    fn from(ending: CommandEnding) -> Self {
        Self::from(ending.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_same_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/terminal.md");
        let page = std::fs::read_to_string(page).unwrap();
        let table = page.split("## Exit statuses").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let expected = CommandEnding::ALL.map(|ending| format!("| {} | {} |", ending.status(), ending.meaning()));
        assert_eq!(rows, expected);
    }

    #[test]
    fn every_kind_of_error_has_a_status() {
        let of = |kind| CommandEnding::of(&Error::new(kind, "x")).status();
        for kind in [
            ErrorKind::InvalidParameter,
            ErrorKind::UnknownColumn,
            ErrorKind::BadHierarchy,
            ErrorKind::BadInput,
            ErrorKind::LimitExceeded,
        ] {
            assert_eq!(of(kind), 2, "{kind:?}");
        }
        assert_eq!(of(ErrorKind::Internal), 1);
        let missing = |kind: std::io::ErrorKind| CommandEnding::of(&Error::io("x", kind.into())).status();
        assert_eq!([missing(std::io::ErrorKind::NotFound), missing(std::io::ErrorKind::StorageFull)], [2, 1]);
    }
}
