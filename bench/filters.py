# SPDX-License-Identifier: LGPL-2.1-or-later
"""The filters that cudaconv-bench-peers measures, and the peers that run them.

The constructor of a peer takes the number of threads. `version` is the peer's version. prepare() takes a filter
and eight pairs of arrays (source, target), and returns a function for each pair that filters the frame.
pixels() converts the function's result to an array.
"""

import math
import os
from typing import NamedTuple, Optional

try:
    import numpy
except ModuleNotFoundError:
    numpy = None  # no peer works without it, but the list of filters does


class Filter(NamedTuple):
    """A filter of cudaconv, and its parameters for the peers."""
    name: str  # "gaussian 5x5 sigma 1.2"
    own: str  # kernel and options in a case of cudaconv-bench-frames
    kind: str  # see the peers below
    size: int
    sigma: float = 0
    matrix: Optional[list] = None  # rows of integers
    row: Optional[list] = None  # integers of the row of a separable kernel; its column is the same

    @property
    def scale(self):
        """The divisor that cudaconv uses for the matrix."""
        return max(sum(map(sum, self.matrix)), 1)

    @property
    def properties(self):
        """`own` as properties of the element."""
        kernel, *options = self.own.split(" ")
        if kernel.startswith("matrix:"):
            rows = kernel.removeprefix("matrix:").replace(",", " ").replace(";", "; ")
            return " ".join([f'matrix-text="{rows}"', *options])
        named = zip(("kernel", "size", "sigma"), kernel.split(":"))
        return " ".join([*map("=".join, named), *options])


def sampled(size, sigma):
    """Returns a row of a Gaussian as integers, for peers that need integers."""
    return [round(256 * math.exp(-(x - size // 2) ** 2 / (2 * sigma ** 2))) for x in range(size)]


def mixed(size):
    """Returns a matrix that is not separable: 1 to 16, without a pattern."""
    return [[1 + int(16 * math.fmod(math.sqrt(y * size + x + 2), 1)) for x in range(size)] for y in range(size)]


def of_matrix(name, matrix, kind="matrix", own=None):
    words = "matrix:" + ";".join(",".join(map(str, row)) for row in matrix)
    return Filter(name, own or words, kind, len(matrix), matrix=matrix)


BINOMIAL = {n: [math.comb(n - 1, i) for i in range(n)] for n in range(3, 16, 2)}
UNSHARP = [[(512 if x == y == 2 else 0) - BINOMIAL[5][x] * BINOMIAL[5][y] for x in range(5)] for y in range(5)]
SOBEL = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]
FILTERS = [
    Filter("identity", "identity", "copy", 1),
    *(Filter(f"gaussian {n}x{n}", f"gaussian:{n}", "gaussian", n, row=BINOMIAL[n])
      for n in BINOMIAL),
    *(Filter(f"gaussian {n}x{n} sigma {sigma}", f"gaussian:{n}:{sigma}", "gaussian", n, sigma,
             row=sampled(n, sigma)) for n, sigma in ((3, 0.8), (5, 1.2), (9, 2), (15, 3))),
    *(Filter(f"box {n}x{n}", f"box:{n}", "box", n, row=[1] * n) for n in BINOMIAL),
    of_matrix("sharpen 3x3", [[0, -1, 0], [-1, 5, -1], [0, -1, 0]], own="sharpen:3"),
    of_matrix("laplacian 3x3", [[0, 1, 0], [1, -4, 1], [0, 1, 0]], "laplacian",
              "laplacian response=clamp"),
    of_matrix("unsharp 5x5", UNSHARP, own="unsharp:5"),
    of_matrix("mixed 9x9", mixed(9)),
    of_matrix("mixed 15x15", mixed(15)),
    of_matrix("sobel-x 3x3", SOBEL[0], "sobel-x", "sobel-x:3 response=clamp"),
    of_matrix("scharr-x 3x3", [[-3, 0, 3], [-10, 0, 10], [-3, 0, 3]], "scharr-x"),
    Filter("sobel 3x3 magnitude-l1", "sobel:3 response=magnitude-l1", "gradient", 3)]

# samples per pixel and bytes per sample
FORMATS = {"GRAY8": (1, 1), "RGB": (3, 1), "RGBA": (4, 1), "GRAY16_LE": (1, 2)}


class OpenCV:
    """Filters into the targets. Borders are replicated. Derivatives have the source's type, so negative values
    become black. Filters of 16 bits go through float if that is faster."""

    BY_FLOAT = "matrix laplacian sobel-x scharr-x"  # up to 9x9; larger ones are a Fourier transform in both types

    def __init__(self, threads):
        import cv2
        self.cv2 = cv2
        cv2.setNumThreads(threads)
        self.version = f"OpenCV {cv2.__version__}"

    def gradient(self, src, dst):
        """|x| + |y| in 16 bits, or in float for sources of 16 bits."""
        cv2, more = self.cv2, {"ksize": 3, "borderType": self.cv2.BORDER_REPLICATE}
        depth = cv2.CV_16S if src.dtype == numpy.uint8 else cv2.CV_32F
        parts = [cv2.Sobel(src, depth, 1, 0, **more), cv2.Sobel(src, depth, 0, 1, **more)]
        if src.dtype == numpy.uint8:
            return cv2.add(*map(cv2.convertScaleAbs, parts), dst=dst)
        for part in parts:
            numpy.abs(part, out=part)
        return cv2.add(*parts, dst=dst, dtype=cv2.CV_16U)

    def prepare(self, filter_, pairs):
        cv2, size = self.cv2, (filter_.size, filter_.size)
        border = {"borderType": cv2.BORDER_REPLICATE}
        matrix = filter_.matrix and numpy.array(filter_.matrix, numpy.float32) / filter_.scale
        run = {
            "copy": lambda src, dst: cv2.copyTo(src, None, dst=dst),
            "gaussian": lambda src, dst: cv2.GaussianBlur(src, size, filter_.sigma, dst=dst,
                                                          **border),
            "box": lambda src, dst: cv2.blur(src, size, dst=dst, **border),
            "matrix": lambda src, dst, to=-1: cv2.filter2D(src, to, matrix, dst=dst, **border),
            "laplacian": lambda src, dst, to=-1: cv2.Laplacian(src, to, dst=dst, ksize=1, **border),
            "sobel-x": lambda src, dst, to=-1: cv2.Sobel(src, to, 1, 0, dst=dst, ksize=3, **border),
            "scharr-x": lambda src, dst, to=-1: cv2.Scharr(src, to, 1, 0, dst=dst, **border),
            "gradient": self.gradient}[filter_.kind]
        if (pairs[0][0].dtype == numpy.uint16 and filter_.kind in self.BY_FLOAT.split() and filter_.size <= 9):
            between = numpy.empty(pairs[0][0].shape, numpy.float32)
            return [lambda src=src, dst=dst: cv2.add(run(src, between, cv2.CV_32F), 0, dst=dst,
                                                     dtype=cv2.CV_16U) for src, dst in pairs]
        return [lambda src=src, dst=dst: run(src, dst) for src, dst in pairs]

    def pixels(self, result, like):
        return result


class Libvips:
    """Writes each frame to memory that libvips allocates, because it cannot write to the targets. Kernels are
    integers. The coefficients of a Gaussian with a sigma are rounded."""

    def __init__(self, threads):
        os.environ["VIPS_CONCURRENCY"] = str(threads)
        import pyvips
        self.pyvips = pyvips
        pyvips.cache_set_max(0)
        self.version = "libvips " + ".".join(str(pyvips.version(i)) for i in range(3))

    def prepare(self, filter_, pairs):
        new, whole = self.pyvips.Image.new_from_list, {"precision": "integer"}

        def gradient(image, kind):
            """|x| + |y|. The sobel of libvips works with 8 bits only."""
            if kind == "uchar":
                return image.sobel()
            parts = [image.conv(new(matrix), precision="float").abs() for matrix in SOBEL]
            return (parts[0] + parts[1]).cast(kind)

        def filtered(src):
            height, width, bands = *src.shape[:2], math.prod(src.shape[2:])
            kind = "uchar" if src.dtype == numpy.uint8 else "ushort"
            image = self.pyvips.Image.new_from_memory(src.data, width, height, bands, kind)
            if filter_.kind == "copy":
                return image.copy()
            if filter_.kind == "gradient":
                return gradient(image, kind)
            if filter_.row:
                return image.convsep(new([filter_.row], scale=sum(filter_.row)), **whole)
            return image.conv(new(filter_.matrix, scale=filter_.scale), **whole)

        return [filtered(src).write_to_memory for src, _ in pairs]

    def pixels(self, result, like):
        return numpy.frombuffer(result, like.dtype).reshape(like.shape)


PEERS = {"OpenCV": OpenCV, "libvips": Libvips}
