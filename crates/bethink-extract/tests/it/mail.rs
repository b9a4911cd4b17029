//! Messages and mailboxes, through the public door.

use bethink_core::{Extracted, Format, Locator, ProblemKind};
use bethink_extract::Extraction;

use crate::containers::{Inside, open};
use crate::shared;

#[track_caller]
fn read(name: &str, raw: &str) -> (Extracted, Inside) {
    read_bytes(name, raw.as_bytes())
}

#[track_caller]
fn read_bytes(name: &str, raw: &[u8]) -> (Extracted, Inside) {
    match open(name, raw) {
        (Extraction::Text(extracted), inside) => (extracted, inside),
        (other, _) => panic!("{other:?}"),
    }
}

/// The stretch of the text at a place.
fn at(extracted: &Extracted, locator: &Locator) -> String {
    let mut found = String::new();
    for (position, mark) in extracted.marks.iter().enumerate() {
        if mark.locator == *locator {
            let end = extracted.marks.get(position + 1).map_or(extracted.text.len(), |next| next.offset);
            found.push_str(&extracted.text[mark.offset..end]);
        }
    }
    found
}

const HEADERS: &str = "From: Ana <ana@x.org>\r\nTo: Ben <ben@x.org>\r\nSubject: The tram\r\n\
    Date: Wed, 20 Jul 2016 17:35:02 +0100\r\nMIME-Version: 1.0\r\n";

fn multipart(kind: &str, parts: &[&str]) -> String {
    let mut raw = format!("{HEADERS}Content-Type: multipart/{kind}; boundary=\"edge\"\r\n\r\nfor old readers\r\n");
    for part in parts {
        raw.push_str(&format!("--edge\r\n{part}\r\n"));
    }
    raw + "--edge--\r\n"
}

#[test]
fn a_message_reads_as_its_headers_and_its_body() {
    let raw = format!("{HEADERS}Content-Type: text/plain; charset=utf-8\r\n\r\nIt climbs.\r\n\r\n> Does it?\r\n");
    let (extracted, inside) = read("a.eml", &raw);
    assert_eq!(extracted.format, Format::Email);
    assert_eq!(extracted.title.as_deref(), Some("The tram"));
    assert_eq!(
        extracted.text,
        "Subject: The tram\nFrom: Ana <ana@x.org>\nTo: Ben <ben@x.org>\n\
         Date: Wed, 20 Jul 2016 17:35:02 +0100 (2016-07-20T17:35:02+01:00)\n\nIt climbs.\n\n> Does it?\n"
    );
    assert_eq!(at(&extracted, &Locator::Field("Subject".to_owned())), "Subject: The tram\n");
    assert_eq!(at(&extracted, &Locator::Line), "It climbs.\n\n> Does it?\n");
    assert!(inside.files.is_empty() && extracted.problems.is_empty());
}

#[test]
fn the_plain_text_is_preferred_unless_it_is_a_remnant() {
    let page = format!("Content-Type: text/html\r\n\r\n<h1>Title</h1><p>{}</p>", "word ".repeat(100));
    let plain = "Content-Type: text/plain\r\n\r\nAll that the page says, in plain words. ";
    let (extracted, _) = read("a.eml", &multipart("alternative", &[plain, &page]));
    assert!(at(&extracted, &Locator::Line).contains("# Title"), "{}", extracted.text);
    let long = format!("{plain}{}", "plainly ".repeat(50));
    let (extracted, _) = read("a.eml", &multipart("alternative", &[&long, &page]));
    assert!(at(&extracted, &Locator::Line).contains("plainly") && !extracted.text.contains("# Title"));
    let (extracted, _) = read("a.eml", &multipart("alternative", &[&page]));
    assert!(at(&extracted, &Locator::Line).starts_with("# Title\n\nword"));
}

#[test]
fn attachments_are_named_in_the_text_and_come_out_as_files() {
    let raw = multipart(
        "mixed",
        &[
            "Content-Type: text/plain\r\n\r\nSee the report.",
            "Content-Type: text/csv; name=\"=?utf-8?Q?Z=C3=A4hlung.csv?=\"\r\nContent-Disposition: attachment\r\n\
             Content-Transfer-Encoding: base64\r\n\r\nYSxiLGMKMSwyLDMKNCw1LDYKNyw4LDkK",
            "Content-Type: application/octet-stream\r\n\
             Content-Disposition: attachment; filename*=utf-8''Stra%C3%9Fe.txt\r\n\r\nwords of the street\r\n",
            "Content-Type: message/rfc822\r\n\r\nSubject: Inner: news\r\nFrom: c@x.org\r\n\r\ninner words\r\n",
            "Content-Type: application/pgp-signature; name=signature.asc\r\n\r\n-----BEGIN-----",
        ],
    );
    let (extracted, inside) = read("a.eml", &raw);
    assert_eq!(
        at(&extracted, &Locator::Field("Attachments".to_owned())),
        "Attachments: Zählung.csv, Straße.txt, Inner: news.eml\n\n"
    );
    assert_eq!(at(&extracted, &Locator::Line), "See the report.\n");
    assert_eq!(inside.paths(), ["Zählung.csv", "Straße.txt", "Inner: news.eml"]);
    assert!(inside.text("Zählung.csv").starts_with("a,b,c\n1,2,3"));
    assert!(inside.text("Inner: news.eml").contains("inner words"));
}

#[test]
fn a_page_with_its_pictures_is_one_text() {
    let inner = "Content-Type: multipart/related; boundary=in\r\n\r\n--in\r\nContent-Type: text/html\r\n\r\n\
        <p>See <img src=\"cid:1\" alt=\"the hill\"></p>\r\n--in\r\nContent-Type: image/png; name=image001.png\r\n\
        Content-ID: <1>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--in--";
    let (extracted, inside) = read("a.eml", &multipart("mixed", &[inner, "Content-Type: text/plain\r\n\r\nfooter"]));
    assert_eq!(at(&extracted, &Locator::Line), "See the hill\n\nfooter\n");
    assert!(!extracted.text.contains("Attachments:"));
    assert_eq!(inside.paths(), ["image001.png"]);
}

#[test]
fn charsets_are_believed_only_as_far_as_they_fit() {
    let with = |charset: &str, body: &[u8]| {
        let head = format!("{HEADERS}Content-Type: text/plain{charset}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n");
        let (extracted, _) = read_bytes("a.eml", &[head.as_bytes(), body].concat());
        at(&extracted, &Locator::Line)
    };
    assert_eq!(with("; charset=iso-8859-1", b"Stra\xDFe\r\n"), "Straße\n");
    assert_eq!(with("; charset=gb2312", b"\xD6\xD0\xCE\xC4\r\n"), "中文\n");
    assert_eq!(with("; charset=iso-2022-jp", b"\x1B$BF|K\\\x1B(B\r\n"), "日本\n");
    assert_eq!(with("; charset=iso-8859-1", "Straße – schön\r\n".as_bytes()), "Straße – schön\n");
    assert_eq!(
        with("; charset=utf-8", b"Die Stra\xDFe f\xFChrt \xFCber die Br\xFCcke nach K\xF6ln.\r\n"),
        "Die Straße führt über die Brücke nach Köln.\n"
    );
    assert_eq!(
        with("", b"Die Stra\xDFe f\xFChrt \xFCber die Br\xFCcke nach K\xF6ln.\r\n"),
        "Die Straße führt über die Brücke nach Köln.\n"
    );
    let quoted = format!(
        "{HEADERS}Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nSch=C3=B6n=\r\ne Gr=C3=BC=C3=9Fe\r\n"
    );
    let (extracted, _) = read("a.eml", &quoted);
    assert_eq!(at(&extracted, &Locator::Line), "Schöne Grüße\n");
}

#[test]
fn encrypted_mail_keeps_its_headers() {
    let raw = multipart(
        "encrypted; protocol=\"application/pgp-encrypted\"",
        &[
            "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
            "Content-Type: application/octet-stream\r\n\r\nxyz",
        ],
    );
    let smime = format!(
        "{HEADERS}Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nMIIB\r\n"
    );
    let armor = format!("{HEADERS}\r\n-----BEGIN PGP MESSAGE-----\r\nhQEMA\r\n-----END PGP MESSAGE-----\r\n");
    for raw in [raw, smime, armor] {
        let (extracted, _) = read("a.eml", &raw);
        assert!(extracted.text.contains("Subject: The tram"));
        assert!(!extracted.text.contains("hQEMA"));
        assert_eq!(extracted.problems.iter().map(|problem| problem.kind).collect::<Vec<_>>(), [ProblemKind::Encrypted]);
    }
}

/// A message of a text and a table, signed by OpenSSL as one DER value, in base64.
const SIGNED: &str = "\
    MIIBrAYJKoZIhvcNAQcCoIIBnTCCAZkCAQMxDTALBglghkgBZQMEAgEwggEFBgkq\
    hkiG9w0BBwGggfcEgfRDb250ZW50LVR5cGU6IG11bHRpcGFydC9taXhlZDsgYm91\
    bmRhcnk9ImVkZ2UiDQoNCi0tZWRnZQ0KQ29udGVudC1UeXBlOiB0ZXh0L3BsYWlu\
    DQoNClRoZSB0cmFtIGNsaW1icy4NCi0tZWRnZQ0KQ29udGVudC1UeXBlOiB0ZXh0\
    L2NzdjsgbmFtZT0ic3RvcHMuY3N2Ig0KQ29udGVudC1EaXNwb3NpdGlvbjogYXR0\
    YWNobWVudDsgZmlsZW5hbWU9InN0b3BzLmNzdiINCg0Kc3RvcCxtaW51dGVzDQpI\
    aWxsLDEyDQotLWVkZ2UtLQ0KMXwwegIBA4AULwJ9LU6LNB3J4kLMJXnvBrjoY8sw\
    CwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEYwRAIgZqcNpfxT86IAVA9b2IDcvQjp\
    UJgip8cbcS3MV12RMiECIBzk1TSda7WjqPK/sNvULxUwjEToUqqngkrlcw6WUlul\
    ";

/// The same as a stream of BER, whose lengths are left open.
const SIGNED_IN_PIECES: &str = "\
    MIAGCSqGSIb3DQEHAqCAMIACAQMxDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcB\
    oIAkgASB9ENvbnRlbnQtVHlwZTogbXVsdGlwYXJ0L21peGVkOyBib3VuZGFyeT0i\
    ZWRnZSINCg0KLS1lZGdlDQpDb250ZW50LVR5cGU6IHRleHQvcGxhaW4NCg0KVGhl\
    IHRyYW0gY2xpbWJzLg0KLS1lZGdlDQpDb250ZW50LVR5cGU6IHRleHQvY3N2OyBu\
    YW1lPSJzdG9wcy5jc3YiDQpDb250ZW50LURpc3Bvc2l0aW9uOiBhdHRhY2htZW50\
    OyBmaWxlbmFtZT0ic3RvcHMuY3N2Ig0KDQpzdG9wLG1pbnV0ZXMNCkhpbGwsMTIN\
    Ci0tZWRnZS0tDQoAAAAAAAAxfDB6AgEDgBQvAn0tTos0HcniQswlee8GuOhjyzAL\
    BglghkgBZQMEAgEwCgYIKoZIzj0EAwIERjBEAiASsYOb0h39Wflz6SqRejAOvuCs\
    LxUYQ1tsaFfwHsZ4JgIgXvcshUO2hLxCcrXcw/sbzfoVS1niv0Y86A9Dl0fdUMQA\
    AAAAAAA=\
    ";

#[test]
fn a_signed_message_is_read_inside_its_signature() {
    for wrapped in [SIGNED, SIGNED_IN_PIECES] {
        for kind in [
            "application/pkcs7-mime; smime-type=signed-data; name=\"smime.p7m\"",
            "application/x-pkcs7-mime; name=\"smime.p7m\"",
            "application/octet-stream; name=\"smime.p7m\"",
        ] {
            let raw =
                format!("{HEADERS}Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n\r\n{wrapped}\r\n");
            let (extracted, inside) = read("a.eml", &raw);
            assert!(extracted.text.contains("Attachments: stops.csv"), "{}", extracted.text);
            assert!(extracted.text.ends_with("The tram climbs.\n"), "{}", extracted.text);
            assert_eq!(extracted.problems, []);
            assert!(inside.text("stops.csv").contains("Hill,12"));
        }
    }
}

#[test]
fn an_invitation_stays_in_the_text() {
    let raw = multipart(
        "alternative",
        &[
            "Content-Type: text/plain\r\n\r\nYou are invited.",
            "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nSUMMARY:Tram ride\r\nEND:VCALENDAR",
        ],
    );
    let (extracted, _) = read("a.eml", &raw);
    let body = at(&extracted, &Locator::Line);
    assert!(body.starts_with("You are invited.\n") && body.contains("SUMMARY:Tram ride"), "{body}");
}

#[test]
fn a_mailbox_is_its_messages_by_number() {
    let mailbox = "From ana@x.org Mon Jun 01 04:28:28 2009\nFrom: ana@x.org\nSubject: One\n\nFirst words.\n\n\
        >From here on.\nFrom the hill.\n\n\
        From 1844347792267117879@xxx Fri Sep 26 17:18:40 +0000 2025\nX-GM-THRID: 1\nX-Gmail-Labels: Trips,Inbox\n\
        Subject: Two\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n\
        Second words.\n--b\nContent-Type: text/plain; name=notes.txt\nContent-Disposition: attachment\n\nnotes\n--b--\n\n\
        From - Tue Jan  2 00:00:00 2019\nSubject: Three\n\nThird words.\n";
    for name in ["Inbox", "a.mbox", "2009-June.txt"] {
        let (extracted, inside) = read(name, mailbox);
        assert_eq!(extracted.format, Format::Mailbox);
        let first = at(&extracted, &Locator::Message(1));
        assert_eq!(first, "Subject: One\nFrom: ana@x.org\n\nFirst words.\n\nFrom here on.\nFrom the hill.\n\n");
        let second = at(&extracted, &Locator::Message(2));
        assert_eq!(second, "Subject: Two\nLabels: Trips,Inbox\nAttachments: notes.txt\n\nSecond words.\n\n");
        assert_eq!(at(&extracted, &Locator::Message(3)), "Subject: Three\n\nThird words.\n\n");
        assert_eq!(inside.paths(), ["2/notes.txt"]);
        assert_eq!(inside.text("2/notes.txt"), "notes");
    }
}

#[test]
fn a_saved_page_is_read_as_a_page() {
    let page = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://x.org/\r\nSubject: The tram\r\n\
        Date: Wed, 20 Jul 2016 17:35:02 -0000\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"b\"\r\n\r\n--b\r\n\
        Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://x.org/\r\n\r\n\
        <html><head><title>Line =\r\n28</title></head><body><h1>Up the hill</h1><p>Caf=C3=A9</p></body></html>\r\n--b\r\n\
        Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://x.org/a.png\r\n\r\n\
        iVBORw0KGgo=\r\n--b--\r\n";
    for name in ["a.mhtml", "a.mht", "a"] {
        let (extracted, inside) = read(name, page);
        assert_eq!(extracted.format, Format::Mhtml);
        assert_eq!(extracted.title.as_deref(), Some("Line 28"));
        assert_eq!(extracted.text, "# Up the hill\n\nCafé\n");
        assert!(inside.files.is_empty());
    }
}

#[test]
fn apple_mail_keeps_a_message_between_its_length_and_a_list() {
    let message = "Subject: The tram\nFrom: ana@x.org\n\nIt climbs.\n";
    let raw =
        format!("{}\n{message}<?xml version=\"1.0\"?><plist><dict><key>flags</key></dict></plist>\n", message.len());
    let (extracted, _) = read("1234.emlx", &raw);
    assert_eq!(extracted.text, "Subject: The tram\nFrom: ana@x.org\n\nIt climbs.\n");
}

#[test]
fn messages_of_outlook_carry_their_attachments() {
    let Some(folder) = shared::files() else { return };
    let bytes = |name: &str| std::fs::read(folder.join("msg").join(name)).unwrap();
    let (extracted, inside) = read_bytes("a.msg", &bytes("testMSG_att_doc.msg"));
    assert_eq!(extracted.format, Format::Msg);
    assert_eq!(at(&extracted, &Locator::Field("Subject".to_owned())), "Subject: test pièce jointe 1\n");
    assert!(inside.paths().iter().any(|path| path.ends_with(".doc")), "{:?}", inside.paths());

    let (extracted, inside) = read_bytes("a.msg", &bytes("testMSG_att_msg.msg"));
    assert!(extracted.text.contains("Test email with 1 msg attachment"), "{}", extracted.text);
    let path = inside.paths().into_iter().find(|path| path.ends_with(".msg")).unwrap().to_owned();
    assert!(inside.text(&path).starts_with("Subject: "), "{}", inside.text(&path));
}

#[test]
fn hostile_nesting_and_numbers_are_survived() {
    let mut nested = String::from("MIME-Version: 1.0\nFrom: a@b\n");
    for number in 0..2000 {
        nested.push_str(&format!("Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n"));
    }
    nested.push_str("\nwords\n");
    let _ = open("a.eml", nested.as_bytes());
    let many = format!("{HEADERS}Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(20_000));
    let (extracted, _) = read("a.eml", &many);
    assert!(extracted.text.len() < 200_000);
}
