//! Pictures and recordings, built here byte by byte.

use std::path::Path;

use bethink_core::{Extracted, Format, Locator, ProblemKind};
use bethink_extract::{Extraction, Extractor, ExtractorSettings};

fn extract(name: &str, bytes: &[u8]) -> Extraction {
    Extractor::new(ExtractorSettings::default()).extract(Path::new(name), bytes)
}

fn text(name: &str, bytes: &[u8]) -> Extracted {
    match extract(name, bytes) {
        Extraction::Text(extracted) => extracted,
        other => panic!("{name}: {other:?}"),
    }
}

/// A box: its length, its name, its body.
fn boxed(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 8).unwrap();
    [&length.to_be_bytes()[..], name, body].concat()
}

/// A segment of a JPEG.
fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap();
    [&[0xFF, marker][..], &length.to_be_bytes(), body].concat()
}

/// A chunk of a RIFF file.
fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap();
    let padding = vec![0; body.len() % 2];
    [&name[..], &length.to_le_bytes(), body, &padding].concat()
}

/// An element of a Matroska file.
fn element(number: &[u8], body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap() | 0x1000_0000;
    [number, &length.to_be_bytes(), body].concat()
}

#[test]
fn a_photograph_tells_its_caption_keywords_and_comment() {
    let iptc = [
        &b"\x1c\x01\x5a\x00\x03\x1b%G"[..],
        b"\x1c\x02\x19\x00\x06harbor",
        b"\x1c\x02\x19\x00\x05boats",
        b"\x1c\x02\x78\x00\x0eBoats at sunset",
    ]
    .concat();
    let iptc = [&iptc[..iptc.len() - 15], b"Boats at sunse"].concat();
    let resource = [b"8BIM\x04\x04\0\0".as_slice(), &u32::try_from(iptc.len()).unwrap().to_be_bytes(), &iptc].concat();
    let xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:RDF><rdf:Description photoshop:City='Gent'>\
        <dc:subject><rdf:Bag><rdf:li>dusk</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>";
    let bytes = [
        &[0xFF, 0xD8][..],
        &segment(0xE1, xmp),
        &segment(0xED, &[b"Photoshop 3.0\0".as_slice(), &resource].concat()),
        &segment(0xFE, b"seen from the caf\xe9"),
        &segment(0xDA, &[0; 8]),
        &[0; 64],
    ]
    .concat();
    let extracted = text("a.jpg", &bytes);
    assert_eq!(extracted.format, Format::Image);
    let lines: Vec<_> = extracted.text.lines().collect();
    assert_eq!(
        lines,
        [
            "Caption-Abstract: Boats at sunse",
            "Keywords: harbor, boats",
            "Comment: seen from the café",
            "City: Gent",
            "Subject: dusk"
        ]
    );
    let at = extracted.text.find("harbor").unwrap();
    assert_eq!(extracted.locator_at(at), &Locator::Field("Keywords".to_owned()));
}

#[test]
fn a_picture_without_words_is_findable_by_name_alone() {
    let png = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0, 0, 0, 0], b"IEND", &[0; 4]].concat();
    match extract("a.png", &png) {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Binary),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_png_tells_its_texts_and_not_its_software_alone() {
    let part = |name: &[u8; 4], body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap();
        [&length.to_be_bytes()[..], name, body, &[0; 4]].concat()
    };
    let with = |texts: &[Vec<u8>]| {
        [b"\x89PNG\r\n\x1a\n".as_slice(), &part(b"IHDR", &[0; 13]), &texts.concat(), &part(b"IEND", b"")].concat()
    };
    let software = part(b"tEXt", b"Software\0paint");
    assert!(matches!(extract("a.png", &with(std::slice::from_ref(&software))), Extraction::Skipped(_)));
    let title = part(b"iTXt", "Title\0\0\0de\0Titel\0Größe".as_bytes());
    let extracted = text("a.png", &with(&[software, title]));
    assert_eq!(extracted.text, "Software: paint\nTitle: Größe\n");
    assert_eq!(extracted.title.as_deref(), Some("Größe"));
}

#[test]
fn a_film_tells_its_title_place_chapters_and_length() {
    let header = [&[0; 12][..], &600u32.to_be_bytes(), &78_000u32.to_be_bytes(), &[0; 80]].concat();
    let data = |value: &[u8]| boxed(b"data", &[&[0, 0, 0, 1, 0, 0, 0, 0], value].concat());
    let keys = [&[0, 0, 0, 0, 0, 0, 0, 1][..], &boxed(b"mdta", b"com.apple.quicktime.location.name")].concat();
    let handler = boxed(b"hdlr", &[0; 24]);
    let quicktime = boxed(
        b"meta",
        &[handler.clone(), boxed(b"keys", &keys), boxed(b"ilst", &boxed(&[0, 0, 0, 1], &data(b"Ostend")))].concat(),
    );
    let itunes = boxed(b"ilst", &boxed(b"\xA9nam", &data("Été".as_bytes())));
    let itunes = boxed(b"meta", &[&[0; 4], &handler[..], &itunes].concat());
    let mut chapters = vec![1, 0, 0, 0, 0, 0, 0, 0, 2];
    for (start, title) in [(0u64, "Opening"), (650_000_000, "The beach")] {
        chapters.extend(start.to_be_bytes());
        chapters.push(u8::try_from(title.len()).unwrap());
        chapters.extend(title.as_bytes());
    }
    let user = boxed(b"udta", &[itunes, boxed(b"chpl", &chapters)].concat());
    let movie = boxed(b"moov", &[boxed(b"mvhd", &header), user, quicktime].concat());
    let film = [boxed(b"ftyp", b"isom\0\0\0\0"), boxed(b"mdat", &[7; 100]), movie].concat();
    let extracted = text("a.mp4", &film);
    assert_eq!(extracted.format, Format::Video);
    let lines: Vec<_> = extracted.text.lines().collect();
    let wanted = [
        "Title: Été",
        "Chapters:",
        "0:00 Opening",
        "1:05 The beach",
        "Location name: Ostend",
        "Duration: 2:10 (130.0 s)",
    ];
    assert_eq!(lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>(), wanted);
}

#[test]
fn matroska_tells_its_title_tags_chapters_and_length() {
    let chapter = |start: u64, title: &str| {
        let display = element(&[0x80], &element(&[0x85], title.as_bytes()));
        element(&[0xB6], &[element(&[0x91], &start.to_be_bytes()), display].concat())
    };
    let tag = |name: &str, value: &str| {
        let pair = [element(&[0x45, 0xA3], name.as_bytes()), element(&[0x44, 0x87], value.as_bytes())].concat();
        element(&[0x73, 0x73], &element(&[0x67, 0xC8], &pair))
    };
    let info = [
        element(&[0x2A, 0xD7, 0xB1], &1_000_000u32.to_be_bytes()),
        element(&[0x44, 0x89], &61_500f64.to_be_bytes()),
        element(&[0x7B, 0xA9], b"Holiday"),
    ]
    .concat();
    let chapters = [chapter(0, "Arrival"), chapter(60_000_000_000, "Leaving")].concat();
    let segment = [
        element(&[0x15, 0x49, 0xA9, 0x66], &info),
        element(&[0x1F, 0x43, 0xB6, 0x75], &[9; 50]),
        element(&[0x10, 0x43, 0xA7, 0x70], &element(&[0x45, 0xB9], &chapters)),
        element(&[0x12, 0x54, 0xC3, 0x67], &[tag("BPS", "12"), tag("DATE_RELEASED", "2019")].concat()),
    ]
    .concat();
    let file = [
        element(&[0x1A, 0x45, 0xDF, 0xA3], &element(&[0x42, 0x82], b"matroska")),
        element(&[0x18, 0x53, 0x80, 0x67], &segment),
    ]
    .concat();
    let extracted = text("a.mkv", &file);
    let lines: Vec<_> = extracted.text.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "Title: Holiday",
            "Date released: 2019",
            "Chapters:",
            "0:00 Arrival",
            "1:00 Leaving",
            "Duration: 1:01 (61.5 s)"
        ]
    );
}

#[test]
fn avi_and_asf_tell_their_titles_and_lengths() {
    let mut header = vec![0; 56];
    header[..4].copy_from_slice(&40_000u32.to_le_bytes());
    header[16..20].copy_from_slice(&250u32.to_le_bytes());
    let lists = [
        chunk(b"LIST", &[b"hdrl", &chunk(b"avih", &header)[..]].concat()),
        chunk(b"LIST", &[b"INFO", &chunk(b"INAM", b"Birthday\0")[..]].concat()),
    ]
    .concat();
    let avi = chunk(b"RIFF", &[b"AVI ", &lists[..]].concat());
    assert_eq!(text("a.avi", &avi).text, "Duration: 0:10 (10.0 s)\nTitle: Birthday\n");

    let wide = |words: &str| words.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let object = |name: &[u8; 16], body: &[u8]| {
        [&name[..], &u64::try_from(body.len() + 24).unwrap().to_le_bytes(), body].concat()
    };
    let (title, artist) = (wide("Blå"), wide("Ada"));
    let lengths = [title.len(), artist.len(), 0, 0, 0].map(|length| u16::try_from(length).unwrap().to_le_bytes());
    let content = [lengths.concat(), title, artist].concat();
    let name = b"\x33\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
    let inner = [&[0; 6][..], &object(name, &content)].concat();
    let wma = object(b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C", &inner);
    let extracted = text("a.wma", &wma);
    assert_eq!((extracted.text.as_str(), extracted.format), ("Title: Blå\nArtist: Ada\n", Format::Audio));
}

#[test]
fn cut_and_bent_media_end_in_an_answer() {
    let film = boxed(b"moov", &boxed(b"udta", &boxed(b"meta", &boxed(b"ilst", &boxed(b"\xA9nam", &[0xFF; 40])))));
    let film = [boxed(b"ftyp", b"isom\0\0\0\0"), film].concat();
    for cut in 0..film.len() {
        let mut bent = film.clone();
        bent[cut] ^= 0xFF;
        for bytes in [&film[..cut], &bent] {
            if let Extraction::Failed(problem) = extract("a.mp4", bytes) {
                panic!("{cut}: {problem:?}");
            }
        }
    }
}

#[test]
fn the_short_tag_behind_a_song_yields_to_the_long_one_before_it() {
    let frame = |name: &[u8; 4], words: &str| {
        let body = [&[3][..], words.as_bytes()].concat();
        [&name[..], &u32::try_from(body.len()).unwrap().to_be_bytes(), &[0, 0], &body].concat()
    };
    let frames = frame(b"TIT2", "Łódź at night");
    let size = [0, 0, 0, u8::try_from(frames.len()).unwrap()];
    let mut sound = vec![0; 417 * 4];
    for at in [0, 417, 834, 1251] {
        sound[at..at + 4].copy_from_slice(&[0xFF, 0xFB, 0x90, 0x00]);
    }
    let mut short = vec![0; 128];
    short[..3].copy_from_slice(b"TAG");
    short[3..16].copy_from_slice(b"?od? at night");
    short[33..36].copy_from_slice(b"Ada");
    short[127] = 0xFF;
    let song = [b"ID3\x04\0\0".as_slice(), &size, &frames, &sound, &short].concat();
    let told = text("a.mp3", &song).text;
    assert!(told.starts_with("Title: Łódź at night\n"), "{told}");
    assert!(told.contains("\nArtist: Ada\n"), "{told}");
    assert!(!told.contains("?od?"), "{told}");
}
