//! Recordings and films: their tags, chapters and length.
//!
//! `lofty` reads what music players write (ID3, APE, Vorbis comments, RIFF). It refuses films, which have no
//! track of sound that it knows, so MP4, Matroska, AVI and ASF are walked here, box by box.

use std::io::Cursor;

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType, TaggedFileExt};
use lofty::id3::v2::Frame;
use lofty::mpeg::MpegFile;
use lofty::picture::PictureType;
use lofty::probe::Probe;
use lofty::tag::{ItemKey, ItemValue, Tag, TagType};

use super::facts::{Facts, clock, duration_words};
use super::{asf, isobmff, matroska, riff};

/// The tags that a person writes or reads.
const TAGS: [(ItemKey, &str); 36] = [
    (ItemKey::TrackTitle, "Title"),
    (ItemKey::TrackSubtitle, "Subtitle"),
    (ItemKey::TrackArtist, "Artist"),
    (ItemKey::TrackArtists, "Artists"),
    (ItemKey::AlbumTitle, "Album"),
    (ItemKey::AlbumArtist, "Album artist"),
    (ItemKey::SetSubtitle, "Disc subtitle"),
    (ItemKey::ContentGroup, "Grouping"),
    (ItemKey::ShowName, "Show"),
    (ItemKey::Composer, "Composer"),
    (ItemKey::Conductor, "Conductor"),
    (ItemKey::Lyricist, "Lyricist"),
    (ItemKey::Writer, "Writer"),
    (ItemKey::Arranger, "Arranger"),
    (ItemKey::Performer, "Performer"),
    (ItemKey::Remixer, "Remixer"),
    (ItemKey::Producer, "Producer"),
    (ItemKey::Director, "Director"),
    (ItemKey::OriginalArtist, "Original artist"),
    (ItemKey::Label, "Label"),
    (ItemKey::Publisher, "Publisher"),
    (ItemKey::Work, "Work"),
    (ItemKey::Movement, "Movement"),
    (ItemKey::Genre, "Genre"),
    (ItemKey::Mood, "Mood"),
    (ItemKey::RecordingDate, "Date"),
    (ItemKey::Year, "Date"),
    (ItemKey::ReleaseDate, "Release date"),
    (ItemKey::OriginalReleaseDate, "Original date"),
    (ItemKey::TrackNumber, "Track"),
    (ItemKey::Comment, "Comment"),
    (ItemKey::Description, "Description"),
    (ItemKey::PodcastDescription, "Description"),
    (ItemKey::PodcastKeywords, "Keywords"),
    (ItemKey::CopyrightMessage, "Copyright"),
    (ItemKey::InternetRadioStationName, "Station"),
];

/// Gathers the words of a recording.
pub(super) fn read(bytes: &[u8], facts: &mut Facts) {
    match bytes {
        [0x1A, 0x45, 0xDF, 0xA3, ..] => matroska::read(bytes, facts),
        [0x30, 0x26, 0xB2, 0x75, ..] => asf::read(bytes, facts),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', ..] => riff::read(bytes, facts),
        _ if isobmff::is_film(bytes) => isobmff::film(bytes, facts),
        _ => tagged(bytes, facts),
    }
}

fn tagged(bytes: &[u8], facts: &mut Facts) {
    let Ok(probe) = Probe::new(Cursor::new(bytes)).options(ParseOptions::new()).guess_file_type() else { return };
    let kind = probe.file_type();
    if kind == Some(FileType::Mpeg)
        && let Ok(file) = MpegFile::read_from(&mut Cursor::new(bytes), ParseOptions::new())
    {
        let chapters = file.id3v2().map(chapters).unwrap_or_default();
        tags(&file.into(), facts);
        facts.add_lines("chapters", "Chapters", &chapters);
        return;
    }
    // What is broken in the sound need not be so in the tags.
    let tags_only = || {
        let options = ParseOptions::new().read_properties(false);
        let probe = Probe::new(Cursor::new(bytes)).options(options);
        kind.and_then(|kind| probe.set_file_type(kind).read().ok())
    };
    if let Some(file) = probe.read().ok().or_else(tags_only) {
        tags(&file, facts);
    }
}

fn tags(file: &lofty::file::TaggedFile, facts: &mut Facts) {
    // The fullest first: the others repeat it, some (ID3v1) cut short.
    let mut tags: Vec<&Tag> = file.tags().iter().collect();
    tags.sort_by_key(|tag| (tag.tag_type() == TagType::Id3v1, std::cmp::Reverse(tag.item_count())));
    for tag in &tags {
        for (key, label) in TAGS {
            for item in tag.get_items(key) {
                if let ItemValue::Text(value) = item.value() {
                    // A comment's description may say that a machine wrote it.
                    let machine = key == ItemKey::Comment && item.description().starts_with("iTun");
                    let repeats = is_cut(&tags, tag, key, value);
                    if !machine && !repeats {
                        facts.add_labelled(&label.to_lowercase(), label, value);
                    }
                }
            }
        }
        for key in [ItemKey::UnsyncLyrics, ItemKey::Lyrics] {
            for lyrics in tag.get_strings(key) {
                facts.add_lines("lyrics", "Lyrics", lyrics);
            }
        }
        for picture in tag.pictures() {
            // As the tools that show a cover as a stream of its own do: its description is a title, what it
            // shows a comment.
            if let Some(description) = picture.description() {
                facts.add_labelled("title", "Picture title", description);
            }
            if let Some(words) = picture_words(picture.pic_type()) {
                facts.add_labelled("comment", "Picture", words);
            }
        }
    }
    let seconds = file.properties().duration().as_secs_f64();
    if let Some(words) = duration_words(seconds)
        && seconds > 0.0
    {
        facts.add_labelled("duration", "Duration", &words);
    }
}

/// Whether another tag says it better: ID3v1 has thirty bytes of one charset for a title and four for a date.
fn is_cut(tags: &[&Tag], own: &Tag, key: ItemKey, value: &str) -> bool {
    let others = tags.iter().filter(|tag| tag.tag_type() != own.tag_type());
    let mut values = others.flat_map(|tag| tag.get_strings(key));
    values.any(|other| own.tag_type() == TagType::Id3v1 || other.len() > value.len() && other.starts_with(value))
}

/// What a cover shows, in the words of the ID3 standard. `Other` says nothing.
fn picture_words(kind: PictureType) -> Option<&'static str> {
    Some(match kind {
        PictureType::CoverFront => "Cover (front)",
        PictureType::CoverBack => "Cover (back)",
        PictureType::Leaflet => "Leaflet page",
        PictureType::Media => "Media (e.g. label side of CD)",
        PictureType::LeadArtist => "Lead artist/lead performer/soloist",
        PictureType::Artist => "Artist/performer",
        PictureType::Conductor => "Conductor",
        PictureType::Band => "Band/Orchestra",
        PictureType::Composer => "Composer",
        PictureType::Lyricist => "Lyricist/text writer",
        PictureType::RecordingLocation => "Recording Location",
        PictureType::DuringRecording => "During recording",
        PictureType::DuringPerformance => "During performance",
        PictureType::ScreenCapture => "Movie/video screen capture",
        PictureType::Illustration => "Illustration",
        PictureType::BandLogo => "Band/artist logotype",
        PictureType::PublisherLogo => "Publisher/Studio logotype",
        _ => return None,
    })
}

/// The chapters of a podcast, one a line: `1:05 Title`.
fn chapters(tag: &lofty::id3::v2::Id3v2Tag) -> String {
    let mut chapters: Vec<(u32, String)> = Vec::new();
    for frame in tag {
        if let Frame::Chapter(chapter) = frame {
            let title = chapter.children.iter().find_map(|frame| match frame {
                Frame::Text(text) if text.id().as_str() == "TIT2" => Some(text.value.to_string()),
                _ => None,
            });
            chapters.push((chapter.times.start, title.unwrap_or_default()));
        }
    }
    chapters.sort();
    chapter_lines(chapters.into_iter().map(|(start, title)| (u64::from(start / 1000), title)))
}

/// Chapters that have a title, by their start in seconds.
pub(super) fn chapter_lines(chapters: impl Iterator<Item = (u64, String)>) -> String {
    let titled = chapters.filter(|(_, title)| !title.trim().is_empty());
    titled.map(|(start, title)| format!("{} {}", clock(start), title.trim())).collect::<Vec<_>>().join("\n")
}
