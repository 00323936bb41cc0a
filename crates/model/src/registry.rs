//! Registries: every principle, publisher, function and metric is one [`RegistryEntry`] in one list.
//!
//! The command line, the job file and its schema, the documentation and the bindings walk these lists; nothing else has
//! to be edited when an entry is added. Look-ups answer an unknown name with the nearest known one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::claim::EntryClaim;
use crate::error::{Error, ErrorKind, Result};
use crate::exact::{Fraction, parse_fraction};
use crate::promise::PromiseCase;

/// How much is known about what an entry promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofStatus {
    /// The guarantee is proved (paper or doc comment) and checked by exhaustion in the test kit.
    Proven,
    /// Published and implemented faithfully; holds against an adversary who ignores the mechanism.
    Published,
}

impl ProofStatus {
    /// Every status.
    pub const ALL: [Self; 2] = [Self::Proven, Self::Published];

    /// The word shown to users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Published => "published",
        }
    }

    /// What the word means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Proven => {
                "what it promises is proved, in its paper or beside its code, and checked by exhaustion on small tables"
            }
            Self::Published => {
                "as its paper has it; where it promises privacy, that holds against somebody who does not know how the release was made"
            }
        }
    }
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// An integer of at least `min`.
    Integer {
        /// The smallest value allowed.
        min: u64,
    },
    /// An exact number: written as integer, decimal or `"a/b"`.
    Number,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// Text that the entry reads itself.
    Text,
    /// A private file, relative to the job; a release says that there is one, never which.
    File,
    /// A list of publishers, each a name, or a table with the key [`PUBLISHER`] and its parameters.
    Publishers,
}

/// The key that names a publisher beside its parameters.
pub const PUBLISHER: &str = "publisher";

/// What a release says in the place of a private file.
pub const PRIVATE_FILE: &str = "(private)";

/// The default of a parameter that may be left out.
pub const LEFT_OUT: &str = "";

/// A parameter of an entry.
#[derive(Debug, Clone, Copy)]
pub struct ParamSpec {
    /// What users type.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParamKind,
    /// The value used when none is given; `None` makes the parameter mandatory.
    pub default: Option<&'static str>,
    /// One line of help; where neither kind nor default shows what can be written, with an example after `e.g.` or `such as`.
    pub help: &'static str,
}

/// Arguments by name, as a job writes them.
pub type ExampleArgs = &'static [(&'static str, &'static str)];

/// The examples of an entry that needs no parameters.
pub const NO_PARAMETERS: &[ExampleArgs] = &[&[]];

/// One principle, publisher, function or metric.
pub struct RegistryEntry<T: ?Sized> {
    /// What users type, kebab-case.
    pub id: &'static str,
    /// What it is, under 80 columns.
    pub summary: &'static str,
    /// Where it is defined.
    pub reference: &'static str,
    /// How much is known about it.
    pub status: ProofStatus,
    /// What it says of itself, whatever its parameters.
    pub claims: &'static [EntryClaim],
    /// The arguments with which suites build it; those of the first are the fewest.
    pub examples: &'static [ExampleArgs],
    /// Its parameters.
    pub params: &'static [ParamSpec],
    /// Builds it from checked arguments.
    pub build: fn(&EntryArgs) -> Result<Box<T>>,
}

/// The part of an [`RegistryEntry`] that does not depend on what it builds.
pub struct EntryInfo {
    /// See [`RegistryEntry::id`].
    pub id: &'static str,
    /// See [`RegistryEntry::summary`].
    pub summary: &'static str,
    /// See [`RegistryEntry::reference`].
    pub reference: &'static str,
    /// See [`RegistryEntry::status`].
    pub status: ProofStatus,
    /// See [`RegistryEntry::claims`].
    pub claims: &'static [EntryClaim],
    /// See [`RegistryEntry::params`].
    pub params: &'static [ParamSpec],
}

impl<T: ?Sized> RegistryEntry<T> {
    /// The descriptive part, for lists and schemas.
    pub fn info(&self) -> EntryInfo {
        EntryInfo {
            id: self.id,
            summary: self.summary,
            reference: self.reference,
            status: self.status,
            claims: self.claims,
            params: self.params,
        }
    }

    /// Whether it claims `claim`.
    pub fn claims(&self, claim: EntryClaim) -> bool {
        self.claims.contains(&claim)
    }

    /// Its examples, as arguments.
    pub fn examples(&self) -> impl Iterator<Item = EntryArgs> + use<T> {
        self.examples.iter().map(|example| EntryArgs::of(example))
    }

    /// Checks `args` against the parameter list, fills in defaults and builds.
    pub fn make(&self, args: &EntryArgs) -> Result<Box<T>> {
        let filled = args.checked(self.id, self.params)?;
        (self.build)(&filled)
    }
}

impl EntryInfo {
    /// Whether it is offered only to those who ask for it.
    pub fn is_demonstration(&self) -> bool {
        self.claims.contains(&EntryClaim::Demonstration)
    }

    /// Of a publisher, what its releases promise.
    pub fn promises(&self) -> impl Iterator<Item = PromiseCase> + use<> {
        self.claims.iter().filter_map(|claim| match claim {
            EntryClaim::Promise(case) => Some(*case),
            _ => None,
        })
    }
}

/// The ids of a registry, for parameters that choose from it. `N` is how many there are.
pub const fn ids<T: ?Sized, const N: usize>(list: &[RegistryEntry<T>]) -> [&'static str; N] {
    let mut ids = [""; N];
    let mut at = 0;
    while at < N {
        ids[at] = list[at].id;
        at += 1;
    }
    ids
}

/// Finds `id` in `list`; an unknown id names the nearest one. `what` is "principle", "publisher" and so on.
pub fn find<'a, T: ?Sized>(list: &'a [RegistryEntry<T>], what: &str, id: &str) -> Result<&'a RegistryEntry<T>> {
    list.iter().find(|entry| entry.id == id).ok_or_else(|| {
        let hint = did_you_mean(id, list.iter().map(|entry| entry.id));
        Error::invalid(format!("no {what} `{id}`{hint}; `pellucid list` shows them all"))
    })
}

/// ``, did you mean `x`?`` when one of `known` is near `word`, or when some have it, or a part of it, in their names;
/// otherwise nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = known
        .iter()
        .map(|&candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len().min(word.len()) / 3)
        .min();
    let meant = near.map_or_else(|| related(word, &known), |(_, candidate)| vec![candidate]);
    let quoted: Vec<String> = meant.iter().map(|candidate| format!("`{candidate}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => format!(", did you mean {only}?"),
        [first @ .., last] => format!(", did you mean {} or {last}?", first.join(", ")),
    }
}

/// The names that hold all of `word`, or else those that hold a part of it; neither case nor marks count.
fn related<'a>(word: &str, known: &[&'a str]) -> Vec<&'a str> {
    /// Fewer letters stand in too many names.
    const LETTERS: usize = 3;
    /// More names are no hint.
    const MOST: usize = 5;
    let plain = |text: &str| text.chars().filter(|one| one.is_alphanumeric()).collect::<String>().to_lowercase();
    let holding = |part: &str| -> Vec<&'a str> {
        let part = plain(part);
        let holds = |candidate: &&'a str| part.chars().count() >= LETTERS && plain(candidate).contains(&part);
        known.iter().copied().filter(holds).collect()
    };
    let parts = word.split(|one: char| !one.is_alphanumeric());
    let longest = parts.max_by_key(|part| part.chars().count()).unwrap_or_default();
    let found = [holding(word), holding(longest)].into_iter().find(|found| !found.is_empty());
    found.filter(|found| found.len() <= MOST).unwrap_or_default()
}

/// Arguments by name, as text; typed when they are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryArgs(BTreeMap<String, String>);

impl EntryArgs {
    /// No arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of an example.
    pub fn of(example: &[(&str, &str)]) -> Self {
        example.iter().fold(Self::new(), |args, (name, value)| args.with(name, value))
    }

    /// The same arguments with `name = value`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.insert(name.to_owned(), value.to_string());
        self
    }

    /// The same arguments with `name` as it stands in a job; lists and tables are kept as JSON, which the entry reads itself.
    pub fn with_value(self, name: &str, value: &Value) -> Result<Self> {
        match value {
            Value::String(text) => Ok(self.with(name, text)),
            // The shortest text that reads back as the same number is what the user wrote.
            Value::Number(number) => Ok(match number.as_f64().filter(|_| number.is_f64()) {
                Some(number) => self.with(name, number),
                None => self.with(name, number),
            }),
            Value::Array(_) | Value::Object(_) => Ok(self.with(name, value)),
            Value::Null | Value::Bool(_) => {
                Err(Error::invalid(format!("`{name}` must be a number, a word or a list; write it so")))
            }
        }
    }

    /// All arguments in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Checks names and values against `params` and fills in defaults.
    pub fn checked(&self, owner: &str, params: &[ParamSpec]) -> Result<Self> {
        for name in self.0.keys() {
            if !params.iter().any(|param| param.name == name) {
                let hint = did_you_mean(name, params.iter().map(|param| param.name));
                let known: Vec<String> = params.iter().map(|param| format!("`{}`", param.name)).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(Error::invalid(format!("`{owner}` has no parameter `{name}`{hint}; it takes {known}")));
            }
        }
        let mut filled = self.clone();
        for param in params {
            if !filled.0.contains_key(param.name) {
                let default = param.default.ok_or_else(|| {
                    Error::invalid(format!("`{owner}` needs `{}` ({}); add it", param.name, param.help))
                })?;
                filled.0.insert(param.name.into(), default.into());
                if default == LEFT_OUT {
                    continue;
                }
            }
            match param.kind {
                ParamKind::Integer { min } => {
                    let value = filled.integer(param.name)?;
                    if value < min {
                        return Err(Error::invalid(format!("{} ({value}) must be at least {min}", param.name)));
                    }
                }
                ParamKind::Number => drop(filled.number(param.name)?),
                ParamKind::Text | ParamKind::File => {}
                ParamKind::Publishers => drop(filled.publishers(param.name)?),
                ParamKind::Choice(words) => {
                    let word = filled.text(param.name)?;
                    if !words.contains(&word) {
                        let hint = did_you_mean(word, words.iter().copied());
                        let all = words.join("`, `");
                        return Err(Error::invalid(format!(
                            "{} cannot be `{word}`{hint}; it is one of `{all}`",
                            param.name
                        )));
                    }
                }
            }
        }
        Ok(filled)
    }

    /// The text of `name`.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| Error::new(ErrorKind::Internal, format!("argument `{name}` was not filled in")))
    }

    /// The text of `name`, unless it was left out.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|text| *text != LEFT_OUT)
    }

    /// `name` as a non-negative integer.
    pub fn integer(&self, name: &str) -> Result<u64> {
        let text = self.text(name)?;
        text.parse().map_err(|_| Error::invalid(format!("{name} (`{text}`) must be a whole number, zero or more")))
    }

    /// `name` as a list of publishers, each with its arguments.
    pub fn publishers(&self, name: &str) -> Result<Vec<(String, Self)>> {
        let wrong = || {
            Error::invalid(format!(
                "`{name}` must be a list of publishers; write it like [\"tailor\", {{ {PUBLISHER} = \"search\", measure = \"height\" }}]"
            ))
        };
        let list: Vec<Value> = serde_json::from_str(self.text(name)?).map_err(|_| wrong())?;
        let one = |value: Value| match value {
            Value::String(id) => Ok((id, Self::new())),
            Value::Object(mut keys) => {
                let Some(Value::String(id)) = keys.remove(PUBLISHER) else { return Err(wrong()) };
                let args = keys.iter().try_fold(Self::new(), |args, (key, value)| args.with_value(key, value))?;
                Ok((id, args))
            }
            _ => Err(wrong()),
        };
        list.into_iter().map(one).collect()
    }

    /// `name` as an exact fraction.
    pub fn number(&self, name: &str) -> Result<Fraction> {
        parse_fraction(self.text(name)?).map_err(|error| error.context(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[ParamSpec] = &[
        ParamSpec { name: "l", kind: ParamKind::Integer { min: 2 }, default: None, help: "how many" },
        ParamSpec {
            name: "mode",
            kind: ParamKind::Choice(&["equal", "ordered"]),
            default: Some("equal"),
            help: "which",
        },
        ParamSpec { name: "k", kind: ParamKind::Integer { min: 1 }, default: Some(LEFT_OUT), help: "how few" },
    ];

    #[test]
    fn defaults_are_filled_and_ranges_checked() {
        let filled = EntryArgs::new().with("l", 3).checked("x", PARAMS).unwrap();
        assert_eq!((filled.text("mode").unwrap(), filled.given("k")), ("equal", None));
        assert!(EntryArgs::new().with("l", 3).with("k", "").checked("x", PARAMS).is_err());
        let message = EntryArgs::new().with("l", 1).checked("x", PARAMS).unwrap_err().to_string();
        assert_eq!(message, "l (1) must be at least 2");
    }

    #[test]
    fn unknown_names_get_a_hint() {
        let message = EntryArgs::new().with("l", 2).with("mod", "equal").checked("x", PARAMS).unwrap_err().to_string();
        assert!(message.contains("did you mean `mode`?"), "{message}");
        assert_eq!(did_you_mean("zzzzzz", ["mode", "l"]), "");
    }

    #[test]
    fn publishers_are_names_or_tables_with_parameters() {
        let of = |text: &str| EntryArgs::new().with("of", text).publishers("of");
        let list = of(r#"["tailor", {"publisher": "sequence", "jumps": [1, 2], "ratio": 0.5, "k": 3}]"#).unwrap();
        let args = EntryArgs::new().with("jumps", "[1,2]").with("ratio", "0.5").with("k", "3");
        assert_eq!(list, [("tailor".to_owned(), EntryArgs::new()), ("sequence".to_owned(), args)]);
        for text in ["tailor", "{}", "[1]", "[{\"k\": 2}]", "[{\"publisher\": 2}]"] {
            let message = of(text).unwrap_err().to_string();
            assert!(message.contains("`of` must be a list of publishers; write it like"), "{text}: {message}");
        }
        let message = of("[{\"publisher\": \"mask\", \"k\": true}]").unwrap_err().to_string();
        assert!(message.contains("`k` must be a number, a word or a list"), "{message}");
    }

    #[test]
    fn a_part_of_several_names_stands_for_all_of_them() {
        let known = ["k-anonymity", "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity"];
        let forms = ", did you mean `distinct-l-diversity`, `entropy-l-diversity` or `recursive-cl-diversity`?";
        for word in ["l-diversity", "l_Diversity", "diversity", "p-diversity"] {
            assert_eq!(did_you_mean(word, known), forms, "{word}");
        }
        assert_eq!(did_you_mean("anonymous-k", known), "");
        assert_eq!(did_you_mean("int", ["integer", "date"]), ", did you mean `integer`?");
        assert_eq!(did_you_mean("l", known), "");
    }
}
