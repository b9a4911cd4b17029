//! Passages: a text cut into stretches of about 200 model tokens that tile it.
//!
//! Promises: joined in order, the passages give the text back, byte for byte; none holds more than
//! one heading path or crosses a page, slide, sheet, chapter, message or cell; lines stay whole
//! unless one alone is over the limit; an edit changes the passages near it and no others (see
//! [`packer`]); time is linear in the text, and memory beyond the result is bounded.

mod packer;
mod strength;

use std::ops::Range;

use bethink_core::{Extracted, Format, Locator, Mark, Passage, PassageKey};

use crate::line::{line_end, line_ends};
use crate::measure::Meter;
use crate::structure::{Outline, Path, Scope, outline};
use packer::Packer;
use strength::LineReader;
use unicode_segmentation::GraphemeCursor;

/// Version of the rules in this module: it enters every passage key, so that a change of the rules
/// makes new passages.
pub const CUTTER_VERSION: u32 = 1;

/// The size that passages are packed towards, in model tokens. Encoders of 256 tokens are the
/// smallest in use; headings and special tokens take the rest.
pub const PASSAGE_TARGET_TOKENS: usize = 200;

/// The size that no passage exceeds, in model tokens as [`crate::model_tokens`] estimates them.
pub const PASSAGE_LIMIT_TOKENS: usize = 240;

/// Inside an over-long line, a blank is a place to cut once this many tokens have passed.
const WORD_STRIDE_TOKENS: usize = 40;

/// Inside an over-long word, any grapheme border is, after this many.
const GRAPHEME_STRIDE_TOKENS: usize = 60;

/// Inside an over-long grapheme (a pile of accents), any character border is, after this many.
const CHARACTER_STRIDE_TOKENS: usize = 120;

/// The content-derived identity of a passage.
pub fn passage_key(heading: &[String], text: &str) -> PassageKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&CUTTER_VERSION.to_le_bytes());
    // Lengths stand before their bytes, so that no two heading paths run together.
    hasher.update(&(heading.len() as u64).to_le_bytes());
    for title in heading {
        hasher.update(&(title.len() as u64).to_le_bytes());
        hasher.update(title.as_bytes());
    }
    hasher.update(text.as_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    PassageKey(key)
}

/// Cuts a text into passages. An empty text has none; a short one (at most
/// [`PASSAGE_LIMIT_TOKENS`], no marks) is one passage whatever its structure.
pub fn cut(extracted: &Extracted) -> Vec<Passage> {
    let text = extracted.text.as_str();
    if text.is_empty() {
        return Vec::new();
    }
    let outline = outline(extracted);
    let mut writer = Writer { extracted, scopes: &outline.scopes, scope: 0, at: 0, line: 1, passages: Vec::new() };
    if extracted.marks.is_empty() && is_short(text) {
        let path = shared_path(text, &outline);
        writer.write(text.len(), &path);
        return writer.passages;
    }
    let stretches = stretches(extracted, &outline);
    let soft = soft_marks(extracted);
    let mark_strength = if extracted.format == Format::Chat { MESSAGE_STRENGTH } else { MARK_STRENGTH };
    let mut cursor = Cursor { scopes: &outline.scopes, marks: &soft, mark_strength };
    let mut cuts = Vec::new();
    for (index, (start, path)) in stretches.iter().enumerate() {
        let end = stretches.get(index + 1).map_or(text.len(), |next| next.0);
        pack(extracted, *start..end, &mut cursor, &mut cuts);
        for cut in cuts.drain(..) {
            writer.write(cut, path);
        }
        writer.write(end, path);
    }
    writer.passages
}

/// Turns borders into passages, in order.
struct Writer<'a> {
    extracted: &'a Extracted,
    scopes: &'a [Scope],
    /// The first scope that begins behind `at`.
    scope: usize,
    at: usize,
    line: u32,
    passages: Vec<Passage>,
}

impl Writer<'_> {
    fn write(&mut self, end: usize, path: &Path) {
        let range = self.at..end;
        if range.is_empty() {
            return;
        }
        let text = &self.extracted.text;
        let mut heading = path.to_vec();
        heading.extend(self.scope_path(&range));
        self.passages.push(Passage {
            key: passage_key(&heading, &text[range.clone()]),
            line: self.line,
            heading,
            locator: self.extracted.locator_at(range.start).clone(),
            marks: marks_inside(&self.extracted.marks, &range),
            range: range.clone(),
        });
        self.line = self.line.saturating_add(line_ends(text, range));
        self.at = end;
    }

    /// The definitions that enclose the whole of a range.
    fn scope_path(&mut self, range: &Range<usize>) -> Vec<String> {
        while self.scopes.get(self.scope).is_some_and(|scope| scope.start <= range.start) {
            self.scope += 1;
        }
        let mut shared: &[String] = match self.scope.checked_sub(1) {
            Some(current) => &self.scopes[current].path,
            None => &[],
        };
        while let Some(scope) = self.scopes.get(self.scope).filter(|scope| scope.start < range.end) {
            shared = &shared[..common_length(shared, &scope.path)];
            self.scope += 1;
        }
        shared.to_vec()
    }
}

/// The marks behind the start of a range and before its end, counted from its start.
fn marks_inside(marks: &[Mark], range: &Range<usize>) -> Vec<Mark> {
    let first = marks.partition_point(|mark| mark.offset <= range.start);
    let end = first + marks[first..].partition_point(|mark| mark.offset < range.end);
    let inside = marks[first..end].iter();
    inside.map(|mark| Mark { offset: mark.offset - range.start, locator: mark.locator.clone() }).collect()
}

fn common_length(left: &[String], right: &[String]) -> usize {
    left.iter().zip(right).take_while(|(one, other)| one == other).count()
}

/// Whether a whole text fits one passage; reads no more of it than needed to know.
fn is_short(text: &str) -> bool {
    let mut meter = Meter::default();
    let mut at = 0;
    while at < text.len() {
        let end = text.floor_char_boundary(at.saturating_add(4096)).max(at + 1).min(text.len());
        let end = text.ceil_char_boundary(end);
        meter.add(&text[at..end]);
        if meter.tokens() > PASSAGE_LIMIT_TOKENS {
            return false;
        }
        at = end;
    }
    true
}

/// The headings that hold in the whole of a short text. Front matter and blank lines in front of
/// the first heading do not count.
fn shared_path(text: &str, outline: &Outline) -> Path {
    let mut shared: Option<Path> = None;
    for (index, section) in outline.sections.iter().enumerate() {
        let end = outline.sections.get(index + 1).map_or(text.len(), |next| next.start);
        let front = index == 0 && section.path.is_empty() && crate::structure::front_matter_end(text) == end;
        if front || text[section.start..end].trim().is_empty() {
            continue;
        }
        shared = Some(match shared {
            None => section.path.clone(),
            Some(known) => known[..common_length(&known, &section.path)].into(),
        });
    }
    shared.unwrap_or_else(|| Path::from([]))
}

/// The stretches between hard borders, each with its heading path, tiling the text. A heading
/// without text of its own goes with the first section below it, since a passage of nothing but a
/// title answers no question; blank stretches go with what stands before them.
fn stretches(extracted: &Extracted, outline: &Outline) -> Vec<(usize, Path)> {
    let text = extracted.text.as_str();
    let mut found: Vec<(usize, Path)> = Vec::with_capacity(outline.sections.len());
    let mut marks = hard_marks(extracted).peekable();
    // Whether the last stretch is headings only, so that a section below it may join.
    let mut joinable = false;
    for (index, section) in outline.sections.iter().enumerate() {
        let end = outline.sections.get(index + 1).map_or(text.len(), |next| next.start);
        let mut marked = false;
        while marks.next_if(|mark| *mark <= section.start).is_some() {
            marked = true;
        }
        let below = found.last().is_some_and(|(_, path)| {
            path.len() < section.path.len() && common_length(path, &section.path) == path.len()
        });
        match found.last_mut() {
            Some(last) if joinable && below && !marked => last.1 = section.path.clone(),
            _ => found.push((section.start, section.path.clone())),
        }
        joinable = text[section.body.max(section.start)..end].trim().is_empty();
        while let Some(mark) = marks.next_if(|mark| *mark < end) {
            found.push((mark, section.path.clone()));
            joinable = text[mark..end].trim().is_empty();
        }
    }
    merge_blank(text, found)
}

fn merge_blank(text: &str, found: Vec<(usize, Path)>) -> Vec<(usize, Path)> {
    let mut kept: Vec<(usize, Path)> = Vec::with_capacity(found.len());
    let mut first_is_blank = false;
    for (index, (start, path)) in found.iter().enumerate() {
        let end = found.get(index + 1).map_or(text.len(), |next| next.0);
        let blank = text[*start..end].trim().is_empty();
        match kept.last_mut() {
            Some(_) if blank => {}
            Some(last) if first_is_blank => {
                last.1 = path.clone();
                first_is_blank = false;
            }
            _ => {
                first_is_blank = blank && kept.is_empty();
                kept.push((*start, path.clone()));
            }
        }
    }
    kept
}

/// The offsets of marks that nothing may cross, ascending, inside the text, on character borders.
fn hard_marks(extracted: &Extracted) -> impl Iterator<Item = usize> + '_ {
    let text = &extracted.text;
    let mut last: Option<&Locator> = None;
    let mut reached = 0;
    extracted.marks.iter().filter_map(move |mark| {
        let soft = is_soft(extracted.format, last, &mark.locator);
        last = Some(&mark.locator);
        let offset = text.floor_char_boundary(mark.offset.min(text.len()));
        let counts = !soft && offset > reached && offset < text.len();
        reached = reached.max(offset);
        counts.then_some(offset)
    })
}

/// Places in a recording, rows of one sheet and messages of a chat follow each other every few words: good
/// places to cut, but passages may hold several. A mail is a document of its own.
fn is_soft(format: Format, before: Option<&Locator>, locator: &Locator) -> bool {
    match (before, locator) {
        (Some(Locator::Message(_)), Locator::Message(_)) => format == Format::Chat,
        (Some(Locator::Timecode { .. }), Locator::Timecode { .. }) => true,
        (Some(Locator::Sheet { name, .. }), Locator::Sheet { name: next, .. }) => name == next,
        _ => false,
    }
}

fn soft_marks(extracted: &Extracted) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for pair in extracted.marks.windows(2) {
        if is_soft(extracted.format, Some(&pair[0].locator), &pair[1].locator)
            && found.last().is_none_or(|last| *last < pair[1].offset)
        {
            found.push(pair[1].offset);
        }
    }
    found
}

/// What is known of good places to cut, read in step with the lines.
struct Cursor<'a> {
    scopes: &'a [Scope],
    marks: &'a [usize],
    mark_strength: u8,
}

/// How good a place a soft mark is.
const MARK_STRENGTH: u8 = 4;

/// How good a place the start of a message is: better than a paragraph inside one.
const MESSAGE_STRENGTH: u8 = 6;

impl Cursor<'_> {
    /// The strength that structure lends to a line start.
    fn strength_at(&mut self, offset: usize) -> u8 {
        let mut strength = 0;
        while let Some((scope, rest)) = self.scopes.split_first()
            && scope.start <= offset
        {
            if scope.start == offset {
                strength = strength.max(scope.strength);
            }
            self.scopes = rest;
        }
        while let Some((mark, rest)) = self.marks.split_first()
            && *mark <= offset
        {
            if *mark == offset {
                strength = strength.max(self.mark_strength);
            }
            self.marks = rest;
        }
        strength
    }
}

/// Cuts one stretch between hard borders; appends the offsets of the cuts inside it.
fn pack(extracted: &Extracted, stretch: Range<usize>, cursor: &mut Cursor<'_>, cuts: &mut Vec<usize>) {
    let text = extracted.text.as_str();
    let mut packer = Packer::new();
    let mut reader = LineReader::new(extracted.format);
    // One meter runs through all lines, so that fractions of a token add up.
    let mut meter = Meter::default();
    let mut counted = 0;
    let mut at = stretch.start;
    while at < stretch.end {
        let end = line_end(text.as_bytes(), at, stretch.end);
        let line = &text[at..end];
        let structural = cursor.strength_at(at);
        if let Some(place) = reader.read(line, structural)
            && at > stretch.start
        {
            packer.place(at, place.strength, place.hash, cuts);
        }
        meter.add(line);
        let tokens = meter.tokens() - counted;
        counted += tokens;
        if tokens > PASSAGE_LIMIT_TOKENS {
            pack_long_line(text, at..end, &mut packer, cuts);
        } else {
            packer.advance(tokens);
        }
        at = end;
    }
    packer.finish(stretch.end, cuts);
}

/// Offers places inside a line that is over the limit by itself: sentence ends, then blanks, then
/// grapheme borders, each kind only where the one before it is too rare.
fn pack_long_line(text: &str, line: Range<usize>, packer: &mut Packer, cuts: &mut Vec<usize>) {
    let mut meter = Meter::default();
    let mut since = line.start;
    let mut before = '\n';
    let mut terminated = false;
    for (offset, character) in text[line.clone()].char_indices() {
        let at = line.start + offset;
        let tokens = meter.tokens();
        let blank_before = before.is_whitespace();
        let starts_word = blank_before && !character.is_whitespace();
        let dense_end = matches!(before, '。' | '！' | '？' | '｡') && !matches!(character, '」' | '』' | '）' | '”');
        let place = if at == since {
            None
        } else if (starts_word && terminated) || dense_end {
            Some(1)
        } else if (tokens >= WORD_STRIDE_TOKENS && starts_word)
            || tokens >= CHARACTER_STRIDE_TOKENS
            || (tokens >= GRAPHEME_STRIDE_TOKENS && is_grapheme_border(&text[since..line.end], at - since))
        {
            Some(0)
        } else {
            None
        };
        if let Some(strength) = place {
            packer.advance(tokens);
            packer.place(at, strength, strength::sample(&text[at..line.end], 0), cuts);
            meter = Meter::default();
            since = at;
        }
        if !character.is_whitespace() {
            let closes = matches!(character, ')' | ']' | '"' | '\'' | '”' | '’' | '»');
            terminated = matches!(character, '.' | '!' | '?' | '…' | '۔' | '।') || (terminated && closes);
        }
        meter.add_character(character);
        before = character;
    }
    packer.advance(meter.tokens());
}

/// Whether an offset is a grapheme border, judged from the start of the slice.
fn is_grapheme_border(slice: &str, offset: usize) -> bool {
    if slice.as_bytes()[offset].is_ascii_alphanumeric() {
        return true;
    }
    GraphemeCursor::new(offset, slice.len(), true).is_boundary(slice, 0).unwrap_or(true)
}

#[cfg(test)]
mod tests;
