//! Reading JSON objects key by key, with errors that name the key and never show a value.

use pellucid_model::error::{Error, Result};
use pellucid_model::registry::did_you_mean;
use serde_json::{Map, Value};

/// An object whose keys are asked for one by one.
#[derive(Debug, Clone, Copy)]
pub struct CaseObject<'a> {
    keys: &'a Map<String, Value>,
    known: &'a [&'static str],
}

impl<'a> CaseObject<'a> {
    /// `value`, of whose keys those of `known` mean something.
    pub fn new(value: &'a Value, known: &'a [&'static str]) -> Result<Self> {
        match value {
            Value::Object(keys) => Ok(Self { keys, known }),
            _ => Err(Error::bad_input("this must be an object; write {..} around its keys")),
        }
    }

    /// Refuses a key that is not known but looks like a known one that is absent; other unknown keys are ignored.
    pub fn refuse_misspelt(&self) -> Result<()> {
        for key in self.keys.keys().filter(|key| !self.known.contains(&key.as_str())) {
            let absent = self.known.iter().copied().filter(|known| !self.keys.contains_key(*known));
            let hint = did_you_mean(key, absent);
            if !hint.is_empty() {
                return Err(Error::bad_input(format!("key `{key}` means nothing{hint}; correct or remove it")));
            }
        }
        Ok(())
    }

    /// The value of `key`, if it is there.
    pub fn find(&self, key: &str) -> Option<&'a Value> {
        self.keys.get(key)
    }

    /// Fails when `key` is missing, and says so.
    pub fn get(&self, key: &str) -> Result<&'a Value> {
        self.find(key).ok_or_else(|| Error::bad_input(format!("key `{key}` is missing; add it")))
    }

    /// Fails when `key` is missing or is not text.
    pub fn text(&self, key: &str) -> Result<&'a str> {
        self.get(key)?.as_str().ok_or_else(|| wrong(key, "text; write it in double quotes"))
    }

    /// Fails when `key` is missing or is not a list.
    pub fn list(&self, key: &str) -> Result<&'a [Value]> {
        list(key, self.get(key)?)
    }
}

/// Fails, naming `key`, when `value` is not a list.
pub fn list<'a>(key: &str, value: &'a Value) -> Result<&'a [Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| wrong(key, "a list; write [..] around it"))
}

/// `value` as a number of people, steps and the like.
pub fn whole(key: &str, value: &Value) -> Result<usize> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| wrong(key, "made of whole numbers, zero or more; write them without quotes and points"))
}

/// Something under `key` is of the wrong shape.
pub fn wrong(key: &str, rule: &str) -> Error {
    Error::bad_input(format!("key `{key}` must be {rule}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn misspelt_keys_are_refused_and_other_keys_ignored() {
        let value = json!({ "table": [], "jump": [1], "comment": "own" });
        let object = CaseObject::new(&value, &["table", "jumps"]).unwrap();
        let message = object.refuse_misspelt().unwrap_err().to_string();
        assert_eq!(message, "key `jump` means nothing, did you mean `jumps`?; correct or remove it");
        let value = json!({ "table": [], "jumps": [1], "jump": 1 });
        assert!(CaseObject::new(&value, &["table", "jumps"]).unwrap().refuse_misspelt().is_ok());
    }

    #[test]
    fn errors_name_the_key_and_no_value() {
        let value = json!({ "table": 77, "kind": 77 });
        let object = CaseObject::new(&value, &["table", "kind"]).unwrap();
        assert_eq!(object.list("table").unwrap_err().to_string(), "key `table` must be a list; write [..] around it");
        assert!(!object.text("kind").unwrap_err().to_string().contains("77"));
        assert!(whole("jumps", &json!(-1)).is_err() && whole("jumps", &json!(1.5)).is_err());
        assert!(CaseObject::new(&json!([]), &[]).is_err());
    }
}
