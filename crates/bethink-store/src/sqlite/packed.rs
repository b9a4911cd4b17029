//! The small stable binary form of what has no column of its own: headings, locators, problems.
//!
//! Numbers are LEB128 (seven bits a byte, lowest first, the high bit says "more"); a string is its
//! length in bytes and its UTF-8; a sequence is its items up to the end of the blob.
//!
//! ```text
//! headings  string*
//! problems  (string kind, string detail)*
//! locator   tag number and fields: 1 page n · 2 slide n · 3 sheet name row · 4 chapter n title ·
//!           5 message n · 6 cell n · 7 timecode millis · 8 member path; no blob at all: line
//! ```
//!
//! Promises: decoding checks everything and never panics; `None` means damage.

use bethink_core::{Locator, Mark, Problem, ProblemKind};

/// Headings as a blob; `None` for none.
pub(super) fn pack_headings(headings: &[String]) -> Option<Vec<u8>> {
    if headings.is_empty() {
        return None;
    }
    let mut packed = Vec::new();
    for heading in headings {
        put_string(&mut packed, heading);
    }
    Some(packed)
}

/// The headings of a blob.
pub(super) fn unpack_headings(packed: &[u8]) -> Option<Vec<String>> {
    let mut rest = packed;
    let mut headings = Vec::new();
    while !rest.is_empty() {
        headings.push(take_string(&mut rest)?);
    }
    Some(headings)
}

/// Problems as a blob; `None` for none.
pub(super) fn pack_problems(problems: &[Problem]) -> Option<Vec<u8>> {
    if problems.is_empty() {
        return None;
    }
    let mut packed = Vec::new();
    for problem in problems {
        put_string(&mut packed, problem.kind.name());
        put_string(&mut packed, &problem.detail);
    }
    Some(packed)
}

/// The problems of a blob.
pub(super) fn unpack_problems(packed: &[u8]) -> Option<Vec<Problem>> {
    let mut rest = packed;
    let mut problems = Vec::new();
    while !rest.is_empty() {
        let kind = ProblemKind::from_name(&take_string(&mut rest)?)?;
        problems.push(Problem { kind, detail: take_string(&mut rest)? });
    }
    Some(problems)
}

/// A locator as a blob; `None` for the line itself.
pub(super) fn pack_locator(locator: &Locator) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    match locator {
        Locator::Line => return None,
        Locator::Page(number) => put_numbers(&mut packed, [1, u64::from(*number)]),
        Locator::Slide(number) => put_numbers(&mut packed, [2, u64::from(*number)]),
        Locator::Sheet { name, row } => {
            put_number(&mut packed, 3);
            put_string(&mut packed, name);
            put_number(&mut packed, u64::from(*row));
        }
        Locator::Chapter { number, title } => {
            put_numbers(&mut packed, [4, u64::from(*number)]);
            put_string(&mut packed, title);
        }
        Locator::Message(number) => put_numbers(&mut packed, [5, u64::from(*number)]),
        Locator::Cell(number) => put_numbers(&mut packed, [6, u64::from(*number)]),
        Locator::Timecode { millis } => put_numbers(&mut packed, [7, *millis]),
        Locator::Member(path) => {
            put_number(&mut packed, 8);
            put_string(&mut packed, path);
        }
        Locator::Field(name) => {
            put_number(&mut packed, 9);
            put_string(&mut packed, name);
        }
    }
    Some(packed)
}

/// The locator of a blob.
pub(super) fn unpack_locator(packed: &[u8]) -> Option<Locator> {
    let mut rest = packed;
    let locator = match take_number(&mut rest)? {
        1 => Locator::Page(take_small(&mut rest)?),
        2 => Locator::Slide(take_small(&mut rest)?),
        3 => Locator::Sheet { name: take_string(&mut rest)?, row: take_small(&mut rest)? },
        4 => Locator::Chapter { number: take_small(&mut rest)?, title: take_string(&mut rest)? },
        5 => Locator::Message(take_small(&mut rest)?),
        6 => Locator::Cell(take_small(&mut rest)?),
        7 => Locator::Timecode { millis: take_number(&mut rest)? },
        8 => Locator::Member(take_string(&mut rest)?),
        9 => Locator::Field(take_string(&mut rest)?),
        _ => return None,
    };
    rest.is_empty().then_some(locator)
}

/// Places inside a passage as a blob; `None` where there are none. Each is its distance from the one
/// before, then its locator with its length.
pub(super) fn pack_marks(marks: &[Mark]) -> Option<Vec<u8>> {
    if marks.is_empty() {
        return None;
    }
    let mut packed = Vec::new();
    let mut before = 0;
    for mark in marks {
        put_number(&mut packed, mark.offset.saturating_sub(before) as u64);
        before = mark.offset;
        let locator = pack_locator(&mark.locator).unwrap_or_default();
        put_number(&mut packed, locator.len() as u64);
        packed.extend(locator);
    }
    Some(packed)
}

/// The places of a blob.
pub(super) fn unpack_marks(packed: &[u8]) -> Option<Vec<Mark>> {
    let mut rest = packed;
    let mut marks = Vec::new();
    let mut offset = 0_usize;
    while !rest.is_empty() {
        offset = offset.checked_add(usize::try_from(take_number(&mut rest)?).ok()?)?;
        let length = usize::try_from(take_number(&mut rest)?).ok()?;
        let (locator, after) = rest.split_at_checked(length)?;
        rest = after;
        let locator = if locator.is_empty() { Locator::Line } else { unpack_locator(locator)? };
        marks.push(Mark { offset, locator });
    }
    Some(marks)
}

fn put_numbers<const COUNT: usize>(packed: &mut Vec<u8>, numbers: [u64; COUNT]) {
    numbers.into_iter().for_each(|number| put_number(packed, number));
}

fn put_number(packed: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        packed.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn put_string(packed: &mut Vec<u8>, string: &str) {
    put_number(packed, string.len() as u64);
    packed.extend_from_slice(string.as_bytes());
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        // The tenth byte has room for one bit only.
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take_small(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(rest)?).ok()
}

fn take_string(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    String::from_utf8(bytes.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn locators() -> impl Strategy<Value = Locator> {
        prop_oneof![
            any::<u32>().prop_map(Locator::Page),
            any::<u32>().prop_map(Locator::Slide),
            (any::<String>(), any::<u32>()).prop_map(|(name, row)| Locator::Sheet { name, row }),
            (any::<u32>(), any::<String>()).prop_map(|(number, title)| Locator::Chapter { number, title }),
            any::<u32>().prop_map(Locator::Message),
            any::<u32>().prop_map(Locator::Cell),
            any::<u64>().prop_map(|millis| Locator::Timecode { millis }),
            any::<String>().prop_map(Locator::Member),
            any::<String>().prop_map(Locator::Field),
        ]
    }

    proptest! {
        #[test]
        fn a_locator_comes_back(locator in locators()) {
            prop_assert_eq!(unpack_locator(&pack_locator(&locator).unwrap()), Some(locator));
        }

        #[test]
        fn marks_come_back(steps in prop::collection::vec((0..5000_usize, locators()), 1..9)) {
            let mut offset = 0;
            let mut mark = |(step, locator)| {
                offset += step;
                Mark { offset, locator }
            };
            let marks: Vec<Mark> = steps.into_iter().map(&mut mark).chain([Mark { offset: 99_999, locator: Locator::Line }]).collect();
            prop_assert_eq!(unpack_marks(&pack_marks(&marks).unwrap()), Some(marks));
        }

        #[test]
        fn headings_come_back(headings in prop::collection::vec(any::<String>(), 1..5)) {
            prop_assert_eq!(unpack_headings(&pack_headings(&headings).unwrap()), Some(headings));
        }

        #[test]
        fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            // What decodes is packed again into something that decodes to the same.
            if let Some(locator) = unpack_locator(&bytes) {
                prop_assert_eq!(unpack_locator(&pack_locator(&locator).unwrap()), Some(locator));
            }
            if let Some(marks) = unpack_marks(&bytes).filter(|marks| !marks.is_empty()) {
                prop_assert_eq!(unpack_marks(&pack_marks(&marks).unwrap()), Some(marks));
            }
            if let Some(headings) = unpack_headings(&bytes).filter(|headings| !headings.is_empty()) {
                prop_assert_eq!(unpack_headings(&pack_headings(&headings).unwrap()), Some(headings));
            }
            if let Some(problems) = unpack_problems(&bytes).filter(|problems| !problems.is_empty()) {
                prop_assert_eq!(unpack_problems(&pack_problems(&problems).unwrap()), Some(problems));
            }
        }
    }

    #[test]
    fn a_cut_blob_is_refused() {
        let packed = pack_locator(&Locator::Sheet { name: "Budget".to_owned(), row: 700 }).unwrap();
        for length in 0..packed.len() {
            assert_eq!(unpack_locator(&packed[..length]), None);
        }
    }

    #[test]
    fn a_length_beyond_the_blob_is_refused() {
        assert_eq!(unpack_headings(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), None);
        assert_eq!(unpack_headings(&[0xff; 11]), None);
    }

    #[test]
    fn problems_come_back() {
        let problems = vec![
            Problem { kind: ProblemKind::Damaged, detail: "page 3 is cut short".to_owned() },
            Problem { kind: ProblemKind::ImageOnly, detail: String::new() },
        ];
        assert_eq!(unpack_problems(&pack_problems(&problems).unwrap()), Some(problems));
    }
}
