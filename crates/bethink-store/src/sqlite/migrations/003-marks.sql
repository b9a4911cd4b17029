-- Places that begin inside a passage: rows of a sheet, moments of a recording, fields of a mail. A passage
-- starts at its locator; a hit on one of its lines is at the last of these before that line. NULL: none.
ALTER TABLE passage ADD COLUMN marks BLOB;
