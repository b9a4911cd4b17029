//! Excel workbooks from before 2007 (`xls`): a stream of records inside a compound file.
//!
//! The globals come first: charset, formats, the strings that cells share, and where each sheet begins. A sheet is
//! read twice: once for its merged cells, notes and drawings, which stand behind the cells, then for the cells.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use bethink_core::{Problem, ProblemKind};
use memchr::memmem;

use super::biff_record::{CONTINUE, Pieces, Record, Writing, records};
use super::codepage::charset;
use super::covered::Covered;
use super::number_format::{NumberFormat, general};
use super::rows::Rows;
use super::serial_date::Epoch;
use super::strings::Strings;
use super::xlsx::MOST_SHEETS;
use crate::extraction::problem;

const FORMULA: u16 = 0x0006;
const END: u16 = 0x000A;
const NOTE: u16 = 0x001C;
const DATE_MODE: u16 = 0x0022;
const FILE_PASSWORD: u16 = 0x002F;
const CODE_PAGE: u16 = 0x0042;
const OBJECT: u16 = 0x005D;
const SHEET: u16 = 0x0085;
const MANY_RK: u16 = 0x00BD;
const RICH_LABEL: u16 = 0x00D6;
const STYLE: u16 = 0x00E0;
const MERGED: u16 = 0x00E5;
const DRAWING: u16 = 0x00EC;
const SHARED_STRINGS: u16 = 0x00FC;
const SHARED_LABEL: u16 = 0x00FD;
const TEXT_OBJECT: u16 = 0x01B6;
const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
const BOOL_OR_ERROR: u16 = 0x0205;
const STRING: u16 = 0x0207;
const RK: u16 = 0x027E;
const FORMAT: u16 = 0x041E;
const OLD_FORMAT: u16 = 0x001E;
const BEGIN: u16 = 0x0809;
const SERIES_TEXT: u16 = 0x100D;

/// What the sheets share.
#[derive(Default)]
struct Globals {
    writing: Writing,
    epoch: Epoch,
    formats: HashMap<u16, NumberFormat>,
    /// The number of the format of each cell style.
    styles: Vec<u16>,
    strings: Strings,
    sheets: Vec<(usize, String)>,
}

/// Reads the workbook into rows.
///
/// # Errors
/// `Encrypted`, or `Damaged` where there is no workbook in the bytes.
pub(super) fn read(bytes: &[u8], rows: &mut Rows<'_>) -> Result<(), Problem> {
    let stream = match workbook_stream(bytes) {
        Some(stream) => stream,
        // A compound file whose tables are broken mostly has its workbook in one piece.
        None => bare_workbook(bytes)
            .ok_or_else(|| problem(ProblemKind::Damaged, "its container is broken and holds no workbook"))?
            .to_vec(),
    };
    let globals = read_globals(&stream)?;
    if globals.sheets.is_empty() {
        // Before Excel 5 a file was a sheet.
        rows.begin("");
        read_sheet(&stream, 0, &globals, rows);
    }
    for (offset, name) in &globals.sheets {
        if rows.is_full() {
            break;
        }
        rows.begin(name);
        read_sheet(&stream, *offset, &globals, rows);
    }
    Ok(())
}

/// The stream of the workbook; of the newer form where both are there.
fn workbook_stream(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut container = cfb::CompoundFile::open(Cursor::new(bytes)).ok()?;
    let names: Vec<String> = container.read_root_storage().map(|entry| entry.name().to_owned()).collect();
    for wanted in ["workbook", "book"] {
        if let Some(name) = names.iter().find(|name| name.to_lowercase() == wanted)
            && let Ok(stream) = container.open_stream(format!("/{name}"))
        {
            let mut workbook = Vec::new();
            // A stream is no longer than its file; what was read before a broken sector is kept.
            let most = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            let _ = stream.take(most).read_to_end(&mut workbook);
            if !workbook.is_empty() {
                return Some(workbook);
            }
        }
    }
    None
}

/// From the first record of a workbook's globals on.
fn bare_workbook(bytes: &[u8]) -> Option<&[u8]> {
    const OPENINGS: [&[u8]; 2] = [b"\x09\x08\x10\0\0\x06\x05\0", b"\x09\x08\x08\0\0\x05\x05\0"];
    let at = OPENINGS.iter().find_map(|opening| memmem::find(bytes, opening))?;
    Some(&bytes[at..])
}

fn read_globals(stream: &[u8]) -> Result<Globals, Problem> {
    let mut globals = Globals::default();
    let mut records = records(stream, 0).peekable();
    while let Some(record) = records.next() {
        match record.number {
            BEGIN => globals.writing.is_unicode = record.two(0) == Some(0x0600),
            // Excel itself opens what is protected against changes alone, with a password that everybody has;
            // the bytes are scrambled all the same.
            FILE_PASSWORD => return Err(problem(ProblemKind::Encrypted, "it opens with a password only")),
            CODE_PAGE => globals.writing.charset = charset(record.two(0).unwrap_or_default()),
            DATE_MODE if record.two(0) == Some(1) => globals.epoch = Epoch::Macintosh,
            FORMAT | OLD_FORMAT => {
                let writing = globals.writing;
                let code =
                    if writing.is_unicode { writing.long(&[record.from(2)]) } else { writing.short(record.from(2)) };
                globals.formats.insert(record.two(0).unwrap_or_default(), NumberFormat::parse(&code));
            }
            STYLE => globals.styles.push(record.two(2).unwrap_or_default()),
            SHEET if globals.sheets.len() < MOST_SHEETS => {
                // Of macro modules there is no text in records.
                let is_module = record.body.get(5) == Some(&6);
                if let Some(offset) = record.four(0).filter(|_| !is_module) {
                    globals.sheets.push((offset as usize, globals.writing.short(record.from(6))));
                }
            }
            SHARED_STRINGS => {
                let mut pieces = vec![record.from(8)];
                while let Some(next) = records.next_if(|next| next.number == CONTINUE) {
                    pieces.push(next.body);
                }
                // How many there are is a claim; there are as many as are there.
                let mut reader = Pieces::new(&pieces);
                while let Some(string) = reader.shared_string() {
                    globals.strings.push(&string);
                }
            }
            END => break,
            _ => {}
        }
    }
    Ok(globals)
}

/// What stands in a sheet beside its cells.
#[derive(Default)]
struct Beside {
    covered: Covered,
    /// Where notes are put, by the number of their object.
    notes: HashMap<u16, (u16, u16)>,
    /// Texts by their object, and the row that it hangs on.
    texts: Vec<(Option<u16>, u32, String)>,
}

/// Where a record stands in the stream of a sheet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It begins or ends something.
    Border,
    /// It is the sheet's own.
    Sheet,
    /// It is of a chart in the sheet.
    Chart,
    /// It ends the sheet.
    End,
}

/// How deep the records go: a sheet is begun and ended, and so is every chart in it.
#[derive(Default)]
struct Nesting(u32);

impl Nesting {
    /// Passes a record, by its number.
    fn pass(&mut self, number: u16) -> Standing {
        match number {
            BEGIN => self.0 = self.0.saturating_add(1),
            END => {
                self.0 = self.0.saturating_sub(1);
                if self.0 == 0 {
                    return Standing::End;
                }
            }
            // A sheet of the oldest kind may lack its beginning.
            _ if self.0 <= 1 => return Standing::Sheet,
            _ => return Standing::Chart,
        }
        Standing::Border
    }
}

fn read_sheet(stream: &[u8], offset: usize, globals: &Globals, rows: &mut Rows<'_>) {
    let beside = read_beside(stream, offset, globals, rows);
    for (object, row, text) in &beside.texts {
        match object.and_then(|object| beside.notes.get(&object)) {
            Some((row, column)) => {
                let place = super::cell_names::name(u32::from(*row) + 1, u32::from(*column) + 1);
                rows.note(u32::from(*row) + 1, &format!("Note {place}: {text}"));
            }
            None => rows.note(*row, text),
        }
    }
    let mut nesting = Nesting::default();
    // A formula whose value is text has it in a record of its own.
    let mut formula: Option<(u16, u16)> = None;
    let mut records = records(stream, offset).peekable();
    while let Some(record) = records.next() {
        match nesting.pass(record.number) {
            Standing::End => return,
            Standing::Sheet => {}
            // Of charts in the sheet only the words are read, and those are read beside the cells.
            Standing::Border | Standing::Chart => continue,
        }
        match record.number {
            STRING => {
                if let Some((row, column)) = formula.take() {
                    let mut pieces = vec![record.body];
                    while let Some(next) = records.next_if(|next| next.number == CONTINUE) {
                        pieces.push(next.body);
                    }
                    let text = globals.writing.long(&pieces);
                    if !cell(&beside, rows, row, column, &text) {
                        return;
                    }
                }
            }
            MANY_RK => {
                let (Some(row), Some(first)) = (record.two(0), record.two(2)) else { continue };
                let pairs = record.from(4).chunks_exact(6);
                for (position, pair) in (0u16..).zip(pairs) {
                    let style = u16::from_le_bytes([pair[0], pair[1]]);
                    let value = rk(u32::from_le_bytes([pair[2], pair[3], pair[4], pair[5]]));
                    let text = shown(globals, style, value);
                    if !cell(&beside, rows, row, first.saturating_add(position), &text) {
                        return;
                    }
                }
            }
            number => {
                let (Some(row), Some(column)) = (record.two(0), record.two(2)) else { continue };
                if number & 0xFF == FORMULA && matches!(number, FORMULA | 0x0206 | 0x0406) && is_text_formula(&record) {
                    formula = Some((row, column));
                    continue;
                }
                if let Some(text) = value(globals, &record)
                    && !cell(&beside, rows, row, column, &text)
                {
                    return;
                }
            }
        }
    }
}

fn cell(beside: &Beside, rows: &mut Rows<'_>, row: u16, column: u16, text: &str) -> bool {
    let (row, column) = (u32::from(row) + 1, u32::from(column) + 1);
    beside.covered.holds(row, column) || rows.cell(row, column, text)
}

/// Whether a formula's value is text, which follows.
fn is_text_formula(record: &Record<'_>) -> bool {
    record.two(12) == Some(0xFFFF) && record.body.get(6) == Some(&0)
}

/// What a cell's record shows; `None` for records of other things.
fn value(globals: &Globals, record: &Record<'_>) -> Option<String> {
    let style = record.two(4)?;
    Some(match record.number {
        SHARED_LABEL => globals.strings.get(record.four(6)? as usize)?.to_owned(),
        LABEL | RICH_LABEL => globals.writing.long(&[record.from(6)]),
        NUMBER => shown(globals, style, record.float(6)?),
        RK => shown(globals, style, rk(record.four(6)?)),
        BOOL_OR_ERROR => bool_or_error(*record.body.get(6)?, record.body.get(7) == Some(&1)),
        FORMULA | 0x0206 | 0x0406 if record.two(12) == Some(0xFFFF) => match record.body.get(6)? {
            1 => bool_or_error(*record.body.get(8)?, false),
            2 => bool_or_error(*record.body.get(8)?, true),
            _ => return None,
        },
        FORMULA | 0x0206 | 0x0406 => shown(globals, style, record.float(6)?),
        _ => return None,
    })
}

fn shown(globals: &Globals, style: u16, value: f64) -> String {
    let Some(number) = globals.styles.get(usize::from(style)) else { return general(value) };
    match globals.formats.get(number) {
        Some(format) => format.show(value, globals.epoch),
        None => NumberFormat::built_in(u32::from(*number)).show(value, globals.epoch),
    }
}

/// A number in four bytes: the upper thirty bits are an integer or those of a float, the lowest bit divides it by
/// a hundred.
pub(super) fn rk(bits: u32) -> f64 {
    let value =
        if bits & 2 != 0 { f64::from(bits.cast_signed() >> 2) } else { f64::from_bits(u64::from(bits & !3) << 32) };
    if bits & 1 != 0 { value / 100.0 } else { value }
}

/// A yes or no, or an error as Excel names it.
pub(super) fn bool_or_error(value: u8, is_error: bool) -> String {
    let word = match (is_error, value) {
        (false, 0) => "FALSE",
        (false, _) => "TRUE",
        (true, 0x00) => "#NULL!",
        (true, 0x07) => "#DIV/0!",
        (true, 0x0F) => "#VALUE!",
        (true, 0x17) => "#REF!",
        (true, 0x1D) => "#NAME?",
        (true, 0x24) => "#NUM!",
        (true, _) => "#N/A",
    };
    word.to_owned()
}

/// Reads everything of a sheet but its cells.
fn read_beside(stream: &[u8], offset: usize, globals: &Globals, rows: &mut Rows<'_>) -> Beside {
    /// Notes and boxes of one sheet.
    const MOST_TEXTS: usize = 100_000;
    let mut beside = Beside::default();
    let (mut nesting, mut row, mut object) = (Nesting::default(), 1u32, None);
    let mut records = records(stream, offset).peekable();
    while let Some(record) = records.next() {
        let standing = nesting.pass(record.number);
        match record.number {
            _ if standing == Standing::End => break,
            SERIES_TEXT if beside.texts.len() < MOST_TEXTS => {
                beside.texts.push((None, row, globals.writing.short(record.from(2))));
            }
            _ if standing != Standing::Sheet => {}
            MERGED => {
                for range in record.from(2).chunks_exact(8) {
                    let at = |at: usize| u32::from(u16::from_le_bytes([range[at], range[at + 1]])) + 1;
                    beside.covered.add((at(0), at(4)), (at(2), at(6)));
                }
            }
            NOTE if globals.writing.is_unicode => {
                if let (Some(row), Some(column), Some(object)) = (record.two(0), record.two(2), record.two(6)) {
                    beside.notes.insert(object, (row, column));
                }
            }
            NOTE => {
                // The text itself; a longer one goes on in notes without a row.
                let (Some(row), Some(column)) = (record.two(0), record.two(2)) else { continue };
                let words = globals.writing.charset.decode_without_bom_handling(record.from(6)).0;
                let row = u32::from(row) + 1;
                let continues = row == 0x1_0000;
                let place = super::cell_names::name(row, u32::from(column) + 1);
                rows.note(if continues { 1 } else { row }, &format!("Note {place}: {words}"));
            }
            DRAWING => {
                if let Some(anchored) = anchored_row(record.body) {
                    row = anchored;
                }
            }
            OBJECT => object = record.two(6).filter(|_| record.two(0) == Some(0x15)),
            TEXT_OBJECT if beside.texts.len() < MOST_TEXTS => {
                let length = usize::from(record.two(10).unwrap_or_default());
                let mut pieces = Vec::new();
                while let Some(next) = records.next_if(|next| next.number == CONTINUE) {
                    pieces.push(next.body);
                }
                if length > 0 {
                    beside.texts.push((object.take(), row, globals.writing.characters(length, &pieces)));
                }
            }
            _ => {}
        }
    }
    beside
}

/// The row from 1 that a drawing hangs on: the record 0xF010 of 18 bytes with its corners.
fn anchored_row(drawing: &[u8]) -> Option<u32> {
    let at = memmem::rfind(drawing, b"\x10\xF0\x12\0\0\0")?;
    let row = drawing.get(at + 12..at + 14)?;
    Some(u32::from(u16::from_le_bytes([row[0], row[1]])) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stand_in_the_sheet_or_in_a_chart() {
        let mut nesting = Nesting::default();
        let numbers = [NUMBER, BEGIN, NUMBER, BEGIN, NUMBER, END, NUMBER, END];
        let standings = numbers.map(|number| nesting.pass(number));
        use Standing::{Border, Chart, End, Sheet};
        assert!(standings == [Sheet, Border, Sheet, Border, Chart, Border, Sheet, End]);
        assert!(Nesting::default().pass(END) == End);
    }

    #[test]
    fn packed_numbers_are_unpacked() {
        assert_eq!(rk(0x0000_0002 | 7 << 2), 7.0);
        assert_eq!(rk((-7i32 << 2).cast_unsigned() | 3), -0.07);
        assert_eq!(rk(0x3FF0_0000), 1.0);
        assert_eq!(rk(0x4059_0001), 1.0);
    }
}
