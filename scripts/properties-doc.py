#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/properties.md and the short table in README.md. With --check, fails if they are not
current.

    scripts/properties-doc.py [--check] BUILD

Types, ranges, defaults and values come from gst-inspect-1.0 and the plugin in the folder BUILD. The explanations are the
doc comments of the tables in engine/options.c and plugin/properties, in their order. Exits with 77 if gst-inspect-1.0 is
missing.
"""

import collections
import pathlib
import re
import sys
import textwrap

from inspection import choices, inspect, properties_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = [ROOT / "engine" / "options.c", ROOT / "plugin" / "properties" / "settings.c", ROOT / "plugin" / "properties" / "properties.c"]
FORMATS = ROOT / "plugin" / "memory" / "formats.h"
PAGE = ROOT / "docs" / "properties.md"
README = ROOT / "README.md"
BEGIN = "<!-- The table is written by scripts/properties-doc.py. -->\n"
END = "<!-- Here the table ends. -->\n"

# properties that README.md shows, in its order
SHORT = ["kernel", "size", "sigma", "matrix-text", "response", "border", "chroma", "backend"]
INHERITED = {"name", "parent", "qos"}
MAX_CHOICES = 10  # values that fit into a cell of the table

HEAD = """# Properties

All properties of the element. Each one that can be set is also an option of the command: `sigma=2` is `--sigma 2`. Only
`roi-meta`, `roi-type` and `measure-interval` are not.

- *Changeable while playing*: a new value takes effect between two frames.
- *Changeable up to READY*: a new value takes effect when the element starts the next time. `in-flight` takes effect with
  the next caps.
- *Controllable*: a `GstController` can drive the property.

A value that cannot work is refused. While the stream plays, this is a warning, and the property returns to the value
before. At the start it is an error. [messages.md](messages.md) lists the messages.

[kernels.md](kernels.md) has the matrices of the named kernels, and [gallery.md](gallery.md) has images of most values.

"""

FOOT = """
<!-- This page is written by scripts/properties-doc.py from the plugin and the comments in engine/options.c and
plugin/properties. -->
"""

# The texts of a property. `type` includes the range. `default` is None if the property is read-only.
# `values` has the values of an enum with their meanings.
Property = collections.namedtuple("Property", "name type default blurb values use explanation")


def explanations():
    """The paragraphs of the doc comments by the name of the property, in the order of the tables."""
    comments = [comment for table in TABLES for comment in
                re.findall(r"/\*\*\n\s*\* ([a-z0-9-]+):\n(.*?)\*/", table.read_text(), re.DOTALL)]
    return {name: [" ".join(paragraph.split()) for paragraph in
                   re.split(r"\n\s*\n", re.sub(r"^ *\*", "", text, flags=re.MULTILINE)) if paragraph.strip()]
            for name, text in comments}


def describe_type(lines):
    """The type with its range, and the default, as text."""
    text = "\n".join(lines)
    number = re.search(r"^(Integer|Double)\. Range: *(\S+) - *(\S+) Default: *(\S+)", text, re.M)
    if number:
        kind = {"Integer": "int", "Double": "double"}[number[1]]
        top = "" if number[3] == "2147483647" else f" to {number[3]}"
        return f"{kind}, {number[2]}{top or ' and more'}", number[4]
    if re.search(r"^Unsigned Integer\. Range: 0 - 4294967295 Default: 0", text, re.M):
        return "color, 0xAARRGGBB", "0"
    switch = re.search(r"^Boolean\. Default: (\S+)", text, re.M)
    if switch:
        return "boolean", switch[1]
    choice = re.search(r'^Enum ".*" Default: .*"(.*)"', text, re.M)
    if choice:
        return "enum", choice[1]
    if "GstValueArray" in text:
        tuples = re.search(r"one (<x, [^>]*>)", text)
        return f"array, `{tuples[1]}`" if tuples else "array", "empty"
    if 'type "GstStructure"' in text:
        return "structure", None
    default = re.search(r"^String\. Default: (.*)", text, re.M)
    return "string", "none" if default[1] == "null" else default[1]


def describe_use(lines):
    flags = next(line for line in lines if line.startswith("flags:"))
    if "writable" not in flags:
        return "read-only"
    if "changeable only in NULL or READY" in flags:
        return "changeable up to READY"
    return "changeable while playing" + (", controllable" if "controllable" in flags else "")


def properties(build):
    """All properties of the element in the build folder, in the order of the list."""
    shown, explained = properties_of(inspect(build)), explanations()
    missing = (set(shown) - INHERITED) ^ set(explained)
    if missing:
        sys.exit(f"{', '.join(sorted(missing))}: in only one of gst-inspect-1.0 and the comments in "
                 "the tables")
    return [Property(name, *describe_type(shown[name]), shown[name][0], choices(shown[name]),
                     describe_use(shown[name]), text) for name, text in explained.items()]


def filled(text):
    return textwrap.fill(text, 100, break_on_hyphens=False, break_long_words=False)


def section(property_):
    facts = [property_.type[0].upper() + property_.type[1:]]
    if property_.default:
        facts.append(f"default {marked(property_)}")
    listed = "".join(f"- `{value}`: {meaning}\n" for value, meaning in property_.values)
    return (f"\n## {property_.name}\n\n{'; '.join(facts + [property_.use])}.\n\n"
            + "\n\n".join(map(filled, property_.explanation)) + "\n"
            + (f"\n{listed}" if listed else ""))


def marked(property_):
    """The default, in backquotes if it is a value of an enum."""
    return f"`{property_.default}`" if property_.values else property_.default


def table(of, page):
    """A table of these properties. Their names link to their sections on the page."""
    lines = ["| property | type | default | meaning |", "| --- | --- | --- | --- |"]
    for property_ in of:
        meaning = property_.blurb.replace("|", "\\|").replace("<", "&lt;")
        if 0 < len(property_.values) <= MAX_CHOICES:
            meaning += ": " + ", ".join(f"`{value}`" for value, _ in property_.values)
        cells = (f"[`{property_.name}`]({page}#{property_.name})", property_.type,
                 marked(property_) or "read-only", meaning)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def formats():
    """The section about pixel formats. The plugin lists the cheaper formats first."""
    names = re.findall(r"F\((\w+), CC_IN_CUDA_\w+\)", FORMATS.read_text())
    paragraphs = (f"{', '.join(names)}.",
                  "If the neighbours leave the format open, the element takes the first format of this list that both "
                  "support: `videotestsrc ! cudaconv ! fakesink` is I420. Frames have any size from 1x1. They are in "
                  "system memory or in CUDA memory, on either side "
                  "([gpu.md](gpu.md#how-frames-get-to-the-gpu-and-back)).")
    return "\n## Formats\n\n" + "\n\n".join(map(filled, paragraphs)) + "\n"


def documents(build):
    """The texts of the page and of the README."""
    of = properties(build)
    page = HEAD + table(of, "") + formats() + "".join(map(section, of)) + FOOT
    named = {property_.name: property_ for property_ in of}
    short = table([named[name] for name in SHORT], PAGE.relative_to(ROOT))
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    return {PAGE: page, README: before + BEGIN + short + END + rest.split(END)[1]}


def main():
    build = sys.argv[-1]
    stale = []
    for path, text in documents(build).items():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
    if stale:
        sys.exit(f"{' and '.join(stale)} are not current: run scripts/properties-doc.py {build}")


if __name__ == "__main__":
    main()
