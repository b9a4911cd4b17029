//! A file that came with a message.

use bethink_core::{Problem, UnixMillis};

/// Longest name that is kept, in characters; what is behind is mostly a subject that was made a name.
const NAME_CHARACTERS: usize = 200;

/// A file inside a message: an attachment, a picture of its text, a forwarded message.
#[derive(Debug)]
pub(crate) struct Enclosure {
    /// Its name without folders; never empty.
    pub(crate) name: String,
    /// When it was last changed, where the message says so.
    pub(super) modified: Option<UnixMillis>,
    /// Whether it belongs into the text rather than beside it.
    pub(super) inline: bool,
    /// Its bytes, or why they are not to be had.
    pub(crate) bytes: Result<Vec<u8>, Problem>,
}

impl Enclosure {
    /// A file of that name, or of one made up from its media type.
    pub(super) fn new(name: Option<&str>, media_type: &str, inline: bool, bytes: Vec<u8>) -> Self {
        let name = name.map(file_name).filter(|name| !name.is_empty()).unwrap_or_else(|| made_up(media_type));
        Self { name, modified: None, inline, bytes: Ok(bytes) }
    }

    /// Whether its name tells a person anything: mailers number the pictures inside a text.
    pub(super) fn is_told(&self) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let numbered = ["image", "img", "oledata", "att"].iter().find_map(|word| stem.strip_prefix(word));
        !(self.inline && numbered.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())))
    }
}

/// A name without folders, controls and what paths do not hold.
pub(super) fn file_name(raw: &str) -> String {
    let last = raw.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let clean: String = last.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if clean.chars().count() <= NAME_CHARACTERS {
        return clean;
    }
    // The extension tells how to read it.
    let extension = clean.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = if extension.chars().count() <= 10 { extension } else { "" };
    let stem: String = clean.chars().take(NAME_CHARACTERS).collect();
    if extension.is_empty() { stem } else { format!("{stem}.{extension}") }
}

/// A name for a file that came without one.
fn made_up(media_type: &str) -> String {
    let extension = match media_type {
        "text/calendar" => return "invitation.ics".to_owned(),
        "message/rfc822" => return "message.eml".to_owned(),
        "text/plain" => "txt",
        "text/html" => "html",
        "text/csv" => "csv",
        "text/vcard" | "text/x-vcard" => "vcf",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" | "application/x-zip-compressed" => "zip",
        "application/rtf" | "text/rtf" => "rtf",
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/gif" => "gif",
        "image/tiff" => "tif",
        "application/msword" => "doc",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        _ => return "attachment".to_owned(),
    };
    format!("attachment.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_folders_and_keep_their_extension() {
        assert_eq!(file_name("C:\\Users\\x\\Report 1.docx"), "Report 1.docx");
        assert_eq!(file_name("a\r\n b.pdf"), "a b.pdf");
        assert_eq!(file_name("/"), "");
        let long = format!("{}.pdf", "x".repeat(500));
        assert!(file_name(&long).ends_with("x.pdf") && file_name(&long).len() == 204);
    }

    #[test]
    fn numbered_pictures_of_a_text_are_not_told() {
        let told = |name, inline| Enclosure::new(Some(name), "image/png", inline, Vec::new()).is_told();
        assert!(!told("image001.png", true));
        assert!(told("image001.png", false));
        assert!(told("team.png", true));
    }
}
