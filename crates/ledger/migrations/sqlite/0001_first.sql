-- Tables, what was shown of them, and what was decided.
CREATE TABLE pellucid_ledger (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO pellucid_ledger (singleton, version) VALUES (1, 1);

CREATE TABLE tables (
    name TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    row_count INTEGER NOT NULL CHECK (row_count >= 0),
    version INTEGER NOT NULL DEFAULT 0,
    decisions INTEGER NOT NULL DEFAULT 0,
    since TEXT NOT NULL
) STRICT;

CREATE TABLE evidence (
    table_name TEXT NOT NULL REFERENCES tables (name),
    number INTEGER NOT NULL CHECK (number >= 1),
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('view', 'release')),
    column_name TEXT NOT NULL,
    statement TEXT NOT NULL,
    shown TEXT NOT NULL,
    PRIMARY KEY (table_name, number)
) STRICT;

CREATE TABLE decisions (
    table_name TEXT NOT NULL REFERENCES tables (name),
    number INTEGER NOT NULL CHECK (number >= 1),
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    statement TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('released', 'refused', 'forced')),
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL,
    reason TEXT,
    evidence INTEGER,
    PRIMARY KEY (table_name, number),
    UNIQUE (table_name, evidence),
    FOREIGN KEY (table_name, evidence) REFERENCES evidence (table_name, number),
    CHECK ((outcome = 'refused') = (evidence IS NULL)),
    CHECK (outcome <> 'forced' OR reason IS NOT NULL)
) STRICT;
