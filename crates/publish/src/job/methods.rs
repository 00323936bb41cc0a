//! Other methods for the same job.

use std::collections::BTreeMap;

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, Result};
use pellucid_model::principle::PRINCIPLES;
use pellucid_model::registry::{PUBLISHER, RegistryEntry, find};

use super::deprecated::replace_in_method;
use super::reading::value;
use super::{Job, MethodJob};
use crate::publisher::{PUBLISHERS, Publisher};

impl Job {
    /// The same by the publisher `id`, whose parameters are as usual unless it is the job's own; all else stays.
    ///
    /// # Errors
    /// When there is no such publisher.
    pub fn with_publisher(&self, id: &str) -> Result<Self> {
        let method = self.other_method(&[(PUBLISHER.to_owned(), format!("\"{id}\""))])?;
        Ok(Self { method, ..self.clone() })
    }

    /// The `[method]` that `keys` write, each a key and a value in TOML or a plain word, for this job.
    ///
    /// Parameters of the job's own publisher stay, as far as `keys` do not say otherwise, when they name that one or none; a key
    /// without a value takes one away. The function stays, so that releases can be compared, unless `keys` name another.
    ///
    /// # Errors
    /// When there is no such publisher; whether it takes the keys is left to [`Job::check`].
    pub fn other_method(&self, keys: &[(String, String)]) -> Result<MethodJob> {
        let (empty, keys): (Vec<_>, Vec<_>) = keys.iter().partition(|(_, text)| text.is_empty());
        let mut keys: toml::Table = keys.into_iter().map(|(key, text)| (key.clone(), value(text))).collect();
        replace_in_method(&mut keys);
        let mut word = |key: &str| match keys.remove(key) {
            None => Ok(None),
            Some(toml::Value::String(word)) => Ok(Some(word)),
            Some(_) => Err(Error::invalid(format!("`{key}` must be a word; write it like {key}=tailor"))),
        };
        let (publisher, function) = (word(PUBLISHER)?, word("function")?);
        let publisher = publisher.unwrap_or_else(|| self.method.publisher.clone());
        let publisher = find(PUBLISHERS, "publisher", &publisher)?.id.to_owned();
        let same = publisher == self.method.publisher;
        let mut parameters = if same { self.method.parameters.clone() } else { BTreeMap::new() };
        let suppression = keys.remove("suppression").or_else(|| self.method.suppression.clone());
        parameters.extend(keys);
        empty.iter().for_each(|(key, _)| drop(parameters.remove(key)));
        let function = function.unwrap_or_else(|| self.method.function.clone());
        Ok(MethodJob { publisher, function, suppression, parameters })
    }

    /// The job with parameter `name` of its principles set to `text`, a value in TOML or a plain word.
    ///
    /// # Errors
    /// When no principle of the job has such a parameter, or one that has it does not take the value.
    pub fn with_parameter(&self, name: &str, text: &str) -> Result<Self> {
        let mut job = self.clone();
        let has = |id: &str| {
            let entry = PRINCIPLES.iter().find(|entry| entry.id == id);
            entry.is_some_and(|entry| entry.params.iter().any(|param| param.name == name))
        };
        let mut found = false;
        for privacy in job.privacy.iter_mut().filter(|privacy| has(&privacy.principle)) {
            privacy.parameters.insert(name.to_owned(), value(text));
            find(PRINCIPLES, "principle", &privacy.principle)?.make(&privacy.args()?)?;
            found = true;
        }
        let ids =
            || self.privacy.iter().map(|privacy| format!("`{}`", privacy.principle)).collect::<Vec<_>>().join(", ");
        if found {
            Ok(job)
        } else {
            Err(Error::invalid(format!("{} has no parameter `{name}`; see `pellucid list`", ids())))
        }
    }

    /// A method with every publisher of the registry; the job's own has its parameters. Demonstrations are left out unless they
    /// are wanted, but for the one that the job names.
    pub fn every_method(&self, demonstrations: bool) -> Result<Vec<MethodJob>> {
        let with = |id: &str| self.other_method(&[(PUBLISHER.to_owned(), format!("\"{id}\""))]);
        let wanted = |entry: &&RegistryEntry<dyn Publisher>| {
            demonstrations || !entry.claims(EntryClaim::Demonstration) || entry.id == self.method.publisher
        };
        PUBLISHERS.iter().filter(wanted).map(|entry| with(entry.id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = r#"
[input]
path = "patients.csv"
[columns]
age = { role = "quasi" }
disease = { role = "sensitive" }
[privacy]
principle = "frequency-l-diversity"
l = 3
[method]
publisher = "sequence"
strategy = "safe"
sequence = [{ age = 0 }]
"#;

    fn with(keys: &[(&str, &str)]) -> MethodJob {
        let keys: Vec<(String, String)> = keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        Job::read(JOB, &[]).unwrap().other_method(&keys).unwrap()
    }

    #[test]
    fn parameters_stay_with_their_publisher() {
        let same = with(&[("publisher", "sequence"), ("strategy", "k-jump"), ("jumps", "[1]")]);
        assert_eq!(same.parameters.keys().collect::<Vec<_>>(), ["jumps", "sequence", "strategy"]);
        assert_eq!(same.parameters["strategy"].as_str(), Some("k-jump"));
        assert_eq!(with(&[("strategy", "naive")]).publisher, "sequence");
        assert_eq!(with(&[("strategy", "")]).parameters.keys().collect::<Vec<_>>(), ["sequence"]);
        let other = with(&[("publisher", "tailor"), ("function", "anatomy")]);
        assert_eq!((other.publisher.as_str(), other.function.as_str()), ("tailor", "anatomy"));
        assert!(other.parameters.is_empty());
    }

    #[test]
    fn every_publisher_has_its_turn() {
        let job = Job::read(JOB, &[]).unwrap();
        let methods = job.every_method(true).unwrap();
        assert!(methods.iter().map(|method| method.publisher.as_str()).eq(PUBLISHERS.iter().map(|entry| entry.id)));
        let with_parameters = methods.iter().filter(|method| !method.parameters.is_empty());
        assert!(with_parameters.map(|method| method.publisher.as_str()).eq(["sequence"]));
        let offered = PUBLISHERS.iter().filter(|entry| !entry.claims(EntryClaim::Demonstration));
        let methods = job.every_method(false).unwrap();
        assert!(methods.iter().map(|method| method.publisher.as_str()).eq(offered.map(|entry| entry.id)));
    }

    #[test]
    fn a_parameter_is_set_where_a_principle_has_it() {
        let job =
            Job::read(&JOB.replace("[privacy]", "[[privacy]]\nprinciple = \"k-anonymity\"\nk = 2\n[[privacy]]"), &[])
                .unwrap();
        let other = job.with_parameter("l", "5").unwrap();
        assert_eq!(other.privacy[1].args().unwrap().integer("l").unwrap(), 5);
        assert_eq!(other.privacy[0], job.privacy[0]);
        for wrong in ["0", "many"] {
            assert!(job.with_parameter("l", wrong).unwrap_err().to_string().starts_with("l ("), "{wrong}");
        }
        let refusal = job.with_parameter("t", "0.2").unwrap_err().to_string();
        assert!(refusal.contains("`k-anonymity`, `frequency-l-diversity` has no parameter `t`"), "{refusal}");
    }

    #[test]
    fn a_publisher_is_a_word_of_the_registry() {
        let job = Job::read(JOB, &[]).unwrap();
        let refusal =
            |name: &str| job.other_method(&[("publisher".to_owned(), name.to_owned())]).unwrap_err().to_string();
        assert_eq!(refusal("3"), "`publisher` must be a word; write it like publisher=tailor");
        assert!(refusal("tailr").contains("no publisher `tailr`, did you mean `tailor`?"));
    }
}
