//! What passes through a worker's pipes.
//!
//! Numbers are little-endian. The parent writes requests, one at a time:
//!
//! ```text
//! request   "BXQ2"  u8 length, format name   u16 length, file name, UTF-8   u64 text bytes at most
//!           u64 source bytes at most   u32 pages at most   u32 CPU seconds   u64 address space in bytes
//!           u32 members at most   u64 bytes of a member at most   u64 bytes unpacked at most
//!           u64 length, body
//! ```
//!
//! The worker answers each with frames, the last of which is an end; then it waits for the next
//! request, or for the end of its input, which ends it.
//!
//! ```text
//! frame     u8 tag   u32 length   payload
//!   'T'     title, UTF-8
//!   'M'     mark: u8 kind   u64 number   text
//!   'X'     text, UTF-8, whole characters
//!   'P'     problem: u8 length, kind name   detail
//!   'N'     a member begins: i64 modified in milliseconds since 1970, the least number for unknown;
//!           its path inside, UTF-8
//!   'D'     the member's next bytes
//!   'E'     the member ends      'B'  the member ends without its bytes, a problem
//!   'R'     end: read        'S'  end: skipped, a problem        'F'  end: failed, a problem
//! ```
//!
//! Rules that the reader checks, since a worker may have been taken over by what it read: (1) a tag is
//! one of these; (2) a payload has at most [`FRAME_BYTES`]; (3) text is UTF-8; (4) names are known; (5) members
//! do not nest, are as many and as large as the request allows, and one that began ends.
//! A frame that breaks one ends the conversation and the worker.

use std::io::{self, Read, Write};

use bethink_core::{Format, Locator, Problem, ProblemKind, UnixMillis};

use crate::extraction::Collector;
use crate::extractor::readable_format;
use crate::family::{Member, Outcome, Sink, Source};
use crate::limits::Limits;

/// Longest payload of a frame. Text is cut into such pieces; larger claims are lies.
pub(super) const FRAME_BYTES: usize = 1 << 20;

/// Longest file name that is passed on; no file system in use has longer ones.
const NAME_BYTES: usize = 1 << 12;

/// Stands for a time that is not known.
const UNKNOWN_TIME: i64 = i64::MIN;

const REQUEST_MAGIC: &[u8; 4] = b"BXQ2";

/// A file to read, as the worker sees it.
pub(super) struct Request {
    pub(super) format: Format,
    pub(super) name: String,
    pub(super) limits: Limits,
    pub(super) cpu_seconds: u32,
    pub(super) body: Vec<u8>,
}

/// Writes a request.
pub(super) fn write_request(
    pipe: &mut impl Write,
    source: &Source<'_>,
    limits: &Limits,
    cpu_seconds: u32,
) -> io::Result<()> {
    let format = source.format.name().as_bytes();
    let name = &source.name.as_bytes()[..source.name.floor_char_boundary(NAME_BYTES)];
    let body = source.bytes;
    let mut head = Vec::with_capacity(128 + name.len());
    head.extend(REQUEST_MAGIC);
    head.push(u8::try_from(format.len()).unwrap_or(0));
    head.extend(format);
    head.extend(u16::try_from(name.len()).unwrap_or(0).to_le_bytes());
    head.extend(name);
    head.extend((limits.text_bytes as u64).to_le_bytes());
    head.extend((limits.structured_bytes as u64).to_le_bytes());
    head.extend(limits.pages.to_le_bytes());
    head.extend(cpu_seconds.to_le_bytes());
    head.extend(limits.worker_memory_bytes.to_le_bytes());
    head.extend(limits.members.to_le_bytes());
    head.extend((limits.member_bytes as u64).to_le_bytes());
    head.extend((limits.unpacked_bytes as u64).to_le_bytes());
    head.extend((body.len() as u64).to_le_bytes());
    pipe.write_all(&head)?;
    pipe.write_all(body)?;
    pipe.flush()
}

/// Reads the next request; `None` at the end of input.
pub(super) fn read_request(pipe: &mut impl Read) -> io::Result<Option<Request>> {
    let mut magic = [0; 4];
    match pipe.read(&mut magic[..1])? {
        0 => return Ok(None),
        _ => pipe.read_exact(&mut magic[1..])?,
    }
    if &magic != REQUEST_MAGIC {
        return Err(broken("not a request"));
    }
    let [length] = read_array(pipe)?;
    let mut name = vec![0; usize::from(length)];
    pipe.read_exact(&mut name)?;
    let format = std::str::from_utf8(&name).ok().and_then(readable_format).ok_or_else(|| broken("no such format"))?;
    let mut name = vec![0; usize::from(u16::from_le_bytes(read_array(pipe)?))];
    pipe.read_exact(&mut name)?;
    let name = text_of(name)?;
    let text_bytes = read_size(pipe)?;
    let structured_bytes = read_size(pipe)?;
    let pages = u32::from_le_bytes(read_array(pipe)?);
    let cpu_seconds = u32::from_le_bytes(read_array(pipe)?);
    let worker_memory_bytes = u64::from_le_bytes(read_array(pipe)?);
    let members = u32::from_le_bytes(read_array(pipe)?);
    let member_bytes = read_size(pipe)?;
    let unpacked_bytes = read_size(pipe)?;
    let length = read_size(pipe)?;
    let mut body = Vec::new();
    body.try_reserve_exact(length).map_err(|_| broken("a body larger than memory"))?;
    pipe.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let limits = Limits {
        text_bytes,
        structured_bytes,
        pages,
        worker_memory_bytes,
        members,
        member_bytes,
        unpacked_bytes,
        ..Limits::default()
    };
    Ok(Some(Request { format, name, limits, cpu_seconds, body }))
}

/// A sink whose other end is the parent. Once the pipe breaks it is full.
pub(super) struct FrameSink<W> {
    pipe: W,
    room_bytes: usize,
    broken: bool,
}

impl<W: Write> FrameSink<W> {
    /// A sink for one file's answer.
    pub(super) fn new(pipe: W, text_bytes: usize) -> Self {
        Self { pipe, room_bytes: text_bytes, broken: false }
    }

    /// Closes the answer.
    pub(super) fn end(mut self, outcome: &Outcome) -> io::Result<()> {
        match outcome {
            Outcome::Read => self.frame(b'R', &[]),
            Outcome::Skipped(problem) => self.frame(b'S', &problem_payload(problem)),
            Outcome::Failed(problem) => self.frame(b'F', &problem_payload(problem)),
        }
        if self.broken { Err(io::ErrorKind::BrokenPipe.into()) } else { self.pipe.flush() }
    }

    fn frame(&mut self, tag: u8, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes();
        let mut head = [tag; 5];
        head[1..].copy_from_slice(&length);
        let written = self.pipe.write_all(&head).and_then(|()| self.pipe.write_all(payload));
        self.broken |= written.is_err();
    }
}

impl<W: Write> Sink for FrameSink<W> {
    fn title(&mut self, title: String) {
        self.frame(b'T', &title.as_bytes()[..title.floor_char_boundary(FRAME_BYTES)]);
    }

    fn mark(&mut self, locator: Locator) {
        self.frame(b'M', &locator_payload(&locator));
    }

    fn text(&mut self, text: String) -> bool {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(FRAME_BYTES));
            self.frame(b'X', piece.as_bytes());
            rest = after;
        }
        // One byte over is sent on purpose: by it the parent knows that the limit was reached.
        let fits = text.len() <= self.room_bytes;
        self.room_bytes = self.room_bytes.saturating_sub(text.len());
        // Each piece leaves at once, so that it outlives whatever the next page does.
        self.broken |= self.pipe.flush().is_err();
        fits && !self.broken
    }

    fn problem(&mut self, problem: Problem) {
        self.frame(b'P', &problem_payload(&problem));
    }

    fn member(&mut self, member: Member) -> bool {
        let mut begin = member.modified.map_or(UNKNOWN_TIME, |time| time.0).to_le_bytes().to_vec();
        begin.extend(&member.path.as_bytes()[..member.path.floor_char_boundary(FRAME_BYTES / 2)]);
        self.frame(b'N', &begin);
        match member.bytes {
            Ok(bytes) => {
                for piece in bytes.chunks(FRAME_BYTES) {
                    self.frame(b'D', piece);
                }
                self.frame(b'E', &[]);
            }
            Err(problem) => self.frame(b'B', &problem_payload(&problem)),
        }
        self.broken |= self.pipe.flush().is_err();
        !self.broken
    }
}

/// What a frame did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Received {
    /// A piece went to the sink.
    Piece,
    /// The sink is full.
    Full,
    /// The answer is whole.
    End(Outcome),
    /// A member begins: its path inside and when it was changed.
    MemberBegins(String, Option<UnixMillis>),
    /// The next bytes of the member.
    MemberBytes(Vec<u8>),
    /// The member is whole, or has no bytes for this reason.
    MemberEnds(Result<(), Problem>),
}

/// Reads one frame into the sink.
pub(super) fn receive(pipe: &mut impl Read, sink: &mut dyn Sink) -> io::Result<Received> {
    let [tag, length @ ..] = read_array::<5>(pipe)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES {
        return Err(broken("a frame longer than frames are"));
    }
    let mut payload = vec![0; length];
    pipe.read_exact(&mut payload)?;
    match tag {
        b'T' => sink.title(text_of(payload)?),
        b'M' => sink.mark(parse_locator(&payload)?),
        b'X' => {
            if !sink.text(text_of(payload)?) {
                return Ok(Received::Full);
            }
        }
        b'P' => sink.problem(parse_problem(&payload)?),
        b'N' => return parse_member(&payload),
        b'D' => return Ok(Received::MemberBytes(payload)),
        b'E' => return Ok(Received::MemberEnds(Ok(()))),
        b'B' => return Ok(Received::MemberEnds(Err(parse_problem(&payload)?))),
        b'R' => return Ok(Received::End(Outcome::Read)),
        b'S' => return Ok(Received::End(Outcome::Skipped(parse_problem(&payload)?))),
        b'F' => return Ok(Received::End(Outcome::Failed(parse_problem(&payload)?))),
        _ => return Err(broken("no such frame")),
    }
    Ok(Received::Piece)
}

fn problem_payload(problem: &Problem) -> Vec<u8> {
    /// A sentence for the user is short.
    const DETAIL_BYTES: usize = 1000;
    let name = problem.kind.name();
    let mut payload = vec![u8::try_from(name.len()).unwrap_or(0)];
    payload.extend(name.as_bytes());
    payload.extend(&problem.detail.as_bytes()[..problem.detail.floor_char_boundary(DETAIL_BYTES)]);
    payload
}

fn parse_problem(payload: &[u8]) -> io::Result<Problem> {
    let (length, rest) = payload.split_first().ok_or_else(|| broken("no problem"))?;
    let (name, detail) = rest.split_at_checked(usize::from(*length)).ok_or_else(|| broken("a torn problem"))?;
    let kind = std::str::from_utf8(name).ok().and_then(ProblemKind::from_name);
    Ok(Problem { kind: kind.ok_or_else(|| broken("no such problem"))?, detail: text_of(detail.to_vec())? })
}

/// A locator as kind, number and text. The longest text is an archive member's path.
fn locator_payload(locator: &Locator) -> Vec<u8> {
    let (kind, number, text) = match locator {
        Locator::Line => (0, 0, ""),
        Locator::Page(number) => (1, u64::from(*number), ""),
        Locator::Slide(number) => (2, u64::from(*number), ""),
        Locator::Sheet { name, row } => (3, u64::from(*row), name.as_str()),
        Locator::Chapter { number, title } => (4, u64::from(*number), title.as_str()),
        Locator::Message(number) => (5, u64::from(*number), ""),
        Locator::Cell(number) => (6, u64::from(*number), ""),
        Locator::Timecode { millis } => (7, *millis, ""),
        Locator::Member(path) => (8, 0, path.as_str()),
        Locator::Field(name) => (9, 0, name.as_str()),
    };
    let mut payload = vec![kind];
    payload.extend(number.to_le_bytes());
    payload.extend(&text.as_bytes()[..text.floor_char_boundary(FRAME_BYTES / 2)]);
    payload
}

fn parse_locator(payload: &[u8]) -> io::Result<Locator> {
    let (head, text) = payload.split_at_checked(9).ok_or_else(|| broken("a torn mark"))?;
    let number = u64::from_le_bytes(head[1..].try_into().map_err(|_| broken("a torn mark"))?);
    let text = text_of(text.to_vec())?;
    let count = u32::try_from(number).map_err(|_| broken("a mark beyond counting"));
    Ok(match head[0] {
        0 => Locator::Line,
        1 => Locator::Page(count?),
        2 => Locator::Slide(count?),
        3 => Locator::Sheet { name: text, row: count? },
        4 => Locator::Chapter { number: count?, title: text },
        5 => Locator::Message(count?),
        6 => Locator::Cell(count?),
        7 => Locator::Timecode { millis: number },
        8 => Locator::Member(text),
        9 => Locator::Field(text),
        _ => return Err(broken("no such mark")),
    })
}

fn parse_member(payload: &[u8]) -> io::Result<Received> {
    let (time, path) = payload.split_at_checked(8).ok_or_else(|| broken("a torn member"))?;
    let time = i64::from_le_bytes(time.try_into().map_err(|_| broken("a torn member"))?);
    Ok(Received::MemberBegins(text_of(path.to_vec())?, (time != UNKNOWN_TIME).then_some(UnixMillis(time))))
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| broken("text that is not UTF-8"))
}

fn read_array<const LENGTH: usize>(pipe: &mut impl Read) -> io::Result<[u8; LENGTH]> {
    let mut array = [0; LENGTH];
    pipe.read_exact(&mut array)?;
    Ok(array)
}

fn read_size(pipe: &mut impl Read) -> io::Result<usize> {
    usize::try_from(u64::from_le_bytes(read_array(pipe)?)).map_err(|_| broken("a size beyond memory"))
}

fn broken(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Lets both readers of the protocol have bytes that nobody wrote for them. For fuzzing.
pub(crate) fn read_anything(bytes: &[u8]) {
    let mut sink = Collector::new(Format::Pdf, FRAME_BYTES);
    let mut pipe = bytes;
    while receive(&mut pipe, &mut sink).is_ok_and(|received| !matches!(received, Received::End(_))) {}
    let _ = sink.finish(Outcome::Read);
    // As bytes of a request, and behind the beginning of a good one.
    for begin in [b"".as_slice(), b"BXQ2\x03pdf"] {
        let mut pipe = begin.chain(bytes);
        while let Ok(Some(_)) = read_request(&mut pipe) {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::extraction::problem;
    use proptest::prelude::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let mut pipe = Vec::new();
        let limits = Limits { pages: 7, members: 3, member_bytes: 4, unpacked_bytes: 5, ..Limits::default() };
        let source = Source { bytes: b"body", format: Format::Pdf, name: "böse.pdf" };
        write_request(&mut pipe, &source, &limits, 11).unwrap();
        let mut pipe = pipe.as_slice();
        let request = read_request(&mut pipe).unwrap().unwrap();
        assert_eq!((request.format, request.limits, request.cpu_seconds), (Format::Pdf, limits, 11));
        assert_eq!((request.name.as_str(), request.body.as_slice()), ("böse.pdf", b"body".as_slice()));
        assert!(read_request(&mut pipe).unwrap().is_none());
    }

    #[test]
    fn an_answer_arrives_as_it_was_given() {
        let locators = [
            Locator::Line,
            Locator::Page(3),
            Locator::Slide(1),
            Locator::Sheet { name: "Blatt 1".to_owned(), row: 9 },
            Locator::Chapter { number: 2, title: "Zwei".to_owned() },
            Locator::Message(5),
            Locator::Cell(6),
            Locator::Timecode { millis: u64::MAX },
            Locator::Member("a/b.pdf".to_owned()),
            Locator::Field("subject".to_owned()),
        ];
        let give = |sink: &mut dyn Sink| {
            sink.title("Title".to_owned());
            for locator in &locators {
                sink.mark(locator.clone());
                assert!(sink.text("é".repeat(FRAME_BYTES)));
            }
            sink.problem(problem(ProblemKind::Damaged, "page 4"));
        };
        let mut pipe = Vec::new();
        let mut sender = FrameSink::new(&mut pipe, usize::MAX);
        give(&mut sender);
        sender.end(&Outcome::Read).unwrap();
        let mut received = Collector::new(Format::Pdf, usize::MAX);
        let mut pipe = pipe.as_slice();
        let outcome = loop {
            if let Received::End(outcome) = receive(&mut pipe, &mut received).unwrap() {
                break outcome;
            }
        };
        let mut direct = Collector::new(Format::Pdf, usize::MAX);
        give(&mut direct);
        assert!(received.finish(outcome) == direct.finish(Outcome::Read));
    }

    #[test]
    fn the_sender_stops_one_piece_past_the_limit() {
        let mut sender = FrameSink::new(Vec::new(), 4);
        assert!(sender.text("1234".to_owned()));
        assert!(!sender.text("5".to_owned()));
    }

    proptest! {
        #[test]
        fn no_bytes_confuse_either_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            read_anything(&bytes);
        }
    }
}
