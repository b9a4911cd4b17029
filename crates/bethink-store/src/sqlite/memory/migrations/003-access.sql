-- The audit trail: which tool was given what, and which ids it answered with. What a tool wrote stands where
-- it was written and not here, so that forgetting it forgets all of it.

CREATE TABLE access (
    sequence  INTEGER PRIMARY KEY AUTOINCREMENT,
    time      INTEGER NOT NULL,
    tool      TEXT    NOT NULL,
    arguments TEXT    NOT NULL,
    -- One a line.
    answered  TEXT    NOT NULL
) STRICT;
