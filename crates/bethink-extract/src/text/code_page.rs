//! The charsets that Windows and DOS gave numbers to, as far as they are known here.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GB18030, GBK, IBM866, KOI8_R, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
    X_MAC_CYRILLIC,
};

/// The encoding of a code page; `None` where the number is not known.
pub(crate) fn of_code_page(page: i32) -> Option<&'static Encoding> {
    Some(match page {
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 | 1361 => EUC_KR,
        950 => BIG5,
        866 => IBM866,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1252 => WINDOWS_1252,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10_000 => MACINTOSH,
        10_007 => X_MAC_CYRILLIC,
        20_866 => KOI8_R,
        54_936 => GB18030,
        65_001 => UTF_8,
        _ => return None,
    })
}
