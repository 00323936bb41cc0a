-- What a release promises, which other columns it shows, what of it groups do not show, and releases that were never handed out.
ALTER TABLE evidence ADD COLUMN promise TEXT;
ALTER TABLE evidence ADD COLUMN other_columns TEXT;
ALTER TABLE evidence ADD COLUMN gaps TEXT;

CREATE TABLE withdrawals (
    table_name TEXT NOT NULL,
    evidence INTEGER NOT NULL,
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (table_name, evidence),
    FOREIGN KEY (table_name, evidence) REFERENCES evidence (table_name, number)
) STRICT;
UPDATE pellucid_ledger SET version = 3;
