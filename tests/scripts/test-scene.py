#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has cudaconv-scene, which the argument names, render a picture and a film, and refuse what it cannot do."""

import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
SMALL = ["--width", "64", "--height", "48"]
REFUSED = [
    ([], "One OUT is wanted"),
    (["a.png", "b.png"], "One OUT is wanted"),
    (["a.gif"], "a.gif: wants a name that ends in .mp4, a film, or .png, a picture"),
    (["a.png", "--width=15"], "--width=15: wants a number from 16 to 4096"),
    (["a.mp4", "--height=17"], "--height=17: wants an even number from 16 to 4096"),
    (["a.mp4", "--time=1"], "--time=1: is for pictures"),
    (["a.png", "--seconds=1"], "--seconds=1: is for films"),
    (["a.png", "--time=-1"], "--time=-1: wants a number from 0 to 86400"),
    (["a.png", "--time=nan"], "--time=nan: wants a number"),
    (["a.mp4", "--seconds=61"], "--seconds=61: wants a number from 0.1 to 60"),
    (["none/a.mp4"] + SMALL, "none/a.mp4"),
]


def run(program, words, folder):
    return subprocess.run([program, *words], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120)


def made(program, words, folder):
    """The bytes of the file that is the first of the words."""
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
    assert not list(pathlib.Path(folder).iterdir()), "something is left of what was refused"


def check_picture(program, folder):
    first = made(program, ["picture.png"] + SMALL, folder)
    assert first[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", first[16:24]) == (64, 48)
    later = made(program, ["picture.png", "--time", "2.5"] + SMALL, folder)
    again = made(program, ["picture.png", "--time", "7.5"] + SMALL, folder)
    assert later != first and later == again, "it moves, and begins again after five seconds"


def check_film(program, folder):
    words = ["film.mp4", "--seconds", "0.5"] + SMALL
    first, second = made(program, words, folder), made(program, words, folder)
    assert first == second, "the same film has other bytes"
    assert b"avc1" in first and b"mp4a" in first, "a film has pictures and sound"


def check_full_disk(program, folder):
    """Frames that nobody takes any more must not keep the program."""
    for name in ("full.mp4", "full.png"):
        (pathlib.Path(folder) / f"{name}.part").symlink_to("/dev/full")
        done = run(program, [name] + SMALL, folder)
        assert done.returncode == 1 and "No space left" in done.stdout, f"{name}: {done.stdout}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        check_refusals(program, folder)
        check_picture(program, folder)
        check_film(program, folder)
        check_full_disk(program, folder)
        left = sorted(path.name for path in pathlib.Path(folder).iterdir())
        assert left == ["film.mp4", "picture.png"], left


main()
