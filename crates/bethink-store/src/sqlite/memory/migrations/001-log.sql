-- The log: events, and tombstones of those that were forgotten.
--
-- The database itself keeps the log append-only. An event can be neither changed nor replaced; it can be
-- deleted only where a tombstone says so, and never comes back after that.

PRAGMA application_id = 0x62746D6D; -- "btmm"

CREATE TABLE meta (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    memory_id BLOB NOT NULL CHECK (length(memory_id) = 16),
    device    TEXT NOT NULL
) STRICT;

INSERT INTO meta VALUES (1, randomblob(16), lower(hex(randomblob(6))));

CREATE TABLE event (
    position   INTEGER PRIMARY KEY AUTOINCREMENT,
    id         BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    time       INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    device     TEXT    NOT NULL,
    zone       TEXT,
    source     TEXT,
    thread     TEXT,
    person     TEXT,
    person_key TEXT,
    text       TEXT    NOT NULL
) STRICT;

CREATE INDEX event_by_time ON event (time, position);
CREATE INDEX event_by_person ON event (person_key, time, position) WHERE person_key IS NOT NULL;
CREATE INDEX event_by_thread ON event (thread, time, position) WHERE thread IS NOT NULL;

CREATE TABLE tombstone (
    sequence  INTEGER PRIMARY KEY AUTOINCREMENT,
    id        BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    forgotten INTEGER NOT NULL
) STRICT;

CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;

CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE id = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;

-- REPLACE deletes without asking the trigger above, so it must never come to a conflict.
CREATE TRIGGER event_is_not_replaced BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE id = NEW.id OR position = NEW.position)
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;

CREATE TRIGGER event_stays_forgotten BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM tombstone WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the event was forgotten');
END;

CREATE TRIGGER tombstone_is_not_changed BEFORE UPDATE ON tombstone
BEGIN
    SELECT RAISE(ABORT, 'a tombstone stays');
END;

CREATE TRIGGER tombstone_is_not_deleted BEFORE DELETE ON tombstone
BEGIN
    SELECT RAISE(ABORT, 'a tombstone stays');
END;

CREATE TRIGGER tombstone_is_not_replaced BEFORE INSERT ON tombstone
WHEN EXISTS (SELECT 1 FROM tombstone WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN
    SELECT RAISE(ABORT, 'a tombstone stays');
END;
