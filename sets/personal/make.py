#!/usr/bin/env python3
"""Writes the personal-memory set: the files of one invented life, and the questions asked of it with their answers.

    python3 sets/personal/make.py OUT

makes OUT/life (the files) and OUT/life.gold.jsonl (the questions). It promises the same bytes on every machine and
every Python from 3.9, and fails, saying which, when an answer does not stand in its file, when a question about
something vague gives too many of the answer's words away, or when the set has become smaller than it says it is.
The form of the material is told in README.md.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path

import forms
import padding

HERE = Path(__file__).resolve().parent

# What the set promises to hold; README.md says the same numbers.
LEAST_DOCUMENTS = 400
LEAST_QUESTIONS = 500
KINDS = {
    "v": "vague",
    "n": "nameless",
    "r": "recalled",
    "t": "time",
    "p": "person",
    "e": "exact",
    "u": "unanswerable",
}
LEAST_OF_KIND = {"time": 50, "person": 50, "exact": 40, "unanswerable": 40}

# A question about something half remembered may share this much of its content words with the answer's lines: the
# mean over all of them, and the most that a single one may.
MEAN_SHARED = 0.25
MOST_SHARED = 0.67

# How much an answer counts: the place itself, and a later mail that quotes it.
ORIGINAL, QUOTED = 2, 1

# The day on which whatever names no day of its own was last written.
LAST_DAY = "2024-12-31"

EMPTY_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before but by can could did do does doing
    done down each for from get go got had has have he her here him his how i if in into is it its just me more most my
    no not of off on once one or our out over own she should so some such than that the their them then there these
    they thing this those to too up us very was we were what when where which while who whom whose why will with would
    you your again ever said say told tell asked called name much many""".split()
)


class Person:
    """Someone in this life, as `key | name | mail | phone | note` says."""

    def __init__(self, line):
        self.key, self.name, self.mail, self.phone, self.note = (part.strip() for part in line.split(" | "))


class Document:
    """A file to be: its path, its fields, what is written in it, and the questions that it answers."""

    def __init__(self, path):
        self.path = path
        self.fields = {}
        self.body = ""
        self.attachments = []
        self.questions = []


class Question:
    """A question with its kind, its folder if it is asked of one, and its answers as (path, phrase)."""

    def __init__(self, kind, text, scope, answers):
        self.kind, self.text, self.scope, self.answers = kind, text, scope, answers

    @property
    def id(self):
        # Named for its words, so that a question added in the middle renames no other.
        return "personal-" + hashlib.sha256(self.text.encode()).hexdigest()[:8]


QUESTION = re.compile(r"^\? ([vnrtpe]) (?:\[([^\]]+)\] )?(.+?) >> (.+)$")
ALSO = re.compile(r"^\+ (\S+) >> (.+)$")
ATTACHMENT = re.compile(r"^~ (\S+)$")


def material(path):
    """The documents of a material file."""
    documents = []
    for block in re.split(r"(?m)^@ ", path.read_text(encoding="utf-8"))[1:]:
        name, _, rest = block.partition("\n")
        document = Document(name.strip())
        lines = rest.rstrip("\n").split("\n")
        while lines and lines[0].startswith("| "):
            key, _, value = lines.pop(0)[2:].partition(" ")
            document.fields[key] = value
        texts = [[]]
        for line in lines:
            asked, also, attached = QUESTION.match(line), ALSO.match(line), ATTACHMENT.match(line)
            if asked:
                kind, scope, text, phrase = asked.groups()
                place = document.path
                if document.attachments:
                    place += "!/" + document.attachments[-1][0]
                document.questions.append(Question(KINDS[kind], text, scope, [(place, phrase)]))
            elif also:
                document.questions[-1].answers.append(also.groups())
            elif attached:
                document.attachments.append((attached.group(1), ""))
                texts.append([])
            else:
                texts[-1].append(line)
        bodies = ["\n".join(text).strip("\n") + "\n" for text in texts]
        document.body = bodies[0]
        document.attachments = [(name, body) for (name, _), body in zip(document.attachments, bodies[1:])]
        documents.append(document)
    return documents


def together(documents):
    """The documents, with the questions of those that are marked `again` given to the one of the same path."""
    found = {}
    for document in documents:
        if "again" in document.fields:
            found[document.path].questions += document.questions
        elif document.path in found:
            sys.exit("two documents of one path: " + document.path)
        else:
            found[document.path] = document
    return list(found.values())


def people():
    """Everyone who writes or is written to, by key."""
    lines = (HERE / "material" / "people.txt").read_text(encoding="utf-8").splitlines()
    found = [Person(line) for line in lines if line and not line.startswith("#")]
    return {person.key: person for person in found}


def unanswerable():
    """The questions that this life has no answer to."""
    lines = (HERE / "material" / "unanswerable.txt").read_text(encoding="utf-8").splitlines()
    return [Question("unanswerable", line, None, []) for line in lines if line and not line.startswith("#")]


def quotation(parent, everyone):
    """What a reply quotes of the mail that it answers."""
    who = everyone[parent.fields["from"]].name
    when = forms.moment(parent.fields["date"])
    head = "On {} {} {} {} wrote:".format(when.day, forms.MONTHS[when.month - 1], when.year, who)
    lines = forms.wrapped(parent.body.rstrip("\n")).split("\n")
    return head + "\n" + "\n".join("> " + line if line else ">" for line in lines)


def rendered(document, everyone, by_path):
    """The file's bytes, and the text by path that a reader of it sees."""
    suffix = document.path.rsplit(".", 1)[-1]
    if suffix == "eml":
        def message_id(path):
            return hashlib.sha256(path.encode()).hexdigest()[:16] + "@castellan.example"

        parent = document.fields.get("reply")
        document.body = forms.wrapped(document.body)
        if parent:
            quoted = quotation(by_path[parent], everyone)
            document.body = document.body.rstrip("\n") + "\n\n" + quoted + "\n"
            document.fields.setdefault("subject", "Re: " + by_path[parent].fields["subject"].replace("Re: ", ""))
        data, text = forms.mail(
            document, everyone, message_id(document.path), message_id(parent) if parent else None
        )
        texts = {document.path + "!/" + name: body for name, body in document.attachments}
        return data, {**texts, document.path: text}
    if suffix in ("docx", "odt", "pptx"):
        data, text = getattr(forms, suffix)(document)
    elif suffix == "html":
        data, text = forms.page(document)
    elif suffix == "ics":
        data, text = forms.calendar(document)
    elif document.path.startswith("chats/"):
        data, text = (forms.export if suffix == "json" else forms.messages)(document, everyone)
    else:
        text = forms.wrapped(document.body) if suffix in ("txt", "org") else document.body
        data = text.encode()
    return data, {document.path: text}


def lines_of(text, phrase):
    """The first and last line, from one, of each place where the phrase stands, however its lines are broken."""
    pattern = re.compile(r"\s+(?:> ?)?".join(re.escape(word) for word in phrase.split()))
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 1


def content_words(text):
    """The words that carry meaning, without their commonest endings."""
    words = set()
    for word in re.findall(r"\w+", text.lower()):
        if word not in EMPTY_WORDS:
            words.add(re.sub(r"(?:ing|ed|es|s|ly)$", "", word) if len(word) > 4 else word)
    return words


def shared(question, texts):
    """The share of the question's content words that stand in the lines of its first answer."""
    path, phrase = question.answers[0]
    start, end = next(lines_of(texts[path], phrase))
    asked = content_words(question.text)
    answered = content_words(" ".join(texts[path].split("\n")[start - 1 : end]))
    return len(asked & answered) / max(1, len(asked))


def judged(question, texts):
    """The gold line of a question: its answers, and the later mails that quote the first of them."""
    golds, complaints = [], []
    for path, phrase in question.answers:
        places = list(lines_of(texts.get(path, ""), phrase))
        if len(places) != 1:
            complaints.append("{}: {!r} stands there {} times".format(path, phrase, len(places)))
            continue
        golds.append({"path": path, "start": places[0][0], "end": places[0][1], "rel": ORIGINAL, "text": phrase})
    answered = {gold["path"] for gold in golds}
    for path, text in texts.items():
        if golds and path not in answered and path.endswith(".eml") and "wrote:\n>" in text:
            for start, end in lines_of(text, question.answers[0][1]):
                golds.append({"path": path, "start": start, "end": end, "rel": QUOTED, "text": question.answers[0][1]})
    line = {
        "qid": question.id,
        "text": question.text,
        "negative": not question.answers,
        "scope": question.scope,
        "meta": {"kind": question.kind},
        "golds": golds,
    }
    return line, complaints


def complaints_about(documents, questions, texts):
    """Why the set is not what it promises to be; empty when it is."""
    found = []
    if len(documents) < LEAST_DOCUMENTS:
        found.append("{} documents of at least {}".format(len(documents), LEAST_DOCUMENTS))
    if len(questions) < LEAST_QUESTIONS:
        found.append("{} questions of at least {}".format(len(questions), LEAST_QUESTIONS))
    for kind, least in LEAST_OF_KIND.items():
        count = sum(question.kind == kind for question in questions)
        if count < least:
            found.append("{} questions of kind {}, of at least {}".format(count, kind, least))
    if len({question.id for question in questions}) < len(questions):
        found.append("a question is asked twice")
    shares = []
    for question in questions:
        if question.kind in ("vague", "nameless"):
            share = shared(question, texts)
            shares.append(share)
            if share > MOST_SHARED:
                found.append("{!r} shares {:.2f} of its words with its answer".format(question.text, share))
    mean = sum(shares) / max(1, len(shares))
    if mean > MEAN_SHARED:
        found.append("vague questions share {:.3f} of their words with their answers".format(mean))
    return found, mean


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit("which folder shall the set be written to?\nnext: python3 sets/personal/make.py OUT")
    out = Path(arguments[0])
    everyone = people()
    written = together(
        document for path in sorted((HERE / "material").glob("[0-9]*.txt")) for document in material(path)
    )
    questions = [question for document in written for question in document.questions] + unanswerable()
    documents = written + padding.documents(Document)
    by_path = {document.path: document for document in documents}
    life = out / "life"
    if life.exists():
        shutil.rmtree(life)

    files, texts = {}, {}
    # A reply quotes what was written before it, so mails are made in the order of their dates.
    for document in sorted(documents, key=lambda document: (document.fields.get("date", ""), document.path)):
        data, seen = rendered(document, everyone, by_path)
        files[document.path] = (data, document.fields.get("date") or dated(document.path, document.body))
        texts.update(seen)
    for person in everyone.values():
        path = "contacts/{}.vcf".format(person.key)
        data, texts[path] = forms.contact(person)
        files[path] = (data, LAST_DAY)
    for path, (data, date) in files.items():
        place = life / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        seconds = forms.moment(date).timestamp()
        os.utime(place, (seconds, seconds))

    gold, found = [], []
    for question in questions:
        line, complaints = judged(question, texts)
        gold.append(line)
        found += complaints
    with open(out / "life.gold.jsonl", "w", encoding="utf-8", newline="\n") as file:
        for line in gold:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    if not found:
        found, mean = complaints_about(files, questions, texts)
    if found:
        sys.exit("\n".join(found))
    counts = ", ".join("{} {}".format(sum(q.kind == kind for q in questions), kind) for kind in KINDS.values())
    print("{}: {} files ({} written by hand), {} questions ({}), {:.3f} of the words of vague ones shared".format(
        life, len(files), len(written) + len(everyone), len(questions), counts, mean))


def dated(path, body):
    """The day that a file was last written: the latest one named in its path or its text, or the set's last."""
    days = re.findall(r"\b(202[2-4]-\d{2}-\d{2})\b", path) or re.findall(r"\b(202[2-4]-\d{2}-\d{2})\b", body)
    return max(days, default=LAST_DAY)


if __name__ == "__main__":
    main(sys.argv[1:])
