-- What a release promises, which other columns it shows, what of it groups do not show, and releases that were never handed out.
ALTER TABLE pellucid.evidence ADD COLUMN promise TEXT;
ALTER TABLE pellucid.evidence ADD COLUMN other_columns TEXT;
ALTER TABLE pellucid.evidence ADD COLUMN gaps TEXT;

CREATE TABLE pellucid.withdrawals (
    table_name TEXT NOT NULL,
    evidence BIGINT NOT NULL,
    at_time TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (table_name, evidence),
    FOREIGN KEY (table_name, evidence) REFERENCES pellucid.evidence (table_name, number)
);
UPDATE pellucid.pellucid_ledger SET version = 3;
