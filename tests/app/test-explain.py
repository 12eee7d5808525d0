#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv explain`: its output, how the lines depend on the options, and wrong uses with their messages.

    tests/app/test-explain.py BUILD [--print]

With --print it writes the table of docs/messages.md, which the test compares with the messages of the command.
"""

import pathlib
import re
import sys
import tempfile

import media

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "messages.md"
HEADING = "## Messages of explain\n"
HEAD = "| arguments | status | message |\n| --- | --- | --- |\n"

# arguments, exit status, texts in the message: the option, the value and the accepted values
WRONG = (
    ("in.mkv", 2, ("expected no argument, got 1 argument", "--help")),
    ("kernel=sobel", 2, ("kernel=sobel: write it as an option", "--kernel=sobel")),
    ("--resolution=640x480", 2, ("--resolution", "perhaps you mean --frame-size")),
    ("--format=P010", 2, ("--format \"P010\"", "I420, NV12", "perhaps you mean P010_10LE")),
    ("--format=yuv420p10le", 2, ("--format \"yuv420p10le\"", "I420, NV12", "perhaps you mean I420_10LE")),
    ("--format=v210", 2, ("--format \"v210\"", "the filter does not accept this format; it accepts: I420, NV12")),
    ("--format=", 2, ("--format \"\"", "I420, NV12")),
    ("--frame-size=1920", 2, ("--frame-size \"1920\"", "such as 1920x1080")),
    ("--frame-size=0x1080", 2, ("--frame-size \"0x1080\"", "1x1 to 32767x32767")),
    ("--frame-size=32768x1", 2, ("--frame-size \"32768x1\"", "1x1 to 32767x32767")),
    ("--frame-size=640x480x3", 2, ("--frame-size \"640x480x3\"", "such as 1920x1080")),
    ("--frame-size=32767x32767 --format=ARGB64", 2, ("--frame-size \"32767x32767\"", "ARGB64", "such as 1920x1080")),
    ("--kernel=blur", 2, ("--kernel \"blur\"", "perhaps you mean gaussian")),
    ("--preset=sketh", 2, ("--preset \"sketh\"", "perhaps you mean sketch")),
    ("--size=4", 1, ("size=4", "odd")),
    ("--kernel=box --response=direction", 1, ("response=direction", "sobel")),
    ("--kernel=box --response=canny", 1, ("response=canny: the kernel is box", "sobel, scharr or prewitt")),
)


def explain(case, *arguments, **more):
    return case.cudaconv("explain", *arguments, **more)


def make_table(case):
    """The table of docs/messages.md."""
    rows = []
    for arguments, status, _ in WRONG:
        line = explain(case, *arguments.split(), status=status).stderr.splitlines()[0]
        message = line.removeprefix("cudaconv explain: ").replace("|", "\\|").replace("<", "&lt;")
        rows.append(f"| `{arguments}` | {status} | {message} |\n")
    return HEAD + "".join(rows)


class Wrong(media.Case):

    def test_all(self):
        for arguments, status, words in WRONG:
            with self.subTest(arguments=arguments):
                done = explain(self, *arguments.split(), status=status, says=("cudaconv explain: ", *words))
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(done.stderr.splitlines()), status)

    def test_table(self):
        section = PAGE.read_text(encoding="utf-8").split(HEADING)[1].split("\n#")[0]
        section = section[section.index(HEAD):].partition("\n\n")[0] + "\n"
        self.assertEqual(section, make_table(self))


class Right(media.Case):

    def explain(self, *arguments, **more):
        """The facts in the first three lines, and the lines of the steps."""
        lines = explain(self, "--backend=cpu", *arguments, **more).stdout.splitlines()
        facts = dict(line.split(": ", 1) for line in lines[:3])
        self.assertEqual(list(facts), ["frame", "backend", "plan"])
        for number, line in enumerate(lines[3:], 1):
            self.assertRegex(line, rf"^{number}\. \S")
        self.assertGreater(len(lines), 3)
        return facts, lines[3:]

    def test_defaults(self):
        facts, _ = self.explain()
        self.assertEqual(facts["frame"], "I420 of 1920x1080")
        self.assertRegex(facts["backend"], r"^cpu \(.*threads?\)$")
        self.assertRegex(facts["plan"], "^3x3, 2 matrices, ")

    def test_options(self):
        facts, _ = self.explain("--kernel=gaussian", "--size=9", "--format=p010_10le", "--frame-size=640X480")
        self.assertEqual(facts["frame"], "P010_10LE of 640x480")
        self.assertRegex(facts["plan"], "^9x9, 1 matrix, separable, ")
        self.assertEqual(self.explain("--preset=sketch")[0]["frame"], "I420 of 1920x1080")

    def test_steps(self):
        """Different kernels run in different steps."""
        small = ("--frame-size=64x48",)
        self.assertNotEqual(self.explain(*small, "--kernel=sobel")[1],
                            self.explain(*small, "--kernel=gaussian", "--size=9")[1])

    def test_chroma_kernel(self):
        """The plan has both kernels if the format has chroma. Each is in a step of its own."""
        options = ("--kernel=gaussian", "--size=5", "--chroma-size=3", "--frame-size=64x48")
        facts, steps = self.explain(*options, "--format=NV12")
        self.assertRegex(facts["plan"], "^5x5, 1 matrix, .*, clamp, chroma: 3x3, 1 matrix, .*, clamp, 2 passes$")
        self.assertEqual(len(steps), 2)
        self.assertNotIn("chroma", self.explain(*options, "--format=RGB")[0]["plan"])

    def test_weighted_alpha(self):
        """The steps of the plan in between are said to be those of products."""
        options = ("--kernel=gaussian", "--alpha=weighted", "--frame-size=64x48")
        facts, steps = self.explain(*options, "--format=AYUV", "--chroma-size=3")
        self.assertRegex(facts["plan"], ", clamp, colors weighted by alpha, 1 passes$")
        begins = ("filter plane 0 (A), copy Y U V: ", "premultiply", "filter plane 0 of products and weights: ",
                  "filter plane 1 of products and weights: ", "divide by alpha")
        self.assertEqual(len(steps), len(begins))
        for number, (step, begin) in enumerate(zip(steps, begins), 1):
            self.assertTrue(step.startswith(f"{number}. {begin}"), step)
        self.assertNotIn("alpha", self.explain(*options, "--format=RGB")[0]["plan"])

    def test_formats(self):
        text = explain(self, "--help").stdout
        formats = re.search(r"--format=NAME +Format of the frame \(I420\): (.*)", text)[1].split(", ")
        self.assertIn("P010_10LE", formats)
        for name in formats:
            with self.subTest(format=name):
                self.assertEqual(self.explain("--format", name, "--frame-size=3x5")[0]["frame"], f"{name} of 3x5")

    def test_warning(self):
        """An option without effect gives a warning, as with `apply`."""
        done = explain(self, "--frame-size=16x16", "--sigma=2")
        self.assertIn("Warning: sigma=2 has no effect", done.stderr)
        done = explain(self, "--frame-size=16x16", "--chroma-kernel=box", "--chroma=copy")
        self.assertEqual(done.stderr, "Warning: chroma-kernel=box has no effect, because chroma is not filtered; "
                         "chroma=filter filters it\n")


def print_table():
    with tempfile.TemporaryDirectory() as name:
        case = Wrong()
        case.folder = pathlib.Path(name)
        print(make_table(case), end="")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print_table()
    else:
        media.main()
