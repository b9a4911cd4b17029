-- The notebook: notes with their revisions and suggestions, people with their names, and the order in which
-- all of it changed.

CREATE TABLE person (
    id      BLOB    PRIMARY KEY CHECK (length(id) = 16),
    name    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every spelling by which a person is known, their name among them. Two people may share one.
CREATE TABLE person_name (
    key      TEXT NOT NULL,
    person   BLOB NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    spelling TEXT NOT NULL,
    PRIMARY KEY (key, person)
) STRICT, WITHOUT ROWID;

CREATE INDEX person_name_by_person ON person_name (person);

CREATE TABLE note (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    kind        TEXT    NOT NULL,
    identity    TEXT    NOT NULL,
    person      BLOB    REFERENCES person (id),
    -- The moment that windows of time ask for: the day that it is about, or when it last changed.
    noted       INTEGER NOT NULL,
    created     INTEGER NOT NULL,
    updated     INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    user_edited INTEGER NOT NULL,
    about       INTEGER,
    source      TEXT,
    title       TEXT    NOT NULL,
    -- One a line.
    tags        TEXT    NOT NULL,
    body        TEXT    NOT NULL,
    UNIQUE (kind, identity)
) STRICT;

CREATE INDEX note_by_noted ON note (noted, number);
CREATE INDEX note_by_person ON note (person, noted, number) WHERE person IS NOT NULL;

CREATE TABLE revision (
    note     INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    recorded INTEGER NOT NULL,
    author   TEXT    NOT NULL,
    person   BLOB,
    about    INTEGER,
    source   TEXT,
    title    TEXT    NOT NULL,
    tags     TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    PRIMARY KEY (note, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE suggestion (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    note    INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
    made    INTEGER NOT NULL,
    author  TEXT    NOT NULL,
    -- 0 open, 1 accepted, 2 dismissed.
    state   INTEGER NOT NULL DEFAULT 0,
    decided INTEGER,
    about   INTEGER,
    source  TEXT,
    title   TEXT    NOT NULL,
    tags    TEXT    NOT NULL,
    body    TEXT    NOT NULL
) STRICT;

CREATE INDEX suggestion_by_note ON suggestion (note, state);

-- What each word is worth in a note: 3 in its title, 2 in a tag, 1 in its body, added up. Written with the note.
CREATE TABLE note_term (
    term  TEXT    NOT NULL,
    note  INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
    worth INTEGER NOT NULL,
    PRIMARY KEY (term, note)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_term_by_note ON note_term (note);

CREATE TABLE note_tag (
    key  TEXT    NOT NULL,
    note INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
    PRIMARY KEY (key, note)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_tag_by_note ON note_tag (note);

CREATE TABLE note_tombstone (
    id        BLOB    PRIMARY KEY CHECK (length(id) = 16),
    forgotten INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What projections follow: which note (0) or person (1) changed, was made or was forgotten.
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     INTEGER NOT NULL,
    item     BLOB    NOT NULL CHECK (length(item) = 16)
) STRICT;

CREATE TRIGGER note_made AFTER INSERT ON note
BEGIN
    INSERT INTO change (kind, item) VALUES (0, NEW.id);
END;

CREATE TRIGGER note_changed AFTER UPDATE ON note
BEGIN
    INSERT INTO change (kind, item) VALUES (0, NEW.id);
END;

CREATE TRIGGER note_forgotten AFTER DELETE ON note
BEGIN
    INSERT INTO change (kind, item) VALUES (0, OLD.id);
END;

CREATE TRIGGER person_made AFTER INSERT ON person
BEGIN
    INSERT INTO change (kind, item) VALUES (1, NEW.id);
END;

CREATE TRIGGER person_changed AFTER UPDATE ON person
BEGIN
    INSERT INTO change (kind, item) VALUES (1, NEW.id);
END;

CREATE TRIGGER person_forgotten AFTER DELETE ON person
BEGIN
    INSERT INTO change (kind, item) VALUES (1, OLD.id);
END;
