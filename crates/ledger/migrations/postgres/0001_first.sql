-- Tables, what was shown of them, and what was decided.
CREATE SCHEMA IF NOT EXISTS pellucid;

CREATE TABLE pellucid.pellucid_ledger (
    singleton BIGINT PRIMARY KEY CHECK (singleton = 1),
    version BIGINT NOT NULL
);
INSERT INTO pellucid.pellucid_ledger (singleton, version) VALUES (1, 1);

CREATE TABLE pellucid.tables (
    name TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    row_count BIGINT NOT NULL CHECK (row_count >= 0),
    version BIGINT NOT NULL DEFAULT 0,
    decisions BIGINT NOT NULL DEFAULT 0,
    since TEXT NOT NULL
);

CREATE TABLE pellucid.evidence (
    table_name TEXT NOT NULL REFERENCES pellucid.tables (name),
    number BIGINT NOT NULL CHECK (number >= 1),
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('view', 'release')),
    column_name TEXT NOT NULL,
    statement TEXT NOT NULL,
    shown TEXT NOT NULL,
    PRIMARY KEY (table_name, number)
);

CREATE TABLE pellucid.decisions (
    table_name TEXT NOT NULL REFERENCES pellucid.tables (name),
    number BIGINT NOT NULL CHECK (number >= 1),
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    statement TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('released', 'refused', 'forced')),
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL,
    reason TEXT,
    evidence BIGINT,
    PRIMARY KEY (table_name, number),
    UNIQUE (table_name, evidence),
    FOREIGN KEY (table_name, evidence) REFERENCES pellucid.evidence (table_name, number),
    CHECK ((outcome = 'refused') = (evidence IS NULL)),
    CHECK (outcome <> 'forced' OR reason IS NOT NULL)
);
