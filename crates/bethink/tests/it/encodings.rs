//! Text in any encoding is found by its words, under any locale: F12, F14, F15.

use crate::sandbox::Sandbox;

fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let mark = if mark { vec![0xFEFF] } else { Vec::new() };
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

fn utf32(text: &str, big: bool) -> Vec<u8> {
    std::iter::once('\u{feff}')
        .chain(text.chars())
        .flat_map(|letter| if big { u32::from(letter).to_be_bytes() } else { u32::from(letter).to_le_bytes() })
        .collect()
}

#[test]
fn f14_wide_encodings_with_and_without_marks() {
    let sandbox = Sandbox::new();
    let text = |word: &str| format!("A plain sentence that names the {word} once.\nAnd another line of it.\n");
    sandbox.write("le.txt", utf16(&text("albatross"), false, true));
    sandbox.write("be.txt", utf16(&text("buzzard"), true, true));
    sandbox.write("le-bare.txt", utf16(&text("cormorant"), false, false));
    sandbox.write("be-bare.txt", utf16(&text("dunnock"), true, false));
    sandbox.write("le32.txt", utf32(&text("egret"), false));
    sandbox.write("be32.txt", utf32(&text("fulmar"), true));
    let latin: Vec<u8> = "Ein Satz über die Möwe am Hafen, für später.\n".chars().map(|letter| letter as u8).collect();
    sandbox.write("latin1.txt", latin);
    sandbox.write("cp1252.txt", b"It\x92s the \x93goldcrest\x94 that I heard \x96 in the pines.\n");
    sandbox.index();
    for (word, file) in [
        ("albatross", "le.txt"),
        ("buzzard", "be.txt"),
        ("cormorant", "le-bare.txt"),
        ("dunnock", "be-bare.txt"),
        ("egret", "le32.txt"),
        ("fulmar", "be32.txt"),
        ("Möwe", "latin1.txt"),
        ("goldcrest", "cp1252.txt"),
    ] {
        assert_eq!(sandbox.grep(word).first().map(String::as_str), Some(file), "{word}");
    }
    let told = sandbox.run(&["grep", "goldcrest"]);
    assert!(told.stdout.contains("It’s the “goldcrest”"), "{told:?}");
}

#[test]
fn f12_long_lines_of_wide_characters_are_cut_on_borders() {
    let sandbox = Sandbox::new();
    sandbox.write("emoji.txt", format!("{} needle {}", "👩‍👩‍👧‍👦".repeat(4000), "🏳️‍🌈".repeat(4000)));
    for offset in 0..32 {
        sandbox.write(
            format!("dash/{offset}.txt"),
            format!("{}–{} haystack of farm {offset}", "x".repeat(offset), "y ".repeat(300)),
        );
    }
    sandbox.write("冰糖.mp3", b"ID3\x03\x00\x00\x00\x00\x00\x00");
    sandbox.index();
    let ran = sandbox.run(&["grep", "--json", "needle"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let excerpt = ran.json()[0]["excerpt"].as_str().unwrap().to_owned();
    assert!(excerpt.contains("needle") && excerpt.len() < 20_000, "{}", excerpt.len());
    assert_eq!(sandbox.hits(&["grep", "-n", "40", "haystack"]).len(), 32);
    assert_eq!(sandbox.hits(&["find", "冰糖"]), ["冰糖.mp3"]);
}

#[test]
fn f15_content_decides_what_a_file_is() {
    let sandbox = Sandbox::new();
    sandbox.write("page.pdf", "<!DOCTYPE html><html><head><title>Kestrel</title></head><body><script>var hidden = 1</script><p>The kestrel hovers.</p></body></html>");
    sandbox.write("notes", "a note about the lapwing without any extension\n");
    sandbox.write("archive.targ", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    sandbox.write("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    sandbox.index();
    assert_eq!(sandbox.grep("kestrel hovers"), ["page.pdf"]);
    assert!(sandbox.grep("hidden").is_empty(), "a script is no text");
    assert_eq!(sandbox.grep("lapwing"), ["notes"]);
    let why = sandbox.run(&["doctor", "--why", "picture.txt"]);
    assert_eq!(why.code, 1, "{why:?}");
    assert!(why.stdout.contains("binary") || why.stdout.contains("image") || why.stdout.contains("PNG"), "{why:?}");
}
