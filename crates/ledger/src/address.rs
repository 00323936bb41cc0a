//! Where a ledger is: a file or a database, told without its password.

use std::path::Path;
use std::time::Duration;

use pellucid_model::error::{Error, Result};
use postgres::Config;
use postgres::config::{Host, SslMode, SslNegotiation};

/// How long to wait for a server, unless the URL says so.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a ledger is.
pub(crate) enum LedgerAddress<'a> {
    /// In this file.
    File(&'a str),
    /// In this database, with words for it that hold no password.
    Database(Box<Config>, String),
}

impl<'a> LedgerAddress<'a> {
    /// Reads a place. No message repeats a text that may hold a password.
    pub(crate) fn read(place: &'a str) -> Result<Self> {
        let scheme = place.split_once("://").map(|(scheme, _)| scheme);
        match scheme {
            Some("postgres" | "postgresql") => database(place),
            Some(scheme) if scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter)) => {
                Err(Error::invalid(format!(
                    "a ledger cannot be at a `{scheme}://` address; name a file, or a database as {FORM}"
                )))
            }
            _ if place.is_empty() => Err(Error::invalid("the place of the ledger is empty; name a file")),
            _ if place.contains('\0') => Err(Error::invalid("the place of the ledger holds a zero byte; name a file")),
            _ if ["postgres:", "postgresql:"].iter().any(|start| place.starts_with(start)) => Err(malformed()),
            _ if place.contains("password=") => {
                Err(Error::invalid(format!("the place of the ledger is no file; write a database as {FORM}")))
            }
            _ => Ok(Self::File(place)),
        }
    }
}

/// How the address of a database is written.
const FORM: &str = "`postgres://user:password@host:port/database`";

fn malformed() -> Error {
    Error::invalid(format!(
        "the URL of the ledger cannot be read; write it as {FORM}, and in a password `%40` for `@`, `%2F` for `/`, `%3F` \
         for `?` and `%25` for `%`"
    ))
}

fn database(url: &str) -> Result<LedgerAddress<'static>> {
    // A sign of the password that is not encoded would make a part of it the host or the database, which messages name.
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let (login, at) = rest.split_once('@').unwrap_or(("", rest));
    if login.contains(['/', '?']) || at.contains('@') {
        return Err(malformed());
    }
    let tls = || {
        Error::invalid(
            "the URL of the ledger demands TLS, which Pellucid does not speak; take `sslmode` out and connect within a \
             trusted network, over a Unix socket or through a tunnel",
        )
    };
    if at.contains("sslmode=verify-") {
        return Err(tls());
    }
    let mut config: Config = url.parse().map_err(|_| malformed())?;
    if config.get_ssl_mode() == SslMode::Require || config.get_ssl_negotiation() == SslNegotiation::Direct {
        return Err(tls());
    }
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(Error::invalid(format!("the URL of the ledger names no host; write it as {FORM}")));
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("pellucid");
    }
    let words = label(&config);
    Ok(LedgerAddress::Database(Box::new(config), words))
}

/// The address without its password.
fn label(config: &Config) -> String {
    let named = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => Path::display(path).to_string(),
    });
    let hosts: Vec<String> = named.chain(config.get_hostaddrs().iter().map(ToString::to_string)).collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgres://{user}{}{port}{database}", hosts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(place: &str) -> String {
        LedgerAddress::read(place).err().map_or_else(|| panic!("`{place}` was accepted"), |error| error.to_string())
    }

    #[test]
    fn a_database_is_told_without_its_password() {
        for url in [
            "postgres://ann:s3cret@db.example:5433/ledger",
            "postgresql://ann@db.example:5433/ledger?password=s3cret",
            "postgres://ann:s3cret%40@db.example:5433/ledger?connect_timeout=3",
        ] {
            let Ok(LedgerAddress::Database(_, words)) = LedgerAddress::read(url) else { panic!("{url}") };
            assert_eq!(words, "postgres://ann@db.example:5433/ledger");
        }
    }

    #[test]
    fn a_password_that_is_not_encoded_never_becomes_a_host_or_a_database() {
        for url in [
            "postgres://ann:s3@s3cret@db/ledger",
            "postgres://ann:x@s3cret/y@db/ledger",
            "postgres://ann:x@s3cret?y=1@db/ledger",
            "postgres://db/ledger?user=ann&password=x@s3cret",
            "postgres://ann:s3cret/db",
            "postgres://ann:s3cret%zz@db:port/ledger",
            "postgres:ann:s3cret@db/ledger",
            "host=db user=ann password=s3cret",
            "mysql://ann:s3cret@db/ledger",
            "postgres://ann:s3cret@db/ledger?sslmode=require",
            "postgres://ann:s3cret@db/ledger?sslmode=verify-full",
            "postgres://ann:s3cret@/ledger",
        ] {
            let message = refused(url);
            assert!(!message.contains("s3cret") && message.contains(';'), "{url}: {message}");
        }
    }

    #[test]
    fn a_url_that_demands_tls_is_refused_as_that() {
        for mode in ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full", "sslnegotiation=direct"] {
            let message = refused(&format!("postgres://ann@db/ledger?{mode}"));
            assert!(message.contains("TLS"), "{mode}: {message}");
        }
    }

    #[test]
    fn other_addresses_are_named_by_their_scheme_and_files_are_files() {
        assert!(refused("mysql://db/ledger").contains("mysql://"));
        assert!(refused("").contains("empty"));
        for file in ["ledger.db", "./a/b.ledger", "/tmp/x", ":memory:", "file:x"] {
            assert!(matches!(LedgerAddress::read(file), Ok(LedgerAddress::File(same)) if same == file), "{file}");
        }
    }
}
