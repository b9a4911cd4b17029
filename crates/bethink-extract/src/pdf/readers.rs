//! The readers of a document: the better one that is there, and the other where it is at a loss.

use std::cell::{Cell, OnceCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::built_in::BuiltIn;
use super::page;
use super::quality::is_garbage;
use super::reader::{PageReader, Refusal};

/// Pages in a row on which the other reader did no better, before it is no longer asked: a scanned
/// book has hundreds of pages without a word.
const FRUITLESS_IN_A_ROW: u32 = 8;

type Opened<'a> = Box<dyn PageReader + 'a>;
type Opening = for<'a> fn(&'a [u8]) -> Result<Opened<'a>, Refusal>;

fn open_built_in(bytes: &[u8]) -> Result<Opened<'_>, Refusal> {
    BuiltIn::open(bytes).map(|reader| Box::new(reader) as Opened<'_>)
}

/// How the readers that are there open a document, the better one first.
fn openings() -> Vec<Opening> {
    let mut openings: Vec<Opening> = Vec::with_capacity(2);
    #[cfg(feature = "pdfium")]
    if super::pdfium::is_loaded() {
        openings.push(super::pdfium::open);
    }
    openings.push(open_built_in);
    openings
}

/// Something that a reader did; one that panicked has failed, and the other is asked.
fn guarded<T>(reading: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(reading)).unwrap_or(Err(Refusal::Broken))
}

/// One document and who reads it.
pub(super) struct Readers<'a> {
    bytes: &'a [u8],
    main: Opened<'a>,
    /// How the other opens it, where one is left.
    opening: Option<Opening>,
    other: OnceCell<Option<Opened<'a>>>,
    fruitless: Cell<u32>,
}

impl<'a> Readers<'a> {
    /// Opens the document with the first reader that finds pages in it.
    ///
    /// # Errors
    /// When none can open it: because it is encrypted, if one of them says so, else for the reason that
    /// the last one has.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Refusal> {
        Self::open_with(bytes, &openings())
    }

    fn open_with(bytes: &'a [u8], openings: &[Opening]) -> Result<Self, Refusal> {
        let mut refused = Refusal::Broken;
        let mut without_pages = None;
        for (position, opening) in openings.iter().enumerate() {
            match guarded(|| opening(bytes)) {
                Ok(main) => {
                    let has_pages = main.pages() > 0;
                    let opening = openings.get(position + 1).copied();
                    let readers = Self { bytes, main, opening, other: OnceCell::new(), fruitless: Cell::new(0) };
                    if has_pages {
                        return Ok(readers);
                    }
                    without_pages = Some(readers);
                }
                Err(refusal) if refused != Refusal::Encrypted => refused = refusal,
                Err(_) => {}
            }
        }
        without_pages.ok_or(refused)
    }

    /// How many pages the document says to have.
    pub(super) fn pages(&self) -> u32 {
        self.main.pages()
    }

    /// The title that the document states about itself.
    pub(super) fn title(&self) -> Option<String> {
        guarded(|| Ok(self.main.title())).ok().flatten()
    }

    /// A page's text as it is read; empty if it has no words.
    ///
    /// # Errors
    /// When no reader can read it.
    pub(super) fn text(&self, index: u32) -> Result<String, Refusal> {
        let read = |reader: &Opened<'_>| guarded(|| reader.text(index)).map(|text| page::readable(&text));
        let text = read(&self.main);
        if text.as_ref().is_ok_and(|text| !text.is_empty() && !is_garbage(text)) {
            return text;
        }
        let Some(other) = self.other() else { return text };
        let others = read(other);
        let does_better = match (&text, &others) {
            (_, Err(_)) => false,
            (Err(_), Ok(_)) => true,
            (Ok(_), Ok(others)) => !others.is_empty() && !is_garbage(others),
        };
        if does_better {
            self.fruitless.set(0);
            return others;
        }
        self.fruitless.set(self.fruitless.get() + 1);
        text
    }

    /// Whether a page shows a picture.
    pub(super) fn shows_picture(&self, index: u32) -> bool {
        guarded(|| Ok(self.main.shows_picture(index))).unwrap_or(false)
    }

    /// The other reader, while it is worth asking.
    fn other(&self) -> Option<&Opened<'a>> {
        if self.fruitless.get() >= FRUITLESS_IN_A_ROW {
            return None;
        }
        let opening = self.opening?;
        self.other.get_or_init(|| guarded(|| opening(self.bytes)).ok()).as_ref()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Reads a document whose bytes are its pages, parted by bars: `!` is broken, `?` makes it panic.
    struct Fake(Vec<String>);

    impl PageReader for Fake {
        fn pages(&self) -> u32 {
            u32::try_from(self.0.len()).unwrap()
        }
        fn title(&self) -> Option<String> {
            None
        }
        fn text(&self, index: u32) -> Result<String, Refusal> {
            match self.0[index as usize].as_str() {
                "!" => Err(Refusal::Broken),
                "?" => panic!("as told"),
                text => Ok(text.to_owned()),
            }
        }
        fn shows_picture(&self, _: u32) -> bool {
            false
        }
    }

    fn half(bytes: &[u8], number: usize) -> Result<Opened<'_>, Refusal> {
        let text = std::str::from_utf8(bytes).unwrap().split("//").nth(number).unwrap();
        match text {
            "locked" => Err(Refusal::Encrypted),
            "broken" => Err(Refusal::Broken),
            "bare" => Ok(Box::new(Fake(Vec::new()))),
            pages => Ok(Box::new(Fake(pages.split('|').map(str::to_owned).collect()))),
        }
    }

    const BOTH: [Opening; 2] = [|bytes| half(bytes, 0), |bytes| half(bytes, 1)];

    fn read(document: &str) -> Result<Vec<Result<String, Refusal>>, Refusal> {
        let readers = Readers::open_with(document.as_bytes(), &BOTH)?;
        Ok((0..readers.pages()).map(|index| readers.text(index)).collect())
    }

    #[test]
    fn the_other_reads_what_one_cannot() {
        let garbage = "\u{f041}".repeat(40);
        let document = format!("a|!|?|||{garbage}|{garbage}//x|b|c|d||f|{garbage}");
        let pages = read(&document).unwrap();
        let texts: Vec<String> = pages.into_iter().map(Result::unwrap).collect();
        assert_eq!(texts, ["a\n", "b\n", "c\n", "d\n", "", "f\n", &format!("{garbage}\n")]);
        assert_eq!(read("!//!").unwrap(), [Err(Refusal::Broken)]);
    }

    #[test]
    fn a_document_opens_with_whoever_can() {
        assert_eq!(read("broken//a").unwrap(), [Ok("a\n".to_owned())]);
        assert_eq!(read("bare//a").unwrap(), [Ok("a\n".to_owned())]);
        assert_eq!(read("a//broken").unwrap(), [Ok("a\n".to_owned())]);
        assert_eq!(read("!//broken").unwrap(), [Err(Refusal::Broken)]);
        assert_eq!(read("bare//broken").unwrap(), []);
        assert_eq!(read("locked//broken"), Err(Refusal::Encrypted));
        assert_eq!(read("broken//locked"), Err(Refusal::Encrypted));
        assert_eq!(read("broken//broken"), Err(Refusal::Broken));
    }

    #[test]
    fn one_that_never_helps_is_asked_no_more() {
        let blank = "|".repeat(FRUITLESS_IN_A_ROW as usize);
        let pages = read(&format!("{blank}//{blank}late")).unwrap();
        assert_eq!(pages.last().unwrap(), &Ok(String::new()));
    }
}
