#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests examples/viewer.c in a window of a private X server: what it shows, its line, its keys, its help and its errors.

    tests/examples/test-viewer.py [VIEWER]

Exits with 77 without VIEWER, or if Xvfb or xdotool is not installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

if len(sys.argv) < 2:
    print("GTK 3 is not installed")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "app"))
import playing  # noqa: E402
from playing import act  # noqa: E402

SCREEN = WIDTH, HEIGHT = 800, 760  # the size of the window
# White, yellow, cyan, green, magenta, red and blue bars, as wide as the window
SOURCE = f"videotestsrc is-live=true pattern=smpte100 ! video/x-raw,width={WIDTH},height=300,framerate=30/1"
ROW = 240  # a row of the video, which is in the middle of its widget
IN_YELLOW, IN_BLUE = 150, 780
RIGHT = range(WIDTH // 2 + 5, WIDTH)  # with three ends of bars, right of the line in the middle
WHITE, YELLOW, BLUE, DARK_BLUE, BLACK = (255, 255, 255), (255, 255, 0), (0, 0, 255), (0, 0, 128), (0, 0, 0)
CURVE = bytes((51, 204, 102))  # its color
# Presses of the key Tab from the first control to a control
TABS = {"kernel": 0, "response": 1, "low": 2, "high": 3, "sigma": 4, "threshold": 5}

for tool in ("Xvfb", "xdotool"):
    if not shutil.which(tool):
        print(f"{tool} is not installed")
        sys.exit(77)


def look():
    """The rows of the screen: lists of red, green and blue."""
    data = playing.read_screen(folder)
    return [data[3 * WIDTH * y:3 * WIDTH * (y + 1)] for y in range(HEIGHT)]


def shows(rows, x, color):
    """Whether a pixel in the row of the video has a color. Conversions round."""
    return all(abs(a - b) <= 8 for a, b in zip(rows[ROW][3 * x:3 * x + 3], color))


def count(rows, color, columns):
    """The number of pixels of a color in a row of the video."""
    return sum(shows(rows, x, color) for x in columns)


def wait_for(what, holds):
    """Waits until a condition holds for the screen. Returns its rows."""
    end = time.monotonic() + playing.TIMEOUT
    while not holds(rows := look()):
        if time.monotonic() > end:
            sys.exit(f"the window does not show {what}")
    return rows


class Viewer:
    def __init__(self, *properties):
        self.process = subprocess.Popen([playing.PROGRAM, SOURCE, *properties])

    def __enter__(self):
        wait_for("the video", lambda rows: shows(rows, 10, WHITE))
        act("mousemove", WIDTH // 2, HEIGHT - 1)  # over the window, so that it gets the keys
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @staticmethod
    def press(control, key):
        """Presses a key in a control, and returns to the first control."""
        tabs = TABS[control]
        act(*["key", "Tab"] * tabs, "key", key, *["key", "shift+Tab"] * tabs)


def check_canny():
    """The source is left of the line, and edges are right of it. The mouse moves the line, and keys move the thresholds."""
    with Viewer("response=canny") as viewer:
        rows = wait_for("edges", lambda rows: 0 < count(rows, WHITE, RIGHT) < 4)
        assert shows(rows, WIDTH // 2, WHITE), "there is no line in the middle"
        assert shows(rows, IN_YELLOW, YELLOW), "the left half is not the source"
        assert count(rows, BLACK, RIGHT) > 0.9 * len(RIGHT), "the right half is not black"
        wait_for("the curve", lambda rows: b"".join(rows).count(CURVE) > 20)

        viewer.press("high", "End")
        wait_for("no edges above high", lambda rows: count(rows, WHITE, RIGHT) == 0)
        viewer.press("high", "Home")
        viewer.press("low", "Home")
        wait_for("all edges", lambda rows: count(rows, WHITE, RIGHT) == 3)

        act("mousemove", 100, ROW, "mousedown", 1)
        wait_for("the line left", lambda rows: shows(rows, 100, WHITE) and shows(rows, IN_YELLOW, BLACK))
        act("mousemove", 790, ROW, "mouseup", 1)
        wait_for("the line right", lambda rows: shows(rows, 790, WHITE) and shows(rows, IN_BLUE, BLUE))


def check_large_threshold():
    """Sobel of 7x7 has large gradients. The slider reaches the threshold of the line and more."""
    with Viewer("size=7 response=canny low=0 high=45000") as viewer:
        wait_for("the strongest edge", lambda rows: count(rows, WHITE, RIGHT) == 1)
        viewer.press("high", "End")
        wait_for("no edge above 90000", lambda rows: count(rows, WHITE, RIGHT) == 0)


def check_largest_value():
    """A slider ends where its property does."""
    with Viewer("kernel=identity scale=0.8 threshold=0.6") as viewer:
        wait_for("the colors", lambda rows: shows(rows, IN_BLUE, BLUE))
        viewer.press("threshold", "End")
        wait_for("black right of the line", lambda rows: shows(rows, IN_BLUE, BLACK))


def check_controls():
    """The lists and the other sliders."""
    with Viewer("kernel=identity scale=0.5") as viewer:
        wait_for("the source at half its brightness", lambda rows: count(rows, DARK_BLUE, RIGHT) > 110)
        viewer.press("threshold", "End")
        wait_for("black right of the line", lambda rows: shows(rows, IN_BLUE, BLACK))
        viewer.press("threshold", "Home")
        viewer.press("kernel", "Down")
        viewer.press("kernel", "Down")  # gaussian
        viewer.press("sigma", "End")
        wait_for("a blur", lambda rows: 50 < count(rows, DARK_BLUE, RIGHT) < 108)
        viewer.press("response", "End")  # canny-l1, which gaussian refuses
        wait_for("the reason of a refusal", lambda rows: len(set(b"".join(rows[-25:]))) > 50)


def check_default():
    """Without properties the edges are a fifth as bright as sobel makes them."""
    with Viewer():
        wait_for("dark edges", lambda rows: 10 < max(rows[ROW][3 * RIGHT.start:]) < 120)


def check_texts():
    """The help, and the texts of errors. Only those of wrong arguments come with the usage."""
    for status, arguments, text, has_usage in (
            (0, ["--help"], "SOURCE is the beginning of a gst-launch line", True),
            (1, ["nonsense"], "nonsense", True),
            (1, [SOURCE, "nonsense=1"], "nonsense", True),
            (1, [SOURCE, "kernel=box", "size=3"], "too many arguments", True),
            (1, ["--nonsense"], "--nonsense", True),
            (1, ["filesrc location=/nowhere ! decodebin"], "/nowhere", False)):
        done = subprocess.run([playing.PROGRAM, *arguments], text=True, timeout=playing.TIMEOUT, check=False, capture_output=True)
        output = done.stdout + done.stderr
        assert done.returncode == status and text in output, f"{arguments}: {done.returncode}, {output}"
        assert has_usage == ("[SOURCE [PROPERTIES]]" in output), f"{arguments}: {output}"


with tempfile.TemporaryDirectory() as folder:
    os.environ.update(XDG_RUNTIME_DIR=folder, HOME=folder, GDK_BACKEND="x11", NO_AT_BRIDGE="1", GTK_THEME="Adwaita")
    os.environ.pop("WAYLAND_DISPLAY", None)
    server = playing.start_server(*SCREEN)
    try:
        check_canny()
        check_large_threshold()
        check_largest_value()
        check_controls()
        check_default()
        check_texts()
    finally:
        server.terminate()
        server.wait()
