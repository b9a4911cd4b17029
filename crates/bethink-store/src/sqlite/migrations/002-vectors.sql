-- Models, their vectors, and the queue of passages that lack one.

-- The newest fencing token; it outlives models, so that no token is ever given twice.
ALTER TABLE meta ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

CREATE TABLE model (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT    NOT NULL UNIQUE,
    -- 0 static, 1 transformer.
    tier      INTEGER NOT NULL,
    dimension INTEGER NOT NULL
) STRICT;

CREATE TABLE vector (
    -- One sequence for all models, so that a forgotten model that comes back continues upwards.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    model    INTEGER NOT NULL REFERENCES model (number),
    passage  INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    -- The passage's content and key again, so that reading vectors touches no text.
    content  INTEGER NOT NULL,
    key      BLOB    NOT NULL,
    -- IEEE 754 half precision, little endian.
    data     BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX vector_passage ON vector (passage, model);
CREATE INDEX vector_model ON vector (model);
CREATE INDEX vector_key ON vector (model, key);

CREATE TABLE embedding_queue (
    passage  INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    model    INTEGER NOT NULL REFERENCES model (number),
    -- Modification time of the newest document with this text, nanoseconds since the Unix epoch.
    priority INTEGER NOT NULL,
    fence    INTEGER,
    expires  INTEGER,
    -- Why there can be no vector; such a row waits no longer.
    failure  TEXT,
    PRIMARY KEY (passage, model)
) STRICT, WITHOUT ROWID;

CREATE INDEX embedding_queue_waiting ON embedding_queue (model, priority DESC, passage) WHERE failure IS NULL;
CREATE INDEX embedding_queue_failed ON embedding_queue (model) WHERE failure IS NOT NULL;
