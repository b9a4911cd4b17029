"""The everyday that surrounds what is asked for: shopping, stand-ups, short diary days, statements, circulars.

Every sentence is written by hand in `material/everyday.txt`; a generator with a fixed seed only chooses among them. It
draws nothing but `Random.random()`, the one method whose sequence Python promises to keep, so that the choice is
the same for every version. Nothing here answers a question of the set.
"""

import datetime
import random
from pathlib import Path

SEED = 20220218

# Documents of each kind.
SHOPPINGS, STAND_UPS, DAYS, CIRCULARS, STATEMENTS, READINGS = 44, 40, 56, 24, 36, 6


class Choice:
    """Choices that come out the same on every machine."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def below(self, limit):
        return int(self.source.random() * limit)

    def one(self, items):
        return items[self.below(len(items))]

    def some(self, items, count):
        rest, taken = list(items), []
        while rest and len(taken) < count:
            taken.append(rest.pop(self.below(len(rest))))
        return taken

    def days(self, count):
        """Days of the three years, each once, in order."""
        first = datetime.date(2022, 1, 3)
        every = [first + datetime.timedelta(number) for number in range(1085)]
        return sorted(self.some(every, count))


def sentences():
    """The written sentences, by the heading that they stand under."""
    found, current = {}, None
    text = (Path(__file__).resolve().parent / "material" / "everyday.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("# "):
            current = found.setdefault(line[2:], [])
        elif line:
            current.append(line)
    return found


def money(pence):
    return "{}.{:02}".format(pence // 100, pence % 100)


def shopping(choice, pool, day):
    lines, total = [choice.one(pool["shops"]), "{:%d/%m/%Y}  till {}".format(day, 1 + choice.below(6)), ""], 0
    for item in choice.some(pool["groceries"], 5 + choice.below(8)):
        name, price = item.split(" | ")
        total += int(price)
        lines.append("{:<30}{:>7}".format(name, money(int(price))))
    lines += ["", "{:<30}{:>7}".format("TOTAL", money(total)), choice.one(pool["till"])]
    return "receipts/{:%Y}/shop-{:%Y-%m-%d}.txt".format(day, day), {}, "\n".join(lines) + "\n"


def stand_up(choice, pool, day):
    lines = ["---", "title: Stand-up", "date: {:%Y-%m-%d}".format(day), "tags: [stand-up]", "---", "# Stand-up", ""]
    for name in choice.some(["Priya", "Lotte", "Dev", "Nora", "Harriet"], 3 + choice.below(2)):
        lines.append("- {}: {}".format(name, choice.one(pool["stand-up"])))
    lines += ["", choice.one(pool["stand-up end"])]
    return "work/stand-up/{:%Y-%m-%d}.md".format(day), {}, "\n".join(lines) + "\n"


def diary(choice, pool, day):
    weekday = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[day.weekday()]
    parts = [choice.one(pool["weather"])] + choice.some(pool["days"], 2 + choice.below(3))
    body = "# {} {} {} {}\n\n{}\n".format(weekday, day.day, pool["months"][day.month - 1], day.year, " ".join(parts))
    return "journal/{:%Y}/{:%Y-%m-%d}-short.md".format(day, day), {}, body


def circular(choice, pool, day):
    who = choice.one(["fern", "orla", "jonah"])
    lines = [choice.one(pool["greeting"]), "", *choice.some(pool["circular " + who], 2), "", choice.one(pool["close"])]
    sent = "{:%Y-%m-%d} {:02}:{:02}".format(day, 8 + choice.below(10), choice.below(60))
    fields = {"from": who, "to": "nora", "date": sent, "subject": choice.one(pool["subject " + who])}
    return "mail/{:%Y}/{:%m}/circular-{:%Y-%m-%d}.eml".format(day, day, day), fields, "\n".join(lines) + "\n"


def statement(choice, pool, number):
    year, month = 2022 + number // 12, number % 12 + 1
    lines = ["date,what,amount"]
    for day in sorted(choice.some(range(1, 29), 9)):
        what, least, most = choice.one(pool["payments"]).split(" | ")
        amount = int(least) + choice.below(int(most) - int(least))
        lines.append("{}-{:02}-{:02},{},-{}".format(year, month, day, what, money(amount)))
    return "money/statements/{}-{:02}.csv".format(year, month), {}, "\n".join(lines) + "\n"


def reading(choice, number):
    year, half = 2022 + number // 2, number % 2
    lines, gas, power = ["date,gas m3,electricity kWh"], 4100 + number * 610, 20210 + number * 1480
    for month in range(half * 6 + 1, half * 6 + 7):
        gas, power = gas + 40 + choice.below(120), power + 200 + choice.below(90)
        lines.append("{}-{:02}-01,{},{}".format(year, month, gas, power))
    return "notes/house/meters-{}-{}.csv".format(year, half + 1), {}, "\n".join(lines) + "\n"


def documents(make):
    """The surrounding documents, made with `make(path)`."""
    choice, pool = Choice(SEED), sentences()
    made = [shopping(choice, pool, day) for day in choice.days(SHOPPINGS)]
    made += [stand_up(choice, pool, day) for day in choice.days(STAND_UPS)]
    made += [diary(choice, pool, day) for day in choice.days(DAYS)]
    made += [circular(choice, pool, day) for day in choice.days(CIRCULARS)]
    made += [statement(choice, pool, number) for number in range(STATEMENTS)]
    made += [reading(choice, number) for number in range(READINGS)]
    found = []
    for path, fields, body in made:
        document = make(path)
        document.fields, document.body = fields, body
        found.append(document)
    return found
