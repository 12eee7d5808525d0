# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coverage: whether all kernels on all kinds of formats meet their target. The target is a share of the
copy rate, and no kernel may be slower than a peer or a classic algorithm. cudaconv-bench runs the cases."""

FORMATS = "GRAY8,RGB,RGBA,NV12,I420,YUY2,GRAY16_LE,P010_10LE,ARGB64"
WIDE = ("GRAY16_LE", "P010_10LE", "ARGB64")
SIZES = "3840x2160"
CLASSICS = "two-pass,register-tile,tile-halo,constant,direct"
SIGMAS = "5:1.2,7:1.5,9:2,15:3,31:5,63:10"  # size:sigma of Gaussians
NOISE = 0.95  # of a peer's rate: the resolution of a run

# largest side and number of matrices of a kernel, separable only, target in % of the copy rate for 8 bits, for 16
SHARES = [(3, 2, False, 85, 80), (5, 2, False, 80, 70), (7, 2, True, 80, 60), (15, 2, True, 65, 45),
          (63, 2, True, 35, 25), (9, 2, False, 50, 30), (15, 2, False, 35, 20),
          (3, 8, False, 45, 30)]


def kernels(listed):
    """Returns the measured kernels, given the lists that cudaconv-bench-kernels --list prints."""
    return (listed["kernels"].split(",") + [f"gaussian:{word}" for word in SIGMAS.split(",")]
            + listed["made"].split(","))


def word(name):
    """Returns the KERNEL of a case for the kernel name in a row."""
    kernel, sides, *sigma = name.split(" ")  # sigma: "sigma" and its value
    return ":".join([kernel, sides.split("x", maxsplit=1)[0], *sigma[1:]])


def class_of(row):
    """Returns the index in SHARES of the row's kernel, or the length of SHARES."""
    return next((i for i, (side, matrices, separable, *_) in enumerate(SHARES)
                 if row.get("side", 1) <= side and row.get("matrices", 1) <= matrices
                 and (row.get("separable") or not separable)), len(SHARES))


def target_of(row):
    """Returns the target of a row in % of the copy rate, or 0 if there is none."""
    shares = [*SHARES, (0, 0, False, 0, 0)][class_of(row)][3:]
    return shares[row["format"] in WIDE]


def cells(run):
    """Maps (kernel, format, size) to a tuple: the row of `auto`, its share, its target, the fastest
    row of the others or None, and how many times as fast as that one `auto` is."""
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
        found[where] = (own, 100 * named["copy"]["us"] / own["us"], target_of(own), rival,
                        rival and rival["us"] / own["us"])
    return found


def judge(run):
    """Returns one or two verdicts for each cell. The second one compares with the fastest peer."""
    verdicts = []
    for (kernel, format_, size), (_, share, target, rival, times) in cells(run).items():
        where = f"{format_} {size} {kernel}"
        verdicts.append({"claim": f"{where}, % of the copy rate", "measured": share,
                         "at_least": target, "met": share >= target})
        if rival:
            verdicts.append({"claim": f"{where}, times as fast as {rival['algorithm']}",
                             "measured": times, "at_least": NOISE, "met": times >= NOISE})
    return verdicts


def rounded(share, target):
    """Returns a share as text, with enough digits to differ from the target."""
    texts = [f"{share:.{digits}f}" for digits in range(3)]
    return next((text for text in texts if float(text) != target), texts[-1])


def cell_text(cell):
    _, share, target, rival, times = cell
    text = rounded(share, target)
    text = text if share >= target else f"**{text}** of {target}"
    return text + (f", {rival['algorithm']} {1 / times:.1f}x" if rival and times < NOISE else "")


def rows_of_table(run):
    """Returns the head and the rows of a table: a row for each kernel, a column for each format. A cell
    shows the worst of the measured sizes."""
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
    """Returns the head and the rows of a table. Each class of kernels has a row with its target, the number
    of cells that meet it, and the kernels with a cell that misses it."""
    rows, found = [], cells(run)
    for index, (side, matrices, separable, *shares) in enumerate(SHARES):
        here = {where: cell for where, cell in found.items() if class_of(cell[0]) == index}
        missed = [where for where, cell in here.items() if cell[1] < cell[2]]
        name = f"{'separable, ' if separable else ''}to {side}x{side}, {matrices} matrices"
        rows.append([name, "/".join(map(str, shares)), f"{len(here) - len(missed)} of {len(here)}",
                     ", ".join(dict.fromkeys(kernel for kernel, *_ in missed))])
    slower = [where for where, cell in found.items() if cell[3] and cell[4] < NOISE]
    rows.append(["as fast as NPP, CV-CUDA and the classics", f"{NOISE}x",
                 f"{len(found) - len(slower)} of {len(found)}",
                 ", ".join(dict.fromkeys(kernel for kernel, *_ in slower))])
    without_target = sum(class_of(cell[0]) == len(SHARES) for cell in found.values())
    if without_target:
        rows.append(["others", "none", f"{without_target}", ""])
    head = ["kernels", "target, 8/16 bits", "cells that meet it", "kernels with a cell that misses it"]
    return head, rows
