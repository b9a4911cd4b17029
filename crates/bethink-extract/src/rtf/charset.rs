//! The charsets that RTF names by Windows' numbers.

use encoding_rs::*;

/// The encoding of a font's `\fcharset`; `None` for those that leave it to the document.
pub(super) fn of_font(charset: i32) -> Option<&'static Encoding> {
    Some(match charset {
        0 => WINDOWS_1252,
        77 => MACINTOSH,
        128 => SHIFT_JIS,
        129 | 130 => EUC_KR,
        134 => GBK,
        136 => BIG5,
        161 => WINDOWS_1253,
        162 => WINDOWS_1254,
        163 => WINDOWS_1258,
        177 => WINDOWS_1255,
        178..=180 => WINDOWS_1256,
        186 => WINDOWS_1257,
        204 => WINDOWS_1251,
        222 => WINDOWS_874,
        238 => WINDOWS_1250,
        _ => return None,
    })
}
