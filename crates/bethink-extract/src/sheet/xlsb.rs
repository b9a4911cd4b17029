//! Binary Excel workbooks (`xlsb`): the parts of Office Open XML, with records in the place of elements.
//!
//! A record is a number of one or two bytes, a length of up to four, each byte with seven bits and a mark that
//! another follows, and a body. Strings are a count of four bytes and so many units of UTF-16.

use encoding_rs::UTF_16LE;

use super::biff::{bool_or_error, rk};
use super::covered::Covered;
use super::number_format::{NumberFormat, general};
use super::relations;
use super::rows::Rows;
use super::serial_date::Epoch;
use super::strings::Strings;
use super::xlsx::{self, MOST_SHEETS, part};
use crate::package::Package;

const ROW: u16 = 0;
const CELL_RK: u16 = 2;
const CELL_ERROR: u16 = 3;
const CELL_BOOL: u16 = 4;
const CELL_REAL: u16 = 5;
const CELL_TEXT: u16 = 6;
const CELL_SHARED: u16 = 7;
const FORMULA_TEXT: u16 = 8;
const FORMULA_REAL: u16 = 9;
const FORMULA_BOOL: u16 = 10;
const FORMULA_ERROR: u16 = 11;
const SHARED_STRING: u16 = 19;
const FORMAT: u16 = 44;
const STYLE: u16 = 47;
const CELL_RICH: u16 = 62;
const WORKBOOK: u16 = 153;
const SHEET: u16 = 156;
const MERGED: u16 = 176;
const CELL_STYLES: u16 = 617;
const CELL_STYLES_END: u16 = 618;
const COMMENT: u16 = 635;
const COMMENT_TEXT: u16 = 637;

/// What the sheets share.
#[derive(Default)]
struct Workbook {
    strings: Strings,
    styles: Vec<NumberFormat>,
    epoch: Epoch,
}

/// Reads the workbook into rows.
pub(super) fn read(package: &mut Package<'_>, rows: &mut Rows<'_>) {
    let main = relations::main_part(package, "xl/workbook.bin");
    let links = relations::of(package, &main);
    let mut workbook = Workbook::default();
    let mut sheets = Vec::new();
    for (number, body) in records(&part(package, &main, rows)) {
        match number {
            WORKBOOK if body.first().is_some_and(|flags| flags & 1 != 0) => workbook.epoch = Epoch::Macintosh,
            SHEET => {
                let Some((id, rest)) = string(body.get(8..).unwrap_or_default()) else { continue };
                let Some((name, _)) = string(rest) else { continue };
                if let Some(link) = links.iter().find(|link| link.id == id) {
                    sheets.push((name, link.target.clone()));
                }
            }
            _ => {}
        }
    }
    if let Some(path) = relations::of_kind(&links, "sharedStrings") {
        for (number, body) in records(&part(package, path, rows)) {
            if number == SHARED_STRING {
                let text = body.get(1..).and_then(string).map(|(text, _)| text);
                workbook.strings.push(&text.unwrap_or_default());
            }
        }
    }
    if let Some(path) = relations::of_kind(&links, "styles") {
        workbook.styles = read_styles(&part(package, path, rows));
    }
    for (name, path) in sheets.into_iter().take(MOST_SHEETS) {
        if rows.is_full() {
            return;
        }
        rows.begin(&name);
        xlsx::beside_cells(package, &path, rows);
        read_sheet(&part(package, &path, rows), &workbook, rows);
    }
}

fn read_styles(bytes: &[u8]) -> Vec<NumberFormat> {
    let mut codes: Vec<(u16, NumberFormat)> = Vec::new();
    let mut styles = Vec::new();
    let mut in_cell_styles = false;
    for (number, body) in records(bytes) {
        match number {
            FORMAT => {
                if let (Some(number), Some((code, _))) = (two(body, 0), body.get(2..).and_then(string)) {
                    codes.push((number, NumberFormat::parse(&code)));
                }
            }
            CELL_STYLES => {
                codes.sort_by_key(|(number, _)| *number);
                in_cell_styles = true;
            }
            CELL_STYLES_END => in_cell_styles = false,
            STYLE if in_cell_styles => {
                let number = two(body, 2).unwrap_or_default();
                let own = codes.binary_search_by_key(&number, |(own, _)| *own).ok();
                styles.push(own.map_or_else(|| NumberFormat::built_in(u32::from(number)), |at| codes[at].1.clone()));
            }
            _ => {}
        }
    }
    styles
}

fn read_sheet(bytes: &[u8], workbook: &Workbook, rows: &mut Rows<'_>) {
    let mut covered = Covered::default();
    for (_, body) in records(bytes).filter(|(number, _)| *number == MERGED) {
        let at = |at: usize| four(body, at).map(|place| place.saturating_add(1));
        if let (Some(top), Some(bottom), Some(left), Some(right)) = (at(0), at(4), at(8), at(12)) {
            covered.add((top, left), (bottom, right));
        }
    }
    let mut row = 0;
    for (number, body) in records(bytes) {
        if number == ROW {
            row = four(body, 0).unwrap_or_default().saturating_add(1);
            continue;
        }
        let Some(column) = four(body, 0).map(|column| column.saturating_add(1)) else { continue };
        if let Some(text) = value(number, body, workbook)
            && !covered.holds(row, column)
            && !rows.cell(row, column, &text)
        {
            return;
        }
    }
}

/// What a cell's record shows; `None` for records of other things.
fn value(number: u16, body: &[u8], workbook: &Workbook) -> Option<String> {
    let style = || four(body, 4).map(|style| (style & 0xFF_FFFF) as usize);
    let shown = |value: f64| match style().and_then(|style| workbook.styles.get(style)) {
        Some(format) => format.show(value, workbook.epoch),
        None => general(value),
    };
    Some(match number {
        CELL_RK => shown(rk(four(body, 8)?)),
        CELL_REAL | FORMULA_REAL => shown(f64::from_le_bytes(body.get(8..16)?.try_into().ok()?)),
        CELL_BOOL | FORMULA_BOOL => bool_or_error(*body.get(8)?, false),
        CELL_ERROR | FORMULA_ERROR => bool_or_error(*body.get(8)?, true),
        CELL_TEXT | FORMULA_TEXT => string(body.get(8..)?)?.0,
        CELL_RICH => string(body.get(9..)?)?.0,
        CELL_SHARED => workbook.strings.get(four(body, 8)? as usize)?.to_owned(),
        _ => return None,
    })
}

/// Reads a part of comments.
pub(super) fn read_comments(bytes: &[u8], has_threads: bool, rows: &mut Rows<'_>) {
    let mut place = None;
    for (number, body) in records(bytes) {
        match number {
            COMMENT => place = four(body, 4).zip(four(body, 12)),
            COMMENT_TEXT => {
                let Some((text, _)) = body.get(1..).and_then(string) else { continue };
                let copied = has_threads && text.trim_start().starts_with("[Threaded comment]");
                if let Some((row, column)) = place.take().filter(|_| !copied) {
                    let (row, column) = (row.saturating_add(1), column.saturating_add(1));
                    rows.note(row, &format!("Note {}: {text}", super::cell_names::name(row, column)));
                }
            }
            _ => {}
        }
    }
}

/// The records of a part.
fn records(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut at = 0usize;
    std::iter::from_fn(move || {
        let first = u16::from(*bytes.get(at)?);
        at += 1;
        let mut number = first & 0x7F;
        if first & 0x80 != 0 {
            number |= (u16::from(*bytes.get(at)?) & 0x7F) << 7;
            at += 1;
        }
        let mut length = 0usize;
        for shift in [0, 7, 14, 21] {
            let byte = *bytes.get(at)?;
            at += 1;
            length |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let body = bytes.get(at..at + length)?;
        at += length;
        Some((number, body))
    })
}

/// A string and what follows it; none where its length says that there is none.
fn string(bytes: &[u8]) -> Option<(String, &[u8])> {
    let length = usize::try_from(four(bytes, 0)?).ok()?;
    let end = length.checked_mul(2)?.checked_add(4)?;
    let units = bytes.get(4..end)?;
    Some((UTF_16LE.decode_without_bom_handling(units).0.into_owned(), &bytes[end..]))
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_told_apart_by_the_marks_in_their_bytes() {
        let bytes = [&[0x13, 0x01, 7][..], &[0xE9, 0x04, 0x80, 0x01], &[5; 128], &[0x01, 0xFF]].concat();
        let found: Vec<_> = records(&bytes).map(|(number, body)| (number, body.len())).collect();
        assert_eq!(found, [(SHARED_STRING, 1), (CELL_STYLES, 128)]);
        assert_eq!(string(b"\x02\0\0\0a\0b\0rest"), Some(("ab".to_owned(), b"rest".as_slice())));
        assert_eq!(string(b"\xFF\xFF\xFF\xFF"), None);
    }
}
