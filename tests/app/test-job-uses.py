#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wrong uses of `cudaconv plan`, `run`, `status` and `merge`, each with its exit status and parts of its message.

    tests/app/test-job-uses.py BUILD [--print]

With --print it writes the table of docs/messages.md, which the test compares with the messages of the command.
"""

import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

import media

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "messages.md"
HEADING = "## Messages of plan, run, status and merge\n"
HEAD = "| line | status | message |\n| --- | --- | --- |\n"
VARIABLES = ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX")

# line, exit status, texts in the message: the option, the value and the accepted values
WRONG = (
    ("cudaconv plan in.mkv --job new", 2, ("--out OUT is missing", "edges/{}.png")),
    ("cudaconv plan in.mkv --out out.mkv", 2, ("--job FOLDER is missing", "all machines see")),
    ("cudaconv plan --out out.mkv --job new", 2, ("expected IN", "--list")),
    ("cudaconv plan none.mkv --out out.mkv --job new", 1, ("none.mkv", "there is no such file")),
    ("cudaconv plan empty --out edges/ --job new", 1, ("empty", "no video or image in this folder")),
    ("cudaconv plan 'none*.png' --out edges/ --job new", 1, ("none*.png", "no file matches this pattern")),
    ("cudaconv plan none%03d.png --out edges/ --job new", 1, ("none%03d.png", "%04d for 0001")),
    ("cudaconv plan https://example.org/in.mkv --out out.mkv --job new", 1, ("https://example.org/in.mkv", "files")),
    ("cudaconv plan --list none.txt --out edges/ --job new", 1, ("--list none.txt", "one name per line")),
    ("cudaconv plan text.txt --out out.mkv --job new", 1, ("text.txt", "not a video or image that GStreamer can read")),
    ("cudaconv plan in.mkv --out out.mp4 --encoder 'videorate max-rate=5 ! x264enc' --job new", 2, ("max-rate=5", "times", "x264enc")),
    ("cudaconv plan in.mkv --out out.mkv --encoder opusenc --job new", 2, ("opusenc", "the container cannot hold", "x264enc")),
    ("cudaconv plan sound.mkv --out out.mkv --job new", 1, ("sound.mkv", "there is no video in it")),
    ("cudaconv plan stream.ts --out out.mkv --job new", 1, ("stream.ts", "MPEG streams", "-c copy IN.mkv")),
    ("cudaconv plan in.mkv in.mkv --out edges/ --job new", 2, ("in.mkv", "twice in IN")),
    ("cudaconv plan in.mkv other/in.mkv --out edges/ --job new", 2, ("other/in.mkv", "edges/in.mkv", "separate runs")),
    ("cudaconv plan in.mkv pictures --out edges/ --job new", 2, ("edges/in.mkv", "edges/1.png", "two jobs")),
    ("cudaconv plan in.mkv other/in.mkv --out out.mkv --job new", 2, ("--out out.mkv", "edges/{}.png")),
    ("cudaconv plan in.mkv --out in.mkv --job new", 2, ("--out", "in.mkv", "input files")),
    ("cudaconv plan in.mkv --out link.mkv --job new", 2, ("--out", "link.mkv", "input files")),
    ("cudaconv plan in.mkv --out out.xyz --job new", 2, ("--out", "out.xyz", ".mp4", ".webp")),
    ("cudaconv plan in.mkv --out out.avi --job new", 2, ("--out out.avi", ".mkv", "--files 1")),
    ("cudaconv plan in.mkv --out none/none/out.mkv --job new", 2, ("--out", "cannot be created", "none/none")),
    ("cudaconv plan in.mkv --out out.mkv --job text.txt", 1, ("--job", "text.txt", "Not a directory")),
    ("cudaconv plan in.mkv --out out.mkv --piece 0 --job new", 2, ("--piece \"0\"", "such as 1.5, 90s, 2m or 0:03")),
    ("cudaconv plan in.mkv --out out.mkv --piece abc --job new", 2, ("--piece \"abc\"", "such as 1.5, 90s, 2m or 0:03")),
    ("cudaconv plan pictures --out edges/ --piece 60s --job new", 2, ("--piece \"60s\"", "--files")),
    ("cudaconv plan in.mkv --out out.mkv --piece 60s --files 1 --job new", 2, ("--piece \"60s\"", "--files \"1\"")),
    ("cudaconv plan pictures --out edges/ --files 0 --job new", 2, ("--files \"0\"", "1 or more")),
    ("cudaconv plan pictures --out edges/{}.jpg --lossless --job new", 2, ("--lossless", ".jpg", ".png")),
    ("cudaconv plan in.mkv --out edges.mkv --job job", 2, ("--job", "this folder has another job", "another folder")),
    ("cudaconv plan in.mkv --size 4 --out out.mkv --job new", 1, ("size=4", "odd")),
    ("cudaconv plan in.mkv --kernel-file none.ini --out out.mkv --job new", 1, ("kernel-file", "none.ini")),
    ("cudaconv plan in.mkv --kernel box --response direction --out out.mkv --job new", 1, ("direction", "sobel")),
    ("cudaconv run", 2, ("expected JOB, got 0 arguments",)),
    ("cudaconv run job old", 2, ("expected JOB, got 2 arguments",)),
    ("cudaconv run none", 1, ("none", "there is no such folder", "cudaconv plan --job")),
    ("cudaconv run in.mkv", 1, ("in.mkv", "this is not a folder", "cudaconv plan --job")),
    ("cudaconv run empty", 1, ("empty", "manifest.json", "cudaconv plan --job")),
    ("cudaconv run job --kernel box", 2, ("--kernel",)),
    ("cudaconv run job --index 3", 2, ("--index \"3\"", "0 to 2", "3 chunks")),
    ("SLURM_ARRAY_TASK_ID=abc cudaconv run job", 2, ("SLURM_ARRAY_TASK_ID \"abc\"", "0 to 2")),
    ("JOB_COMPLETION_INDEX=3 cudaconv run job", 2, ("JOB_COMPLETION_INDEX \"3\"", "0 to 2")),
    ("cudaconv run job --of 4", 2, ("--of \"4\"", "--index")),
    ("cudaconv run job --of 0 --index 0", 2, ("--of \"0\"", "1 or more")),
    ("cudaconv run job --of 4 --index 4", 2, ("--index \"4\"", "0 to 3", "--of is 4")),
    ("cudaconv run changed --index 0 --again", 1, ("changed.mkv", "not the file for which the job was planned")),
    ("cudaconv run edited", 1, ("edited/manifest.json", "it was changed", "plan the job again")),
    ("cudaconv run old", 1, ("old/manifest.json", "this job has format 0", "use cudaconv")),
    ("cudaconv status none", 1, ("none", "there is no such folder")),
    ("cudaconv status edited", 1, ("edited/manifest.json", "it was changed", "plan the job again")),
    ("cudaconv merge begun", 1, ("2 of 3 chunks are missing: --index 1-2", "cudaconv run", "--missing")),
    ("cudaconv merge changed", 1, ("changed.mkv", "not the file for which the job was planned")),
    ("cudaconv merge damaged", 1, ("chunk 2 of 3", "it is damaged", "--index 1 --again")),
    ("cudaconv merge cut", 1, ("chunk 2 of 3", "000001.json", "it is damaged", "--index 1 --again")),
    ("cudaconv merge edited", 1, ("edited/manifest.json", "it was changed", "plan the job again")),
    ("cudaconv merge failed", 1, ("gone/2.png", "1 file could not be made", "cudaconv status", "--skip-failed")),
)


class Jobs(media.Case):
    """A test with a folder of jobs in all states."""

    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()

    def run_line(self, line, **more):
        """Runs a line as a shell does, with variables at its start."""
        env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        env["LC_ALL"] = "C.UTF-8"
        words = shlex.split(line)
        while words[0] != "cudaconv":
            name, _, value = words.pop(0).partition("=")
            env[name] = value
        return self.cudaconv(*words[1:], env=env, **more)

    def fill(self):
        self.make_sources()
        self.run_line("cudaconv plan in.mkv --kernel sobel --piece 1s --out edges.mkv --job job")
        self.run_line("cudaconv run job")
        self.run_line("cudaconv plan in.mkv --kernel box --piece 1s --out begun.mkv --job begun")
        self.run_line("cudaconv run begun --index 0")
        self.run_line("cudaconv plan changed.mkv --piece 1s --out changed-edges.mkv --job changed")
        self.run_line("cudaconv run changed")
        self.run_line("cudaconv plan gone --out gone-edges/ --job failed")
        (self.folder / "gone/2.png").unlink()
        self.run_line("cudaconv run failed", status=1)
        with open(self.folder / "changed.mkv", "ab") as file:
            file.write(b"\0")
        self.copy_job("edited", "manifest.json", lambda data: data.replace(b"sobel", b"scharr"))
        self.copy_job("old", "manifest.json", lambda data: data.replace(b'"format" : 1', b'"format" : 0'))
        self.copy_job("damaged", "pieces/000001-*.mkv", lambda data: data[:-1] + bytes([data[-1] ^ 1]))
        self.copy_job("cut", "pieces/000001.json", lambda _: b"")

    def make_sources(self):
        for name in ("other", "empty", "pictures", "gone"):
            (self.folder / name).mkdir()
        self.make("in.mkv", 75)
        for name in ("other/in.mkv", "changed.mkv"):
            shutil.copy(self.folder / "in.mkv", self.folder / name)
        (self.folder / "link.mkv").symlink_to("in.mkv")
        media.make_video(self.folder / "sound.mkv", "matroskamux", f"{media.audio(3)} ! opusenc")
        media.make_video(self.folder / "stream.ts", "mpegtsmux", f"{media.video(75)} ! {media.H264} ! h264parse")
        (self.folder / "text.txt").write_text("this is not a video\n" * 100)
        media.launch(f"{media.video(2, caps='format=RGB')} ! pngenc ! "
                     f"multifilesink index=1 location={self.folder}/pictures/%d.png")
        for name in ("1.png", "2.png"):
            shutil.copy(self.folder / "pictures" / name, self.folder / "gone" / name)

    def copy_job(self, name, pattern, change):
        """Makes a copy of the job and changes one of its files."""
        shutil.copytree(self.folder / "job", self.folder / name)
        path, = (self.folder / name).glob(pattern)
        before = path.read_bytes()
        path.write_bytes(change(before))
        self.assertNotEqual(path.read_bytes(), before)

    def snapshot(self):
        return {path: path.read_bytes() if path.is_file() else None for path in self.folder.rglob("*")}

    def row(self, line, status, message):
        """A row of the table, without parts that depend on the machine or the version."""
        message = message.partition(": ")[2].replace(f"{self.folder}/", "")
        message = re.sub(r"(cudaconv )\d\S*", r"\1VERSION", message)
        message = re.sub(r"(pieces/\d{6}-)[0-9a-f]{12}", r"\1HASH", message)
        message = message.replace("|", "\\|").replace("<", "&lt;")
        return f"| `{line}` | {status} | {message} |\n"


class Wrong(Jobs):

    def test_all(self):
        self.fill()
        before = self.snapshot()
        table = ""
        for line, status, words in WRONG:
            command = line.partition("cudaconv ")[2].split()[0]
            with self.subTest(line=line):
                done = self.run_line(line, status=status, says=(f"cudaconv {command}: ", *words))
                self.assertEqual(done.stdout, "")
                self.assertEqual("--help" in done.stderr, status == 2)
                self.assertEqual(len(done.stderr.splitlines()), status)
                self.assertEqual(self.snapshot(), before)
                table += self.row(line, status, done.stderr.splitlines()[0])
        page = PAGE.read_text(encoding="utf-8").partition(HEADING)[2]
        self.assertEqual(page.partition(HEAD)[2].partition("\n\n")[0].rstrip("\n") + "\n", table,
                         f"the table of {PAGE.name} is not current")


def print_table():
    """The table of docs/messages.md."""
    case = Jobs()
    with tempfile.TemporaryDirectory() as name:
        case.folder = pathlib.Path(name).resolve()
        case.fill()
        print(HEAD, end="")
        for line, status, _ in WRONG:
            print(case.row(line, status, case.run_line(line, status=status).stderr.splitlines()[0]), end="")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print_table()
    else:
        media.main()
