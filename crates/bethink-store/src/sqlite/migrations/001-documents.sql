-- Documents, contents and passages, and the log of their changes.
--
-- Paths are blobs, so that a path is kept byte for byte and compared byte for byte.
-- AUTOINCREMENT wherever an identity leaves the store: an identity is never used again.

PRAGMA application_id = 0x6274686B; -- "bthk"

CREATE TABLE meta (
    one            INTEGER PRIMARY KEY CHECK (one = 1),
    store_id       BLOB    NOT NULL CHECK (length(store_id) = 16),
    epoch          INTEGER NOT NULL,
    -- Changes up to here are no longer in the log.
    pruned_through INTEGER NOT NULL,
    -- Counts deletions whose bytes may still stand in free space; compacting takes off what it purged.
    residue        INTEGER NOT NULL
) STRICT;

INSERT INTO meta VALUES (1, randomblob(16), 1, 0, 0);

CREATE TABLE root (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    path      BLOB    NOT NULL UNIQUE,
    -- 0 pending, 1 complete, 2 missing, 3 unreadable (then with a reason).
    state     INTEGER NOT NULL DEFAULT 0,
    reason    TEXT,
    completed INTEGER
) STRICT;

CREATE TABLE content (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    hash              BLOB    NOT NULL CHECK (length(hash) = 32),
    format            TEXT    NOT NULL,
    extractor_version INTEGER NOT NULL,
    cutter_version    INTEGER NOT NULL,
    lines             INTEGER NOT NULL,
    text_bytes        INTEGER NOT NULL,
    passages          INTEGER NOT NULL,
    title             TEXT,
    problems          BLOB,
    UNIQUE (hash, format, extractor_version, cutter_version)
) STRICT;

CREATE TABLE document (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    root        INTEGER NOT NULL REFERENCES root (id),
    path        BLOB    NOT NULL UNIQUE,
    size_bytes  INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    changed_ns  INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    device      INTEGER NOT NULL,
    hash        BLOB CHECK (length(hash) = 32),
    content     INTEGER REFERENCES content (id),
    -- 0 indexed, 1 skipped, 2 failed (then with a kind and a sentence).
    outcome     INTEGER NOT NULL,
    kind        TEXT,
    detail      TEXT,
    epoch       INTEGER NOT NULL
) STRICT;

CREATE INDEX document_root ON document (root);
CREATE INDEX document_content ON document (content) WHERE content IS NOT NULL;
CREATE INDEX document_hash ON document (hash) WHERE hash IS NOT NULL;
CREATE INDEX document_trouble ON document (path) WHERE outcome > 0;

-- The extracted text is kept here and nowhere else: the passages of a content tile its text.
CREATE TABLE passage (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    content    INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    key        BLOB    NOT NULL CHECK (length(key) = 16),
    start_byte INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    heading    BLOB,
    locator    BLOB,
    text       TEXT    NOT NULL,
    UNIQUE (content, ordinal)
) STRICT;

CREATE TABLE change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 0 content, 1 document.
    kind     INTEGER NOT NULL,
    id       INTEGER NOT NULL
) STRICT;
