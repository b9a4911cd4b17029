//! The characters behind references, known without a declaration or not at all.

use std::borrow::Cow;

use quick_xml::events::BytesRef;

/// The characters of a reference; unknown names stand as they are written, impossible characters as a space.
pub(super) fn resolved<'a>(reference: &BytesRef<'_>) -> Cow<'a, str> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) => return Cow::Owned(character.to_string()),
        Err(_) => return Cow::Borrowed(" "),
        Ok(None) => {}
    }
    let name: &str = reference;
    match quick_xml::escape::resolve_predefined_entity(name).or_else(|| html_entity(name)) {
        Some(characters) => Cow::Borrowed(characters),
        None => Cow::Owned(format!("&{name};")),
    }
}

/// HTML's entities that documents of books and notes use without declaring them.
fn html_entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "nbsp" | "ensp" | "emsp" | "thinsp" => "\u{a0}",
        "shy" => "\u{ad}",
        "mdash" => "—",
        "ndash" => "–",
        "hellip" => "…",
        "lsquo" => "‘",
        "rsquo" => "’",
        "ldquo" => "“",
        "rdquo" => "”",
        "laquo" => "«",
        "raquo" => "»",
        "bull" => "•",
        "middot" => "·",
        "copy" => "©",
        "reg" => "®",
        "trade" => "™",
        "deg" => "°",
        "sect" => "§",
        "euro" => "€",
        "times" => "×",
        "eacute" => "é",
        "egrave" => "è",
        "agrave" => "à",
        "ccedil" => "ç",
        "auml" => "ä",
        "ouml" => "ö",
        "uuml" => "ü",
        "Auml" => "Ä",
        "Ouml" => "Ö",
        "Uuml" => "Ü",
        "szlig" => "ß",
        _ => return None,
    })
}
