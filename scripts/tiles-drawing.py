#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/images/tiles.svg, which shows what a block of each GPU algorithm loads. With --check, fails if the file is
not current.

Windows are 3x3, and the block is in the upper left corner of the image. The drawn tiles are smaller than real ones."""

import pathlib
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "images" / "tiles.svg"

CELL = 15
PANEL = 428, 250
GAP = 10
TOP = 92  # above the panels: the title and the legend
COLUMNS = 2
LINE = 15  # from a line of text to the next
DRAWING = 34  # distance from the top of a panel to its drawing

COLORS = {"image": "#eef1f5", "global": "#9cc9ee", "shared": "#f6b26b", "registers": "#93d08f",
           "sums": "#cdb4e8"}
INK, TILE, WINDOW, GHOST = "#1b1f24", "#0b5cad", "#c62828", "#8a94a0"


class Drawing:
    """Shapes at positions relative to an origin, as lines of SVG."""

    def __init__(self):
        self.lines = []
        self.origin = (0, 0)

    def at(self, x, y):
        return round(self.origin[0] + x, 1), round(self.origin[1] + y, 1)

    def text(self, x, y, text, size=12, anchor="start", bold=False, color=INK):
        x, y = self.at(x, y)
        weight = ' font-weight="bold"' if bold else ""
        middle = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.lines.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}"{middle}{weight}>'
                          f'{escape(text)}</text>')

    def box(self, x, y, width, height, fill="none", stroke="none", line=1, dash=None):
        x, y = self.at(x, y)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
                          f'stroke="{stroke}" stroke-width="{line}"{dashed}/>')

    def arrow(self, x1, y1, x2, y2, color=INK):
        (x1, y1), (x2, y2) = self.at(x1, y1), self.at(x2, y2)
        self.lines.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{color}" stroke-width="1.5" '
                          'fill="none" marker-end="url(#head)"/>')

    def curve(self, x1, y1, x2, y2, lift):
        (x1, y1), (x2, y2) = self.at(x1, y1), self.at(x2, y2)
        self.lines.append(f'<path d="M{x1:g} {y1:g}C{x1:g} {y1 - lift:g} {x2:g} {y2 - lift:g} {x2:g} {y2 - 1:g}" '
                          f'stroke="{INK}" stroke-width="1.5" fill="none" marker-end="url(#head)"/>')

    def grid(self, x, y, column, row, columns, rows):
        """Returns the rectangle of some cells of a grid with its corner at (x, y)."""
        return *self.at(x + column * CELL, y + row * CELL), columns * CELL, rows * CELL

    def cells(self, x, y, column, row, columns, rows, kind):
        left, top, width, height = self.grid(x, y, column, row, columns, rows)
        inner = "".join(f"M{left + c * CELL:g} {top:g}v{height}" for c in range(1, columns))
        inner += "".join(f"M{left:g} {top + r * CELL:g}h{width}" for r in range(1, rows))
        self.lines.append(f'<rect x="{left:g}" y="{top:g}" width="{width}" height="{height}" fill="{COLORS[kind]}"/>')
        if inner:
            self.lines.append(f'<path d="{inner}" stroke="#ffffff"/>')

    def ghosts(self, x, y, column, row, columns, rows):
        left, top, _, _ = self.grid(x, y, column, row, columns, rows)
        side = CELL - 3
        path = "".join(f"M{left + c * CELL + 1.5:g} {top + r * CELL + 1.5:g}h{side}v{side}h-{side}z"
                       for r in range(rows) for c in range(columns))
        self.lines.append(f'<path d="{path}" fill="#ffffff" stroke="{GHOST}" stroke-dasharray="2 2"/>')

    def outline(self, x, y, column, row, columns, rows, color, dash=None):
        self.box(x + column * CELL, y + row * CELL, columns * CELL, rows * CELL, "none", color, 2.5, dash)

    def corner(self, x, y, columns, rows):
        """Draws the upper left corner of the image with cell (0, 0), and ghost cells around it."""
        self.ghosts(x, y, -1, -1, columns + 1, 1)
        self.ghosts(x, y, -1, 0, 1, rows)
        self.cells(x, y, 0, 0, columns, rows, "image")


# ---- the panels: each function draws one and returns the text below it ----

def coefficients(d, x, y, label, kind):
    d.cells(x, y, 0, 0, 3, 3, kind)
    d.text(x + 1.5 * CELL, y + 3 * CELL + 15, "coefficients:", 11, "middle")
    d.text(x + 1.5 * CELL, y + 3 * CELL + 29, label, 11, "middle")


def direct(d):
    x, y = 26, 16
    d.corner(x, y, 16, 7)
    d.cells(x, y, 0, 0, 2, 2, "global")
    d.outline(x, y, 0, 0, 12, 4, TILE)
    d.outline(x, y, -1, -1, 3, 3, WINDOW)
    coefficients(d, 310, 16, "global memory", "global")
    return ["A block has 64x4 threads, one per pixel. For each tap a thread loads",
            "a pixel and a coefficient from global memory (L1 cache).",
            "Border: the rule is applied to every read, in all tiles."]


def constant(d):
    x, y = 26, 16
    d.corner(x, y, 16, 7)
    d.cells(x, y, 0, 0, 2, 2, "global")
    d.cells(x, y, 9, 3, 3, 3, "global")
    d.outline(x, y, 0, 0, 8, 3, TILE)
    d.outline(x, y, 8, 3, 8, 3, TILE)
    d.outline(x, y, -1, -1, 3, 3, WINDOW)
    d.outline(x, y, 9, 3, 3, 3, WINDOW)
    coefficients(d, 310, 16, "constant memory", "registers")
    return ["A block has 64x4 threads, one per pixel. A thread loads its window",
            "from global memory (L1 cache), but no coefficients. Border: the rule",
            "on every read, unless all windows of the tile are inside (lower one)."]


def tile_halo(d):
    x, y = 26, 16
    d.corner(x, y, 9, 8)
    d.cells(x, y, 0, 0, 7, 7, "shared")
    d.outline(x, y, -1, -1, 8, 8, INK, "4 3")
    d.outline(x, y, 0, 0, 6, 6, TILE)
    d.outline(x, y, 4, 2, 3, 3, WINDOW)
    for i, text in enumerate(("dashed: the input tile of 32x32, one", "load from global memory per thread;",
                              "threads of the halo only load")):
        d.text(172, 34 + 15 * i, text, 11)
    return ["A block has 32x32 threads; (32 - 2r) x (32 - 2r) write a pixel.",
            "Tile and halo are loaded into shared memory. Windows read from it.",
            "Border: the rule once, when a thread loads, not for each window."]


def tile_cached(d):
    x, y = 26, 16
    d.corner(x, y, 9, 8)
    d.cells(x, y, 0, 0, 7, 7, "global")
    d.cells(x, y, 0, 0, 6, 6, "shared")
    d.outline(x, y, 0, 0, 6, 6, TILE)
    d.outline(x, y, 4, 2, 3, 3, WINDOW)
    for i, text in enumerate(("the halo: loads from global memory,", "mostly from the L1 or L2 cache, into",
                              "which neighbouring blocks loaded it")):
        d.text(172, 34 + 15 * i, text, 11)
    return ["A block has 32x32 threads, one per pixel. Only the tile itself goes",
            "to shared memory. Each read tests whether its pixel is there.",
            "Border: the rule on each read outside the tile."]


def scatter(d):
    x, y = 26, 16
    d.corner(x, y, 8, 7)
    d.cells(x, y, 0, 0, 2, 2, "global")
    d.outline(x, y, 0, 0, 1, 1, TILE)
    d.outline(x, y, -1, -1, 3, 3, WINDOW)
    for i in range(9):
        d.text(x + (i % 3 - 0.5) * CELL, y + (i // 3 - 0.5) * CELL + 4, str(i), 10, "middle")
    for i in range(3):
        d.arrow(60, 8 + 15 * i, 224, 30 + 7 * i)
    d.box(228, 22, 58, 30, COLORS["shared"])
    d.text(257, 41, "sum", 12, "middle")
    d.text(228, 14, "9 atomic additions", 11)
    d.arrow(257, 54, 257, 82)
    d.box(257 - CELL / 2, 86, CELL, CELL, COLORS["image"], TILE, 2.5)
    d.text(272, 98, "written by thread 0", 11)
    return ["A block makes one pixel. Thread i has tap i: it loads a pixel and a",
            "coefficient from global memory, and adds their product to a sum in",
            "shared memory. Border: each thread applies the rule when it loads."]


def two_pass(d):
    y = 38
    for x, kind, lines in ((30, "image", ("image",)), (160, "sums", ("sums, transposed", "(global memory)")),
                           (290, "image", ("result",))):
        d.cells(x, y, 0, 0, 5, 5, kind)
        for i, text in enumerate(lines):
            d.text(x + 2.5 * CELL, y - 22 + 14 * i, text, 11, "middle")
    d.ghosts(30, y, -1, 0, 1, 5)
    d.ghosts(160, y, -1, 0, 1, 5)
    d.cells(30, y, 0, 1, 2, 1, "global")
    d.outline(30, y, -1, 1, 3, 1, WINDOW)
    d.outline(160, y, -1, 1, 3, 1, WINDOW)
    d.outline(290, y, 1, 0, 1, 1, TILE)
    d.arrow(109, y + 37, 139, y + 37)
    d.text(124, y + 53, "rows", 11, "middle")
    d.arrow(239, y + 37, 284, y + 37)
    d.text(261, y + 53, "columns", 11, "middle")
    return ["Two launches, with 32x8 threads for a tile of 32x32. A thread loads",
            "n values per pixel (L1 cache). Shared memory transposes the tile.",
            "Border: the rule along rows, then along columns of sums."]


def register_tile(d):
    x, y = 26, 31
    d.cells(x, y, 0, -1, 13, 7, "image")
    d.cells(x, y, 0, 1, 12, 4, "global")
    d.cells(x, y, 4, 0, 4, 1, "shared")
    d.cells(x, y, 4, 5, 4, 1, "shared")
    d.cells(x, y, 4, 1, 4, 4, "registers")
    d.outline(x, y, 4, 1, 4, 4, TILE)
    d.outline(x, y, 6, 0, 3, 3, WINDOW)
    for i, text in enumerate(("the thread's 4x4 sums: registers", "sums of the neighbours above",
                              "and below: shared memory", "three words of raw samples", "per row of sums: global, L1")):
        d.text(234, 30 + 15 * i + (4 if i > 0 else 0) + (4 if i > 2 else 0), text, 11)
    return ["A block has 16x8 threads for 64x32 pixels; this is one thread. It sums",
            "along rows, then along columns. Border: the raw tile is loaded into",
            "shared memory first, with the rule once for each row and column."]


def tensor_core(d):
    x, y = 26, 16
    d.corner(x, y, 24, 8)
    d.cells(x, y, 0, 0, 21, 7, "shared")
    d.cells(x, y, 0, 1, 11, 3, "registers")
    d.outline(x, y, -1, -1, 22, 8, INK, "4 3")
    d.outline(x, y, 0, 0, 20, 6, TILE)
    d.outline(x, y, 0, 2, 10, 1, WINDOW)
    for c in (5, 15):
        d.arrow(x + c * CELL, y + 0.3 * CELL, x + c * CELL, y + 2.8 * CELL)
        d.arrow(x + c * CELL, y + 3.3 * CELL, x + c * CELL, y + 5.8 * CELL)
    return ["A block has 2x2 warps for 512 bytes of 32 rows. Asynchronous copies",
            "load tile and halo into shared memory. A warp moves down, keeps rows",
            "in registers and multiplies matrices. Border: the rule once, at loads."]


def tensor_core_two_stages(d):
    x, y, width, height = 26, 4, 140, 32
    for i, (kind, label) in enumerate((("registers", "sums of rows before"), ("shared", "16 current rows"),
                                       ("shared", "16 or 32 being copied"))):
        d.box(x, y + i * (height + 5), width, height, COLORS[kind], INK if i == 2 else "none", 1.2,
              "4 3" if i == 2 else None)
        d.text(x + width / 2, y + i * (height + 5) + 20, label, 11, "middle")
    d.arrow(x - 10, y + 4, x - 10, y + 3 * height + 6)
    middle = y + height + 5 + height / 2
    d.arrow(x + width + 4, middle, 228, middle)
    d.text(198, middle + 16, "rows", 11, "middle")
    d.box(232, middle - 24, 66, 48, COLORS["registers"])
    for i, text in enumerate(("their sums,", "split", "into bytes")):
        d.text(265, middle - 9 + 14 * i, text, 11, "middle")
    d.arrow(302, middle, 346, middle)
    d.text(324, middle + 16, "columns", 11, "middle")
    d.arrow(x + width + 4, y + 14, 346, middle - 12)
    d.box(350, middle - 20, 44, 40, COLORS["image"], TILE, 2.5)
    return ["A block has four warps. Each moves down its part of 128 or 256 bytes.",
            "Two matrix products: along rows, then along columns of these sums,",
            "which stay in registers. Border: the rule once, when rows are staged."]


def ghost_cells(d):
    for row, (kind, targets, label) in enumerate((
            ("global", (0, 0), "replicate: -1 and -2 read pixel 0"),
            ("global", (1, 2), "reflect-101: -1 reads pixel 1, and -2 pixel 2"),
            ("image", (), "constant: nothing is read"))):
        x, y = 50, 16 + row * 50
        d.ghosts(x, y, -2, 0, 2, 1)
        d.cells(x, y, 0, 0, 4, 1, kind)
        for i in range(-2, 4):
            d.text(x + (i + 0.5) * CELL, y + CELL + 12, str(i), 10, "middle")
        for i, target in enumerate(targets):
            d.curve(x - (i + 0.5) * CELL, y, x + (target + 0.5) * CELL, y, 12 + 6 * i)
        d.text(x + 5 * CELL, y + 12, label, 11)
    return ["Ghost cells are not in memory. The border rule maps the index of a",
            "ghost cell to the index of a pixel, which is read instead.",
            "With border=constant the value is a parameter of the launch."]


PANELS = [("direct", direct), ("constant", constant), ("tile-halo", tile_halo), ("tile-cached", tile_cached),
          ("scatter", scatter), ("two-pass", two_pass), ("register-tile", register_tile),
          ("tensor-core, in one stage", tensor_core), ("tensor-core, in two stages", tensor_core_two_stages),
          ("Ghost cells", ghost_cells)]


def legend(d):
    d.text(GAP, 24, "Loads of a block in the upper left corner of the image", 15, bold=True)
    d.text(GAP + 500, 24, "window 3x3, r = 1; tiles are not to scale")
    for i, (kind, label) in enumerate((("image", "image"), ("global", "read from global memory"),
                                       ("shared", "in shared memory"), ("registers", "in registers or constants"))):
        x = GAP + (0, 100, 310, 500)[i]
        d.cells(x, 38, 0, 0, 1, 1, kind)
        d.text(x + CELL + 6, 50, label)
    d.cells(GAP + 690, 38, 0, 0, 1, 1, "sums")
    d.text(GAP + 711, 50, "sums in global")
    d.ghosts(GAP, 62, 0, 0, 1, 1)
    d.text(GAP + 21, 74, "ghost cell")
    for x, color, label in ((110, TILE, "output of a block (register-tile: of a thread)"),
                             (GAP + 430, WINDOW, "input of one result (tensor-core: the current row)")):
        d.box(x + 1, 63, CELL - 2, CELL - 2, "none", color, 2.5)
        d.text(x + CELL + 6, 74, label)


def document():
    rows = -(-len(PANELS) // COLUMNS)
    width = COLUMNS * (PANEL[0] + GAP) + GAP
    height = TOP + rows * (PANEL[1] + GAP)
    d = Drawing()
    d.box(0, 0, width, height, "#ffffff")
    legend(d)
    for i, (title, draw) in enumerate(PANELS):
        d.origin = (GAP + i % COLUMNS * (PANEL[0] + GAP), TOP + i // COLUMNS * (PANEL[1] + GAP))
        d.box(0, 0, *PANEL, "#ffffff", "#c4cbd3")
        d.text(10, 22, title, 14, bold=True)
        d.origin = (d.origin[0], d.origin[1] + DRAWING)
        for n, line in enumerate(draw(d)):
            d.text(10, PANEL[1] - DRAWING - 42 + n * LINE, line, 11.5)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">\n'
            '<!-- Written by scripts/tiles-drawing.py. SPDX-License-Identifier: LGPL-2.1-or-later -->\n'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>\n')
    return head + "\n".join(d.lines) + "\n</svg>\n"


def main():
    text = document()
    if sys.argv[1:] == ["--check"]:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is not current: run scripts/tiles-drawing.py")
    else:
        TARGET.write_text(text, encoding="utf-8")


main()
