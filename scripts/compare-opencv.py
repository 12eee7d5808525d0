#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters the frames of a video with cudaconv and with OpenCV, and counts the pixels that differ.

OpenCV decodes the video, and both filter the same grey frames. The exit status is 0 if all pixels are equal, 1 if some
differ, and 2 after an error.
"""

import argparse
import pathlib
import queue
import sys
import threading

import gstfilter

try:
    import cv2
    import numpy
except ImportError as missing:
    cv2, LACKING = None, missing

AHEAD = 16  # frames that wait for the comparison, more than the element has in flight
REPLICATE = {"borderType": cv2.BORDER_REPLICATE} if cv2 else {}


def derivative(frame, x, y, size):
    return cv2.Sobel(frame, cv2.CV_32F, x, y, ksize=size, **REPLICATE)


def scharr(frame, x, y):
    return cv2.Scharr(frame, cv2.CV_32F, x, y, **REPLICATE)


def sobel(frame, size):
    return cv2.convertScaleAbs(cv2.magnitude(derivative(frame, 1, 0, size), derivative(frame, 0, 1, size)))


def thresholds(size):
    """Canny's low and high. Larger kernels of sobel have larger gradients."""
    factor = {3: 1, 5: 8, 7: 100}[size]
    return 100 * factor, 200 * factor


def canny(frame, size, is_l2):
    return cv2.Canny(frame, *thresholds(size), apertureSize=size, L2gradient=is_l2)


def properties_of(kernel, size):
    if kernel not in ("canny", "canny-l1"):
        return [f"kernel={kernel}", f"size={size}"]
    low, high = thresholds(size)
    return ["kernel=sobel", f"size={size}", f"response={kernel}", f"low={low}", f"high={high}"]


ODD = tuple(range(3, 17, 2))

# Kernel of cudaconv to its sizes and the same filter in OpenCV. Two names are responses of sobel.
KERNELS = {
    "sobel": ((3, 5, 7), sobel),
    "sobel-x": ((3, 5, 7), lambda frame, size: cv2.convertScaleAbs(derivative(frame, 1, 0, size))),
    "sobel-y": ((3, 5, 7), lambda frame, size: cv2.convertScaleAbs(derivative(frame, 0, 1, size))),
    "scharr": ((3,), lambda frame, size: cv2.convertScaleAbs(cv2.magnitude(scharr(frame, 1, 0), scharr(frame, 0, 1)))),
    "canny": ((3, 5, 7), lambda frame, size: canny(frame, size, True)),
    "canny-l1": ((3, 5, 7), lambda frame, size: canny(frame, size, False)),
    "laplacian": ((3,), lambda frame, size: cv2.convertScaleAbs(cv2.Laplacian(frame, cv2.CV_16S, **REPLICATE))),
    "gaussian": (ODD, lambda frame, size: cv2.GaussianBlur(frame, (size, size), 0, **REPLICATE)),
    "box": (ODD, lambda frame, size: cv2.blur(frame, (size, size), **REPLICATE)),
}


def frames_of(path, maximum):
    """Yields the frames of a video in grey."""
    if not pathlib.Path(path).is_file():
        raise gstfilter.Failed(f"{path}: there is no such file")
    video = cv2.VideoCapture(path)
    n = 0
    while maximum is None or n < maximum:
        ok, frame = video.read()
        if not ok:
            break
        n += 1
        yield cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) if frame.ndim == 3 else frame
    if n == 0:
        raise gstfilter.Failed(f"{path}: OpenCV cannot decode it")


class Filter:
    """A process with cudaconv, which takes frames and returns them filtered, in order."""

    def __init__(self, build, properties, height, width):
        self.height, self.width, self.row = height, width, gstfilter.row_bytes(width)
        self.properties = properties
        self.process = gstfilter.start(build, properties, width, height)
        self.errors = b""
        self.reader = threading.Thread(target=self.read_errors, daemon=True)
        self.reader.start()

    def read_errors(self):
        self.errors = self.process.stderr.read()

    def write(self, frame):
        padded = numpy.zeros((self.height, self.row), numpy.uint8)
        padded[:, :self.width] = frame
        self.process.stdin.write(padded.tobytes())
        self.process.stdin.flush()

    def read(self):
        data = self.process.stdout.read(self.height * self.row)
        if len(data) != self.height * self.row:
            self.fail("it ended early")
        return numpy.frombuffer(data, numpy.uint8).reshape(self.height, self.row)[:, :self.width]

    def end(self):
        """Call after all frames were written and read."""
        if self.process.stdout.read() or self.process.wait() != 0:
            self.fail("the output has more frames than the input")

    def fail(self, default):
        self.reader.join(timeout=10)
        errors = self.errors.decode(errors="replace").strip()
        raise gstfilter.Failed(f"cudaconv {' '.join(self.properties)}: {errors or default}")


class Tally:
    """Counts of compared frames and pixels."""

    def __init__(self):
        self.frames = self.frames_that_differ = self.pixels = self.pixels_that_differ = self.largest = 0

    def add(self, ours, theirs):
        difference = cv2.absdiff(ours, theirs)
        n = int(numpy.count_nonzero(difference))
        self.frames += 1
        self.frames_that_differ += n > 0
        self.pixels += difference.size
        self.pixels_that_differ += n
        self.largest = max(self.largest, int(difference.max()))


def feed(frames, ours, waiting):
    """Writes all frames to cudaconv and puts them into the queue `waiting`. Puts an error, or None at the end."""
    try:
        for frame in frames:
            if frame.shape != (ours.height, ours.width):
                raise gstfilter.Failed("the size of the video changes")
            waiting.put(frame)
            ours.write(frame)
        ours.process.stdin.close()
        waiting.put(None)
    except BrokenPipeError:
        pass  # compare() reports the reason
    except gstfilter.Failed as error:
        waiting.put(error)


def compare(frames, ours, theirs):
    """Compares frame by frame. A thread writes frames ahead, because the element keeps some in flight."""
    waiting = queue.Queue(maxsize=AHEAD)
    threading.Thread(target=feed, args=(frames, ours, waiting), daemon=True).start()
    tally = Tally()
    while (frame := waiting.get()) is not None:
        if isinstance(frame, gstfilter.Failed):
            raise frame
        tally.add(ours.read(), theirs(frame))
    ours.end()
    return tally


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kernels and sizes:\n" + "\n".join(f"  {name}: {', '.join(map(str, sizes))}"
                                                  for name, (sizes, _) in KERNELS.items()) +
        "\nFrom size 7 on, OpenCV has other Gaussian coefficients.")
    parser.add_argument("video", metavar="VIDEO", help="a file that OpenCV decodes")
    parser.add_argument("--kernel", default="sobel", choices=KERNELS, metavar="KERNEL", help="default: sobel")
    parser.add_argument("--size", type=int, help="rows and columns of the kernel; default: 3")
    parser.add_argument("--backend", default="auto", choices=("auto", "cpu", "cuda"), help="default: auto")
    parser.add_argument("--frames", type=int, metavar="N", help="only the first N frames")
    parser.add_argument("--build", metavar="DIR", help="a build folder with the plugin; default: the installed plugin")
    arguments = parser.parse_args()
    sizes, theirs = KERNELS[arguments.kernel]
    size = arguments.size or sizes[0]
    if size not in sizes:
        parser.error(f"--size={size}: {arguments.kernel} has {', '.join(map(str, sizes))}")
    if arguments.frames is not None and arguments.frames < 1:
        parser.error(f"--frames={arguments.frames}: the number has to be 1 or more")

    if not cv2:
        raise gstfilter.Failed(f"{LACKING}; `python3 -m venv DIR && DIR/bin/pip install opencv-python-headless numpy` "
                               "installs it")
    first = next(frames_of(arguments.video, 1))
    properties = [*properties_of(arguments.kernel, size), f"backend={arguments.backend}"]
    ours = Filter(arguments.build, properties, *first.shape)
    tally = compare(frames_of(arguments.video, arguments.frames), ours, lambda frame: theirs(frame, size))
    print(f"{arguments.kernel}, {size}x{size}, OpenCV {cv2.__version__}: {tally.frames_that_differ} of {tally.frames} "
          f"frames of {ours.width}x{ours.height} differ, {tally.pixels_that_differ} of {tally.pixels} pixels, "
          f"by {tally.largest} at most")
    return 1 if tally.pixels_that_differ else 0


try:
    sys.exit(main())
except gstfilter.Failed as error:
    print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
    sys.exit(2)
