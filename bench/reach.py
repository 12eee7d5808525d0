# SPDX-License-Identifier: LGPL-2.1-or-later
"""All kernels on all kinds of formats, beside what they are to reach: a share of the copy rate, and
nothing slower than a peer or a classic algorithm. cudaconv-bench runs the cases."""

FORMATS = "GRAY8,RGB,RGBA,NV12,I420,YUY2,GRAY16_LE,P010_10LE,ARGB64"
WIDE = ("GRAY16_LE", "P010_10LE", "ARGB64")
SIZES = "3840x2160"
CLASSICS = "two-pass,register-tile,tile-halo,constant,direct"
SIGMAS = "5:1.2,7:1.5,9:2,15:3,31:5,63:10"  # of Gaussians
NOISE = 0.95  # of a peer's rate: a run cannot show less

# what a kernel has at most, side and matrices; only separable ones; % of the copy rate of 8 bits,
# of 16
SHARES = [(3, 2, False, 85, 80), (5, 2, False, 80, 70), (7, 2, True, 80, 60), (15, 2, True, 65, 45),
          (63, 2, True, 35, 25), (9, 2, False, 50, 30), (15, 2, False, 35, 20),
          (3, 8, False, 45, 30)]


def kernels(listed):
    """The kernels that are measured."""
    return (listed["kernels"].split(",") + [f"gaussian:{word}" for word in SIGMAS.split(",")]
            + listed["made"].split(","))


def word(name):
    """How the kernel is written that rows name like this."""
    kernel, sides, *sigma = name.split(" ")  # of which the first says "sigma"
    return ":".join([kernel, sides.split("x", maxsplit=1)[0], *sigma[1:]])


def class_of(row):
    """Which of SHARES the row's kernel is of."""
    return next((i for i, (side, matrices, separable, *_) in enumerate(SHARES)
                 if row.get("side", 1) <= side and row.get("matrices", 1) <= matrices
                 and (row.get("separable") or not separable)), len(SHARES))


def wanted_of(row):
    """The share of the copy rate that a row is to reach; 0: nobody has said."""
    shares = [*SHARES, (0, 0, False, 0, 0)][class_of(row)][3:]
    return shares[row["format"] in WIDE]


def cells(run):
    """(kernel, format, size) to the row that `auto` gave, its share, what is wanted, the fastest of
    the others, or None, and how many times as fast as that it is."""
    rows = {}
    for row in run["results"]:
        size = f"{row['width']}x{row['height']}"
        rows.setdefault((row["kernel"], row["format"], size), {})[row["algorithm"]] = row
    found = {}
    for where, named in rows.items():
        own = next((row for name, row in named.items() if name.startswith("auto")), None)
        if not own or "copy" not in named:
            continue
        rivals = [row for name, row in named.items() if name != "copy" and name not in own["algorithm"]]
        rival = min(rivals, key=lambda row: row["us"], default=None)
        found[where] = (own, 100 * named["copy"]["us"] / own["us"], wanted_of(own), rival,
                        rival and rival["us"] / own["us"])
    return found


def judge(run):
    """Two verdicts for each cell, of which the second needs a peer that was measured."""
    verdicts = []
    for (kernel, format_, size), (_, share, wanted, rival, times) in cells(run).items():
        where = f"{format_} {size} {kernel}"
        verdicts.append({"claim": f"{where}, % of the copy rate", "measured": share,
                         "at_least": wanted, "met": share >= wanted})
        if rival:
            verdicts.append({"claim": f"{where}, times as fast as {rival['algorithm']}",
                             "measured": times, "at_least": NOISE, "met": times >= NOISE})
    return verdicts


def rounded(share, wanted):
    """A share as text, with enough digits to differ from the share that is wanted."""
    texts = [f"{share:.{digits}f}" for digits in range(3)]
    return next((text for text in texts if float(text) != wanted), texts[-1])


def cell_text(cell):
    _, share, wanted, rival, times = cell
    text = rounded(share, wanted)
    text = text if share >= wanted else f"**{text}** of {wanted}"
    return text + (f", {rival['algorithm']} {1 / times:.1f}x" if rival and times < NOISE else "")


def rows_of_table(run):
    """The head and the rows: kernels down, formats across; in one of several sizes the worst."""
    found, formats = cells(run), FORMATS.split(",")
    rows = []
    for kernel in dict.fromkeys(kernel for kernel, *_ in found):
        line = []
        for format_ in formats:
            here = [cell for (k, f, _), cell in found.items() if (k, f) == (kernel, format_)]
            worst = min(here, key=lambda cell: (cell[1] - cell[2], cell[4] or 1), default=None)
            line.append(cell_text(worst) if worst else "")
        rows.append([kernel, *line])
    return ["", *formats], rows


def summary(run):
    """A row for each class of kernels: what is wanted, how many cells meet it, and which kernels
    have one that does not."""
    rows, found = [], cells(run)
    for index, (side, matrices, separable, *shares) in enumerate(SHARES):
        here = {where: cell for where, cell in found.items() if class_of(cell[0]) == index}
        missed = [where for where, cell in here.items() if cell[1] < cell[2]]
        what = f"{'separable, ' if separable else ''}to {side}x{side}, {matrices} matrices"
        rows.append([what, "/".join(map(str, shares)), f"{len(here) - len(missed)} of {len(here)}",
                     ", ".join(dict.fromkeys(kernel for kernel, *_ in missed))])
    slower = [where for where, cell in found.items() if cell[3] and cell[4] < NOISE]
    rows.append(["as fast as NPP, CV-CUDA and the classics", f"{NOISE}x",
                 f"{len(found) - len(slower)} of {len(found)}",
                 ", ".join(dict.fromkeys(kernel for kernel, *_ in slower))])
    unasked = sum(class_of(cell[0]) == len(SHARES) for cell in found.values())
    if unasked:
        rows.append(["others", "nothing", f"{unasked}", ""])
    head = ["kernels", "wanted, 8/16 bits", "cells that meet it", "kernels that miss it somewhere"]
    return head, rows
