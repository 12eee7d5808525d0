#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/kernels.md from presets/kernels.ini; with --check, says whether it is current.

The pictures in it are those of the gallery, which scripts/gallery.py makes."""

import configparser
import pathlib
import re
import sys

from galleryplan import INPUT, apply_words, kernel_picture, shell_line

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "presets" / "kernels.ini"
TARGET = ROOT / "docs" / "kernels.md"

# of each class of kernels
CHROMA = {name: chroma.lower() for name, chroma in re.findall(
    r'F\(CC_KERNEL_\w+, "(\w+)", CC_CHROMA_(\w+)\)', (ROOT / "engine/kernel/kernel.h").read_text())}

HEAD = f"""# Named kernels

This page is written by `scripts/kernels-doc.py` from [presets/kernels.ini](../presets/kernels.ini),
the list that is also compiled into the plugin. The head of that file explains its format, which
`kernel-file` reads too.

The sum is a correlation: a matrix lies on the picture as it is printed here, its middle on the pixel
that is made. *Response* says how the sums become a pixel, *chroma* what happens to the chroma planes;
both are the kernel's defaults, and the properties of these names override them. Several matrices are
several sums. A sum is multiplied by *scale*; where none is given it is one divided by the sum of the
coefficients when that is positive, else 1.

Below each kernel stands what it makes of this picture, and the command for it. The [gallery](gallery.md) has more.

![The input: balls on a tiled floor](images/gallery/{INPUT})

| kernel | what it does | sizes | response | chroma |
| --- | --- | --- | --- | --- |
"""


def matrices(section, size):
    """The matrices of one size as lists of rows of strings, and how they factor, or None."""
    if f"matrix-{size}" in section:
        texts = section[f"matrix-{size}"].split("|")
        return [[row.split() for row in text.split(";") if row.strip()] for text in texts], None
    rows = [text.split() for text in section[f"row-{size}"].split("|")]
    columns = [text.split() for text in section[f"column-{size}"].split("|")]
    full = [[[str(int(c) * int(r)) for r in row] for c in column]
            for row, column in zip(rows, columns)]
    return full, list(zip(rows, columns))


def side_by_side(blocks):
    """Text of matrices next to each other, columns aligned."""
    width = max(len(number) for block in blocks for row in block for number in row)
    lines = []
    for rows in zip(*blocks):
        lines.append("     ".join(" ".join(n.rjust(width) for n in row) for row in rows).rstrip())
    return "\n".join(lines)


def sizes_of(section):
    return sorted({int(key.rsplit("-", 1)[1]) for key in section
                   if key.startswith(("matrix-", "row-"))})


def describe_size(section, size):
    blocks, factors = matrices(section, size)
    scale = section.get(f"scale-{size}")
    title = f"Size {size}" + (f", scale {scale}" if scale else "")
    if factors and size > 5:
        parts = [f"row `{' '.join(row)}`, column `{' '.join(column)}`" for row, column in factors]
        return f"{title}: {'; '.join(parts)}.\n"
    groups = [blocks[i:i + 4] for i in range(0, len(blocks), 4)]
    text = "\n\n".join(side_by_side(group) for group in groups)
    return f"{title}:\n\n```text\n{text}\n```\n"


def document():
    kernels = configparser.ConfigParser(interpolation=None)
    kernels.read_string(SOURCE.read_text(encoding="utf-8"))
    table, details = [], []
    for name in kernels.sections():
        section = kernels[name]
        sizes = sizes_of(section)
        default = int(section.get("default-size", sizes[0]))
        listed = ", ".join(f"**{size}**" if size == default else str(size) for size in sizes)
        is_gaussian, is_mean = (section.get(key) == "true" for key in ("gaussian", "mean"))
        if is_gaussian or is_mean:
            listed += ", and on to 127"
        chroma = section.get("chroma", CHROMA[section["class"]])
        table.append(f"| [{name}](#{name}) | {section['description']} | {listed} | "
                     f"{section.get('response', 'clamp')} | {chroma} |\n")
        picture = kernel_picture(name, section["description"])
        details.append(f"\n## {name}\n\n{picture.text}.\n\n![{picture.text}](images/gallery/{picture.stored()})\n\n"
                       f"`{shell_line(apply_words(picture))}`\n")
        if is_gaussian:
            details.append("\nWith `sigma` above 0 the coefficients are sampled from a Gaussian "
                           "instead: of the given `size`, or of as many rows and columns as three "
                           "sigma need. That is OpenCV's rule for images of 8 bits, 6 sigma + 1 made "
                           "odd, and it holds at every depth; OpenCV takes 8 sigma + 1 for more bits, "
                           "which an explicit `size` gives. A larger size than these, to 127, is "
                           "sampled too; without `sigma`, with a sixth of the size less 1.\n"
                           "\nA chain of blurs adds variances, the squares of sigma. So the largest "
                           "sigma of one element, 21.08, is no limit: four elements with `sigma=21` "
                           "blur as one with 42 would.\n")
        if is_mean:
            details.append("\nA larger size than these, to 127, is a mean as well.\n")
        details.extend("\n" + describe_size(section, size) for size in sizes)
    return HEAD + "".join(table) + ("\nThe default size is in bold. For a "
            "`size` that a kernel does not have it takes its next smaller one, and below its "
            "smallest that.\n") + "".join(details)


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not current: run scripts/kernels-doc.py")
    else:
        TARGET.write_text(text, encoding="utf-8")


main()
