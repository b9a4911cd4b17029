//! Which files of an EPUB are locked: `META-INF/encryption.xml`.

use std::collections::HashSet;

use super::package_document::resolve;
use crate::xml::{Piece, walk};

/// The scrambling of fonts, which keeps nobody from reading.
const FONT_ALGORITHMS: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// The paths of the files that only a reader with a licence can open.
pub(super) fn locked_files(source: &str) -> HashSet<String> {
    let mut locked = HashSet::new();
    let mut is_lock = true;
    walk(source, &mut |piece| {
        match piece {
            Piece::Start("EncryptedData", _) => is_lock = true,
            Piece::Start("EncryptionMethod", attributes) => {
                let algorithm = attributes.get("Algorithm").unwrap_or_default();
                is_lock = !FONT_ALGORITHMS.contains(&algorithm);
            }
            Piece::Start("CipherReference", attributes) if is_lock => {
                // References lead from the root of the package.
                locked.extend(attributes.get("URI").map(|path| resolve("", path)));
            }
            _ => {}
        }
        true
    });
    locked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrambled_fonts_are_no_lock() {
        let entry = |algorithm: &str, path: &str| {
            format!(
                "<enc:EncryptedData><enc:EncryptionMethod Algorithm='{algorithm}'/><ds:KeyInfo/><enc:CipherData>\
                 <enc:CipherReference URI='{path}'/></enc:CipherData></enc:EncryptedData>"
            )
        };
        let font = entry(FONT_ALGORITHMS[0], "OPS/a.otf");
        let chapter = entry("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a%20b.xhtml");
        let locked = locked_files(&format!("<encryption>{font}{chapter}</encryption>"));
        assert_eq!(locked, HashSet::from(["OPS/a b.xhtml".to_owned()]));
    }
}
