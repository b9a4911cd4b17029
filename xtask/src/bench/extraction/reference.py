"""Reads files with the usual Python library of their format: reference.py FORMAT TIMES FILE..."""

import sys

form, times, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def docx(path):
    import docx

    document = docx.Document(path)
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([paragraph.text for paragraph in document.paragraphs] + cells)


def pptx(path):
    import pptx

    shapes = (shape for slide in pptx.Presentation(path).slides for shape in slide.shapes)
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def xlsx(path):
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    return "\n".join("\t".join(str(cell) for cell in row) for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))


def message_text(message):
    parts = [part for part in message.walk() if part.get_content_maintype() == "text"]
    headers = "\n".join(f"{name}: {value}" for name, value in message.items())
    return headers + "\n".join(part.get_content() for part in parts)


def eml(path):
    import email
    import email.policy

    with open(path, "rb") as file:
        return message_text(email.message_from_binary_file(file, policy=email.policy.default))


def mbox(path):
    import email
    import email.policy
    import mailbox

    parse = lambda file: email.message_from_binary_file(file, policy=email.policy.default)
    return "\n".join(message_text(message) for message in mailbox.mbox(path, factory=parse, create=False))


def html(path):
    import lxml.html

    return lxml.html.parse(path).getroot().text_content()


def epub(path):
    import zipfile

    import lxml.html

    archive = zipfile.ZipFile(path)
    pages = (name for name in archive.namelist() if name.endswith(("html", "htm")))
    return "\n".join(lxml.html.fromstring(archive.read(name)).text_content() for name in pages)


def open_document(path):
    import zipfile

    import lxml.etree

    root = lxml.etree.fromstring(zipfile.ZipFile(path).read("content.xml"), lxml.etree.XMLParser(huge_tree=True))
    return "\n".join(root.itertext())


def ipynb(path):
    import json

    with open(path, encoding="utf-8") as file:
        return "\n".join("".join(cell["source"]) for cell in json.load(file)["cells"])


def json_(path):
    import json

    with open(path, encoding="utf-8") as file:
        return str(json.load(file))


def csv(path):
    import csv

    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return "\n".join("\t".join(row) for row in csv.reader(file))


def zip_(path):
    import zipfile

    archive = zipfile.ZipFile(path)
    return "\n".join(archive.read(entry).decode("utf-8", "replace") for entry in archive.infolist() if not entry.is_dir())


def tar(path):
    import tarfile

    with tarfile.open(path) as archive:
        files = (archive.extractfile(entry) for entry in archive if entry.isfile())
        return "\n".join(file.read().decode("utf-8", "replace") for file in files)


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


readers = {"json": json_, "zip": zip_, "odt": open_document, "ods": open_document, "odp": open_document, "md": text, "txt": text, "srt": text, "ics": text}
read = readers.get(form) or globals()[form]
characters, refused = 0, set()
for _ in range(times):
    for path in files:
        try:
            characters += len(read(path))
        except ImportError:  # The library is not here, which is no figure.
            raise
        except Exception:  # A file that the library cannot read is a figure, not an end.
            refused.add(path)
print(characters, len(refused))
