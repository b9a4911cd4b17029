//! XMP: properties in RDF, as attributes of a description, as its children, or as lists below them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::facts::Facts;

/// The properties that a person writes or reads, by their usual prefix, as exiftool names them.
const PROPERTIES: [(&str, &str); 43] = [
    ("dc:title", "Title"),
    ("dc:description", "Description"),
    ("dc:subject", "Subject"),
    ("dc:creator", "Creator"),
    ("dc:rights", "Rights"),
    ("dc:publisher", "Publisher"),
    ("dc:source", "Source"),
    ("photoshop:City", "City"),
    ("photoshop:State", "State"),
    ("photoshop:Country", "Country"),
    ("photoshop:Headline", "Headline"),
    ("photoshop:Credit", "Credit"),
    ("photoshop:Source", "Source"),
    ("photoshop:Instructions", "Instructions"),
    ("photoshop:AuthorsPosition", "AuthorsPosition"),
    ("photoshop:CaptionWriter", "CaptionWriter"),
    ("photoshop:Category", "Category"),
    ("photoshop:SupplementalCategories", "SupplementalCategories"),
    ("photoshop:TransmissionReference", "TransmissionReference"),
    ("Iptc4xmpCore:Location", "Location"),
    ("Iptc4xmpCore:CountryCode", "CountryCode"),
    ("Iptc4xmpCore:AltTextAccessibility", "AltTextAccessibility"),
    ("Iptc4xmpCore:ExtDescrAccessibility", "ExtDescrAccessibility"),
    ("Iptc4xmpCore:IntellectualGenre", "IntellectualGenre"),
    ("Iptc4xmpCore:Scene", "Scene"),
    ("Iptc4xmpExt:PersonInImage", "PersonInImage"),
    ("Iptc4xmpExt:Event", "Event"),
    ("Iptc4xmpExt:Sublocation", "Sublocation"),
    ("Iptc4xmpExt:City", "City"),
    ("Iptc4xmpExt:ProvinceState", "ProvinceState"),
    ("Iptc4xmpExt:CountryName", "CountryName"),
    ("Iptc4xmpExt:LocationName", "LocationName"),
    ("lr:hierarchicalSubject", "HierarchicalSubject"),
    ("digiKam:TagsList", "TagsList"),
    ("MicrosoftPhoto:LastKeywordXMP", "LastKeywordXMP"),
    ("MP:PersonDisplayName", "RegionPersonDisplayName"),
    ("MPReg:PersonDisplayName", "RegionPersonDisplayName"),
    ("mwg-rs:Name", "RegionName"),
    ("xmpDM:artist", "Artist"),
    ("xmpDM:album", "Album"),
    ("xmpDM:genre", "Genre"),
    ("exif:UserComment", "UserComment"),
    ("tiff:ImageDescription", "ImageDescription"),
];

/// Elements open at once; properties of structures in lists are six deep.
const MOST_DEPTH: usize = 64;

/// Longest value that is gathered, in bytes.
const MOST_VALUE: usize = 256 << 10;

/// Reads one packet.
pub(super) fn read(packet: &[u8], facts: &mut Facts) {
    let text = String::from_utf8_lossy(packet);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    reader.config_mut().allow_dangling_amp = true;
    let mut gathered = Gathered::default();
    let mut depth = 0usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                depth += 1;
                if depth > MOST_DEPTH {
                    break;
                }
                gathered.attributes(&element, facts);
                gathered.open(depth, element.name().0);
            }
            Ok(Event::Empty(element)) => gathered.attributes(&element, facts),
            Ok(Event::Text(text)) => gathered.text(&text.into_inner()),
            Ok(Event::CData(text)) => gathered.text(&text.into_inner()),
            Ok(Event::GeneralRef(reference)) => gathered.reference(&reference),
            Ok(Event::End(_)) => {
                gathered.close(depth, facts);
                depth = depth.saturating_sub(1);
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
}

/// The property that is open, and what stands in it so far.
#[derive(Default)]
struct Gathered {
    property: Option<(usize, &'static str)>,
    values: Vec<String>,
    value: String,
}

impl Gathered {
    fn attributes(&mut self, element: &BytesStart<'_>, facts: &mut Facts) {
        for attribute in element.attributes().with_checks(false).flatten() {
            if let Some(name) = property(attribute.key.0)
                && let Ok(value) = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0)
            {
                facts.add(name, &value);
            }
            if attribute.key.0 == "xmp:CreatorTool" {
                facts.add_aside("CreatorTool", &attribute.value);
            }
        }
    }

    fn open(&mut self, depth: usize, name: &str) {
        // A property inside a structure of another one begins anew; what was gathered belongs to neither.
        if let Some(found) = property(name) {
            *self = Self { property: Some((depth, found)), ..Self::default() };
        } else if self.property.is_some() {
            self.end_value();
        }
    }

    fn text(&mut self, text: &str) {
        if self.property.is_some() && self.value.len() + text.len() <= MOST_VALUE {
            self.value.push_str(text);
        }
    }

    fn reference(&mut self, reference: &quick_xml::events::BytesRef<'_>) {
        let resolved = match reference.resolve_char_ref() {
            Ok(Some(character)) => Some(character.to_string()),
            _ => quick_xml::escape::resolve_predefined_entity(&reference.xml10_content()).map(str::to_owned),
        };
        self.text(&resolved.unwrap_or_default());
    }

    fn close(&mut self, depth: usize, facts: &mut Facts) {
        let Some((opened, name)) = self.property else { return };
        self.end_value();
        if depth <= opened {
            // Keywords come as lists; alternatives of a title in several languages do so too.
            facts.add(name, &self.values.join(", "));
            *self = Self::default();
        }
    }

    fn end_value(&mut self) {
        let value = self.value.trim();
        if !value.is_empty() && !self.values.iter().any(|known| known == value) {
            self.values.push(value.to_owned());
        }
        self.value.clear();
    }
}

fn property(name: &str) -> Option<&'static str> {
    PROPERTIES.iter().find(|(property, _)| *property == name).map(|(_, called)| *called)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::Collector;
    use bethink_core::Format;

    fn told(packet: &str) -> String {
        let mut facts = Facts::default();
        read(packet.as_bytes(), &mut facts);
        let mut collector = Collector::new(Format::Image, 1 << 20);
        facts.tell(&mut collector);
        match collector.finish(crate::family::Outcome::Read) {
            crate::Extraction::Text(extracted) => extracted.text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn properties_are_read_from_attributes_children_and_lists() {
        let packet = r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description photoshop:City="Gent &amp; more">
            <dc:subject><rdf:Bag><rdf:li>boat</rdf:li><rdf:li>harbour &lt;old&gt;</rdf:li></rdf:Bag></dc:subject>
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">At sea</rdf:li></rdf:Alt></dc:title>
            <photoshop:Country>Belgium</photoshop:Country>
            <mwg-rs:Regions><rdf:li><rdf:Description mwg-rs:Name="Ada"/></rdf:li></mwg-rs:Regions>
            <xmpMM:History><rdf:li stEvt:action="saved"/></xmpMM:History></rdf:Description></rdf:RDF></x:xmpmeta>"#;
        assert_eq!(
            told(packet),
            "City: Gent & more\nSubject: boat, harbour <old>\nTitle: At sea\nCountry: Belgium\nRegionName: Ada\n"
        );
    }
}
