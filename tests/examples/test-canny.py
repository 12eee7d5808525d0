#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares response=canny and canny-l1 with OpenCV's Canny, byte for byte.

    tests/examples/test-canny.py BUILD

The images are examples/astronaut.jpg in grey and generated ones, and the thresholds are random. OpenCV computes the gradient
of sobel itself. It gets the gradients of scharr and prewitt, which its Canny does not have. Exits with 77 if OpenCV is not
installed.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "app"))
import media  # noqa: E402
from media import Gst  # noqa: E402

try:
    import cv2
    import numpy
except ImportError as missing:
    print(f"python3-opencv is not installed: {missing}")
    sys.exit(77)

N_THRESHOLDS = 40


def prewitt(image, kernel):
    return cv2.filter2D(image, cv2.CV_16S, kernel, borderType=cv2.BORDER_REPLICATE)


def scharr(image, x, y):
    return cv2.Scharr(image, cv2.CV_16S, x, y, borderType=cv2.BORDER_REPLICATE)


ACROSS = numpy.array([[-1, 0, 1]] * 3)
# kernel and size, the largest useful threshold, and the edges that OpenCV finds
KERNELS = (
    ("sobel", 3, 600, lambda image, low, high, l2: cv2.Canny(image, low, high, apertureSize=3, L2gradient=l2)),
    ("sobel", 5, 6000, lambda image, low, high, l2: cv2.Canny(image, low, high, apertureSize=5, L2gradient=l2)),
    ("sobel", 7, 80000, lambda image, low, high, l2: cv2.Canny(image, low, high, apertureSize=7, L2gradient=l2)),
    ("scharr", 3, 2500, lambda image, low, high, l2: cv2.Canny(
        scharr(image, 1, 0), scharr(image, 0, 1), low, high, L2gradient=l2)),
    ("prewitt", 3, 450, lambda image, low, high, l2: cv2.Canny(
        prewitt(image, ACROSS), prewitt(image, ACROSS.T.copy()), low, high, L2gradient=l2)),
)


def shapes(random, height, width):
    """Circles and lines of random shades, which have edges in all directions."""
    image = numpy.full((height, width), random.integers(256), numpy.uint8)
    for _ in range(30):
        center = int(random.integers(width)), int(random.integers(height))
        cv2.circle(image, center, int(random.integers(1, height)), int(random.integers(256)), int(random.integers(1, 5)))
        cv2.line(image, center, (int(random.integers(width)), int(random.integers(height))), int(random.integers(256)))
    return image


def images_of(random):
    noise = random.integers(0, 256, (97, 131)).astype(numpy.uint8)
    smooth = cv2.normalize(cv2.GaussianBlur(random.integers(0, 256, (200, 333)).astype(numpy.uint8), (0, 0), 2.5), None, 0, 255,
                           cv2.NORM_MINMAX)
    return {
        "astronaut": cv2.imread(str(ROOT / "examples" / "astronaut.jpg"), cv2.IMREAD_GRAYSCALE),
        "noise": noise,
        "smooth": smooth,
        "steps": smooth // 64 * 64,
        "shapes": shapes(random, 256, 256),
        "row": noise[:1],
        "column": noise[:, :1].copy(),
        "pixel": noise[:1, :1].copy(),
    }


class Filter:
    """A pipeline that filters one frame after the other."""

    def __init__(self):
        self.pipeline = Gst.parse_launch("appsrc name=in format=time ! cudaconv name=filter in-flight=1 ! "
                                         "appsink name=out sync=false")
        self.source, self.filter, self.sink = map(self.pipeline.get_by_name, ("in", "filter", "out"))
        self.pipeline.set_state(Gst.State.PLAYING)

    def set_image(self, image):
        self.height, self.width = image.shape
        caps = f"video/x-raw,format=GRAY8,width={self.width},height={self.height},framerate=25/1"
        self.source.set_property("caps", Gst.Caps.from_string(caps))
        self.row = (self.width + 3) // 4 * 4
        padded = numpy.zeros((self.height, self.row), numpy.uint8)
        padded[:, :self.width] = image
        self.data = padded.tobytes()

    def run(self, **properties):
        for name, value in properties.items():
            Gst.util_set_object_arg(self.filter, name, str(value))
        self.source.emit("push-buffer", Gst.Buffer.new_wrapped(self.data))
        buffer = self.sink.emit("pull-sample").get_buffer()
        result = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), numpy.uint8)
        return result[:self.height * self.row].reshape(self.height, self.row)[:, :self.width]

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


class Canny(media.Case):

    def test_edges(self):
        random = numpy.random.default_rng(1986)
        edges = Filter()
        n_images = n_white = 0
        for name, image in images_of(random).items():
            edges.set_image(image)
            for kernel, size, largest, find in KERNELS:
                for response in ("canny", "canny-l1"):
                    for n in range(N_THRESHOLDS):
                        # some are exchanged, some integers, and some 0
                        low, high = random.uniform(0, largest, 2) * (n > 0, 1)
                        if n % 4 == 1:
                            low, high = round(low), round(high)
                        found = edges.run(kernel=kernel, size=size, response=response, low=repr(float(low)), high=repr(float(high)))
                        expected = find(image, low, high, response == "canny")
                        self.assertEqual(int((found != expected).sum()), 0, (name, kernel, size, response, low, high))
                        n_images += 1
                        n_white += int((expected > 0).sum())
        edges.stop()
        print(f"OpenCV {cv2.__version__}: {n_images} images with {n_white} pixels of edges are equal")
        self.assertGreater(n_white, 10000 * N_THRESHOLDS)


if __name__ == "__main__":
    media.main()
