//! The charsets that Windows and DOS gave numbers to, as far as they are known here.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, IBM866, KOI8_R, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

/// The charset of a number; that of Western Windows where the number is not known.
pub(super) fn charset(number: u16) -> &'static Encoding {
    match number {
        866 => IBM866,
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 => EUC_KR,
        950 => BIG5,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10_000 | 0x8000 => MACINTOSH,
        10_007 => X_MAC_CYRILLIC,
        20_866 => KOI8_R,
        65_001 => UTF_8,
        _ => WINDOWS_1252,
    }
}
