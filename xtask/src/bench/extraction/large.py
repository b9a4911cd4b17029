"""Large files of many formats, the same on every machine: large.py FOLDER."""

import io
import json
import os
import random
import sys
import tarfile
import zipfile
import zlib

folder = sys.argv[1]
chance = random.Random(1)
syllables = "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se ta te".split()
words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(4000)]
weights = [1 / (rank + 3) for rank in range(len(words))]


def sentence():
    text = " ".join(chance.choices(words, weights, k=chance.randint(6, 20)))
    return text[0].upper() + text[1:] + ". "


def paragraph():
    return "".join(sentence() for _ in range(5))


# Text is made once and cut up, since a generator of words is slower than any reader. No file says a paragraph
# twice but the largest two, whose halves are the same: what is repeated packs and caches better than life does.
pool = [paragraph() for _ in range(100_000)]


def paragraphs(count):
    return [pool[number * 7 % len(pool)] for number in range(count)]


def write(name, content):
    if isinstance(content, str):
        content = content.encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def packed(entries, stored_first=False):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, content) in enumerate(entries):
            kind = zipfile.ZIP_STORED if stored_first and number == 0 else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    return buffer.getvalue()


OOXML = "http://schemas.openxmlformats.org"
RELATIONSHIP = f"{OOXML}/officeDocument/2006/relationships"
ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def office(main_kind, main_path, main, others):
    """A package of Office Open XML: others are (path, type or None, content)."""
    overrides = [(main_path, main_kind)] + [(path, kind) for path, kind, _ in others if kind]
    listed = "".join(f'<Override PartName="/{path}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>' for path, kind in overrides)
    types = f'<Types xmlns="{OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    root = relationships([("officeDocument", main_path)])
    return packed([("[Content_Types].xml", types), ("_rels/.rels", root), (main_path, main)] + [(path, content) for path, _, content in others])


def relationships(targets):
    listed = "".join(f'<Relationship Id="rId{number}" Type="{RELATIONSHIP}/{kind}" Target="{target}"/>' for number, (kind, target) in enumerate(targets, 1))
    return f'<Relationships xmlns="{OOXML}/package/2006/relationships">{listed}</Relationships>'


def document():
    w = "".join(f'<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>' for text in paragraphs(12000))
    return office("wordprocessingml.document.main", "word/document.xml", f'<w:document xmlns:w="{OOXML}/wordprocessingml/2006/main"><w:body>{w}</w:body></w:document>', [])


def deck():
    slides, listed, targets, others = 400, "", [], []
    for number in range(1, slides + 1):
        shapes = "".join(f'<p:sp><p:nvSpPr><p:cNvPr id="{shape + 2}" name="s"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>' for shape, text in enumerate(pool[number * 4:number * 4 + 4]))
        slide = f'<p:sld xmlns:p="{OOXML}/presentationml/2006/main" xmlns:a="{OOXML}/drawingml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>{shapes}</p:spTree></p:cSld></p:sld>'
        others.append((f"ppt/slides/slide{number}.xml", "presentationml.slide", slide))
        targets.append(("slide", f"slides/slide{number}.xml"))
        listed += f'<p:sldId id="{255 + number}" r:id="rId{number}"/>'
    others.append(("ppt/_rels/presentation.xml.rels", None, relationships(targets)))
    main = f'<p:presentation xmlns:p="{OOXML}/presentationml/2006/main" xmlns:r="{RELATIONSHIP}"><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    return office("presentationml.presentation.main", "ppt/presentation.xml", main, others)


# Of the cells of a table of addresses or accounts about every second says something new.
STRINGS = 40_000


def workbook():
    rows = "".join(
        f'<row r="{row}">' + "".join(f'<c r="{column}{row}" t="s"><v>{(row * 5 + place) % STRINGS}</v></c>' for place, column in enumerate("ABCD")) + f'<c r="E{row}"><v>{row * 1.5}</v></c><c r="F{row}"><v>{row}</v></c></row>'
        for row in range(1, 20001)
    )
    main = "spreadsheetml/2006/main"
    strings = "".join(f"<si><t>{text[:40]}</t></si>" for text in pool[:STRINGS])
    return office(
        "spreadsheetml.sheet.main",
        "xl/workbook.xml",
        f'<workbook xmlns="{OOXML}/{main}" xmlns:r="{RELATIONSHIP}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
        [
            ("xl/_rels/workbook.xml.rels", None, relationships([("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")])),
            ("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet", f'<worksheet xmlns="{OOXML}/{main}"><sheetData>{rows}</sheetData></worksheet>'),
            ("xl/sharedStrings.xml", "spreadsheetml.sharedStrings", f'<sst xmlns="{OOXML}/{main}" count="80000" uniqueCount="{STRINGS}">{strings}</sst>'),
        ],
    )


def open_document(kind, body):
    spaces = " ".join(f'xmlns:{name}="{ODF}{name}:1.0"' for name in ("office", "text", "table"))
    manifest = f'<manifest:manifest xmlns:manifest="{ODF}manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/></manifest:manifest>'
    content = f'<office:document-content {spaces} office:version="1.2"><office:body>{body}</office:body></office:document-content>'
    return packed([("mimetype", f"application/vnd.oasis.opendocument.{kind}"), ("META-INF/manifest.xml", manifest), ("content.xml", content)], True)


def pdf(pages):
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    kids = []
    for number in range(pages):
        lines = " ".join(pool[(number * 6 + part) % len(pool)] for part in range(6)).split()
        text = ["BT /F1 10 Tf 12 TL 60 780 Td"]
        for start in range(0, len(lines), 12):
            text.append(f"({' '.join(lines[start:start + 12])}) Tj T*")
        stream = zlib.compress((" ".join(text) + " ET").encode())
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode() + stream + b"\nendstream")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {pages} >>".encode()
    out, offsets = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    table = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write("".join(f"{offset:010} 00000 n \n" for offset in offsets).encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode())
    return out.getvalue()


def xhtml(title, texts):
    body = "".join(f"<p>{text}</p>" for text in texts)
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>'


def book():
    chapters = [(f"c{number}.xhtml", xhtml(f"Chapter {number}", pool[number * 40:number * 40 + 40])) for number in range(200)]
    items = "".join(f'<item id="i{number}" href="{name}" media-type="application/xhtml+xml"/>' for number, (name, _) in enumerate(chapters))
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(chapters)))
    package = f'<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Large</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>'
    container = '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    return packed([("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("p.opf", package)] + chapters, True)


def mail(number):
    return f"From: Person {number % 50} <p{number % 50}@example.org>\nTo: list@example.org\nSubject: {pool[number][:50]}\nDate: Sat, 14 Mar 2026 09:{number % 60:02}:00 +0000\nMessage-ID: <{number}@example.org>\nContent-Type: text/plain; charset=utf-8\n\n" + "\n".join(pool[number * 4:number * 4 + 4]) + "\n"


def tarred(count):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=6) as archive:
        for number in range(count):
            content = "\n".join(pool[number * 20:number * 20 + 20]).encode()
            entry = tarfile.TarInfo(f"folder/{number}.txt")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


write("large.txt", "\n".join(paragraphs(200_000)))
write("large.md", "\n\n".join(f"## Part {number}\n\n{text}" for number, text in enumerate(paragraphs(40_000))))
write("large.html", "<!doctype html><title>Large</title><main>" + "".join(f"<h2>Part {number}</h2><p>{text}</p>" for number, text in enumerate(paragraphs(20_000))) + "</main>")
write("large.csv", "\n".join(f"{number},{text[:30]},{number * 1.5},\"{text[30:60]}\"" for number, text in enumerate(paragraphs(150_000))))
write("large.json", json.dumps([{"id": number, "text": text, "tags": ["a", "b"]} for number, text in enumerate(paragraphs(20_000))]))
write("large.ipynb", json.dumps({"cells": [{"cell_type": "markdown" if number % 2 else "code", "metadata": {}, "source": [text], "outputs": []} for number, text in enumerate(paragraphs(10_000))], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
write("large.srt", "\n".join(f"{number + 1}\n{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02},000 --> {number // 3600:02}:{number // 60 % 60:02}:{number % 60:02},900\n{text[:80]}\n" for number, text in enumerate(paragraphs(30_000))))
write("large.ics", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + "".join(f"BEGIN:VEVENT\r\nUID:{number}\r\nDTSTART:20260314T0{number % 10}0000Z\r\nSUMMARY:{text[:60]}\r\nDESCRIPTION:{text[:70]}\r\nEND:VEVENT\r\n" for number, text in enumerate(paragraphs(20_000))) + "END:VCALENDAR\r\n")
write("large.rtf", r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}" + "".join(rf"\pard\plain\f0\fs24 {text}\par" + "\n" for text in paragraphs(20_000)) + "}")
write("large.mbox", "".join(f"From p@example.org Sat Mar 14 09:26:00 2026\n{mail(number)}\n" for number in range(8000)))
write("large.docx", document())
write("large.pptx", deck())
write("large.xlsx", workbook())
write("large.odt", open_document("text", "<office:text>" + "".join(f"<text:p>{text}</text:p>" for text in paragraphs(12_000)) + "</office:text>"))
write("large.ods", open_document("spreadsheet", '<office:spreadsheet><table:table table:name="One">' + "".join("<table:table-row>" + "".join(f'<table:table-cell office:value-type="string"><text:p>{text[start:start + 20]}</text:p></table:table-cell>' for start in (0, 20, 40, 60)) + "</table:table-row>" for text in paragraphs(20_000)) + "</table:table></office:spreadsheet>"))
write("large.epub", book())
write("large.pdf", pdf(600))
write("large.zip", packed([(f"folder/{number}.txt", "\n".join(pool[number * 20:number * 20 + 20])) for number in range(1000)]))
write("large.tar.gz", tarred(1000))
