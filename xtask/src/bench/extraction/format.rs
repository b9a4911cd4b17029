//! The formats that are measured, and a row of figures.

use std::time::Duration;

/// A format, by the files that stand for it and by what else reads it.
pub struct Format {
    /// Its name on the page.
    pub name: &'static str,
    /// Extensions of its files.
    pub extensions: &'static [&'static str],
    /// What a mark counts, where it is worth counting.
    pub unit: Option<&'static str>,
    /// What it is compared with.
    pub reference: Reference,
}

/// The usual tool of a format.
pub enum Reference {
    /// Nothing that is quick to install.
    None,
    /// poppler's.
    PdfToText,
    /// LibreOffice, converting into the named format.
    LibreOffice(&'static str),
    /// ExifTool.
    ExifTool,
    /// A Python library, by the name that `reference.py` knows it under.
    Library(&'static str),
}

impl Format {
    /// The tool's name on the page.
    fn reference_name(&self) -> &'static str {
        match self.reference {
            Reference::None => "–",
            Reference::PdfToText => "pdftotext",
            Reference::LibreOffice(_) => "LibreOffice",
            Reference::ExifTool => "ExifTool",
            Reference::Library("docx") => "python-docx",
            Reference::Library("pptx") => "python-pptx",
            Reference::Library("xlsx") => "openpyxl",
            Reference::Library("html") => "lxml",
            Reference::Library("epub" | "odt" | "ods" | "odp") => "zipfile and lxml",
            Reference::Library("eml" | "mbox") => "Python's email",
            Reference::Library("zip") => "Python's zipfile",
            Reference::Library("tar") => "Python's tarfile",
            Reference::Library("ipynb" | "json") => "Python's json",
            Reference::Library("csv") => "Python's csv",
            Reference::Library(_) => "Python's decoder",
        }
    }
}

/// The name of the row of PDF that is read with the library that a user may add.
pub const PDF_WITH_PDFIUM: &str = "PDF with pdfium";

macro_rules! formats {
    ($($name:tt [$($extension:literal),*] $unit:expr, $reference:expr;)*) => {
        &[$(Format { name: $name, extensions: &[$($extension),*], unit: $unit, reference: $reference },)*]
    };
}

/// Every format that is measured.
pub const FORMATS: &[Format] = formats! {
    "text" ["txt"] None, Reference::Library("txt");
    "Markdown" ["md"] None, Reference::Library("md");
    "HTML" ["html"] None, Reference::Library("html");
    "PDF" ["pdf"] Some("pages"), Reference::PdfToText;
    PDF_WITH_PDFIUM ["pdf"] Some("pages"), Reference::PdfToText;
    "DOCX" ["docx"] None, Reference::Library("docx");
    "DOC" ["doc"] None, Reference::LibreOffice("txt:Text");
    "ODT" ["odt"] None, Reference::Library("odt");
    "RTF" ["rtf"] None, Reference::LibreOffice("txt:Text");
    "PPTX" ["pptx"] Some("slides"), Reference::Library("pptx");
    "PPT" ["ppt"] Some("slides"), Reference::LibreOffice("pdf");
    "ODP" ["odp"] Some("slides"), Reference::Library("odp");
    "XLSX" ["xlsx"] Some("rows"), Reference::Library("xlsx");
    "XLS" ["xls"] Some("rows"), Reference::LibreOffice("csv");
    "ODS" ["ods"] Some("rows"), Reference::Library("ods");
    "CSV" ["csv"] None, Reference::Library("csv");
    "JSON" ["json"] None, Reference::Library("json");
    "notebook" ["ipynb"] Some("cells"), Reference::Library("ipynb");
    "EPUB" ["epub"] Some("chapters"), Reference::Library("epub");
    "mail" ["eml"] None, Reference::Library("eml");
    "mailbox" ["mbox"] Some("messages"), Reference::Library("mbox");
    "Outlook" ["msg"] None, Reference::None;
    "calendar" ["ics"] None, Reference::Library("ics");
    "subtitles" ["srt"] Some("cues"), Reference::Library("srt");
    "ZIP" ["zip"] None, Reference::Library("zip");
    "TAR" ["tar", "gz", "tgz"] None, Reference::Library("tar");
    "picture" ["jpg", "png", "tif"] None, Reference::ExifTool;
    "recording" ["mp3", "flac", "m4a", "wav"] None, Reference::ExifTool;
};

/// The figures of one set of files.
pub struct Row {
    /// Their format.
    pub format: &'static Format,
    /// Where they come from.
    pub set: &'static str,
    /// How many there are.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes of text that came of them and of what is inside them.
    pub text_bytes: u64,
    /// Places that were marked: pages, slides, rows.
    pub units: u64,
    /// Files that yielded no text.
    pub without: u64,
    /// Processor time of one reading of all.
    pub ours: Duration,
    /// What the reference took, or why there is no figure of it.
    pub reference: Result<Reading, String>,
}

/// One reading of a set by a reference.
pub struct Reading {
    /// Its processor time.
    pub taken: Duration,
    /// Files that it gave up on.
    pub refused: usize,
}

impl Row {
    /// The head of the table.
    pub const HEAD: &[&str] = &[
        "format",
        "set",
        "files",
        "MB",
        "text MB",
        "without",
        "MB/s",
        "text MB/s",
        "units/s",
        "reference",
        "it refused",
        "ratio",
    ];

    /// Its cells.
    pub fn cells(&self) -> Vec<String> {
        let seconds = self.ours.as_secs_f64().max(1e-6);
        let units = self
            .format
            .unit
            .map_or_else(|| "–".to_owned(), |unit| format!("{:.0} {unit}", self.units as f64 / seconds));
        let (refused, ratio) = match &self.reference {
            Ok(reading) => (reading.refused.to_string(), format!("{:.2}", reading.taken.as_secs_f64() / seconds)),
            Err(_) => ("–".to_owned(), "–".to_owned()),
        };
        vec![
            self.format.name.to_owned(),
            self.set.to_owned(),
            self.files.to_string(),
            megabytes(self.bytes),
            megabytes(self.text_bytes),
            self.without.to_string(),
            rate(self.bytes, seconds),
            rate(self.text_bytes, seconds),
            units,
            self.format.reference_name().to_owned(),
            refused,
            ratio,
        ]
    }
}

/// Millions of bytes.
fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 1.0 { format!("{megabytes:.3}") } else { format!("{megabytes:.1}") }
}

fn rate(bytes: u64, seconds: f64) -> String {
    format!("{:.1}", bytes as f64 / 1e6 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_well() {
        let row = Row {
            format: &FORMATS[3],
            set: "real",
            files: 2,
            bytes: 500_000,
            text_bytes: 2_000_000,
            units: 40,
            without: 1,
            ours: Duration::from_millis(500),
            reference: Ok(Reading { taken: Duration::from_millis(250), refused: 1 }),
        };
        let cells = ["PDF", "real", "2", "0.500", "2.0", "1", "1.0", "4.0", "80 pages", "pdftotext", "1", "0.50"];
        assert_eq!(row.cells(), cells);
        assert_eq!(Row::HEAD.len(), cells.len());
    }
}
