//! Archives and compressed files, made here, through the public door.

use std::io::{Cursor, Write};
use std::path::Path;

use bethink_core::{ProblemKind, UnixMillis};
use bethink_extract::{Extraction, Extractor, ExtractorSettings, Limits, MemberFile, MemberVisitor};

/// The files inside a container: their paths with their texts, or with why there is none.
#[derive(Debug, Default)]
pub struct Inside {
    pub files: Vec<(String, Result<String, ProblemKind>)>,
    pub modified: Vec<Option<UnixMillis>>,
}

impl Inside {
    pub fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|(path, _)| path.as_str()).collect()
    }

    #[track_caller]
    pub fn text(&self, path: &str) -> &str {
        let found = self.files.iter().find(|(known, _)| known == path);
        match found {
            Some((_, Ok(text))) => text,
            other => panic!("{path}: {other:?} among {:?}", self.paths()),
        }
    }

    #[track_caller]
    pub fn trouble(&self, path: &str) -> ProblemKind {
        match self.files.iter().find(|(known, _)| known == path) {
            Some((_, Err(kind))) => *kind,
            other => panic!("{path}: {other:?}"),
        }
    }
}

impl MemberVisitor for Inside {
    fn admits(&mut self, _: &str, _: &[u8]) -> bool {
        true
    }

    fn read(&mut self, member: MemberFile<'_>) -> bool {
        let text = match member.extraction {
            Extraction::Text(extracted) => Ok(extracted.text),
            Extraction::Skipped(problem) | Extraction::Failed(problem) => Err(problem.kind),
        };
        self.files.push((member.path, text));
        self.modified.push(member.modified);
        true
    }
}

pub fn open_within(limits: Limits, name: &str, bytes: &[u8]) -> (Extraction, Inside) {
    let extractor = Extractor::new(ExtractorSettings { limits, ..ExtractorSettings::default() });
    let mut inside = Inside::default();
    let extraction = extractor.extract_with_members(Path::new(name), bytes, &mut inside);
    (extraction, inside)
}

pub fn open(name: &str, bytes: &[u8]) -> (Extraction, Inside) {
    open_within(Limits::default(), name, bytes)
}

#[track_caller]
fn text(extraction: &Extraction) -> &str {
    match extraction {
        Extraction::Text(extracted) => &extracted.text,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn problems(extraction: &Extraction) -> Vec<ProblemKind> {
    match extraction {
        Extraction::Text(extracted) => extracted.problems.iter().map(|problem| problem.kind).collect(),
        other => panic!("{other:?}"),
    }
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in members {
        if let Some(folder) = name.strip_suffix('/') {
            writer.add_directory(folder, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mtime(1_700_000_000);
        header.set_mode(0o644);
        if name.ends_with('/') {
            header.set_entry_type(tar::EntryType::Directory);
        }
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(content: &[u8], name: Option<&str>) -> Vec<u8> {
    let mut builder = flate2::GzBuilder::new();
    if let Some(name) = name {
        builder = builder.filename(name).mtime(1_600_000_000);
    }
    let mut encoder = builder.write(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

const FILES: [(&str, &[u8]); 4] =
    [("trips/", b""), ("trips/tram.txt", b"The tram climbs.\n"), ("b.txt", b"Second\n"), ("empty.txt", b"")];

#[test]
fn the_files_of_a_zip_come_out_in_its_order() {
    let (extraction, inside) = open("a.zip", &zip(&FILES));
    assert_eq!(text(&extraction), "trips/\ntrips/tram.txt\nb.txt\nempty.txt\n");
    assert_eq!(inside.paths(), ["trips/tram.txt", "b.txt", "empty.txt"]);
    assert_eq!(inside.text("trips/tram.txt"), "The tram climbs.\n");
    assert_eq!(inside.trouble("empty.txt"), ProblemKind::Empty);
    assert_eq!(problems(&extraction), []);
}

#[test]
fn a_zip_without_its_directory_yields_what_its_headers_lead_to() {
    let whole = zip(&FILES);
    let directory = whole.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let (extraction, inside) = open("a.zip", &whole[..directory]);
    assert_eq!(inside.paths(), ["trips/tram.txt", "b.txt", "empty.txt"]);
    assert_eq!(inside.text("b.txt"), "Second\n");
    assert_eq!(problems(&extraction), [ProblemKind::Damaged]);
    let first = whole.windows(4).position(|window| window == b"b.tx").unwrap();
    let (_, inside) = open("a.zip", &whole[..first]);
    assert_eq!(inside.paths(), ["trips/tram.txt"]);
}

#[test]
fn a_member_cut_short_keeps_its_beginning() {
    let content = b"The tram climbs the hill and nobody speaks. ".repeat(2000);
    let noise: Vec<u8> =
        (0..40_000u32).map(|number| b'a' + (number.wrapping_mul(2_654_435_761) >> 24) as u8 % 26).collect();
    let whole = zip(&[("long.txt", &[content.as_slice(), &noise].concat())]);
    let (extraction, inside) = open("a.zip", &whole[..whole.len() / 2]);
    assert!(inside.text("long.txt").starts_with("The tram climbs"), "{:?}", inside.files);
    assert!(problems(&extraction).contains(&ProblemKind::Damaged));
}

#[test]
fn names_in_a_zip_are_read_in_the_charset_of_their_machine() {
    // The writer marks names as UTF-8; the mark is bit 3 of the flags' upper byte, and it and the name are
    // replaced in the header and in the directory.
    let named = |raw: &[u8]| {
        let placeholder = "x".repeat(raw.len());
        let mut bytes = zip(&[(&placeholder, b"words\n")]);
        for at in 0..bytes.len() - raw.len() {
            if bytes[at..].starts_with(placeholder.as_bytes()) {
                bytes[at..at + raw.len()].copy_from_slice(raw);
            }
        }
        bytes
    };
    let cases: [(&[u8], &str); 8] = [
        (b"\x83\x65\x83\x58\x83\x67.txt", "テスト.txt"),
        (b"Gr\x81\xE1e aus K\x94ln.txt", "Grüße aus Köln.txt"),
        (b"R\x82sum\x82 d'\x82t\x82.txt", "Résumé d'été.txt"),
        (b"Gr\xFC\xDFe aus K\xF6ln.txt", "Grüße aus Köln.txt"),
        ("Grüße.txt".as_bytes(), "Grüße.txt"),
        (&[0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2, b'.', b't', b'x', b't'], "Привет.txt"),
        (b"\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x83\x65\x83\x58\x83\x67.txt", "日本語のテスト.txt"),
        (b"\xD6\xD0\xCE\xC4\xCE\xC4\xBC\xFE\xC3\xFB.txt", "中文文件名.txt"),
    ];
    for (raw, name) in cases {
        let (_, inside) = open("a.zip", &named(raw));
        assert_eq!(inside.paths(), [name]);
    }
}

#[test]
fn what_macos_packs_beside_each_file_is_left_out() {
    let members: [(&str, &[u8]); 2] = [("a.txt", b"words\n"), ("__MACOSX/._a.txt", b"\0\x05\x16\x07")];
    let (extraction, inside) = open("a.zip", &zip(&members));
    assert_eq!(inside.paths(), ["a.txt"]);
    assert_eq!(text(&extraction), "a.txt\n");
}

#[test]
fn a_member_under_a_password_is_found_by_its_name() {
    let mut bytes = zip(&[("a.txt", b"words\n"), ("b.txt", b"more\n")]);
    // Bit 0 of the flags of the second member, in its header and in the directory.
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes[*at..].starts_with(b"PK\x03\x04") || bytes[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    bytes[places[1] + 6] |= 1;
    bytes[places[3] + 8] |= 1;
    let (extraction, inside) = open("a.zip", &bytes);
    assert_eq!(inside.text("a.txt"), "words\n");
    assert_eq!(inside.trouble("b.txt"), ProblemKind::Encrypted);
    assert_eq!(problems(&extraction), [ProblemKind::Encrypted]);
}

#[test]
fn a_tar_with_long_names_folders_and_times() {
    let long = format!("{}/deep.txt", ["folder"; 30].join("/"));
    let (extraction, inside) = open("a.tar", &tar(&[FILES[0], FILES[1], (&long, b"deep\n")]));
    assert_eq!(text(&extraction), format!("trips/\ntrips/tram.txt\n{long}\n"));
    assert_eq!(inside.text(&long), "deep\n");
    assert_eq!(inside.modified[0], Some(UnixMillis(1_700_000_000_000)));
}

#[test]
fn a_tar_cut_short_keeps_what_came_before() {
    let whole = tar(&[("a.txt", b"first\n"), ("b.txt", &b"second ".repeat(1000))]);
    let (extraction, inside) = open("a.tar", &whole[..3000]);
    assert_eq!(inside.text("a.txt"), "first\n");
    assert!(inside.text("b.txt").starts_with("second second"));
    assert_eq!(problems(&extraction), [ProblemKind::Damaged]);
}

#[test]
fn a_compressed_tar_is_one_container() {
    let packed = tar(&FILES);
    let wrapped = [
        ("a.tar.gz", gzip(&packed, None)),
        ("a.tgz", gzip(&packed, Some("a.tar"))),
        (
            "a.tar.zst",
            ruzstd::encoding::compress_to_vec(packed.as_slice(), ruzstd::encoding::CompressionLevel::Fastest),
        ),
        ("a.tar.bz2", {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(&packed).unwrap();
            encoder.finish().unwrap()
        }),
    ];
    for (name, bytes) in wrapped {
        let (extraction, inside) = open(name, &bytes);
        assert_eq!(inside.paths(), ["trips/tram.txt", "b.txt", "empty.txt"], "{name}");
        assert_eq!(inside.text("trips/tram.txt"), "The tram climbs.\n", "{name}");
        assert_eq!(text(&extraction), "trips/\ntrips/tram.txt\nb.txt\nempty.txt\n", "{name}");
    }
}

#[test]
fn a_compressed_file_has_the_name_that_it_had() {
    let (_, inside) = open("Notes.TXT.gz", &gzip(b"words\n", None));
    assert_eq!(inside.text("Notes.TXT"), "words\n");
    let (_, inside) = open("renamed.gz", &gzip(b"words\n", Some("folder/notes.txt")));
    assert_eq!(inside.text("notes.txt"), "words\n");
    assert_eq!(inside.modified, [Some(UnixMillis(1_600_000_000_000))]);
    let xz = bytes_of(
        "fd377a585a000004e6d6b446020021011c00000010cf58cc010019546865207472616d20636c696d6273207468652068696c6c2e0a\
         00000029c48838d2d444820001321a201894301fb6f37d010000000004595a",
    );
    let (_, inside) = open("tram.txt.xz", &xz);
    assert_eq!(inside.text("tram.txt"), "The tram climbs the hill.\n");
}

#[test]
fn streams_one_after_another_are_one_file() {
    let padded = [gzip(b"one\n", None), gzip(b"two\n", None), vec![0; 100]].concat();
    assert_eq!(open("a.txt.gz", &padded).1.text("a.txt"), "one\ntwo\n");
    let frame =
        |content: &[u8]| ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest);
    let skippable = [&b"\x5A\x2A\x4D\x18\x03\0\0\0"[..], b"xyz"].concat();
    let frames = [frame(b"one\n"), skippable, frame(b"two\n")].concat();
    assert_eq!(open("a.txt.zst", &frames).1.text("a.txt"), "one\ntwo\n");
}

#[test]
fn a_stream_cut_short_keeps_its_beginning() {
    let noise: Vec<u8> =
        (0..60_000u32).map(|number| b'a' + (number.wrapping_mul(2_654_435_761) >> 24) as u8 % 26).collect();
    let whole = gzip(&[b"The tram climbs.\n", noise.as_slice()].concat(), None);
    let (extraction, inside) = open("a.txt.gz", &whole[..whole.len() / 2]);
    assert!(inside.text("a.txt").starts_with("The tram climbs.\n"));
    assert_eq!(problems(&extraction), [ProblemKind::Damaged]);
}

#[test]
fn a_seven_zip_archive_is_read_and_its_passwords_are_told() {
    let plain = bytes_of(
        "377abcaf271c000490bd6dcda400000000000000210000000000000076a7b454010020546865207472616d20636c696d62732074\
         68652068696c6c2e0a5365636f6e640a000000813307ae0fd05a5b7c9f3f4741058786a38a1c786d4666d681234d6f28b74fbc77\
         a76669e292c94ec7bb22cd9e60bf47a92bf34b2f44823b0f067baaccb40677c046ceb5b665da99e05b05a2f73daf62749c3469b5\
         887b8ab2dc19b5cadfcad71800ca34f1f3cb114b367a82fe3dab6e27b379df108d3e96465400000017062501097f00070b010001\
         23030101055d001000000c80da0a0141a37e8d0000",
    );
    let (extraction, inside) = open("a.7z", &plain);
    assert_eq!(inside.text("a/inner/tram.txt"), "The tram climbs the hill.\n");
    assert_eq!(inside.text("a/two.txt"), "Second\n");
    assert_eq!(inside.trouble("a/empty.txt"), ProblemKind::Empty);
    assert!(text(&extraction).lines().any(|line| line == "a/inner/"), "{}", text(&extraction));
    assert!(inside.modified.iter().all(Option::is_some));

    let members = bytes_of(
        "377abcaf271c0004aa3e4a0fcf000000000000002200000000000000897c375ab18218a4fee92cbc9341cb248d91c7362d8f02f6\
         9d304e2c218c38523c5d3be6b0fcf0150ce97785f1c721cb98c0780d0000813307ae0fd100d43ca08a69b0e3c400faf45854bdab\
         4579e8d119752991e29cc7b63f3ab3a593c05f53ec9b73a2086168d4e1b4abbd602e91823d2579154604e1eb7eef61066864d1c9\
         e301f9b3e68b231356de3953eae5f3b77941314edd128427b338b89b7f2f487442f53f73b7bd2a9686369995ecc153800a58bde9\
         2435abcea8d10fc73b89d8cd23cc163f107eb3e6da49e98096ba74000000001706300109809f00070b01000123030101055d0010\
         00000c80fa0a01042285350000",
    );
    let (extraction, inside) = open("a.7z", &members);
    assert_eq!(inside.trouble("a/inner/tram.txt"), ProblemKind::Encrypted);
    assert_eq!(problems(&extraction), [ProblemKind::Encrypted]);

    let names_too = bytes_of(
        "377abcaf271c0004e84a1653d0000000000000003e00000000000000a2411ae3dd9cea70df24ec11446556b8e1e2cc88368a2758\
         6771757236f47939d488e0647594bff9342c5a41941c158733180d56697ab081967e23e1a26d651c3b6cc1c6dc77798022210669\
         101072737d8479316acc294fe99d96614a7c1724c84a93f2ac5764a1619a807e54ef433e6db1d0939808fc6f39c18334c5ca37ab\
         6c6b2091c79d558f1c81a095ca3787f2b87471866e1d5e5fcbea6165b9775662ed5d54409589ce76ad90144dd9eb2be9535213f2\
         e9db3497e3fd71a4d24eba173ca87eab6333c1e54fa3767912d67c46ee7cdbfd170630010980a000070b0100022406f107011253\
         0f0ecebb43f54494d51389f8526f16718223030101055d0010000001000c809f80fa0a01d9d1836a0000",
    );
    match open("a.7z", &names_too).0 {
        Extraction::Skipped(problem) => assert_eq!(problem.kind, ProblemKind::Encrypted),
        other => panic!("{other:?}"),
    }
}

#[test]
fn containers_in_containers_end_at_their_depth() {
    let mut bytes = b"core\n".to_vec();
    for level in 0..6 {
        bytes = zip(&[(&format!("level{level}.bin"), &bytes)]);
    }
    let (_, inside) = open("a.zip", &bytes);
    let paths = inside.paths();
    assert!(paths.contains(&"level5.bin!/level4.bin!/level3.bin"), "{paths:?}");
    assert!(!paths.iter().any(|path| path.contains("level2")), "{paths:?}");
}

#[test]
fn limits_end_what_a_container_may_cost() {
    let members: Vec<(String, Vec<u8>)> = (0..20).map(|number| (format!("{number}.txt"), vec![b'a'; 1000])).collect();
    let borrowed: Vec<(&str, &[u8])> =
        members.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    let packed_tar = tar(&borrowed);
    let gzipped = gzip(&packed_tar, None);
    for bytes in [zip(&borrowed), packed_tar, gzipped] {
        let (extraction, inside) = open_within(Limits { members: 5, ..Limits::default() }, "a", &bytes);
        assert_eq!(inside.files.len(), 5);
        assert_eq!(problems(&extraction), [ProblemKind::Limit]);

        let (_, inside) = open_within(Limits { member_bytes: 999, ..Limits::default() }, "a", &bytes);
        assert_eq!(inside.trouble("7.txt"), ProblemKind::Limit);
        assert_eq!(inside.files.len(), 20);
    }
    let limits = Limits { unpacked_bytes: 4500, ..Limits::default() };
    let (extraction, inside) = open_within(limits, "a.zip", &zip(&borrowed));
    assert_eq!(inside.files.iter().filter(|(_, text)| text.is_ok()).count(), 4);
    assert_eq!(inside.files.len(), 20);
    assert_eq!(problems(&extraction), [ProblemKind::Limit]);
    let (extraction, inside) = open_within(limits, "a.tgz", &gzip(&tar(&borrowed), None));
    // The third is the beginning that the limit left.
    assert_eq!(inside.files.iter().filter(|(_, text)| text.is_ok()).count(), 3);
    assert!(problems(&extraction).contains(&ProblemKind::Limit));
}

#[test]
fn a_listing_has_an_end() {
    let names: Vec<String> = (0..3000).map(|number| format!("a folder with a long name/{number}.txt")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let (extraction, inside) = open("a.tar", &tar(&members));
    assert_eq!(inside.files.len(), 3000);
    assert!(text(&extraction).len() <= 64 << 10);
    assert!(text(&extraction).ends_with(".txt\n"));
    assert_eq!(problems(&extraction), [ProblemKind::Limit]);
}
