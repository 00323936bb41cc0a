-- The gate through which everything shown of a table goes.
ALTER TABLE pellucid.tables ADD COLUMN gate TEXT NOT NULL DEFAULT 'open';
UPDATE pellucid.pellucid_ledger SET version = 2;
