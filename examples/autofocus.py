#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Focuses a simulated lens by the figures that cudaconv measures.

The lens is a cudaconv that blurs. Its sigma grows with the distance of the lens from its best position. A second cudaconv measures how
sharp each frame is, with the mean square of Sobel's gradient (Tenengrad). The search knows only this figure. For a real camera,
put its source in place of videotestsrc, leave out the lens, and let `figure` drive the motor.
"""

import argparse
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

FIRST, LAST, COARSE, FINE = 0, 10, 2, 0.1  # the range of the lens, and the largest and the smallest step of the search
BLUR, SHARPEST = 2, 0.1  # sigma of a lens at a distance of 1, and of a lens in focus
PIPELINE = ("videotestsrc is-live=true pattern=checkers-8 ! video/x-raw,format=GRAY8,framerate=30/1 ! cudaconv name=lens kernel=gaussian ! "
            "cudaconv kernel=sobel scale=0.2 measure=sums measure-interval=0 ! fakesink")


def figure(pipeline, distance):
    """Moves the lens to a distance from the focus. Returns the figure of the first frame that is captured afterwards."""
    pipeline.get_by_name("lens").set_property("sigma", max(BLUR * abs(distance), SHARPEST))
    moved = pipeline.get_current_running_time()
    while True:
        message = pipeline.get_bus().timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
        if not message or message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message if message else "no frame for five seconds")
        measured = message.get_structure()
        if measured.get_name() == "cudaconv-measure" and measured.get_uint64("running-time").value >= moved:
            return measured.get_double("mean-square").value


def search(look):
    """Looks at positions far apart, and then on both sides of the best one at half the distance, until the distance is small.
    Near the best position, figures are equal within the depth of field."""
    found, step, positions = {}, COARSE, range(FIRST, LAST + 1, COARSE)
    print("position, mean-square")
    while True:
        for position in positions:
            if FIRST <= position <= LAST:
                found[position] = look(position)
                print(f"{position:8.3f}, {found[position]:11.2f}", flush=True)
        best = max(found, key=found.get)
        if step <= FINE:
            return best
        step /= 2
        positions = best - step, best + step


parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
parser.add_argument("--focus", type=float, default=6.3,
                    help=f"the best position, {FIRST} to {LAST}; the search does not know it (default: %(default)s)")
focus = parser.parse_args().focus
if not FIRST <= focus <= LAST:
    parser.error(f"--focus is {focus:g}, but the lens moves from {FIRST} to {LAST}")
Gst.init(None)
try:
    camera = Gst.parse_launch(PIPELINE)
except GLib.Error as error:
    sys.exit(error.message)
camera.set_state(Gst.State.PLAYING)
try:
    print(f"sharpest at {search(lambda position: figure(camera, position - focus)):.3f}")
finally:
    camera.set_state(Gst.State.NULL)
