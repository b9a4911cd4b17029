//! The charset of an old workbook's code page.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use crate::text::of_code_page;

/// The charset of a number; that of Western Windows where the number is not known.
pub(super) fn charset(number: u16) -> &'static Encoding {
    /// What Excel on a Macintosh writes for its own.
    const MACINTOSH_EXCEL: u16 = 0x8000;
    match number {
        MACINTOSH_EXCEL => MACINTOSH,
        number => of_code_page(i32::from(number)).unwrap_or(WINDOWS_1252),
    }
}
