#!/usr/bin/env python3
"""Checks that the answers stand where the set says, in the text that bethink itself reads.

    python3 sets/personal/check.py OUT [BETHINK]

reads every file that a question of OUT/life.gold.jsonl points at with `bethink read`, from an index in a folder that
is removed afterwards, and fails with the list of those whose phrase is not in the lines that the set gives.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        sys.exit("which folder?\nnext: python3 sets/personal/check.py OUT [BETHINK]")
    out, bethink = Path(arguments[0]), (arguments + ["bethink"])[1]
    wrong, texts = [], {}
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "BETHINK_HOME": home}

        def said(*words):
            run = subprocess.run([bethink, *words], env=environment, capture_output=True, text=True, encoding="utf-8")
            return run.stdout if run.returncode == 0 else run.stderr

        said("index", str(out / "life"))
        golds = 0
        for line in (out / "life.gold.jsonl").read_text(encoding="utf-8").splitlines():
            for gold in json.loads(line)["golds"]:
                golds += 1
                path = gold["path"]
                if path not in texts:
                    numbered = re.findall(r"(?m)^ *(\d+): ?(.*)$", said("read", "--whole", str(out / "life" / path)))
                    texts[path] = {int(number): text for number, text in numbered}
                lines = (texts[path].get(number, "") for number in range(gold["start"], gold["end"] + 1))
                seen = " ".join(" ".join(line.lstrip("> ") for line in lines).split())
                if " ".join(gold["text"].split()) not in seen:
                    wrong.append("{}:{}-{}: {!r} is not in {!r}".format(
                        path, gold["start"], gold["end"], gold["text"], seen))
    if wrong:
        sys.exit("\n".join(wrong))
    print("{} answers stand where they should, in {} texts".format(golds, len(texts)))


if __name__ == "__main__":
    main(sys.argv[1:])
