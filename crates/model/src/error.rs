//! The one error type of the library.
//!
//! A message is lower-case, names the thing, states the rule and says after a semicolon what to do. It names columns,
//! rows and parameters, never a cell's value from the private table. "Nothing can be disclosed" is not an error: see
//! `pellucid_publish::publisher::NoRelease`.

use std::fmt;

/// What kind of thing went wrong; decides the exit status and the exception type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter of a job, an option or an argument is unknown, missing or out of range.
    InvalidParameter,
    /// A column is named that the table does not have, or the table has one that is not declared.
    UnknownColumn,
    /// A hierarchy does not cover its column, or is no hierarchy.
    BadHierarchy,
    /// A table or a release cannot be read as what it is said to be.
    BadInput,
    /// The work asked for exceeds a stated limit.
    LimitExceeded,
    /// The operating system refused to read or write.
    Io,
    /// The caller asked to stop.
    Interrupted,
    /// A defect of Pellucid itself.
    Internal,
}

/// An error with its kind, a message for people, and what caused it.
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Shorthand for [`ErrorKind::InvalidParameter`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParameter, message)
    }

    /// Shorthand for [`ErrorKind::BadInput`].
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// Shorthand for [`ErrorKind::BadHierarchy`].
    pub fn bad_hierarchy(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadHierarchy, message)
    }

    /// An input or output error on `path`.
    pub fn io(path: impl fmt::Display, error: std::io::Error) -> Self {
        let message = format!("cannot use `{path}`: {}", describe_io(&error));
        Self { kind: ErrorKind::Io, message, source: Some(Box::new(error)) }
    }

    /// The same error with `context: ` before its message; the caller who knows the file or option adds it once.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The same error with `place, ` before its message, which begins with a place inside it, such as a row.
    #[must_use]
    pub fn after(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}, {}", self.message);
        self
    }

    /// Whether a file is missing or may not be used: the user can mend that.
    pub fn is_missing_or_forbidden(&self) -> bool {
        use std::io::ErrorKind as Io;
        let cause = self.source.as_ref().and_then(|source| source.downcast_ref::<std::io::Error>());
        cause.is_some_and(|cause| {
            matches!(cause.kind(), Io::NotFound | Io::PermissionDenied | Io::IsADirectory | Io::NotADirectory)
        })
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without its causes.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The operating system's word for the commonest failures, without numbers and in lower case.
fn describe_io(error: &std::io::Error) -> String {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound => "there is no such file or folder; check the path".into(),
        Io::PermissionDenied => "permission denied; change its permissions or run as its owner".into(),
        Io::StorageFull => "the disk is full; free some space and run again, nothing was written".into(),
        Io::IsADirectory => "it is a folder; name a file".into(),
        Io::NotADirectory => "a part of the path is a file, not a folder; check the path".into(),
        _ => {
            let words = error.to_string().to_lowercase();
            words.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
