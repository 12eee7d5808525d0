#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv measure` prints the figures of the frames that `cudaconv apply` makes with the same options.

    tests/app/test-measure.py BUILD [--print]

With --print it writes the table of docs/messages.md, which the test compares with the messages of the command.
"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import media
from media import COMMAND, HEIGHT, WIDTH, audio, frames_of, make_video, video

COUNTS = ["samples", "sum", "sum-of-squares", "largest", "above-threshold", "at-black", "at-white"]
MEANS = ["mean", "variance", "mean-square", "edge-density"]
COLUMNS = ["frame", "time", "depth", "black", "white", *COUNTS, *MEANS]
PLACE = ["region", "x", "y", "width", "height"]
BINS = [f"bin-{n}" for n in range(256)]

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "messages.md"
HEADING = "## Messages of measure\n"
HEAD = "| arguments | status | message |\n| --- | --- | --- |\n"

# arguments, exit status, a text in the message. in.mkv has a frame, and audio.mkv has no video.
WRONG = (
    ("", 2, "expected IN, got 0 arguments"),
    ("in.mkv in.mkv", 2, "expected IN, got 2 arguments"),
    ("kernel=sobel in.mkv", 2, "write it as an option: --kernel=sobel"),
    ("nothing.mkv", 1, "nothing.mkv: there is no such file"),
    ("audio.mkv", 1, "audio.mkv: there is no video in it"),
    ("--output=in.mkv in.mkv", 2, "in.mkv: IN and the output are the same file"),
    ("--output=/nowhere/out.csv in.mkv", 1, "/nowhere/out.csv: there is no folder /nowhere"),
    ("--output=/dev/null in.mkv", 1, "/dev/null: this is not a regular file; OUT must be a file"),
    ("--output=. in.mkv", 1, ".: this is a folder; OUT must be a file"),
    ("--framerate=50 in.mkv", 2, "only for numbered images"),
    ("--end=1 --seconds=1 in.mkv", 2, "only one of the two can be given"),
    ("--start=99 in.mkv", 1, "no frame at 99 seconds"),
    ("--kernel=nonsense in.mkv", 2, "--kernel \"nonsense\""),
    ("--measure=on in.mkv", 2, "--measure \"on\": one of off, sums, histogram is needed"),
    ("--lossless in.mkv", 2, "Unknown option --lossless"),
    ("--measure-interval=1 in.mkv", 2, "Unknown option --measure-interval"),
)


def fill(case):
    case.make(frames=1)
    make_video(case.folder / "audio.mkv", "matroskamux", f"{audio(5)} ! opusenc")


def make_table(case):
    """The table of docs/messages.md."""
    rows = []
    for arguments, status, _ in WRONG:
        line = case.cudaconv("measure", *arguments.split(), status=status).stderr.splitlines()[0]
        message = line.removeprefix("cudaconv measure: ").replace("|", "\\|").replace("<", "&lt;")
        shown = f"`{arguments}`" if arguments else "none"
        rows.append(f"| {shown} | {status} | {message} |\n")
    return HEAD + "".join(rows)


def figures(samples, depth, black, white, limit=None):
    """The figures of a list of code values."""
    n = len(samples)
    found = {
        "depth": depth, "black": black, "white": white, "samples": n, "sum": sum(samples),
        "sum-of-squares": sum(code * code for code in samples), "largest": max(samples),
        "above-threshold": 0 if limit is None else sum(code >= limit for code in samples),
        "at-black": sum(code <= black for code in samples), "at-white": sum(code >= white for code in samples),
    }
    found["mean"] = found["sum"] / n
    found["variance"] = (found["sum-of-squares"] * n - found["sum"] ** 2) / n ** 2
    found["mean-square"] = sum((code - black) ** 2 for code in samples) / n
    found["edge-density"] = (n - found["at-black"] if limit is None else found["above-threshold"]) / n
    histogram = [0] * 256
    for code in samples:
        histogram[code >> (depth - 8)] += 1
    return found, histogram


class Measure(media.Case):

    def measure(self, *arguments, **more):
        return self.cudaconv("measure", *arguments, **more)

    def rows(self, *arguments):
        """The rows of the CSV, and the names of its columns."""
        done = self.measure(*arguments)
        self.assertEqual(done.stderr, "")
        reader = csv.DictReader(io.StringIO(done.stdout))
        return list(reader), reader.fieldnames

    def luma(self, path, caps):
        """The luma of each frame of a file: lists of rows. `caps` are those of its video, with planes without padding."""
        sink = media.Gst.parse_launch(
            f"uridecodebin uri=\"{path.absolute().as_uri()}\" ! videoconvert ! video/x-raw,{caps} ! "
            f"filesink location=\"{self.folder / 'frames.raw'}\"")
        media.play(sink)
        data = (self.folder / "frames.raw").read_bytes()
        deep, rgb = "10LE" in caps, "RGB" in caps
        size = 3 * WIDTH * HEIGHT if rgb else (3 if deep else 1.5) * WIDTH * HEIGHT
        self.assertEqual(len(data) % int(size), 0)
        frames = []
        for at in range(0, len(data), int(size)):
            frame = data[at:at + int(size)]
            if rgb:
                codes = [(13933 * frame[i] + 46871 * frame[i + 1] + 4732 * frame[i + 2] + 32768) >> 16
                         for i in range(0, len(frame), 3)]
            elif deep:
                codes = [int.from_bytes(frame[i:i + 2], "little") for i in range(0, 2 * WIDTH * HEIGHT, 2)]
            else:
                codes = list(frame[:WIDTH * HEIGHT])
            frames.append([codes[y * WIDTH:(y + 1) * WIDTH] for y in range(HEIGHT)])
        return frames

    def assert_row(self, row, samples, limits, histogram=False):
        found, bins = figures(samples, *limits)
        for name, value in found.items():
            if name in MEANS:
                self.assertAlmostEqual(float(row[name]) / (value or 1), value / (value or 1), places=11, msg=name)
            else:
                self.assertEqual(row[name], str(value), name)
        if histogram:
            self.assertEqual([row[name] for name in BINS], [str(n) for n in bins])

    def compare(self, source, out, caps, limits, options=(), composed=()):
        """Measures with the options and those of `composed`, which must not change the figures."""
        self.apply(*options, *([] if out.endswith(".png") else ["--lossless"]), source, out)
        frames = self.luma(self.folder / out, caps)
        rows, names = self.rows("--histogram", *options, *composed, source)
        self.assertEqual(names, COLUMNS + BINS)
        self.assertEqual(len(rows), len(frames))
        self.assertGreater(len(rows), 0)
        for n, (row, frame) in enumerate(zip(rows, frames)):
            self.assertEqual(row["frame"], str(n))
            self.assert_row(row, sum(frame, []), limits, histogram=True)
        return rows

    def test_videos(self):
        source = self.make(frames=3, pattern="smpte")
        for options, composed, limit in (
                ((), (), None),
                (("--kernel=laplacian", "--response=offset"), ("--mix=0",), None),
                (("--kernel=sobel", "--scale=0.25"), ("--threshold=0.25", "--invert"), 16 + 219 / 4),
                (("--kernel=identity",), ("--overlay=#ff0000", "--threshold=0.5"), 16 + 219 / 2)):
            with self.subTest(options=options):
                rows = self.compare(source, "out.mkv", "format=I420", (8, 16, 235, limit), options, composed)
                times = [round(float(row["time"]) * media.SECOND) for row in rows]
                self.assertEqual(times, frames_of(source).times)

    def test_deep_video(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{video(2, caps='format=I420_10LE', pattern='smpte')} ! avenc_ffv1")
        self.compare(source, "out.mkv", "format=I420_10LE", (10, 64, 940, None))

    def test_images(self):
        image = self.folder / "in.png"
        media.launch(f"{video(1, caps='format=RGB', pattern='smpte')} ! pngenc ! filesink location={image}")
        self.compare(image, "out.png", "format=RGB", (8, 0, 255, None))
        self.compare(image, "out.png", "format=RGB", (8, 0, 255, None), ("--kernel=sobel", "--color=grey"))

    def test_numbered_images(self):
        media.launch(f"{video(3, caps='format=RGB')} ! pngenc ! multifilesink location={self.folder}/%02d.png")
        rows, _ = self.rows("--framerate=50", "%02d.png")
        self.assertEqual([row["time"] for row in rows], ["0.000000000", "0.020000000", "0.040000000"])
        alone, _ = self.rows("02.png")
        self.assertEqual([alone[0][name] for name in COUNTS], [rows[2][name] for name in COUNTS])

    def test_regions(self):
        source = self.make(frames=2, pattern="smpte")
        rects = ((8, 4, 20, 12), (100, 60, 50, 50))
        text = "; ".join(",".join(map(str, rect)) for rect in rects)
        self.apply("--lossless", "--roi", text, source, "out.mkv")
        frames = self.luma(self.folder / "out.mkv", "format=I420")
        rows, names = self.rows("--roi", text, source)
        self.assertEqual(names, COLUMNS[:2] + PLACE + COLUMNS[2:])
        self.assertEqual(len(rows), 3 * len(frames))
        for n, frame in enumerate(frames):
            parts = [sum((line[x:x + w] for line in frame[y:y + h]), []) for x, y, w, h in rects]
            for i, (name, part) in enumerate((("all", sum(parts, [])), ("1", parts[0]), ("2", parts[1]))):
                row = rows[3 * n + i]
                self.assertEqual((row["frame"], row["region"]), (str(n), name))
                place = [""] * 4 if i == 0 else list(map(str, rects[i - 1]))
                self.assertEqual([row[name] for name in PLACE[1:]], place)
                self.assert_row(row, part, (8, 16, 235))

    def test_json_has_the_same_figures(self):
        source = self.make(frames=3, pattern="smpte")
        for options in ((), ("--histogram",), ("--roi=8,4,20,12; 0,0,8,8", "--histogram")):
            rows, _ = self.rows(*options, source)
            lines = [json.loads(line) for line in self.measure("--json", *options, source).stdout.splitlines()]
            flat = []
            for line in lines:
                flat.append(line)
                flat += [{**line, **region} for region in line.get("regions", [])]
            self.assertEqual(len(flat), len(rows))
            for row, line in zip(rows, flat):
                self.assertEqual({name: float(row[name]) for name in COLUMNS}, {name: line[name] for name in COLUMNS})
                for name in COUNTS:
                    self.assertIsInstance(line[name], int)
                self.assertEqual("histogram" in line, "--histogram" in options)
                self.assertEqual([int(row[name]) for name in BINS if name in row], line.get("histogram", []))

    def test_rotated_video(self):
        """Regions are those of the upright frames."""
        source = self.make("in.mp4", frames=1, pattern="smpte")
        plain, _ = self.rows("--roi=0,0,40,120", source)
        media.rotate(source, 180)
        rotated, _ = self.rows("--roi=120,0,40,120", source)
        self.assertEqual([plain[0][name] for name in COUNTS], [rotated[0][name] for name in COUNTS])

    def test_parts(self):
        source = self.make(frames=25)
        everything, _ = self.rows(source)
        for options, first, end in ((("--start=0.2",), 5, 25), (("--end=0.2",), 0, 5), (("--seconds=0.2",), 0, 5),
                                    (("--start=0.4", "--seconds=0.2"), 10, 15)):
            rows, _ = self.rows(*options, source)
            self.assertEqual([row["sum"] for row in rows], [row["sum"] for row in everything[first:end]])
            self.assertEqual([row["time"] for row in rows], [row["time"] for row in everything[first:end]])

    def test_output(self):
        source = self.make(frames=3)
        printed = self.measure(source).stdout
        (self.folder / "out.csv").write_text("old")
        done = self.measure("--quiet", "-o", "out.csv", source)
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertEqual((self.folder / "out.csv").read_text(), printed)
        (self.folder / "broken.mkv").write_bytes(source.read_bytes()[:200])
        self.measure("-o", "out.csv", "broken.mkv", status=1, says="broken.mkv")
        self.assertEqual((self.folder / "out.csv").read_text(), printed)
        (self.folder / "link.csv").symlink_to("behind.csv")
        self.measure("--quiet", "-o", "link.csv", source)
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertEqual((self.folder / "behind.csv").read_text(), printed)

    def test_audio_is_left_out(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{audio(5)} ! opusenc", f"{video(5)} ! {media.H264}")
        self.assertEqual(len(self.rows(source)[0]), 5)

    def test_measure_is_never_off(self):
        source = self.make(frames=1)
        _, names = self.rows("--measure=off", source)
        self.assertEqual(names, COLUMNS)
        _, names = self.rows("--measure=histogram", source)
        self.assertEqual(names, COLUMNS + BINS)

    def test_wrong_use(self):
        fill(self)
        before = (self.folder / "in.mkv").read_bytes()
        for arguments, status, says in WRONG:
            with self.subTest(arguments=arguments):
                done = self.measure(*arguments.split(), status=status, says=("cudaconv measure: ", says))
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.splitlines()), status)
        self.assertEqual((self.folder / "in.mkv").read_bytes(), before)
        section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n#")[0]
        section = section[section.index(HEAD):].partition("\n\n")[0] + "\n"
        self.assertEqual(section, make_table(self))

    def test_closed_pipe(self):
        """The reader ends while the command is blocked by a full pipe."""
        source = self.make(frames=250)
        with subprocess.Popen([COMMAND, "measure", "--histogram", source], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            self.assertTrue(process.stdout.readline().startswith("frame,time,"))
            process.stdout.close()
            self.assertEqual(process.stderr.read(), "")
            self.assertEqual(process.wait(timeout=30), 0)

    def test_full_disk(self):
        source = self.make(frames=3)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([COMMAND, "measure", source], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30,
                                  check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot be written: No space left", done.stderr)


def print_table():
    with tempfile.TemporaryDirectory() as name:
        case = Measure()
        case.folder = pathlib.Path(name)
        fill(case)
        print(make_table(case), end="")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print_table()
    else:
        media.main()
