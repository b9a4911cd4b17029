//! Small archives, made on the spot.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

/// A ZIP of these files. Panics where one cannot be made, as tests do.
pub fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, SimpleFileOptions::default()).expect("a file is begun");
        archive.write_all(bytes).expect("its bytes are written");
    }
    archive.finish().expect("the archive is finished").into_inner()
}
