#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs filters of FFmpeg and OpenCV and their equivalents in cudaconv, and makes tables of the differences.

    scripts/migration.py [--check | --write] [--only PACKAGE] BUILD [VIDEO]

The script makes the images: noise, black and white noise, a chessboard, ramps and a scene. With VIDEO it takes the
first frames of a video instead, in grey. --write puts the tables into docs/migration.md. --check fails if the tables
there are not current. PACKAGE is ffmpeg or opencv. Exits with 77 if a package is missing, or if --check finds another
version of FFmpeg than that of the page.
"""

import argparse
import dataclasses
import importlib.util
import math
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys

import gstfilter

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "migration.md"
MARKER = "<!-- The table for {} is written by scripts/migration.py. -->\n"
END = "<!-- Here the table ends. -->\n"
WIDTH, HEIGHT = 160, 120
FRAMES_OF_VIDEO = 8


@dataclasses.dataclass
class Row:
    """A filter, the equivalent properties of cudaconv, and the reason for differences."""

    filter: str
    properties: str
    why: str = ""
    video_format: str = "GRAY8"
    at_most: bool = False  # the difference depends on the machine
    interlaced: bool = False


# --- FFmpeg ---

FFMPEG_VERSION = "5.1"  # of docs/migration.md
MIXED = "border of 3x3"
CUT = "fractions"
PRODUCT = "product"
EDGES = f"{CUT}, {MIXED}"
M3 = "1 2 1 2 4 2 1 2 1"
M5 = "1 4 6 4 1 4 16 24 16 4 6 24 36 24 6 4 16 24 16 4 1 4 6 4 1"
SHARPEN = "0 -1 0 -1 5 -1 0 -1 0"
REGION = 'roi="<40,30,80,60>"'
BLACK = "kernel=identity bias=-255 threshold=1"

FFMPEG = [
    Row(f"convolution=0m='{SHARPEN}'", f'matrix-text="{SHARPEN}" border=reflect-101', MIXED),
    Row("convolution=0m='-2 -1 0 -1 1 1 0 1 2':0bias=20",
        'matrix-text="-2 -1 0 -1 1 1 0 1 2" bias=20 border=reflect-101', MIXED),
    Row(f"convolution=0m='{M5}'", f'matrix-text="{M5}" border=reflect-101'),
    Row(f"convolution='{':'.join(4 * [SHARPEN])}'", f'matrix-text="{SHARPEN}" border=reflect-101', MIXED, "I420"),
    Row(f"convolution='{SHARPEN}'", f'matrix-text="{SHARPEN}" border=reflect-101 chroma=copy', MIXED, "I420"),
    Row(f"convolution='{SHARPEN}:{M5}:{M5}'",
        f'matrix-text="{SHARPEN}" chroma-kernel=gaussian chroma-size=5 border=reflect-101', MIXED, "I420"),
    Row(f"convolution='{M5}:{M3}:{M3}'", "kernel=gaussian size=5 chroma-size=3 border=reflect-101", MIXED, "I420"),
    Row(f"convolution=0m='{' '.join(49 * '1')}'", "kernel=box size=7 border=reflect-101"),
    Row("convolution=0m='1 4 6 4 1':0mode=row", 'row="<1,4,6,4,1>" border=reflect-101'),
    Row("convolution=0m='1 4 6 4 1':0mode=column", 'column="<1,4,6,4,1>" border=reflect-101',
        "threads"),
    Row("sobel", "kernel=sobel bias=-0.5 border=reflect-101", EDGES),
    Row("sobel=scale=0.25:delta=10", "kernel=sobel scale=0.25 bias=9.5 border=reflect-101", EDGES),
    Row("prewitt", "kernel=prewitt bias=-0.5 border=reflect-101", EDGES),
    Row("roberts", "kernel-file=examples/ffmpeg-roberts.ini bias=-0.5 border=reflect-101",
        f"{CUT}, own matrices"),
    Row("scharr", "kernel-file=examples/ffmpeg-scharr.ini scale=0.00390625 bias=-0.5 border=reflect-101",
        f"{EDGES}, own matrices"),
    Row("unsharp", "kernel=unsharp bias=-0.001", "halves", "I420"),
    Row("unsharp=3:3:1", "kernel=unsharp size=3 bias=-0.001", "halves", "I420"),
    Row("unsharp=5:5:-0.5", "kernel=gaussian size=5 mix=0.5 bias=-1 chroma=copy", PRODUCT, "I420"),
    Row("unsharp=5:5:0.5", "kernel=gaussian size=5 mix=-0.5 bias=1 chroma=copy", PRODUCT, "I420"),
    Row("unsharp=7:7:1.5", "kernel=gaussian size=7 mix=-1.5 chroma=copy", PRODUCT, "I420"),
    Row("unsharp=13:13:2", "kernel=gaussian size=13 mix=-2 chroma=copy", video_format="I420"),
    Row("unsharp=7:7:2:7:7:2", "kernel=gaussian size=7 mix=-2", video_format="I420"),
    Row("unsharp=5:5:1:3:3:1", "kernel=unsharp size=5 chroma-size=3 chroma=filter bias=-0.001", "halves", "I420"),
    Row("unsharp=3:3:1:7:7:-1", "kernel=unsharp size=3 chroma-kernel=gaussian chroma-size=7 bias=-0.001", "halves", "I420"),
    Row("unsharp=7:3:1", 'row="<1,6,15,20,15,6,1>" column="<1,2,1>" mix=-1 chroma=copy', video_format="I420"),
    Row("avgblur", "kernel=box size=3 bias=-0.5", CUT),
    Row("avgblur=sizeX=3", "kernel=box size=7 bias=-0.5", CUT),
    Row("avgblur=3:planes=6", "kernel=identity chroma-kernel=box chroma-size=7", CUT, "I420"),
    Row("avgblur=sizeX=2:sizeY=1", 'row="<1,1,1,1,1>" column="<1,1,1>" bias=-0.5', CUT),
    Row("split[s],avgblur[b];[b][s]blend=all_opacity=0.5", "kernel=box size=3 bias=-1.5 mix=0.5", f"{CUT}, {PRODUCT}"),
    Row("sobel,negate", "kernel=sobel bias=-0.5 invert=true border=reflect-101", EDGES),
    Row("sobel,lut='if(gte(val,64),255,0)'", "kernel=sobel bias=-0.5 threshold=0.25 border=reflect-101", EDGES),
    Row("split[s],crop=80:60:40:30,avgblur=3[b];[s][b]overlay=40:30", f"kernel=box size=7 bias=-0.5 {REGION}", CUT, "I420"),
    Row("split[s],crop=80:60:40:30,boxblur=3:1[b];[s][b]overlay=40:30", f"kernel=box size=7 border=reflect {REGION}",
        "rounded twice", "I420"),
    Row("split[s],crop=80:60:40:30,avgblur=3[b];[s][b]overlay=20:50",
        f'kernel=box size=7 bias=-0.5 {REGION} target="<20,50>"', CUT, "I420"),
    Row("crop=80:60:40:30,avgblur=3,pad=160:120:40:30", f"kernel=box size=7 bias=-0.5 {REGION} outside=black", CUT, "I420"),
    Row("drawbox=40:30:80:60:black:fill", f"{BLACK} {REGION}", video_format="I420"),
    Row("format=gbrap16,premultiply=inplace=1,avgblur=3,unpremultiply=inplace=1", "kernel=box size=7 alpha=weighted",
        "products", "RGBA"),
    Row("setfield=tff,separatefields,avgblur=3,weave", "kernel=box size=7 bias=-0.5", CUT, "I420", interlaced=True),
]


def run_ffmpeg(row, images):
    pixels = {"GRAY8": "gray", "I420": "yuv420p", "RGBA": "rgba"}[row.video_format]
    raw = ["-f", "rawvideo", "-pix_fmt", pixels]
    command = ["ffmpeg", "-v", "error", "-filter_threads", "1", *raw, "-s", f"{images.width}x{images.height}",
               "-i", "-", "-vf", row.filter, *raw, "-"]
    return subprocess.run(command, input=images.frames(row.video_format), stdout=subprocess.PIPE, check=True,
                          env=gstfilter.environment_of_others()).stdout


# --- OpenCV ---

R101 = "border=reflect-101"
TIES = "halves"
FIXED = "coefficients"
DX_DY = "Sobel(g, CV_32F, 1, 0), Sobel(g, CV_32F, 0, 1)"
SOBEL = f"convertScaleAbs(magnitude({DX_DY}))"

OPENCV = [
    Row("filter2D(g, -1, array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]))",
        f'matrix="< <0,-1,0>, <-1,5,-1>, <0,-1,0> >" {R101}'),
    Row("filter2D(g, -1, ones((5, 5)) / 25)", f"kernel=box size=5 {R101}"),
    Row("filter2D(g, -1, array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16)",
        f'matrix-text="1 2 1 2 4 2 1 2 1" {R101}', TIES),
    Row("filter2D(g, -1, array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]]), delta=20)",
        f'matrix-text="-2 -1 0 -1 1 1 0 1 2" bias=20 {R101}'),
    Row("Sobel(g, CV_8U, 1, 0)", f"kernel=sobel-x response=clamp {R101}"),
    Row("convertScaleAbs(Sobel(g, CV_16S, 1, 0))", f"kernel=sobel-x {R101}"),
    Row("convertScaleAbs(Sobel(g, CV_16S, 0, 1, ksize=5))", f"kernel=sobel-y size=5 {R101}"),
    Row("convertScaleAbs(Sobel(g, CV_32F, 1, 0, ksize=7))", f"kernel=sobel-x size=7 {R101}"),
    Row(SOBEL, f"kernel=sobel {R101}"),
    Row(f"convertScaleAbs(add(*absolute(({DX_DY}))))", f"kernel=sobel response=magnitude-l1 {R101}"),
    Row("addWeighted(convertScaleAbs(Sobel(g, CV_16S, 1, 0)), 0.5, convertScaleAbs(Sobel(g, CV_16S, 0, 1)), 0.5, 0)",
        f"kernel=sobel response=magnitude-l1 scale=0.5 {R101}",
        f"clamped twice, {TIES}"),
    Row("convertScaleAbs(magnitude(Scharr(g, CV_32F, 1, 0), Scharr(g, CV_32F, 0, 1)))", f"kernel=scharr {R101}"),
    Row("convertScaleAbs(Scharr(g, CV_16S, 1, 0))",
        f'row="<-1,0,1>" column="<3,10,3>" response=absolute chroma=neutral {R101}'),
    Row("convertScaleAbs(Laplacian(g, CV_16S))", f"kernel=laplacian {R101}"),
    Row("Laplacian(g, CV_8U)", f"kernel=laplacian response=clamp {R101}"),
    Row("convertScaleAbs(Laplacian(g, CV_16S, ksize=3))",
        f'matrix-text="2 0 2 0 -8 0 2 0 2" response=absolute chroma=neutral {R101}'),
    Row("convertScaleAbs(Laplacian(g, CV_32F, ksize=5))",
        'matrix-text="2 4 4 4 2 4 0 -8 0 4 4 -8 -24 -8 4 4 0 -8 0 4 2 4 4 4 2" response=absolute chroma=neutral '
        + R101),
    Row("Canny(g, 100, 200, L2gradient=True)", "kernel=sobel response=canny low=100 high=200"),
    Row("Canny(g, 100, 200)", "kernel=sobel response=canny-l1 low=100 high=200"),
    Row("Canny(g, 800, 1600, apertureSize=5, L2gradient=True)", "kernel=sobel size=5 response=canny low=800 high=1600"),
    Row("Canny(g, 10000, 20000, apertureSize=7)", "kernel=sobel size=7 response=canny-l1 low=10000 high=20000"),
    Row("Canny(Scharr(g, CV_16S, 1, 0), Scharr(g, CV_16S, 0, 1), 400, 800)",
        f"kernel=scharr response=canny-l1 low=400 high=800 {R101}"),
    Row("bitwise_not(Canny(g, 100, 200))", "kernel=sobel response=canny-l1 low=100 high=200 invert=true"),
    Row("GaussianBlur(g, (3, 3), 0)", f"kernel=gaussian size=3 {R101}"),
    Row("GaussianBlur(g, (5, 5), 0)", f"kernel=gaussian size=5 {R101}"),
    Row("GaussianBlur(g, (7, 7), 0)", f'row="<2,7,14,18,14,7,2>" column="<2,7,14,18,14,7,2>" {R101}',
        "own coefficients"),
    Row("GaussianBlur(g, (7, 7), 1)", f"kernel=gaussian size=7 sigma=1 {R101}", FIXED, at_most=True),
    Row("GaussianBlur(g, (11, 11), 1.5)", f"kernel=gaussian size=11 sigma=1.5 {R101}", FIXED, at_most=True),
    Row("blur(g, (3, 3))", f"kernel=box size=3 {R101}"),
    Row("blur(g, (9, 9))", f"kernel=box size=9 {R101}"),
    Row("blur(g, (5, 5), borderType=BORDER_REPLICATE)", "kernel=box size=5"),
    Row("addWeighted(g, 2, GaussianBlur(g, (5, 5), 0), -1, 0)", f"kernel=gaussian size=5 mix=-1 {R101}"),
    Row("addWeighted(g, 1.5, GaussianBlur(g, (5, 5), 0), -0.5, 0)", f"kernel=gaussian size=5 mix=-0.5 {R101}", TIES),
    Row("addWeighted(g, 2.5, GaussianBlur(g, (0, 0), 3), -1.5, 0)", f"kernel=gaussian sigma=3 mix=-1.5 {R101}",
        f"{FIXED}, {TIES}", at_most=True),
    Row(f"addWeighted(g, 0.5, {SOBEL}, 0.5, 0)", f"kernel=sobel mix=0.5 {R101}", TIES),
    Row(f"bitwise_not({SOBEL})", f"kernel=sobel invert=true {R101}"),
    Row(f"threshold({SOBEL}, 127, 255, THRESH_BINARY)[1]", f"kernel=sobel threshold=0.5 {R101}"),
    Row(f"threshold({SOBEL}, 100, 255, THRESH_BINARY_INV)[1]", f"kernel=sobel threshold=0.394 invert=true {R101}"),
    Row("g[30:90, 40:120] = GaussianBlur(g[30:90, 40:120], (5, 5), 0)", f"kernel=gaussian size=5 {R101} {REGION}"),
    Row("g[50:110, 20:100] = GaussianBlur(g[30:90, 40:120], (5, 5), 0)",
        f'kernel=gaussian size=5 {R101} {REGION} target="<20,50>"'),
    Row("copyMakeBorder(blur(g[30:90, 40:120], (9, 9)), 30, 30, 40, 40, BORDER_CONSTANT)",
        f"kernel=box size=9 {R101} {REGION} outside=black"),
    Row("g[30:90, 40:120] = 0", f"{BLACK} {REGION}"),
]


def run_opencv(row, images):
    import cv2
    import numpy
    names = {**vars(numpy), **vars(cv2)}
    frames = numpy.frombuffer(images.frames("GRAY8"), numpy.uint8)
    results = [result_of(row.filter, names, g.copy()) for g in frames.reshape(-1, images.height, images.width)]
    return b"".join(result.astype(numpy.uint8).tobytes() for result in results)


def result_of(text, names, g):
    """Runs an expression or an assignment to a part of g. The text comes from the list above."""
    if not text.startswith("g["):
        return eval(text, names, {"g": g})
    exec(text, names, {"g": g})
    return g


PACKAGES = {"ffmpeg": (FFMPEG, run_ffmpeg), "opencv": (OPENCV, run_opencv)}


def other_version():
    """The version of ffmpeg, or None if it is that of docs/migration.md."""
    output = subprocess.run(["ffmpeg", "-version"], stdout=subprocess.PIPE, text=True, check=True,
                          env=gstfilter.environment_of_others()).stdout
    version = output.split()[2]
    return None if version.startswith(f"{FFMPEG_VERSION}.") else version


def missing(package):
    """The names of missing packages as text, or None."""
    if package == "ffmpeg":
        return None if shutil.which("ffmpeg") else "ffmpeg (Debian's package ffmpeg)"
    names = [name for name in ("cv2", "numpy") if not importlib.util.find_spec(name)]
    return f"{' and '.join(names)} (opencv-python-headless and numpy of PyPI)" if names else None


# --- images ---


@dataclasses.dataclass
class Images:
    """Grey frames of one size. `luma` is a list of bytes."""

    width: int
    height: int
    luma: list

    def frames(self, video_format):
        if video_format == "GRAY8":
            return b"".join(self.luma)
        if video_format == "RGBA":
            return b"".join(map(with_alpha, self.luma, self.luma[1:] + self.luma[:1]))
        chroma = sum(width * height for width, height in self.planes(video_format)[1:])
        return b"".join(frame + (frame[::-1] * 2)[:chroma] for frame in self.luma)

    def planes(self, video_format):
        """Width and height of each plane, in samples."""
        if video_format == "RGBA":
            return [(4 * self.width, self.height)]
        half = (self.width + 1) // 2, (self.height + 1) // 2
        return [(self.width, self.height)] + (2 * [half] if video_format == "I420" else [])


def with_alpha(frame, other):
    """RGBA. The colors are from one grey frame, and alpha from the other. No pixel is transparent, because FFmpeg makes the
    colors of such pixels black."""
    alpha = bytes(max(1, value) for value in other)
    return bytes(sample for pixel in zip(frame, frame[::-1], frame[7:] + frame[:7], alpha) for sample in pixel)


def scene(x, y):
    """A bright disk with a soft edge on a striped background."""
    far = math.hypot(x - 90, y - 50)
    ground = 90 + 60 * math.sin(x / 9) * math.cos(y / 6)
    return int(min(255, max(0, ground + 160 / (1 + math.exp((far - 30) / 2)))))


def generated():
    generator = random.Random(14)
    pixels = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
    makers = [
        lambda x, y: generator.randrange(256),
        lambda x, y: 255 * generator.randrange(2),
        lambda x, y: 255 * ((x // 7 + y // 5) % 2),
        lambda x, y: (3 * x + y) % 256,
        lambda x, y: scene(x, y) // 8 * 8 + generator.randrange(8),
    ]
    return Images(WIDTH, HEIGHT, [bytes(make(x, y) for x, y in pixels) for make in makers])


def of_video(path):
    """The first frames of a video in grey. The sides are cut to multiples of 4, so rows have no padding."""
    if missing("ffmpeg"):
        raise gstfilter.Failed(f"{path}: decoding needs {missing('ffmpeg')}")
    command = ["ffmpeg", "-v", "error", "-i", path, "-frames:v", str(FRAMES_OF_VIDEO), "-vf",
               "crop=floor(iw/4)*4:floor(ih/4)*4", "-pix_fmt", "gray", "-c:v", "pgm", "-f", "image2pipe", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    head = re.match(rb"P5\s(\d+)\s(\d+)\s255\s", done.stdout)
    if not head:
        raise gstfilter.Failed(f"{path}: ffmpeg cannot decode it: {done.stderr.decode(errors='replace').strip()}")
    width, height = int(head[1]), int(head[2])
    whole = len(head[0]) + width * height
    return Images(width, height, [done.stdout[i + len(head[0]):i + whole]
                                    for i in range(0, len(done.stdout), whole)])


# --- comparison ---


def radius(properties):
    """The largest radius of the kernel."""
    sizes = re.findall(r"\bsize=(\d+)", properties)  # chroma-size too
    sigma = re.search(r"\bsigma=([\d.]+)", properties)
    arrays = [len(array.split(",")) for array in re.findall(r'(?:row|column)="<([^>]*)>', properties)]
    text = re.search(r'matrix-text="([^"]*)"', properties)
    sides = arrays + ([math.isqrt(len(text[1].split()))] if text else [])
    if sizes:
        sides += map(int, sizes)
    elif sigma:
        sides.append(round(6 * float(sigma[1])) + 1 | 1)
    return max(sides, default=3 if "unsharp" not in properties else 5) // 2


def differences(row, images, theirs, ours):
    """Returns the largest difference inside, and the largest difference of pixels whose window crosses the border."""
    if len(theirs) != len(ours):
        raise gstfilter.Failed(f"{row.filter}: {len(theirs)} bytes, and {len(ours)} from cudaconv")
    r, step = radius(row.properties), 4 if row.video_format == "RGBA" else 1
    inside = border = at = 0
    while at < len(theirs):
        for width, height in images.planes(row.video_format):
            for y in range(height):
                a, b = theirs[at:at + width], ours[at:at + width]
                at += width
                for x, (p, q) in enumerate(zip(a, b)) if a != b else ():
                    if r * step <= x < width - r * step and r <= y < height - r:
                        inside = max(inside, abs(p - q))
                    else:
                        border = max(border, abs(p - q))
    return inside, border


def measure(build, package, images):
    """(row, inside, border) of each row of a package."""
    rows, run = PACKAGES[package]
    for row in rows:
        properties = shlex.split(row.properties)
        ours = gstfilter.run(build, properties, images.frames(row.video_format), images.width,
                             images.height, row.video_format, folder=ROOT, interlaced=row.interlaced)
        yield row, *differences(row, images, run(row, images), ours)


# --- tables ---


def cell(text):
    return f"`{text}`".replace("|", "\\|")


def table(measured):
    lines = ["| filter | `cudaconv` | inside | border | why |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {cell(row.filter)} | {cell(row.properties)} | {inside} | {border} | {row.why} |"
              for row, inside, border in measured]
    return "\n".join(lines) + "\n"


def split_page(package):
    """The page before the table of the package, the table, and the rest."""
    head, rest = PAGE.read_text(encoding="utf-8").split(MARKER.format(package))
    old, tail = rest.split(END, 1)
    return head + MARKER.format(package), old, END + tail


def figures(line):
    """A line of a table without its two differences, and the differences."""
    cells = line.split(" | ")
    return " | ".join(cells[:2] + cells[4:]), cells[2:4]


def is_true(row, stated, measured):
    """Whether the page may keep a line although the measured line differs."""
    (text, old), (new_text, new) = figures(stated), figures(measured)
    return text == new_text and row.at_most and all(int(n) <= int(o) for n, o in zip(new, old))


def check(package, measured):
    stated = split_page(package)[1].splitlines()
    lines = table(measured).splitlines()
    rows = [None, None] + [row for row, _, _ in measured]
    wrong = [line for line, old, row in zip(lines, stated, rows)
             if line != old and not (row and is_true(row, old, line))]
    for line in wrong:
        print(f"docs/migration.md does not have this line: {line}")
    return not wrong and len(lines) == len(stated)


def write(package, measured):
    head, _, tail = split_page(package)
    PAGE.write_text(head + table(measured) + tail, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare with docs/migration.md")
    mode.add_argument("--write", action="store_true", help="write the tables into docs/migration.md")
    parser.add_argument("--only", choices=PACKAGES, metavar="PACKAGE", help="ffmpeg or opencv; without it both")
    parser.add_argument("build", metavar="BUILD", help="a build folder with the plugin")
    parser.add_argument("video", metavar="VIDEO", nargs="?", help="use its first frames as images")
    arguments = parser.parse_args()
    if arguments.video and (arguments.check or arguments.write):
        parser.error("the tables of docs/migration.md need the script's own images, not a video")

    chosen = [arguments.only] if arguments.only else list(PACKAGES)
    lacking = [text for text in map(missing, chosen) if text]
    if lacking:
        print("missing: " + "; ".join(lacking))
        if not arguments.only:
            print("--only ffmpeg or --only opencv runs without the other package")
        return gstfilter.SKIPPED
    if arguments.check and "ffmpeg" in chosen and other_version():
        print(f"the table is for FFmpeg {FFMPEG_VERSION}, but the installed version is {other_version()}")
        return gstfilter.SKIPPED
    images = of_video(arguments.video) if arguments.video else generated()
    ok = True
    for package in chosen:
        measured = list(measure(arguments.build, package, images))
        if arguments.check:
            ok = check(package, measured) and ok
        elif arguments.write:
            write(package, measured)
        else:
            print(table(measured))
    return 0 if ok else 1


try:
    sys.exit(main())
except gstfilter.Failed as error:
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {error}")
