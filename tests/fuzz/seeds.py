#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the binary seeds in corpus/ from the tables here.

corpus/ also has minimised inputs that the fuzzer found. bytes.c, buffers.c, values.c and frames.c define the format."""

import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
MAXINT, MAXUINT, MAXSIZE = 2**31 - 1, 2**32 - 1, 2**64 - 1

# --- numbers, as fuzz_take_number reads them ---

SENSIBLE, FAR = b"\0", b"\1"


def near(delta):
    return struct.pack("<Bb", 2, delta)


def near_far(delta):
    return struct.pack("<Bb", 3, delta)


def raw(value):
    if 0 <= value < 2**8:
        return struct.pack("<BB", 4, value)
    if -2**31 <= value < 2**32:
        return struct.pack("<BI", 5, value & MAXUINT)
    return struct.pack("<BQ", 6, value & MAXSIZE)


# --- frames ---

FORMATS = [name for name in re.findall(r"F\((\w+), CC_", (ROOT / "plugin/memory/formats.h").read_text())
           if name not in ("P016_LE", "Y444_16LE")]
COPY, COPY_WRAP, SOBEL, DIRECTION, BLUR, HALF, BOX, KIRSCH, QUARTER = 0, 2, 3, 4, 5, 6, 7, 8, 9
CHROMA, INTERLEAVED, ALTERNATE, WEIGHTED, WEIGHTED_GREY, CANNY, CANNY_STRIDE = range(18, 25)
REGION, BLACK_OUTSIDE, TARGET, WEIGHTED_REGIONS, CANNY_REGIONS, ROI_SIGMA, OF_METAS = range(25, 32)
META, CROP, READ_ONLY, ONE_BLOCK, SHARED, SPLIT, LOCKED = (1 << i for i in range(7))


def side(pixels):
    """A width or height: 1 to 64, or the bytes for fuzz_take_number."""
    if not isinstance(pixels, int):
        return b"\xff" + pixels
    return bytes([pixels - 1 + (128 if pixels > 16 else 0)])


def caps(setting, name, width, height):
    return bytes([setting, FORMATS.index(name)]) + side(width) + side(height)


def metas(width=SENSIBLE, height=SENSIBLE, planes=SENSIBLE, planes_at=(), video_format=0,
          x=SENSIBLE, y=SENSIBLE, crop_width=SENSIBLE, crop_height=SENSIBLE, dice=0):
    """A GstVideoMeta and a GstVideoCropMeta. `planes_at` has the planes' offsets and strides."""
    planes_at = tuple(planes_at) + ((SENSIBLE, SENSIBLE),) * (4 - len(planes_at))
    return (bytes([video_format]) + planes + crop_width + crop_height + struct.pack("<H", dice) +
            width + height + b"".join(offset + stride for offset, stride in planes_at) + x + y)


def buffer(flags=0, size=SENSIBLE, meta=None, memory=b"\0\0"):
    """`memory` has the numbers of bytes before and after the memory in its block. For several memories
    it begins with their number minus one, and has the length before these two numbers, except for the
    last memory. For parts of one block it has the two numbers of the block, then only lengths."""
    return bytes([flags]) + size + (metas() if meta is None and flags & (META | CROP) else meta or b"") + memory


def regions(*of):
    """Metas with regions: the number of the type, x, y, width and height of each."""
    return bytes([len(of)]) + b"".join(bytes([kind]) + b"".join(numbers) for kind, *numbers in of)


FRAMES = {
    "plain-gray8": caps(COPY, "GRAY8", 16, 9) + buffer(),
    "two-frames": caps(SOBEL, "RGBA", 33, 17) + buffer() + buffer(),
    "i420-odd": caps(COPY, "I420", 33, 17) + buffer(),
    "yuy2-odd": caps(COPY, "YUY2", 9, 4) + buffer(),
    "nv12-direction": caps(DIRECTION, "NV12", 16, 16) + buffer(),
    "p010-stride-2": caps(HALF, "P010_10LE", 31, 15) + buffer(),
    "argb64-stride-4": caps(QUARTER, "ARGB64", 13, 11) + buffer(),
    "one-pixel": caps(BLUR, "Y444_10LE", 1, 1) + buffer(),
    "one-column": caps(BOX, "YV12", 1, 64) + buffer(),
    "kirsch-ayuv": caps(KIRSCH, "AYUV", 12, 12) + buffer(),
    "chroma-kernel-ayuv": caps(CHROMA, "AYUV", 12, 12) + buffer(),
    "chroma-kernel-yuy2-odd": caps(CHROMA, "YUY2", 9, 4) + buffer(),
    "fields-i420-odd": caps(INTERLEAVED, "I420", 33, 17) + buffer() + buffer(META, meta=metas()),
    "fields-uyvy-one-row": caps(INTERLEAVED, "UYVY", 9, 1) + buffer(),
    "alternate-nv12-odd": caps(ALTERNATE, "NV12", 33, 17) + buffer() + buffer(META, meta=metas()),
    "alternate-crop": caps(ALTERNATE, "GRAY8", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(32))], x=raw(5), y=raw(7))),
    "weighted-ayuv": caps(WEIGHTED, "AYUV", 12, 12) + buffer() + buffer(READ_ONLY),
    "weighted-argb64-one-column": caps(WEIGHTED, "ARGB64", 1, 64) + buffer(),
    "weighted-grey-bgra-odd": caps(WEIGHTED_GREY, "BGRA", 33, 17) + buffer(),
    "weighted-without-alpha": caps(WEIGHTED, "NV12", 16, 16) + buffer(),
    "weighted-meta-rows-overlap": caps(WEIGHTED, "RGBA", 16, 4) + buffer(META, meta=metas(planes_at=[(SENSIBLE, raw(1))])),
    "weighted-crop": caps(WEIGHTED, "RGBA", 8, 4) + buffer(
        META | CROP, size=raw(4 * 32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(4 * 32))], x=raw(5), y=raw(7))),
    "canny-nv12-odd": caps(CANNY, "NV12", 33, 17) + buffer() + buffer(),
    "canny-gray16-one-column": caps(CANNY, "GRAY16_LE", 1, 64) + buffer(),
    "canny-rgba-crop": caps(CANNY, "RGBA", 8, 4) + buffer(
        META | CROP, size=raw(4 * 32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(4 * 32))], x=raw(5), y=raw(7))),
    "canny-stride-yuy2-odd": caps(CANNY_STRIDE, "YUY2", 9, 4) + buffer(),
    "canny-stride-p010": caps(CANNY_STRIDE, "P010_10LE", 31, 15) + buffer() + buffer(READ_ONLY),
    "canny-regions-i420": caps(CANNY_REGIONS, "I420", 33, 17) + buffer() + buffer(SHARED) + buffer(READ_ONLY),
    "canny-regions-uyvy-row": caps(CANNY_REGIONS, "UYVY", 9, 1) + buffer(),
    "weighted-regions": caps(WEIGHTED_REGIONS, "ARGB", 33, 17) + buffer() + buffer(SHARED) + buffer(READ_ONLY),
    "weighted-regions-ayuv-row": caps(WEIGHTED_REGIONS, "AYUV", 9, 1) + buffer(),
    "region-in-place": caps(REGION, "I420", 33, 17) + buffer() + buffer(SHARED) + buffer(READ_ONLY),
    # valid, but without the bytes after the last row
    "region-without-padding": caps(REGION, "NV12", 1, 2) + buffer(size=raw(10)) + buffer(),
    "region-locked": caps(REGION, "NV12", 16, 16) + buffer(LOCKED) + buffer(),
    "region-three-memories": caps(REGION, "I420", 16, 16) + buffer(
        SPLIT, memory=b"\2" + struct.pack("<H", 256) + b"\0\0" + struct.pack("<H", 64) + b"\1\1\0\0"),
    "region-meta-rows-overlap": caps(REGION, "RGB", 16, 4) + buffer(META, meta=metas(planes_at=[(SENSIBLE, raw(1))])),
    "region-crop": caps(REGION, "GRAY8", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(32))], x=raw(5), y=raw(7))),
    "regions-black-yuy2-odd": caps(BLACK_OUTSIDE, "YUY2", 9, 4) + buffer(),
    "region-target-p010": caps(TARGET, "P010_10LE", 31, 15) + buffer() + buffer(),
    "region-sigma-rgba": caps(ROI_SIGMA, "RGBA", 33, 17) + buffer() + buffer(),
    "regions-of-metas": caps(OF_METAS, "AYUV", 12, 12) + buffer() + regions() + buffer() + regions(
        (1, SENSIBLE, SENSIBLE, SENSIBLE, SENSIBLE), (0, SENSIBLE, near(1), SENSIBLE, FAR)),
    "regions-of-metas-outside": caps(OF_METAS, "YUY2", 9, 4) + buffer() + regions(
        (0, FAR, SENSIBLE, SENSIBLE, SENSIBLE), (0, raw(MAXUINT), SENSIBLE, FAR, FAR), (0, near_far(-1), FAR, FAR, raw(0))),
    "read-only": caps(COPY, "NV12", 16, 16) + buffer(READ_ONLY),
    "shared": caps(COPY, "NV12", 16, 16) + buffer(SHARED),
    "locked": caps(COPY, "NV12", 16, 16) + buffer(LOCKED) + buffer(),
    "locked-in-pieces": caps(COPY, "I420", 16, 16) + buffer(
        SPLIT | LOCKED, memory=b"\1" + struct.pack("<H", 100) + b"\1\1\1\1") + buffer(),
    "offset-in-memory": caps(COPY, "GRAY16_LE", 16, 16) + buffer(memory=b"\3\5"),
    "three-memories": caps(COPY, "I420", 16, 16) + buffer(
        SPLIT, memory=b"\2" + struct.pack("<H", 256) + b"\0\0" + struct.pack("<H", 64) + b"\1\1\0\0"),
    "plane-across-memories": caps(COPY, "I420", 16, 16) + buffer(
        SPLIT, memory=b"\1" + struct.pack("<H", 100) + b"\1\1\1\1"),
    "parts-of-one-block": caps(COPY, "GRAY8", 16, 16) + buffer(
        SPLIT | ONE_BLOCK, memory=b"\2\0\0" + struct.pack("<HH", 50, 60)),
    "empty-memory": caps(COPY, "GRAY8", 16, 16) + buffer(
        SPLIT, memory=b"\1" + struct.pack("<H", 0) + b"\0\0\0\0"),
    "too-small": caps(COPY, "RGB", 16, 16) + buffer(size=near(-1)),
    "no-bytes": caps(COPY, "RGB", 16, 16) + buffer(size=FAR),
    "wrong-then-right": caps(SOBEL, "GRAY8", 16, 16) + buffer(size=near(-1)) + buffer(),
    "meta-as-caps": caps(COPY, "NV21", 16, 16) + buffer(META, meta=metas()),
    "meta-padded": caps(COPY, "GRAY8", 16, 4) + buffer(
        META, size=raw(20 * 4), meta=metas(planes_at=[(SENSIBLE, near(4))])),
    "meta-bottom-up": caps(COPY, "GRAY8", 16, 4) + buffer(
        META, meta=metas(planes_at=[(raw(48), FAR)])),
    "meta-odd-stride": caps(COPY, "GRAY16_LE", 16, 4) + buffer(
        META, size=raw(200), meta=metas(planes_at=[(raw(1), raw(33))])),
    "meta-rows-overlap": caps(COPY, "RGB", 16, 4) + buffer(META, meta=metas(planes_at=[(SENSIBLE, raw(1))])),
    "meta-stride-0": caps(COPY, "RGB", 16, 4) + buffer(META, meta=metas(planes_at=[(SENSIBLE, raw(0))])),
    "meta-stride-greatest": caps(COPY, "GRAY8", 16, 4) + buffer(
        META, meta=metas(planes_at=[(SENSIBLE, raw(MAXINT))])),
    "meta-stride-least": caps(COPY, "GRAY8", 16, 4) + buffer(
        META, meta=metas(planes_at=[(SENSIBLE, raw(-2**31))])),
    "meta-offset-wraps": caps(COPY, "GRAY8", 16, 4) + buffer(
        META, meta=metas(planes_at=[(raw(MAXSIZE - 63), SENSIBLE)])),
    "meta-offset-end": caps(COPY, "GRAY8", 16, 4) + buffer(META, meta=metas(planes_at=[(FAR, SENSIBLE)])),
    "meta-planes-many": caps(COPY, "GRAY8", 16, 4) + buffer(META, meta=metas(planes=FAR)),
    "meta-planes-none": caps(COPY, "GRAY8", 16, 4) + buffer(META, meta=metas(planes=raw(0))),
    "meta-other-format": caps(COPY, "RGBA", 16, 4) + buffer(META, meta=metas(video_format=12)),
    "crop-middle": caps(COPY, "GRAY8", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(32))], x=raw(5), y=raw(7))),
    "crop-corner": caps(COPY, "GRAY8", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(32))], x=FAR, y=FAR)),
    "crop-beyond": caps(COPY, "GRAY8", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(32), raw(16), planes_at=[(SENSIBLE, raw(32))], x=near_far(1), y=FAR)),
    "crop-i420-odd": caps(COPY, "I420", 8, 4) + buffer(
        META | CROP, size=raw(32 * 16 * 3 // 2),
        meta=metas(raw(32), raw(16), x=raw(3), y=raw(5), planes_at=[
            (SENSIBLE, raw(32)), (raw(512), raw(16)), (raw(640), raw(16))])),
    "crop-yuy2-odd": caps(COPY, "YUY2", 9, 4) + buffer(
        META | CROP, size=raw(32 * 16),
        meta=metas(raw(16), raw(16), x=raw(7), y=raw(5), planes_at=[(SENSIBLE, raw(32))])),
    "crop-of-whole": caps(COPY_WRAP, "GRAY8", 8, 4) + buffer(
        META | CROP, meta=metas(x=raw(1), y=raw(1))),
    # the last row of the frame passes 2^64
    "crop-overflow-argb64": caps(COPY, "ARGB64", 64, raw(100)) + buffer(
        META | CROP, meta=metas(FAR, FAR, planes_at=[(SENSIBLE, raw(MAXINT - 1))], x=FAR, y=FAR)),
    "crop-overflow-negative": caps(COPY, "ARGB64", 64, 64) + buffer(
        META | CROP, meta=metas(FAR, FAR, planes_at=[(FAR, raw(-2**31))], x=FAR, y=FAR)),
    "dice-nv12": caps(COPY, "NV12", 16, 16) + buffer(META | CROP, meta=metas(dice=1)),
    "dice-rgb": caps(COPY, "RGB", 9, 9) + buffer(META | CROP, meta=metas(dice=2)),
    "dice-rgba": caps(COPY, "RGBA", 16, 9) + buffer(META | CROP, meta=metas(dice=3)),
    "dice-argb64": caps(COPY, "ARGB64", 64, 64) + buffer(META | CROP, meta=metas(dice=4)),
    "dice-i420": caps(COPY, "I420", 7, 5) + buffer(META | CROP, meta=metas(dice=5)),
    "caps-greatest": caps(COPY, "RGBA", SENSIBLE, SENSIBLE) + buffer(),
    "caps-4-gib": caps(COPY, "ARGB64", FAR, FAR) + buffer(),
    "caps-0": caps(COPY, "GRAY8", raw(0), 16) + buffer(),
    "caps-negative": caps(COPY, "GRAY8", raw(-1), 16) + buffer(),
    "caps-2-gib-wide": caps(COPY, "GRAY8", SENSIBLE, 1) + buffer(),
    "caps-2-gib-tall": caps(BLUR, "GRAY8", 1, SENSIBLE) + buffer(),
    "caps-1-gib-square": caps(SOBEL, "GRAY8", FAR, FAR) + buffer(),
    "caps-tall-stride-0": caps(COPY, "GRAY8", 1, SENSIBLE) + buffer(META, meta=metas(planes_at=[(SENSIBLE, raw(0))])),
}

# --- values of coefficients ---

MATRIX, ROW, COLUMN = b"\0", b"\1", b"\2"
NOT_A_NUMBER, INFINITE, TOO_LARGE = (b"\2" + bytes([i]) for i in (11, 9, 4))
ARRAY_HOLDER, LIST_HOLDER, STRUCTURE_HOLDER, CAPS_HOLDER = range(4)
BOOLEAN, NULL_STRING = b"\5\0" + bytes(8), b"\3\xff"


def small(number):
    return struct.pack("<Bb", 0, number)


def number(value):
    return b"\2\xff" + struct.pack("<d", value)


def text(string):
    return bytes([3, len(string)]) + string


def long_text(length, character):
    return bytes([3, 128 + length // 64]) + character


def fraction(above, below):
    return b"\4" + raw(above) + raw(below)


def unset(index):
    return bytes([6, index])


def array(*entries, kind=8):
    return bytes([kind, len(entries)]) + b"".join(entries)


def row(n, entry):
    return bytes([10, n]) + entry


def wrapped(n, entry, holder=ARRAY_HOLDER):
    return bytes([11, holder]) + struct.pack("<H", n) + entry


ONE = small(1)
COEFFICIENTS = {
    "values-square": MATRIX + row(9, ONE),
    "values-rows": MATRIX + array(row(3, ONE), row(3, number(-0.5)), row(3, fraction(1, 9))),
    "values-row-column": ROW + row(5, ONE) + COLUMN + array(small(-1), small(0), ONE),
    "values-mixed": MATRIX + array(ONE, number(0.5), text(b"1/9"), fraction(1, 3), ONE, ONE, ONE, ONE, ONE),
    "values-empty-after-matrix": MATRIX + row(9, ONE) + MATRIX + array(),
    "values-not-finite": MATRIX + row(9, NOT_A_NUMBER) + MATRIX + row(9, INFINITE) + MATRIX + row(9, TOO_LARGE),
    "values-no-text": MATRIX + row(9, NULL_STRING),
    "values-boolean": MATRIX + row(9, BOOLEAN),
    "values-text-not-utf8": MATRIX + row(9, text(b"\xff\xfe\x80")),
    "values-text-long": MATRIX + row(9, long_text(4032, b"x")),
    "values-unset": b"".join(MATRIX + row(9, unset(i)) for i in range(8)),
    "values-unset-more": b"".join(MATRIX + row(9, unset(i)) for i in range(8, 16)),
    "values-unset-rest": b"".join(MATRIX + row(9, unset(i)) for i in range(16, 24)),
    "values-unset-last": b"".join(MATRIX + row(9, unset(i)) for i in range(24, 28)),
    "values-list-inside": MATRIX + row(9, array(ONE, ONE, kind=7)),
    "values-a-list": MATRIX + array(ONE, ONE, kind=7),
    "values-a-number": MATRIX + ONE,
    "values-three-deep": MATRIX + row(3, row(3, row(3, ONE))),
    "values-nested-40": MATRIX + wrapped(40, text(b"x")),
    "values-nested-40-row": ROW + wrapped(40, text(b"x")),
    "values-nested-512": MATRIX + wrapped(512, ONE),
    "values-nested-lists": MATRIX + array(wrapped(40, ONE, LIST_HOLDER)),
    "values-nested-structures": MATRIX + array(wrapped(40, ONE, STRUCTURE_HOLDER)),
    "values-nested-caps": MATRIX + array(wrapped(40, ONE, CAPS_HOLDER)),
    "values-16-of-a-row": ROW + row(16, ONE),
    "values-tall": MATRIX + row(15, row(1, ONE)),
}

# --- values of roi and target ---

ROI, TARGET_LIST = b"\0", b"\1"
WHOLE = array(small(0), small(0), small(4), small(4))
REGIONS = {
    "values-one": ROI + WHOLE,
    "values-several": ROI + array(WHOLE, row(4, ONE), array(ONE, text(b"2"), ONE, b"\5\3" + bytes([2] + [0] * 7))),
    "values-with-targets": ROI + array(WHOLE, row(4, ONE)) + TARGET_LIST + row(2, row(2, ONE)),
    "values-empty-after-one": ROI + WHOLE + ROI + array(),
    "values-257": ROI + row(20, row(4, ONE)) + ROI + row(20, row(20, row(4, ONE))),
    "values-negative": ROI + row(4, small(-1)),
    "values-fractions": ROI + row(4, fraction(1, 9)) + ROI + row(4, number(0.5)),
    "values-no-text": TARGET_LIST + row(2, NULL_STRING),
    "values-text-not-utf8": ROI + row(4, text(b"\xff\xfe\x80")),
    "values-text-long": ROI + row(4, long_text(4032, b"1")),
    "values-unset": b"".join(ROI + row(4, unset(i)) for i in range(8)),
    "values-mixed-depths": ROI + array(ONE, WHOLE) + ROI + array(WHOLE, ONE),
    "values-three-deep": ROI + row(1, row(1, WHOLE)),
    "values-nested-512": ROI + wrapped(512, ONE),
    "values-nested-structures": ROI + array(wrapped(40, ONE, STRUCTURE_HOLDER)),
    "values-a-list": ROI + array(ONE, ONE, ONE, ONE, kind=7),
    "text-launch-line": b"r<1,1,2,2>\nt<0,0>\nr<<0,0,2,2>,<2,2,9,9>>\nt<<0,0>,<1,1>>",
    "text-command": b"R0,0,2,2; 1 1 3 3\nT<0,0>;<1,1>\nR\nT",
    "text-refused": b"R1,2,3\nR1,2,3,4,5\nRx\nR-1,0,1,1\nT1\nr<1,2,3>\nr<1,2,3,4.5>\nr<-1,0,1,1>",
    "text-large": b"R0,0,2147483647,2147483647\nr<0,0,2147483648,1>\nR2147483647,0,1,1\nt<2147483647,0>",
    "text-types": b"r<(uint)0,(gint64)0,(string)2,(guint64)2>\nr<(boolean)true,0,1,1>",
}


def main():
    for target, seeds in (("frames", FRAMES), ("coefficients", COEFFICIENTS), ("regions", REGIONS)):
        (CORPUS / target).mkdir(exist_ok=True)
        for name, data in seeds.items():
            (CORPUS / target / name).write_bytes(data)


main()
