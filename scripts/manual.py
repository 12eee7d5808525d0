#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the options for the element's properties into app/cudaconv.1. With --check, fails if they
are not current.

    scripts/manual.py [--check]

The texts come from docs/properties.md, which scripts/properties-doc.py writes.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "docs" / "properties.md"
PAGE = ROOT / "app" / "cudaconv.1"
BEGIN = '.\\" The list is written by scripts/manual.py.\n'
END = '.\\" Here the list ends.\n'

# placeholders of values in the help (app/filteroptions.c); None: a switch without a value
PLACEHOLDERS = {"Enum": "NAME", "Int": "N", "Double": "X", "Boolean": None, "Color": "COLOR", "Array": "ARRAY",
                "String": "TEXT"}

# properties that are no options of the command (is_unused in app/filteroptions.c)
EXCEPT = ["roi-meta", "roi-type", "measure-interval"]


def roff(text):
    """Converts a paragraph of Markdown into roff. Code becomes bold; no line becomes a roff request."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    # each sentence starts a line, so that troff finds its end
    text = re.sub(r"([.;:]) (?=[A-Z])", r"\1\n", text)
    return "".join(("\\&" if line[0] in ".'" else "") + line + "\n" for line in text.splitlines())


def option(name, paragraphs):
    """Returns one entry of the list, or an empty text for a read-only property."""
    kind, *rest = paragraphs[0].rstrip(".").split("; ")
    default = next((fact for fact in rest if fact.startswith("default ")), None)
    if "read-only" in rest:
        return ""
    kind, _, limits = kind.partition(", ")
    word = "LIST" if limits.startswith("`<") else PLACEHOLDERS[kind]
    facts = ", ".join(([f"{limits}"] if limits else []) + ([default] if default else []))
    values = [re.match(r"- (`[^`]*`)", line)[1] for line in "\n".join(paragraphs[1:]).split("\n")
              if line.startswith("- `")]
    prose = " ".join(text.replace("\n", " ") for text in paragraphs[1:] if not text.startswith("- "))
    head = f".BI \\-\\-{roff(name).strip()}= {word}" if word else f".B \\-\\-{roff(name).strip()}"
    return (f".TP\n{head}\n" + roff(prose)
            + (roff(f"Values: {', '.join(values)}.") if values else "")
            + roff(f"({facts[0].upper()}{facts[1:]}.)"))


def make_list():
    """Returns all entries, in the order of the document."""
    _, *sections = re.split(r"^## ", SOURCE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries = []
    for section in sections:
        name, *paragraphs = section.strip().split("\n\n")
        if paragraphs and name not in EXCEPT and re.match(rf"({'|'.join(PLACEHOLDERS)}|Structure)\b", paragraphs[0]):
            entries.append(option(name, paragraphs))
    return "".join(entries)


def main():
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    text = before + BEGIN + make_list() + END + rest.split(END)[1]
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif text != page:
        sys.exit(f"{PAGE.relative_to(ROOT)} is not current: run scripts/manual.py")


main()
