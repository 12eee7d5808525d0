#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that cudaconv-scene renders an image and a video, and refuses wrong options.

usage: test-scene.py PROGRAM
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
SMALL = ["--width", "64", "--height", "48"]
REFUSED = [
    ([], "Expected one OUT"),
    (["a.png", "b.png"], "Expected one OUT"),
    (["a.gif"], "a.gif: must end in .mp4 for a video or .png for an image"),
    (["a.png", "--width=15"], "--width=15: must be a number from 16 to 4096"),
    (["a.mp4", "--height=17"], "--height=17: must be an even number from 16 to 4096"),
    (["a.mp4", "--time=1"], "--time=1: only for images"),
    (["a.png", "--seconds=1"], "--seconds=1: only for videos"),
    (["a.png", "--time=-1"], "--time=-1: must be a number from 0 to 86400"),
    (["a.png", "--time=nan"], "--time=nan: must be a number"),
    (["a.mp4", "--seconds=61"], "--seconds=61: must be a number from 0.1 to 60"),
    (["none/a.mp4"] + SMALL, "none/a.mp4"),
]


def run(program, words, folder):
    return subprocess.run([program, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120)


def rendered(program, words, folder):
    """Runs the program and returns the bytes of its output, which is the first of the words."""
    done = run(program, words, folder)
    if "GStreamer has no" in done.stdout:
        print(done.stdout)
        sys.exit(SKIPPED)
    assert done.returncode == 0, f"{words}: {done.stdout}"
    return (pathlib.Path(folder) / words[0]).read_bytes()


def check_refusals(program, folder):
    for words, text in REFUSED:
        done = run(program, words, folder)
        assert done.returncode == 1 and text in done.stdout, f"{words}: {done.stdout}"
    assert not list(pathlib.Path(folder).iterdir()), "a refused option left a file"


def check_image(program, folder):
    first = rendered(program, ["image.png"] + SMALL, folder)
    assert first[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", first[16:24]) == (64, 48)
    later = rendered(program, ["image.png", "--time", "2.5"] + SMALL, folder)
    again = rendered(program, ["image.png", "--time", "7.5"] + SMALL, folder)
    assert later != first and later == again, "the animation does not repeat after five seconds"


def check_video(program, folder):
    words = ["video.mp4", "--seconds", "0.5"] + SMALL
    first, second = rendered(program, words, folder), rendered(program, words, folder)
    assert first == second, "the same video has other bytes"
    assert b"avc1" in first and b"mp4a" in first, "video or audio is missing"


def check_full_disk(program, folder):
    """The program ends even if its frames are no longer written."""
    for name in ("full.mp4", "full.png"):
        (pathlib.Path(folder) / f"{name}.part").symlink_to("/dev/full")
        done = run(program, [name] + SMALL, folder)
        assert done.returncode == 1 and "No space left" in done.stdout, f"{name}: {done.stdout}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(program, folder)
        check_image(program, folder)
        check_video(program, folder)
        check_full_disk(program, folder)
        left = sorted(path.name for path in pathlib.Path(folder).iterdir())
        assert left == ["image.png", "video.mp4"], left


main()
