//! The inside of a signed S/MIME message (`smime.p7m`): a message wrapped into its signature.
//!
//! The wrapping is CMS in BER or DER (RFC 5652): `ContentInfo { signed-data, [0] SignedData { version, algorithms,
//! EncapsulatedContentInfo { data, [0] OCTET STRING }, … } }`. What is signed stands in the clear, in one piece or
//! in several. Whether the signature holds is not asked. Encrypted data is another type and yields nothing.

/// Values inside each other that are followed; a message needs seven.
const DEPTH: u32 = 16;

/// 1.2.840.113549.1.7.2
const SIGNED_DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02";

const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
const OCTET_STRING_IN_PIECES: u8 = 0x24;
const SEQUENCE: u8 = 0x30;
const EXPLICIT_FIRST: u8 = 0xA0;

/// What was signed; `None` if nothing is wrapped here in the clear.
pub(crate) fn content(bytes: &[u8]) -> Option<Vec<u8>> {
    let (outer, _) = value(bytes, SEQUENCE)?;
    let (kind, rest) = value(outer, OBJECT_IDENTIFIER)?;
    if kind != SIGNED_DATA {
        return None;
    }
    let (wrapped, _) = value(rest, EXPLICIT_FIRST)?;
    let (signed, _) = value(wrapped, SEQUENCE)?;
    // The version and the set of algorithms.
    let (_, _, rest) = next(signed)?;
    let (_, _, rest) = next(rest)?;
    let (content, _) = value(rest, SEQUENCE)?;
    let (_, rest) = value(content, OBJECT_IDENTIFIER)?;
    let (octets, _) = value(rest, EXPLICIT_FIRST)?;
    let mut whole = Vec::new();
    gather(octets, DEPTH, &mut whole);
    (!whole.is_empty()).then_some(whole)
}

/// Puts the pieces of a string together.
fn gather(mut bytes: &[u8], depth: u32, whole: &mut Vec<u8>) {
    while let Some((tag, piece, rest)) = next(bytes) {
        match tag {
            OCTET_STRING => whole.extend_from_slice(piece),
            OCTET_STRING_IN_PIECES if depth > 0 => gather(piece, depth - 1, whole),
            _ => return,
        }
        bytes = rest;
    }
}

/// The inside of the first value, which must be of that kind, and what is behind it.
fn value(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, inside, rest) = next(bytes)?;
    (tag == wanted).then_some((inside, rest))
}

/// The first value: its tag, its inside, and what is behind it. A value that was cut off ends with the bytes.
fn next(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, length, body) = head(bytes)?;
    match length {
        Some(length) => {
            let end = length.min(body.len());
            Some((tag, &body[..end], &body[end..]))
        }
        None => {
            let length = open_length(body);
            Some((tag, &body[..length], body.get(length + 2..).unwrap_or_default()))
        }
    }
}

/// A value's tag, its length unless that is left open, and what follows them. The end of an open value, two
/// zeros, is none.
fn head(bytes: &[u8]) -> Option<(u8, Option<usize>, &[u8])> {
    let [tag, length, body @ ..] = bytes else { return None };
    // Tags of several bytes stand nowhere before the content.
    if *tag == 0 || tag & 0x1F == 0x1F {
        return None;
    }
    match *length {
        0x80 => Some((*tag, None, body)),
        short @ 0..=0x7F => Some((*tag, Some(usize::from(short)), body)),
        long => {
            let count = usize::from(long & 0x7F);
            if count > size_of::<usize>() {
                return None;
            }
            let (digits, body) = body.split_at_checked(count)?;
            let length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
            Some((*tag, Some(length), body))
        }
    }
}

/// The length of a value whose end is told by two zeros, counting those that are open inside it.
fn open_length(body: &[u8]) -> usize {
    let (mut at, mut open) = (0, 1u32);
    while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(&[0, 0]) {
            open -= 1;
            if open == 0 {
                return at;
            }
            at += 2;
            continue;
        }
        match head(rest) {
            Some((_, Some(length), inside)) => at += (rest.len() - inside.len()).saturating_add(length),
            Some((_, None, inside)) => {
                open += 1;
                at += rest.len() - inside.len();
            }
            None => break,
        }
        at = at.min(body.len());
    }
    body.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn wrap(tag: u8, inside: &[u8]) -> Vec<u8> {
        let mut bytes = vec![tag];
        match u8::try_from(inside.len()) {
            Ok(length @ 0..=0x7F) => bytes.push(length),
            _ => {
                bytes.push(0x82);
                bytes.extend(u16::try_from(inside.len()).unwrap().to_be_bytes());
            }
        }
        bytes.extend(inside);
        bytes
    }

    fn wrap_open(tag: u8, inside: &[u8]) -> Vec<u8> {
        [&[tag, 0x80], inside, &[0, 0]].concat()
    }

    type Wrap = fn(u8, &[u8]) -> Vec<u8>;

    fn message(kind: &[u8], octets: &[u8], wrap_one: Wrap) -> Vec<u8> {
        const DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01";
        let content = wrap_one(SEQUENCE, &[wrap(OBJECT_IDENTIFIER, DATA), wrap_one(EXPLICIT_FIRST, octets)].concat());
        let signed = wrap_one(SEQUENCE, &[wrap(2, &[1]), wrap(0x31, &[]), content, wrap(0x31, b"signers")].concat());
        wrap_one(SEQUENCE, &[wrap(OBJECT_IDENTIFIER, kind), wrap_one(EXPLICIT_FIRST, &signed)].concat())
    }

    #[test]
    fn what_was_signed_comes_out_whole() {
        let text = b"Content-Type: text/plain\r\n\r\nThe tram climbs. ".repeat(20);
        let whole = message(SIGNED_DATA, &wrap(OCTET_STRING, &text), wrap);
        assert_eq!(content(&whole).unwrap(), text);
        let pieces: Vec<u8> = text.chunks(100).flat_map(|piece| wrap(OCTET_STRING, piece)).collect();
        let open = message(SIGNED_DATA, &wrap_open(OCTET_STRING_IN_PIECES, &pieces), wrap_open);
        assert_eq!(content(&open).unwrap(), text);
    }

    #[test]
    fn what_is_encrypted_or_cut_off_is_survived() {
        let enveloped = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x03";
        assert_eq!(content(&message(enveloped, &wrap(OCTET_STRING, b"x"), wrap)), None);
        for whole in [
            message(SIGNED_DATA, &wrap(OCTET_STRING, b"The tram climbs"), wrap),
            message(SIGNED_DATA, &wrap_open(OCTET_STRING_IN_PIECES, &wrap(OCTET_STRING, b"The tram")), wrap_open),
        ] {
            for end in 0..whole.len() {
                let found = content(&whole[..end]).unwrap_or_default();
                assert!(b"The tram climbs".starts_with(&found[..]));
            }
        }
        assert_eq!(content(&[0x30, 0x80].repeat(10_000)), None);
    }
}
