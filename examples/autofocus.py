#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Focuses a simulated lens by the figures that cudaconv measures.

The lens is a cudaconv that blurs, the more the farther it is from the focus. A second cudaconv measures the mean square of
Sobel's gradient. For a real camera, put its source in place of videotestsrc, leave out the lens, and let `look` drive the motor.
"""

import argparse
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

FIRST, LAST, STEPS = 0, 10, (2, 1, 0.5, 0.25, 0.125, 0.0625)  # the range of the lens, and the steps of the search
PIPELINE = ("videotestsrc is-live=true pattern=checkers-8 ! video/x-raw,format=GRAY8,framerate=30/1 ! cudaconv name=lens kernel=gaussian ! "
            "cudaconv kernel=sobel scale=0.2 measure=sums measure-interval=0 ! fakesink")


def look(camera, position, focus):
    """Moves the lens to a position. Returns the figure of the first frame that is captured afterwards."""
    camera.get_by_name("lens").set_property("sigma", max(2 * abs(position - focus), 0.1))
    moved = camera.get_current_running_time()
    while True:
        message = camera.get_bus().timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
        if not message or message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message if message else "no frame for five seconds")
        measured = message.get_structure()
        if measured.get_name() == "cudaconv-measure" and measured.get_uint64("running-time").value >= moved:
            print(f"{position:8.3f}, {measured.get_double('mean-square').value:11.2f}", flush=True)
            return measured.get_double("mean-square").value


def search(camera, focus):
    """Looks at positions far apart, and then on both sides of the best one, step by step."""
    print("position, mean-square")
    figures = {position: look(camera, position, focus) for position in range(FIRST, LAST + 1, STEPS[0])}
    for step in STEPS[1:]:
        best = max(figures, key=figures.get)
        for position in max(best - step, FIRST), min(best + step, LAST):
            figures[position] = look(camera, position, focus)
    return max(figures, key=figures.get)


parser = argparse.ArgumentParser(description="Focuses a simulated lens by the figures that cudaconv measures.")
parser.add_argument("--focus", type=float, default=6.3, help="the best position; default: %(default)s")
best_position = parser.parse_args().focus
if not FIRST <= best_position <= LAST:
    parser.error(f"--focus is {best_position:g}, but the lens moves from {FIRST} to {LAST}")
Gst.init(None)
try:
    pipeline = Gst.parse_launch(PIPELINE)
except GLib.Error as error:
    sys.exit(error.message)
pipeline.set_state(Gst.State.PLAYING)
try:
    print(f"sharpest at {search(pipeline, best_position):.3f}")
finally:
    pipeline.set_state(Gst.State.NULL)
