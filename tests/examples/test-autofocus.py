#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests examples/autofocus.py: it finds positions in the middle and at the ends of the range, and refuses others; it names what is missing.
It stops its pipeline if the camera ends.

    tests/examples/test-autofocus.py
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "autofocus.py"
DEPTH_OF_FIELD = 0.2  # Gaussians with a smaller sigma than twice this change no pixel


def run(*arguments, env=None, example=EXAMPLE):
    return subprocess.run([sys.executable, example, *arguments], env=env, text=True, timeout=60, check=False, capture_output=True)


for focus in 6.3, 0, 10, 3.9:
    done = run("--focus", str(focus))
    text = done.stdout + done.stderr
    assert done.returncode == 0 and "CRITICAL" not in text, text
    figures = {float(position): float(figure) for position, figure in re.findall(r"^ +([0-9.]+), +([0-9.]+)$", text, re.MULTILINE)}
    found = float(re.search(r"^sharpest at ([0-9.]+)$", text, re.MULTILINE)[1])
    assert abs(found - focus) <= DEPTH_OF_FIELD, text
    assert 10 <= len(figures) <= 25 and figures[found] == max(figures.values()), text
    # Figures fall with the distance from the focus, until nothing is left of the squares.
    near = sorted((position for position in figures if figures[position] > 1), key=lambda position: abs(position - focus))
    assert len(near) > 5, text
    assert all(figures[a] >= figures[b] for a, b in zip(near, near[1:])), text

for focus in "11", "-1", "nan":
    done = run("--focus", focus)
    assert done.returncode == 2 and f"--focus is {focus}, but the lens moves from 0 to 10" in done.stderr, done.stderr

done = run(env=os.environ | {"GST_PLUGIN_PATH": "/nowhere", "GST_REGISTRY": os.environ["GST_REGISTRY"] + ".none"})
assert done.returncode == 1 and 'no element "cudaconv"' in done.stderr and "Traceback" not in done.stderr, done.stderr

with tempfile.TemporaryDirectory() as folder:  # a camera that ends
    ended = pathlib.Path(folder, "autofocus.py")
    ended.write_text(EXAMPLE.read_text().replace("is-live=true", "is-live=true num-buffers=3").replace("5 * Gst.SECOND", "Gst.SECOND"))
    done = run(example=ended)
assert done.returncode == 1 and done.stderr == "no frame for five seconds\n", done.stderr
