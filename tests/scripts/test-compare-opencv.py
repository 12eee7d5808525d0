#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs scripts/compare-opencv.py on a generated clip and on wrong input.

    tests/scripts/test-compare-opencv.py BUILD

Exits with 77 if opencv-python is not installed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "compare-opencv.py"
BUILD = sys.argv[1]
FRAMES, WIDTH, HEIGHT = 25, 162, 90  # rows of the raw frames have padding

try:
    import cv2
    import numpy
except ImportError as missing:
    print(missing)
    sys.exit(77)


def make_clip(path):
    generator = numpy.random.default_rng(14)
    video = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 25, (WIDTH, HEIGHT))
    assert video.isOpened()
    for n in range(FRAMES):
        frame = generator.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=numpy.uint8)
        cv2.rectangle(frame, (5 * n, 10), (5 * n + 40, 60), (250, 200, 30), -1)
        video.write(frame)
    video.release()


failed = 0


def expect(status, text, *arguments, env=None):
    """Runs the script, and checks its exit status and a part of its output."""
    global failed
    done = subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != status or text not in done.stdout or "Traceback" in done.stdout:
        print(f"{' '.join(map(str, arguments))}: exits with {done.returncode}, not {status} and \"{text}\":\n{done.stdout}")
        failed += 1


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    clip, text, wrong = folder / "clip.avi", folder / "clip.txt", folder / "wrong"
    make_clip(clip)
    text.write_text("no video")
    build = ("--build", BUILD)

    same = f"0 of {FRAMES} frames of {WIDTH}x{HEIGHT} differ, 0 of {FRAMES * WIDTH * HEIGHT} pixels, by 0 at most"
    for kernel, size in (("sobel", 3), ("sobel", 7), ("sobel-x", 3), ("sobel-y", 5), ("scharr", 3), ("laplacian", 3),
                         ("gaussian", 5), ("box", 9), ("canny", 3), ("canny", 5), ("canny-l1", 7)):
        expect(0, f"{kernel}, {size}x{size}, OpenCV {cv2.__version__}: {same}", *build, clip, f"--kernel={kernel}",
               f"--size={size}")
    expect(0, f"sobel, 3x3, OpenCV {cv2.__version__}: {same}", *build, clip)
    expect(0, "0 of 3 frames", *build, clip, "--frames=3", "--backend=cpu")
    # OpenCV has other coefficients here, so the comparison finds differences
    expect(1, f"{FRAMES} of {FRAMES} frames", *build, clip, "--kernel=gaussian", "--size=9")

    expect(2, "there is no such file", *build, folder / "nothing.avi")
    expect(2, "OpenCV cannot decode it", *build, text)
    expect(2, "has no plugin/libgstcudaconv.so", clip, "--build", folder)
    expect(2, "invalid choice: 'median'", *build, clip, "--kernel=median")
    expect(2, "--size=4: sobel has 3, 5, 7", *build, clip, "--size=4")
    expect(2, "--frames=0: the number has to be 1 or more", *build, clip, "--frames=0")
    expect(0, "usage:", "--help")

    wrong.mkdir()
    (wrong / "cv2.py").write_text("raise ImportError('No module named cv2')")
    expect(2, "pip install opencv-python-headless numpy", *build, clip,
           env=dict(os.environ, PYTHONPATH=str(wrong)))
    expect(2, "gst-launch-1.0 is missing", *build, clip, env=dict(os.environ, PATH=str(wrong)))

sys.exit(1 if failed else 0)
