//! Outlook's own messages (`.msg`): a compound file of properties, one storage a recipient and one an
//! attachment.

mod compressed_rtf;
mod embedded;
mod store;

use bethink_core::ProblemKind;

use super::body;
use super::enclosure::{Enclosure, file_name};
use super::header;
use super::letter::Letter;
use super::word::in_charset;
use crate::extraction::problem;
use crate::family::{Outcome, Sink, Source, family_of};
use crate::flow::Gathered;
use crate::html::read_page;
use crate::limits::Limits;
use store::{Folder, Store};

/// The properties that are read, by the numbers that MAPI gives them.
mod property {
    pub(super) const MESSAGE_CLASS: u16 = 0x001A;
    pub(super) const SUBJECT: u16 = 0x0037;
    pub(super) const SENT_AT: u16 = 0x0039;
    pub(super) const SENT_FOR_NAME: u16 = 0x0042;
    pub(super) const SENT_FOR_ADDRESS: u16 = 0x0065;
    pub(super) const TRANSPORT_HEADERS: u16 = 0x007D;
    pub(super) const RECIPIENT_KIND: u16 = 0x0C15;
    pub(super) const SENDER_NAME: u16 = 0x0C1A;
    pub(super) const SENDER_ADDRESS: u16 = 0x0C1F;
    pub(super) const DISPLAY_BCC: u16 = 0x0E02;
    pub(super) const DISPLAY_CC: u16 = 0x0E03;
    pub(super) const DISPLAY_TO: u16 = 0x0E04;
    pub(super) const DELIVERED_AT: u16 = 0x0E06;
    pub(super) const BODY: u16 = 0x1000;
    pub(super) const BODY_RTF: u16 = 0x1009;
    pub(super) const BODY_HTML: u16 = 0x1013;
    pub(super) const DISPLAY_NAME: u16 = 0x3001;
    pub(super) const ADDRESS: u16 = 0x3003;
    pub(super) const MODIFIED_AT: u16 = 0x3008;
    pub(super) const ATTACHED: u16 = 0x3701;
    pub(super) const FILE_NAME: u16 = 0x3704;
    pub(super) const LONG_FILE_NAME: u16 = 0x3707;
    pub(super) const MEDIA_TYPE: u16 = 0x370E;
    pub(super) const CONTENT_ID: u16 = 0x3712;
    pub(super) const COMPANY: u16 = 0x3A16;
    pub(super) const JOB_TITLE: u16 = 0x3A17;
    pub(super) const WORK_PHONE: u16 = 0x3A08;
    pub(super) const HOME_PHONE: u16 = 0x3A09;
    pub(super) const MOBILE_PHONE: u16 = 0x3A1C;
    pub(super) const SMTP_ADDRESS: u16 = 0x39FE;
    pub(super) const INTERNET_CODE_PAGE: u16 = 0x3FDE;
    pub(super) const MESSAGE_CODE_PAGE: u16 = 0x3FFD;
    pub(super) const SENDER_SMTP: u16 = 0x5D01;
    pub(super) const SENT_FOR_SMTP: u16 = 0x5D02;
}

/// Reads a message.
pub(super) fn read(bytes: &[u8], limits: &Limits, sink: &mut dyn Sink) -> Outcome {
    let Some(mut store) = Store::open(bytes, limits.member_bytes) else {
        return Outcome::Failed(problem(ProblemKind::Damaged, "its structure is broken beyond reading"));
    };
    letter(&mut store, limits).give(limits, sink)
}

/// Takes a message apart.
fn letter(store: &mut Store<'_>, limits: &Limits) -> Letter {
    let message = store.folder("/", store::MESSAGE_HEADER);
    let mut letter = Letter::default();
    let text = |store: &mut Store<'_>, id| store.text(&message, id).unwrap_or_default();
    letter.field("Subject", &text(store, property::SUBJECT));

    // What the message came with on its way is more exact than what Outlook made of it.
    let mut sent = Letter::default();
    let transport = text(store, property::TRANSPORT_HEADERS);
    header::read(transport.trim_start().as_bytes(), &mut sent);
    let people = People::of(store, &message);
    let fallbacks = [("From", people.from), ("To", people.to), ("Cc", people.cc), ("Bcc", people.bcc)];
    for (name, fallback) in fallbacks {
        letter.field(name, sent.value(name).unwrap_or(&fallback));
    }
    let moment = message.time(property::SENT_AT).or_else(|| message.time(property::DELIVERED_AT));
    match (sent.value("Date"), moment) {
        (Some(date), _) => letter.field("Date", date),
        (None, Some(moment)) => letter.field("Date", &store::written(moment)),
        (None, None) => {}
    }
    let categories = store.categories(&message);
    letter.field(
        "Keywords",
        if categories.is_empty() { sent.value("Keywords").unwrap_or_default() } else { &categories },
    );
    let facts = [
        ("Company", property::COMPANY),
        ("Job title", property::JOB_TITLE),
        ("Phone", property::WORK_PHONE),
        ("Phone", property::HOME_PHONE),
        ("Phone", property::MOBILE_PHONE),
    ];
    for (name, id) in facts {
        let value = text(store, id);
        letter.field(name, &value);
    }
    letter.body = text_of(store, &message, limits);
    attachments(store, &mut letter);
    let class = text(store, property::MESSAGE_CLASS).to_ascii_uppercase();
    let is_wrapped = class.ends_with(".SMIME") || body::take_cipher(&mut letter.body);
    if is_wrapped && letter.body.trim().is_empty() {
        letter.problems.push(problem(ProblemKind::Encrypted, "its text is encrypted; its headers are read"));
    }
    letter
}

/// What is read of a message: the plain text, the page, or what the rich text says.
fn text_of(store: &mut Store<'_>, message: &Folder, limits: &Limits) -> String {
    let plain = store.text(message, property::BODY).unwrap_or_default();
    let page = match store.binary(message, property::BODY_HTML) {
        Some(bytes) => in_charset(&bytes, message.charset(property::INTERNET_CODE_PAGE).as_deref()),
        None => store.text(message, property::BODY_HTML).unwrap_or_default(),
    };
    let page = if page.trim().is_empty() { String::new() } else { read_page(&page).text };
    let text = body::better(plain, page);
    if !text.trim().is_empty() {
        return text;
    }
    let packed = store.binary(message, property::BODY_RTF).unwrap_or_default();
    let rich = compressed_rtf::unpacked(&packed, limits.member_bytes).unwrap_or_default();
    rich_text(&rich, limits)
}

/// The words of a rich text.
fn rich_text(rich: &[u8], limits: &Limits) -> String {
    let format = bethink_core::Format::Rtf;
    let mut gathered = Gathered::default();
    if let Some(family) = family_of(format).filter(|_| !rich.is_empty()) {
        family.read(&Source { bytes: rich, format, name: "" }, limits, &mut gathered);
    }
    gathered.0
}

/// Who a message is from and to.
#[derive(Default)]
struct People {
    from: String,
    to: String,
    cc: String,
    bcc: String,
}

impl People {
    fn of(store: &mut Store<'_>, message: &Folder) -> Self {
        let mut people = Self::default();
        let senders = [
            (property::SENT_FOR_NAME, property::SENT_FOR_SMTP, property::SENT_FOR_ADDRESS),
            (property::SENDER_NAME, property::SENDER_SMTP, property::SENDER_ADDRESS),
        ];
        for (name, smtp, address) in senders {
            if people.from.is_empty() {
                people.from = person(store, message, name, [smtp, address]);
            }
        }
        for path in store.children("/", "__recip_version1.0_") {
            let recipient = store.folder(&path, store::ITEM_HEADER);
            let who = person(store, &recipient, property::DISPLAY_NAME, [property::SMTP_ADDRESS, property::ADDRESS]);
            let list = match recipient.number(property::RECIPIENT_KIND).unwrap_or(1) & 0xF {
                2 => &mut people.cc,
                3 => &mut people.bcc,
                _ => &mut people.to,
            };
            if !who.is_empty() {
                if !list.is_empty() {
                    list.push_str(", ");
                }
                list.push_str(&who);
            }
        }
        let shown = [
            (&mut people.to, property::DISPLAY_TO),
            (&mut people.cc, property::DISPLAY_CC),
            (&mut people.bcc, property::DISPLAY_BCC),
        ];
        for (list, id) in shown {
            if list.is_empty() {
                *list = store.text(message, id).unwrap_or_default().replace(';', ",");
            }
        }
        people
    }
}

/// A name with its address. Addresses of an Exchange server's own kind tell a person nothing.
fn person(store: &mut Store<'_>, folder: &Folder, name: u16, addresses: [u16; 2]) -> String {
    let mut address = String::new();
    for id in addresses {
        let found = store.text(folder, id).unwrap_or_default();
        if address.is_empty() && found.contains('@') {
            address = found;
        }
    }
    let name = store.text(folder, name).unwrap_or_default();
    let name = name.trim().trim_matches('\'');
    match (name.is_empty(), address.is_empty()) {
        (_, true) => name.to_owned(),
        (true, false) => address,
        (false, false) if name == address => address,
        (false, false) => format!("{name} <{address}>"),
    }
}

/// Puts the attachments aside.
fn attachments(store: &mut Store<'_>, letter: &mut Letter) {
    for path in store.children("/", "__attach_version1.0_") {
        let attachment = store.folder(&path, store::ITEM_HEADER);
        let mut named = |id| store.text(&attachment, id).filter(|name| !name.trim().is_empty());
        let name = named(property::LONG_FILE_NAME).or_else(|| named(property::FILE_NAME));
        let shown = named(property::DISPLAY_NAME);
        let media = named(property::MEDIA_TYPE).unwrap_or_default().to_ascii_lowercase();
        let inline = named(property::CONTENT_ID).is_some();
        if media.contains("pkcs7-signature") {
            continue;
        }
        let mut file = if let Some(bytes) = store.binary(&attachment, property::ATTACHED) {
            Enclosure::new(name.or(shown).as_deref(), &media, inline, bytes)
        } else {
            let inner = format!("{path}/__substg1.0_{:04X}000D", property::ATTACHED);
            let is_message = store.exists(&format!("{inner}/__properties_version1.0"));
            let Some(bytes) = is_message.then(|| embedded::exported(store, &inner)).flatten() else {
                // An object of another program, which nobody named.
                continue;
            };
            let name = name.or(shown).map(|name| file_name(&name.replace(['/', '\\'], "-")));
            let name =
                name.map(|name| if name.to_lowercase().ends_with(".msg") { name } else { format!("{name}.msg") });
            Enclosure::new(name.as_deref().or(Some("message.msg")), "application/vnd.ms-outlook", false, bytes)
        };
        file.modified = attachment.time(property::MODIFIED_AT).and_then(store::unix_millis);
        letter.enclosures.push(file);
    }
}
