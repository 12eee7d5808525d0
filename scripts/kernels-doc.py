#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/kernels.md from presets/kernels.ini. With --check, fails if it is not current.

The page shows images of the gallery, which scripts/gallery.py makes."""

import configparser
import pathlib
import re
import sys

from galleryplan import INPUT, apply_words, kernel_image, shell_line

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "presets" / "kernels.ini"
TARGET = ROOT / "docs" / "kernels.md"

# the default of chroma of each class of kernels
CHROMA = {name: chroma.lower() for name, chroma in re.findall(
    r'F\(CC_KERNEL_\w+, "(\w+)", CC_CHROMA_(\w+)\)', (ROOT / "engine/kernel/kernel.h").read_text())}

HEAD = f"""# Named kernels

The coefficients of the kernels that have a name, with a sample image and its command. The [gallery](gallery.md) has more
images.

- The matrices are printed as they lie on the image, with their middle on the output pixel. They are not flipped: the sum
  is a correlation.
- Each matrix gives one sum. A kernel with two or more matrices combines their sums.
- *Response* says how the sums become a pixel. *Chroma* says what happens to the chroma planes. The table has the defaults
  of each kernel. The properties `response` and `chroma` override them, and `chroma-kernel` is another kernel for chroma.
- A sum is multiplied by the scale. The default scale is one divided by the sum of the coefficients if that sum is
  positive, else 1. The property `scale` overrides it.

This is the input of the images:

![The input: balls on a tiled floor](images/gallery/{INPUT})

[presets/kernels.ini](../presets/kernels.ini) is the source of this list. Files for the property
[`kernel-file`](properties.md#kernel-file) have the same format, which its head explains.

| kernel | what it does | sizes | response | chroma |
| --- | --- | --- | --- | --- |
"""

FOOT = """
<!-- This page is written by scripts/kernels-doc.py from presets/kernels.ini. -->
"""


def matrices(section, size):
    """The matrices of one size as lists of rows of strings, and their rows and columns if they are separable, or None."""
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
            listed += ", ... 127"
        chroma = section.get("chroma", CHROMA[section["class"]])
        table.append(f"| [{name}](#{name}) | {section['description']} | {listed} | "
                     f"{section.get('response', 'clamp')} | {chroma} |\n")
        image = kernel_image(name, section["description"])
        details.append(f"\n## {name}\n\n{image.text}.\n\n![{image.text}](images/gallery/{image.stored()})\n\n"
                       f"`{shell_line(apply_words(image))}`\n")
        if is_gaussian:
            details.append("\nWith `sigma` above 0 the coefficients are sampled from a Gaussian. Without `size` it "
                           "has 6 sigma + 1 rows and columns, made odd, at every depth. That is OpenCV's rule "
                           "for images of 8 bits. For more bits OpenCV takes 8 sigma + 1; set `size` for that.\n"
                           "\nSizes larger than those listed, up to 127, are sampled too. Without `sigma` "
                           "they have a sigma of (size - 1) / 6.\n"
                           "\nA chain of blurs adds the squares of sigma. Four elements with `sigma=21` blur "
                           "like one with 42. The largest sigma of one element, 21.08, is therefore no limit.\n")
        if is_mean:
            details.append("\nSizes larger than those listed, up to 127, are means too.\n")
        details.extend("\n" + describe_size(section, size) for size in sizes)
    return HEAD + "".join(table) + ("\nThe default size is in bold. A `size` the kernel does not have falls "
            "back to the next smaller one, or to the smallest.\n") + "".join(details) + FOOT


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not current: run scripts/kernels-doc.py")
    else:
        TARGET.write_text(text, encoding="utf-8")


main()
