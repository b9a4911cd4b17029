//! Charts and SmartArt: parts of their own that a document or a slide refers to.

use crate::package::Package;
use crate::xml::{XmlEvent, XmlReader, decoded};

/// Most points of a chart that are told; a curve of more is data, not something to read.
const POINTS: usize = 2000;

/// Most bytes of one label.
const LABEL_BYTES: usize = 4096;

/// A chart's title and axes, a line each, then its numbers as a table: a row a category, a column a series.
pub(super) fn chart(package: &mut Package<'_>, part: &str) -> String {
    let Some(source) = package.read_part(part) else { return String::new() };
    Chart::of(&decoded(&source.bytes)).told()
}

/// The texts of a SmartArt drawing, a line each, in the order of its outline.
pub(super) fn diagram(package: &mut Package<'_>, part: &str) -> String {
    let Some(source) = package.read_part(part) else { return String::new() };
    let text = decoded(&source.bytes);
    let mut reader = XmlReader::new(&text);
    let mut lines: Vec<String> = Vec::new();
    let mut shows = false;
    let mut in_paragraph = false;
    while let Some(event) = reader.next_event() {
        match event {
            XmlEvent::Open(element) => match element.name() {
                // Points for the presentation repeat what the others say.
                "pt" => shows = !matches!(element.attribute("type").as_deref(), Some("pres" | "parTrans" | "sibTrans")),
                // Nobody has written anything there: it holds "[Text]".
                "prSet" if element.attribute("phldr").as_deref() == Some("1") => shows = false,
                "p" => {
                    in_paragraph = true;
                    lines.push(String::new());
                }
                _ => {}
            },
            XmlEvent::Close(end) if end.name() == "p" => in_paragraph = false,
            XmlEvent::Close(_) => {}
            XmlEvent::Text(run) if shows && in_paragraph => {
                if let Some(line) = lines.last_mut() {
                    line.push_str(&run);
                }
            }
            XmlEvent::Text(_) => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.join("\n")
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: Vec<String>,
    values: Vec<String>,
}

/// What a chart says.
#[derive(Debug, Default)]
struct Chart {
    titles: Vec<String>,
    series: Vec<Series>,
}

/// What a cached value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Name,
    Category,
    Value,
}

impl Chart {
    fn of(text: &str) -> Self {
        let mut reader = XmlReader::new(text);
        let mut chart = Self::default();
        let mut place = Place::Nowhere;
        let mut in_title = 0u32;
        let mut points = 0usize;
        while let Some(event) = reader.next_event() {
            match event {
                XmlEvent::Open(element) => match element.name() {
                    "title" => {
                        in_title += 1;
                        chart.titles.push(String::new());
                    }
                    "p" if in_title > 0 => chart.spaced_title(),
                    "t" if in_title > 0 => {
                        let run = reader.text_within(LABEL_BYTES);
                        if let Some(title) = chart.titles.last_mut() {
                            title.push_str(&run);
                        }
                    }
                    "ser" => chart.series.push(Series::default()),
                    "tx" if in_title == 0 => place = Place::Name,
                    "cat" | "xVal" => place = Place::Category,
                    "val" | "yVal" => place = Place::Value,
                    "v" => {
                        let value = reader.text_within(LABEL_BYTES);
                        points += 1;
                        match (chart.series.last_mut(), place) {
                            _ if points > POINTS => {}
                            (_, _) if in_title > 0 => {
                                if let Some(title) = chart.titles.last_mut() {
                                    title.push_str(&value);
                                }
                            }
                            (Some(series), Place::Name) => series.name.push_str(&value),
                            (Some(series), Place::Category) => series.categories.push(value),
                            (Some(series), Place::Value) => series.values.push(value),
                            _ => {}
                        }
                    }
                    _ => {}
                },
                XmlEvent::Close(end) => match end.name() {
                    "title" => in_title = in_title.saturating_sub(1),
                    "tx" | "cat" | "xVal" | "val" | "yVal" => place = Place::Nowhere,
                    _ => {}
                },
                XmlEvent::Text(_) => {}
            }
        }
        chart
    }

    fn spaced_title(&mut self) {
        if let Some(title) = self.titles.last_mut().filter(|title| !title.is_empty()) {
            title.push(' ');
        }
    }

    fn told(self) -> String {
        let mut lines: Vec<String> = self.titles.into_iter().filter(|title| !title.trim().is_empty()).collect();
        let categories = self.series.iter().map(|series| &series.categories).max_by_key(|categories| categories.len());
        let categories: &[String] = categories.map_or(&[], Vec::as_slice);
        let names: Vec<&str> = self.series.iter().map(|series| series.name.trim()).collect();
        if names.iter().any(|name| !name.is_empty()) {
            lines.push(names.join(" | "));
        }
        let rows = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0).max(categories.len());
        for row in 0..rows {
            let category = categories.get(row).map_or("", String::as_str);
            let values = self.series.iter().filter_map(|series| series.values.get(row)).map(|value| shown(value));
            let cells: Vec<String> =
                std::iter::once(category.trim().to_owned()).chain(values).filter(|cell| !cell.is_empty()).collect();
            if !cells.is_empty() {
                lines.push(cells.join(" | "));
            }
        }
        lines.join("\n")
    }
}

/// A cached number as it was typed: binary fractions leave 4.2999999999999998 of 4.3.
fn shown(value: &str) -> String {
    match value.trim().parse::<f64>() {
        Ok(number) if value.len() > 12 && number.is_finite() => number.to_string(),
        _ => value.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::package::sample;

    #[test]
    fn a_chart_is_its_titles_and_a_table() {
        let text = "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Fruit</a:t></a:r></a:p></c:rich></c:tx></c:title>\
            <c:ser><c:tx><c:strRef><c:f>S!A1</c:f><c:strCache><c:pt><c:v>Sales</c:v></c:pt></c:strCache></c:strRef></c:tx>\
            <c:cat><c:strRef><c:strCache><c:pt><c:v>May</c:v></c:pt><c:pt><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>\
            <c:val><c:numRef><c:numCache><c:pt><c:v>4</c:v></c:pt><c:pt><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chart>";
        assert_eq!(Chart::of(text).told(), "Fruit\nSales\nMay | 4\nJune | 5");
    }

    #[test]
    fn a_diagram_is_its_outline_without_what_is_for_show() {
        let data = "<dgm:ptLst><dgm:pt type='doc'><dgm:t><a:p/></dgm:t></dgm:pt>\
            <dgm:pt><dgm:prSet/><dgm:t><a:bodyPr/><a:p><a:r><a:t>Pl</a:t></a:r><a:r><a:t>an</a:t></a:r></a:p></dgm:t></dgm:pt>\
            <dgm:pt type='pres'><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt>\
            <dgm:pt><dgm:prSet phldr='1'/><dgm:t><a:p><a:r><a:t>[Text]</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>";
        let bytes = sample::package(&[("d.xml", data)]);
        let mut package = Package::open(&bytes, &Limits::default()).expect("a package");
        assert_eq!(diagram(&mut package, "d.xml"), "Plan");
        assert_eq!(diagram(&mut package, "none.xml"), "");
    }
}
