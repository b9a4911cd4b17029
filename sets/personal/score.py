#!/usr/bin/env python3
"""Scores the answers of `bethink eval` over the set, by kind of question.

    python3 sets/personal/score.py OUT/life.gold.jsonl run.jsonl

For each kind: nDCG at ten over files (gain 2^rel - 1, discount log2 of rank + 1, Burges and others 2005), the share of
questions whose first file and whose first ten files hold an answer, and the share of those found whose first hit in a
right file lies within three lines of the answer. For unanswerable questions: the share answered with nothing.
"""

import json
import math
import sys
from pathlib import Path

DEPTH = 10

# A hit so many lines from the answer still shows it on the same screen.
NEAR_LINES = 3


def lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def scored(question, results):
    """(nDCG@10, first is right, one of ten is right, lands or None) of one question's results."""
    gain = {}
    for gold in question["golds"]:
        gain[gold["path"]] = max(gain.get(gold["path"], 0), gold["rel"])
    files = list(dict.fromkeys(result["path"] for result in results))[:DEPTH]

    def sum_of(relevances):
        return sum((2**rel - 1) / math.log2(rank + 2) for rank, rel in enumerate(relevances))

    best = sum_of(sorted(gain.values(), reverse=True)[:DEPTH])
    right = [path in gain for path in files]
    lands = None
    if any(right):
        first = next(result for result in results if result["path"] in gain)
        golds = [gold for gold in question["golds"] if gold["path"] == first["path"]]
        line = first["line"] or 0
        lands = any(gold["start"] - NEAR_LINES <= line <= gold["end"] + NEAR_LINES for gold in golds)
    return sum_of(gain.get(path, 0) for path in files) / best, right[:1] == [True], any(right), lands


def main(arguments):
    if len(arguments) != 2:
        sys.exit("which questions and answers?\nnext: python3 sets/personal/score.py OUT/life.gold.jsonl run.jsonl")
    questions = lines(arguments[0])
    answers = {line["qid"]: line["results"] for line in lines(arguments[1])}
    by_kind = {}
    for question in questions:
        by_kind.setdefault(question["meta"]["kind"], []).append(question)
    by_kind["all answerable"] = [question for question in questions if not question["negative"]]
    print("{:<15}{:>10}{:>10}{:>10}{:>10}{:>10}".format("kind", "questions", "nDCG@10", "first", "in ten", "landing"))
    for kind, asked in by_kind.items():
        if asked[0]["negative"]:
            silent = sum(not answers.get(question["qid"]) for question in asked) / len(asked)
            print("{:<15}{:>10}   answered with nothing: {:.3f}".format(kind, len(asked), silent))
            continue
        rows = [scored(question, answers.get(question["qid"], [])) for question in asked]
        landed = [row[3] for row in rows if row[3] is not None]
        means = [sum(row[column] for row in rows) / len(rows) for column in range(3)]
        means.append(sum(landed) / max(1, len(landed)))
        print("{:<15}{:>10}".format(kind, len(asked)) + "".join("{:>10.3f}".format(mean) for mean in means))


if __name__ == "__main__":
    main(sys.argv[1:])
