//! Pictures and recordings: what their makers wrote into them, as lines of `Name: value`.
//!
//! Nothing is looked at or listened to: only the words that cameras, editors and players store beside the
//! data (EXIF, XMP, IPTC, PNG texts; ID3, Vorbis comments, MP4, Matroska, RIFF and ASF tags), a recording's
//! length and its chapters. A picture or recording without any of them stays findable by name alone, so that
//! nothing empty is indexed. The parsers of tags are fed by strangers and some are large: all run in a worker.

mod asf;
mod exif;
mod facts;
mod iptc;
mod isobmff;
mod matroska;
mod picture;
mod recording;
mod riff;
mod xmp;

use bethink_core::{Format, ProblemKind};

use crate::extraction::problem;
use crate::family::{Family, Isolation, Outcome, Sink, Source};
use crate::format_entry::FormatEntry;
use crate::limits::Limits;
use facts::Facts;

/// Reads the tags of pictures and recordings.
pub(crate) struct MediaFamily;

impl Family for MediaFamily {
    fn reads(&self, format: Format) -> bool {
        matches!(format, Format::Image | Format::Audio | Format::Video)
    }

    fn isolation(&self) -> Isolation {
        Isolation::Worker
    }

    fn read(&self, source: &Source<'_>, _: &Limits, sink: &mut dyn Sink) -> Outcome {
        let mut facts = Facts::default();
        if source.format == Format::Image {
            picture::read(source.bytes, &mut facts);
        } else {
            recording::read(source.bytes, &mut facts);
        }
        if facts.tell(sink) {
            return Outcome::Read;
        }
        let detail = format!("{} without any words in it; findable by name", source.format.words());
        Outcome::Skipped(problem(ProblemKind::Binary, detail))
    }

    fn entries(&self) -> Vec<FormatEntry> {
        let limits = "192 MiB of the file, 512 tags, 256 KiB a tag";
        vec![
            FormatEntry {
                name: "image",
                detected_by: "signature (JPEG, PNG, TIFF, WebP, GIF, HEIC, AVIF, PSD, camera RAW)",
                locator: "field, named as exiftool names it",
                lost: "the picture itself, maker notes, thumbnails",
                limits,
            },
            FormatEntry {
                name: "audio",
                detected_by: "signature, ID3 tag or two frames of MPEG audio",
                locator: "field",
                lost: "the sound itself, cover pictures but their names, ratings, identifiers",
                limits,
            },
            FormatEntry {
                name: "video",
                detected_by: "signature (MP4, QuickTime, Matroska, WebM, AVI, ASF)",
                locator: "field",
                lost: "the film itself, subtitles inside it",
                limits,
            },
        ]
    }
}
