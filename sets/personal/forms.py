"""Turns a written document into the bytes of a real file, and into the text that a reader of that file sees.

Each writer returns both, because a judged answer is a range of lines in the text that bethink shows, not in the
bytes. Promises the same bytes on every machine and Python: nothing is compressed (zlib differs between versions),
archives carry one fixed time, and no line depends on the locale or the clock. Refuses to know what is written.
"""

import base64
import datetime
import json
import quopri
import zipfile
from html import escape
from io import BytesIO

# Mail and letters are broken at this many characters, as the programs that wrote them did.
COLUMNS = 74

# The first instant that a ZIP archive can hold, so that archives do not depend on the clock.
ARCHIVE_TIME = (1980, 1, 1, 0, 0, 0)

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def wrapped(text):
    """The text with its long lines broken between words; quoted lines and indented lines stay whole."""
    lines = []
    for line in text.split("\n"):
        if len(line) <= COLUMNS or line.startswith((">", " ", "\t", "|")):
            lines.append(line)
            continue
        hang = "  " if line.startswith("- ") else ""
        current = ""
        for word in line.split(" "):
            if current and len(current) + 1 + len(word) > COLUMNS:
                lines.append(current)
                current = hang + word
            else:
                current = current + " " + word if current else word
        lines.append(current)
    return "\n".join(lines)


def moment(text):
    """The instant of `2022-03-10 18:20` or `2022-03-10`, in universal time."""
    layout = "%Y-%m-%d %H:%M" if " " in text else "%Y-%m-%d"
    return datetime.datetime.strptime(text, layout).replace(tzinfo=datetime.timezone.utc)


def mail_date(instant):
    """The instant as the `Date` header of a mail has it, whatever the locale."""
    return "{}, {} {} {} {:%H:%M:%S} +0000".format(
        WEEKDAYS[instant.weekday()], instant.day, MONTHS[instant.month - 1], instant.year, instant
    )


def header(text):
    """A header's value, encoded where it has more than ASCII."""
    if text.isascii():
        return text
    return "=?utf-8?B?" + base64.b64encode(text.encode()).decode() + "?="


def mail(document, people, message_id, parent_id):
    """A mail of one text part, with text attachments if it has any."""
    fields = document.fields

    def addresses(key):
        return ", ".join("{} <{}>".format(people[who].name, people[who].mail) for who in fields[key].split())

    instant = moment(fields["date"])
    subject = fields["subject"]
    head = ["From: " + addresses("from"), "To: " + addresses("to")]
    if "cc" in fields:
        head.append("Cc: " + addresses("cc"))
    head += ["Date: " + mail_date(instant), "Subject: " + header(subject), "Message-ID: <{}>".format(message_id)]
    if parent_id:
        head += ["In-Reply-To: <{}>".format(parent_id), "References: <{}>".format(parent_id)]
    head.append("MIME-Version: 1.0")
    encoding = fields.get("encoding", "8bit")
    body = document.body.rstrip("\n") + "\n"
    if encoding == "quoted-printable":
        coded = quopri.encodestring(body.encode()).decode()
    elif encoding == "base64":
        coded = base64.encodebytes(body.encode()).decode()
    else:
        coded = body
    part = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {}\n\n{}".format(encoding, coded)
    view = ["Subject: " + subject, "From: " + addresses("from"), "To: " + addresses("to")]
    if "cc" in fields:
        view.append("Cc: " + addresses("cc"))
    view.append("Date: {} ({:%Y-%m-%dT%H:%M:%SZ})".format(mail_date(instant), instant))
    if document.attachments:
        view.append("Attachments: " + ", ".join(name for name, _ in document.attachments))
        boundary = "=_" + message_id.split("@")[0]
        parts = ["--{}\n{}".format(boundary, part)]
        for name, text in document.attachments:
            parts.append(
                '--{0}\nContent-Type: text/plain; charset=utf-8; name="{1}"\n'
                'Content-Disposition: attachment; filename="{1}"\nContent-Transfer-Encoding: 8bit\n\n{2}'.format(
                    boundary, name, text
                )
            )
        head.append('Content-Type: multipart/mixed; boundary="{}"'.format(boundary))
        text = "\n".join(head) + "\n\n" + "".join(parts) + "--{}--\n".format(boundary)
    else:
        text = "\n".join(head) + "\n" + part
    return text.encode(), "\n".join(view) + "\n\n" + body


def blocks(body):
    """The body's blocks in order: (kind, text), where kind is 1, 2 (headings), `item` or `text`."""
    for block in body.strip("\n").split("\n\n"):
        for line in block.split("\n"):
            if line.startswith("## "):
                yield 2, line[3:]
            elif line.startswith("# "):
                yield 1, line[2:]
            elif line.startswith("- "):
                yield "item", line[2:]
            else:
                yield "text", line


def view_of(body):
    """How a page or an office text of these blocks reads: blocks apart, list items together."""
    view, before = [], None
    for kind, text in blocks(body):
        if view and not (kind == "item" and before == "item"):
            view.append("")
        view.append({1: "# ", 2: "## ", "item": "- ", "text": ""}[kind] + text)
        before = kind
    return "\n".join(view) + "\n"


def page(document):
    """A saved web page."""
    marks = {1: "h1", 2: "h2", "item": "li", "text": "p"}
    lines, listing = [], False
    for kind, text in blocks(document.body):
        if listing != (kind == "item"):
            listing = not listing
            lines.append("<ul>" if listing else "</ul>")
        lines.append("<{0}>{1}</{0}>".format(marks[kind], escape(text, quote=False)))
    if listing:
        lines.append("</ul>")
    title = next(text for kind, text in blocks(document.body) if kind == 1)
    html = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{}</title></head>\n'
    html += "<body>\n{}\n</body></html>\n"
    return html.format(escape(title, quote=False), "\n".join(lines)).encode(), view_of(document.body)


def archive(parts):
    """A ZIP archive of (name, text), stored."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, text in parts:
            member = zipfile.ZipInfo(name, ARCHIVE_TIME)
            member.create_system = 3
            member.external_attr = 0o644 << 16
            file.writestr(member, text.encode())
    return buffer.getvalue()


XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def package(main, media_type, parts):
    """An Office Open XML package whose main part has this name and type."""
    types = (
        XML + '<Types xmlns="{0}content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/{1}" ContentType="{2}"/></Types>'
    ).format(PACKAGE, main, media_type)
    root = (
        XML + '<Relationships xmlns="{}relationships"><Relationship Id="rId1" Type="{}/officeDocument" Target="{}"/>'
        "</Relationships>"
    ).format(PACKAGE, OFFICE, main)
    return archive([("[Content_Types].xml", types), ("_rels/.rels", root)] + parts)


def docx(document):
    """A word processor's text."""
    paragraphs = []
    for kind, text in blocks(document.body):
        style = '<w:pPr><w:pStyle w:val="Heading{}"/></w:pPr>'.format(kind) if kind in (1, 2) else ""
        text = "- " + text if kind == "item" else text
        paragraphs.append('<w:p>{}<w:r><w:t xml:space="preserve">{}</w:t></w:r></w:p>'.format(style, escape(text)))
    body = XML + '<w:document xmlns:w="{}"><w:body>{}</w:body></w:document>'.format(WORDS, "".join(paragraphs))
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return package("word/document.xml", kind, [("word/document.xml", body)]), apart(document.body)


def apart(body):
    """How a text reads whose list items are paragraphs of their own."""
    marks = {1: "# ", 2: "## ", "item": "- ", "text": ""}
    return "\n\n".join(marks[kind] + text for kind, text in blocks(body)) + "\n"


def odt(document):
    """An OpenDocument text."""
    parts = []
    for kind, text in blocks(document.body):
        if kind in (1, 2):
            parts.append('<text:h text:outline-level="{}">{}</text:h>'.format(kind, escape(text)))
        else:
            parts.append("<text:p>{}</text:p>".format(escape("- " + text if kind == "item" else text)))
    content = (
        XML + '<office:document-content xmlns:office="{0}office:1.0" xmlns:text="{0}text:1.0" office:version="1.2">'
        "<office:body><office:text>{1}</office:text></office:body></office:document-content>"
    ).format(OPEN, "".join(parts))
    media_type = "application/vnd.oasis.opendocument.text"
    manifest = (
        XML + '<manifest:manifest xmlns:manifest="{0}manifest:1.0" manifest:version="1.2">'
        '<manifest:file-entry manifest:full-path="/" manifest:media-type="{1}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    ).format(OPEN, media_type)
    parts = [("mimetype", media_type), ("content.xml", content), ("META-INF/manifest.xml", manifest)]
    return archive(parts), apart(document.body)


def pptx(document):
    """A deck: each first-level heading begins a slide."""
    slides = []
    for kind, text in blocks(document.body):
        if kind == 1:
            slides.append((text, []))
        else:
            slides[-1][1].append(text)

    def shape(number, place, paragraphs):
        runs = "".join("<a:p><a:r><a:t>{}</a:t></a:r></a:p>".format(escape(text)) for text in paragraphs)
        return (
            '<p:sp><p:nvSpPr><p:cNvPr id="{0}" name="{1}"/><p:cNvSpPr/><p:nvPr><p:ph type="{1}"/></p:nvPr></p:nvSpPr>'
            "<p:spPr/><p:txBody><a:bodyPr/>{2}</p:txBody></p:sp>"
        ).format(number, place, runs)

    spaces = 'xmlns:a="{}" xmlns:r="{}" xmlns:p="{}"'.format(DRAWING, OFFICE, SLIDES)
    parts, ids, links, view = [], [], [], []
    for number, (title, points) in enumerate(slides, 1):
        tree = shape(2, "title", [title]) + shape(3, "body", points)
        parts.append(
            (
                "ppt/slides/slide{}.xml".format(number),
                XML + '<p:sld {}><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/>'
                "</p:nvGrpSpPr><p:grpSpPr/>{}</p:spTree></p:cSld></p:sld>".format(spaces, tree),
            )
        )
        ids.append('<p:sldId id="{}" r:id="rId{}"/>'.format(255 + number, number))
        links.append('<Relationship Id="rId{0}" Type="{1}/slide" Target="slides/slide{0}.xml"/>'.format(number, OFFICE))
        view.append("# {}\n\n{}\n".format(title, "\n".join(points)))
    deck = XML + "<p:presentation {}><p:sldIdLst>{}</p:sldIdLst></p:presentation>".format(spaces, "".join(ids))
    relations = XML + '<Relationships xmlns="{}relationships">{}</Relationships>'.format(PACKAGE, "".join(links))
    main = [("ppt/presentation.xml", deck), ("ppt/_rels/presentation.xml.rels", relations)]
    kind = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    return package("ppt/presentation.xml", kind, main + parts), "".join(view)


def calendar(document):
    """A calendar; each line of the body is `date time | summary | place | description`."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Castellan//Household//EN"]
    for number, line in enumerate(document.body.strip("\n").split("\n"), 1):
        when, summary, place, description = (part.strip() for part in line.split(" | "))
        lines += [
            "BEGIN:VEVENT",
            "UID:{}-{}@castellan.example".format(document.path.rsplit("/", 1)[-1].split(".")[0], number),
            "DTSTAMP:20220101T000000Z",
            "DTSTART:{:%Y%m%dT%H%M%SZ}".format(moment(when)),
            "SUMMARY:" + summary,
            "LOCATION:" + place,
            "DESCRIPTION:" + description,
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    text = "\n".join(lines) + "\n"
    return text.replace(",", "\\,").replace(";", "\\;").replace("\n", "\r\n").encode(), text


def contact(person):
    """A contact's card."""
    first, _, last = person.name.rpartition(" ")
    lines = ["BEGIN:VCARD", "VERSION:3.0", "FN:" + person.name, "N:{};{};;;".format(last, first)]
    lines += ["TEL;TYPE=CELL:" + person.phone, "EMAIL:" + person.mail, "NOTE:" + person.note, "END:VCARD"]
    text = "\n".join(lines) + "\n"
    return text.replace(",", "\\,").replace("\n", "\r\n").encode(), text


def conversation(document, people):
    """(who, instant, text) for each `18:04 maeve: text` under its `## 2022-03-12`."""
    day = None
    for line in document.body.strip("\n").split("\n"):
        if line.startswith("## "):
            day = line[3:]
        elif line:
            time, who, text = line.split(" ", 2)
            yield people[who.rstrip(":")].name, moment(day + " " + time), text


def messages(document, people):
    """A chat as one messenger exports it, a line a message."""
    text = "".join(
        "[{:%d/%m/%Y, %H:%M:%S}] {}: {}\n".format(instant, name, text)
        for name, instant, text in conversation(document, people)
    )
    return text.encode(), text


def export(document, people):
    """A chat as another messenger exports it, in JSON."""
    title = document.fields["with"]
    title = people[title].name if title in people else title
    rows, view = [], ["# " + title, ""]
    for number, (name, instant, text) in enumerate(conversation(document, people), 1):
        rows.append(
            {
                "id": number,
                "type": "message",
                "date": "{:%Y-%m-%dT%H:%M:%S}".format(instant),
                "from": name,
                "from_id": "user" + name.split(" ")[0].lower(),
                "text": text,
            }
        )
        view += ["{}, {:%Y-%m-%d %H:%M}: {}".format(name, instant, text), ""]
    whole = {"name": title, "type": "personal_chat", "id": 4411, "messages": rows}
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode(), "\n".join(view)
