#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wrong uses of `cudaconv apply`, with their exit status and message; file names; links.

    tests/app/test-apply-uses.py BUILD [--print]

With --print it writes the table of docs/messages.md.
"""

import os
import pathlib
import sys
import tempfile

import media
from media import frames_of

# arguments, exit status, required parts of the message: the option, the value and the accepted values
WRONG = (
    ("", 2, ("expected IN... OUT, got 0 arguments", "--help")),
    ("in.mkv", 2, ("expected IN... OUT, got 1 argument",)),
    ("in.mkv hard.mkv out.mkv", 2, ("out.mkv: for several files, OUT must be a folder such as edges/", "edges/{}.png")),
    ("in.mkv none.mkv edges", 1, ("none.mkv", "there is no such file")),
    ("p1.png p1.png edges/", 2, ("p1.png", "it is twice in IN")),
    ("p1.png p2.png edges/one{}.xyz", 2, ("edges/onep1.xyz", ".mkv", "edges/{}.png")),
    ("in.mkv link.mkv none/edges/", 2, ("none/edges/in.mkv", "the folder none/edges cannot be created")),
    ("--at=1 in.mkv hard.mkv edges/", 2, ("--at \"1\"", "one image")),
    ("kernel=sobel in.mkv out.mkv", 2, ("kernel=sobel: write it as an option", "--kernel=sobel")),
    ("none.mp4 out.mkv", 1, ("none.mp4", "there is no such file")),
    ("file:///none.mp4 out.mkv", 1, ("file:///none.mp4", "there is no such file")),
    ("folder edges/", 1, ("folder", "there is no video or image in this folder")),
    ("text.txt out.mkv", 1, ("text.txt", "not a video or image")),
    ("empty.mp4 out.mkv", 1, ("empty.mp4",)),
    ("empty.gif out.mkv", 1, ("empty.gif",)),
    ("/dev/video99 out.mkv", 1, ("/dev/video99", "there is no such camera")),
    ("nonsense:in out.mkv", 1, ("nonsense:in",)),
    ("none/%03d.png out.mkv", 1, ("none/%03d.png", "there is no folder none")),
    ("none%03d.png out.mkv", 1, ("none%03d.png", "there is no such image", "%04d for 0001")),
    ("%d-%d.png out.mkv", 2, ("%d-%d.png", "frames/%04d.png")),
    ("in.mkv out", 2, ("out", ".mp4", ".webp")),
    ("in.mkv none/none/", 2, ("none/none/in.mkv", "the folder none/none cannot be created")),
    ("nonsense:in folder", 2, ("folder", "this is a folder", "frames/%04d.png")),
    ("in.mkv out.xyz", 2, ("out.xyz", ".mp4", ".webp")),
    ("in.mkv none/out.mkv", 1, ("none/out.mkv", "there is no folder none")),
    ("in.mkv folder.mkv", 1, ("folder.mkv", "this is a folder")),
    ("in.mkv in.mkv", 2, ("in.mkv", "IN and OUT are the same file")),
    ("in.mkv link.mkv", 2, ("link.mkv", "IN and OUT are the same file")),
    ("link.mkv hard.mkv", 2, ("hard.mkv", "IN and OUT are the same file")),
    ("--nonsense in.mkv out.mkv", 2, ("--nonsense", "--help")),
    ("--kernel-size=5 in.mkv out.mkv", 2, ("--kernel-size", "perhaps you mean --size")),
    ("--radius=2 in.mkv out.mkv", 2, ("--radius", "perhaps you mean --size, which is twice the radius plus 1")),
    ("--sgima=2 in.mkv out.mkv", 2, ("--sgima", "perhaps you mean --sigma")),
    ("--kernel=nonsense in.mkv out.mkv", 2, ("--kernel \"nonsense\"", "sobel", "gaussian")),
    ("--kernel=blur in.mkv out.mkv", 2, ("--kernel \"blur\"", "perhaps you mean gaussian")),
    ("--kernel=canny in.mkv out.mkv", 2, ("--kernel \"canny\"", "this is a preset, for --preset")),
    ("--kernel=laplace in.mkv out.mkv", 2, ("--kernel \"laplace\"", "perhaps you mean laplacian")),
    ("--kernel=sketch in.mkv out.mkv", 2, ("--kernel \"sketch\"", "this is a preset, for --preset")),
    ("--size=4 in.mkv out.mkv", 1, ("size=4", "odd")),
    ("--size=3x in.mkv out.mkv", 2, ("--size \"3x\"", "0 to 127")),
    ("--size=128 in.mkv out.mkv", 2, ("--size \"128\"", "0 to 127")),
    ("--chroma-size=4 in.mkv out.mkv", 1, ("chroma-size=4", "odd", "the size of luma")),
    ("--chroma-kernel=custom in.mkv out.mkv", 2, ("--chroma-kernel \"custom\"", "same, identity")),
    ("--sigma=22 --chroma-kernel=gaussian in.mkv out.mkv", 1, ("chroma-kernel=gaussian", "sigma=22")),
    ("--sigma=nan in.mkv out.mkv", 2, ("--sigma \"nan\"", "0 to 1000")),
    ("--sigma=2,5 in.mkv out.mkv", 2, ("--sigma \"2,5\"", "such as 0.5")),
    ("--border=mirror in.mkv out.mkv", 2, ("--border \"mirror\"", "reflect-101")),
    ("--border-value=2 in.mkv out.mkv", 2, ("--border-value \"2\"", "0 to 1")),
    ("--alpha=weighted in.mkv out.mkv", 1, ("alpha=weighted: the kernel sobel", "has negative taps", "gaussian or box")),
    ("--kernel=sharpen --alpha=weighted in.mkv out.mkv", 1, ("alpha=weighted", "sharpen has negative taps")),
    ("--low=-1 in.mkv out.mkv", 2, ("--low \"-1\"", "0 to 1000000")),
    ("--high=strong in.mkv out.mkv", 2, ("--high \"strong\"", "0 to 1000000")),
    ("--response=canny --chroma=filter in.mkv out.mkv", 1, ("response=canny: chroma=filter is set", "auto, copy or neutral")),
    ("--threshold=2 in.mkv out.mkv", 2, ("--threshold \"2\"", "0 to 1")),
    ("--mix=9 in.mkv out.mkv", 2, ("--mix \"9\"", "-8 to 8")),
    ("--mix=strong in.mkv out.mkv", 2, ("--mix \"strong\"", "-8 to 8")),
    ("--overlay=red in.mkv out.mkv", 2, ("--overlay \"red\"", "0xAARRGGBB", "#RRGGBB")),
    ("--overlay=0xff0000 in.mkv out.mkv", 2, ("--overlay \"0xff0000\"", "0xAARRGGBB")),
    ("--overlay=#f00 in.mkv out.mkv", 2, ("--overlay \"#f00\"", "#RRGGBB")),
    ("--roi=10,20,30 in.mkv out.mkv", 2, ("--roi \"10,20,30\"", "3 numbers", "<x, y, width, height>", "two regions")),
    ("--roi=0,0,8,8,8,8,8,8 in.mkv out.mkv", 2, ("8 numbers", "<x, y, width, height>", "two regions")),
    ("--roi=-1,0,8,8 in.mkv out.mkv", 2, ("-1", "whole numbers from 0 up")),
    ("--roi=left,0,8,8 in.mkv out.mkv", 2, ("\"left\"", "whole numbers from 0 up")),
    ("--roi=0.1,0.2,0.5,0.5 in.mkv out.mkv", 2, ("\"0.1\"", "whole numbers from 0 up")),
    ("--roi=9999,0,8,8 in.mkv out.mkv", 1, ("roi=<9999, 0, 8, 8>", "outside of the frame")),
    ("--roi=0,0,0,8 in.mkv out.mkv", 1, ("roi=<0, 0, 0, 8>", "a width and a height")),
    ("--target=10 in.mkv out.mkv", 2, ("--target \"10\"", "1 number", "<x, y>", "two positions")),
    ("--target=10,20 in.mkv out.mkv", 1, ("target has 1 position", "roi has 0 regions")),
    ("--fields=both in.mkv out.mkv", 2, ("--fields \"both\"", "auto, frame")),
    ("--outside=white in.mkv out.mkv", 2, ("--outside \"white\"", "copy, black")),
    ("--kernel=gaussian --roi-sigma=2 in.mkv out.mkv", 2, ("--roi-sigma \"2\"", "0 to 1")),
    ("--kernel=gaussian --roi-sigma=0.2 --stride=2 in.mkv out.mkv", 1, ("roi-sigma=0.2", "stride=1")),
    ("--roi-meta in.mkv out.mkv", 2, ("--roi-meta", "--roi")),
    ("--set=roi-meta=true in.mkv out.mkv", 2, ("roi-meta=true", "--roi")),
    ("--invert=maybe in.mkv out.mkv", 2, ("--invert \"maybe\"", "true or false")),
    ("--set=invert=maybe in.mkv out.mkv", 2, ("--invert \"maybe\"", "true or false")),
    ("--matrix=1,2,x in.mkv out.mkv", 2, ("--matrix \"1,2,x\"", "<<0,1,0>,<1,4,1>,<0,1,0>>", "--matrix-text")),
    ("--kernel-file=none.ini in.mkv out.mkv", 1, ("none.ini",)),
    ("--stride=3 in.mkv out.mkv", 1, ("stride=3", "1, 2 or 4")),
    ("--backend=gpu in.mkv out.mkv", 2, ("--backend \"gpu\"", "cuda", "cpu")),
    ("--preset=nonsense in.mkv out.mkv", 2, ("--preset \"nonsense\"", "sketch")),
    ("--preset=sketh in.mkv out.mkv", 2, ("--preset \"sketh\"", "perhaps you mean sketch")),
    ("--preset=sobel in.mkv out.mkv", 2, ("--preset \"sobel\"", "this is a kernel, for --kernel")),
    ("--set=size in.mkv out.mkv", 2, ("--set \"size\"", "PROPERTY=VALUE")),
    ("--set=nonsense=1 in.mkv out.mkv", 2, ("nonsense", "kernel", "sigma")),
    ("--set=kernl=box in.mkv out.mkv", 2, ("kernl", "perhaps you mean kernel")),
    ("--set=name=x in.mkv out.mkv", 2, ("\"name\"", "kernel")),
    ("--seconds=long in.mkv out.mkv", 2, ("--seconds \"long\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--seconds=0 in.mkv out.mkv", 2, ("--seconds \"0\"", "a time of 0.001 seconds or more")),
    ("--start=1:60 in.mkv out.mkv", 2, ("--start \"1:60\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=1:2:3:4 in.mkv out.mkv", 2, ("--start \"1:2:3:4\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=1.5:03 in.mkv out.mkv", 2, ("--start \"1.5:03\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=0x10 in.mkv out.mkv", 2, ("--start \"0x10\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=1e3 in.mkv out.mkv", 2, ("--start \"1e3\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=nan in.mkv out.mkv", 2, ("--start \"nan\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--start=2 --end=0:01 in.mkv out.mkv", 2, ("--end \"0:01\"", "after --start, which is 2 seconds")),
    ("--end=2 --seconds=1 in.mkv out.mkv", 2, ("--end \"2\" and --seconds \"1\"", "only one")),
    ("--at=1 --start=1 in.mkv out.png", 2, ("--at \"1\"", "--start, --end and --seconds")),
    ("--start=1 in.mkv out.png", 2, ("--start \"1\"", "--at")),
    ("--start=100 in.mkv out.mkv", 1, ("in.mkv", "no frame at 100 seconds")),
    ("--seconds=1 in.mkv out.png", 2, ("--seconds \"1\"", "--at")),
    ("--at=1 in.mkv out.mkv", 2, ("--at \"1\"", "one image")),
    ("--at=-1 in.mkv out.png", 2, ("--at \"-1\"", "such as 1.5, 90s, 2m or 0:03")),
    ("--at=100 in.mkv out.png", 1, ("in.mkv", "no frame at 100 seconds")),
    ("--framerate=0 p%d.png out.mkv", 2, ("--framerate \"0\"", "30000/1001")),
    ("--framerate=1/2 p%d.png out.mkv", 2, ("--framerate \"1/2\"", "1 or more")),
    ("--framerate=25 in.mkv out.mkv", 2, ("--framerate \"25\"", "numbered images")),
    ("p%d.png p%d.png", 2, ("p1.png", "IN and OUT are the same file")),
    ("p%d.png p1.png", 2, ("p1.png", "IN and OUT are the same file")),
    ("--lossless in.mkv out.jpg", 2, ("--lossless", ".jpg", ".png")),
    ("--lossless --encoder=x264enc in.mkv out.mkv", 2, ("--lossless", "--encoder \"x264enc\"")),
    ("--encoder=nonsense in.mkv out.mkv", 2, ("--encoder \"nonsense\"", "x264enc bitrate=4000")),
    ("--encoder= in.mkv out.mkv", 2, ("--encoder \"\"", "x264enc bitrate=4000")),
    ("--encoder=fakesink in.mkv out.mkv", 2, ("--encoder \"fakesink\"", "no output")),
    ("--encoder=videotestsrc in.mkv out.mkv", 2, ("--encoder \"videotestsrc\"", "no input")),
    ("--encoder=opusenc in.mkv out.mkv", 2, ("--encoder \"opusenc\"",)),
    ("--encoder=jpegenc in.mkv out.webm", 2, ("--encoder \"jpegenc\"", ".webm cannot hold")),
    ("--encoder=opusenc in.mkv out.png", 2, ("--encoder \"opusenc\"", "it does not accept video")),
    ("audio.mkv out.mkv", 1, ("audio.mkv", "there is no video in it")),
)


def fill(folder):
    media.make_video(folder / "in.mkv", "matroskamux", f"{media.video(3)} ! {media.H264}")
    media.make_video(folder / "audio.mkv", "matroskamux", f"{media.audio(3)} ! opusenc")
    (folder / "folder").mkdir()
    (folder / "folder.mkv").mkdir()
    (folder / "text.txt").write_text("this is not a video\n" * 100)
    (folder / "empty.mp4").touch()
    (folder / "empty.gif").touch()
    (folder / "link.mkv").symlink_to("in.mkv")
    (folder / "hard.mkv").hardlink_to(folder / "in.mkv")
    for n in (1, 2):
        media.launch(f"{media.video(1, caps='format=RGB')} ! pngenc ! filesink location={folder}/p{n}.png")


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Wrong(media.Case):

    def test_all(self):
        fill(self.folder)
        before = snapshot(self.folder)
        for arguments, status, words in WRONG:
            with self.subTest(arguments=arguments):
                done = self.apply(*arguments.split(), status=status, says=("cudaconv apply: ", *words))
                self.assertEqual(done.stdout, "")
                self.assertLessEqual(len(done.stderr.splitlines()), 2)
                self.assertEqual(snapshot(self.folder), before)


class Right(media.Case):

    def test_any_case(self):
        self.make("in.mkv", 3)
        for option, out in (("--kernel=GAUSSIAN", "a.mkv"), ("--kernel=gaussian", "b.mkv"), ("--preset=SKETCH", "c.mkv"),
                            ("--preset=sketch", "d.mkv"), ("--border=Wrap", "e.mkv")):
            self.apply(option, "--lossless", "in.mkv", out)
        frames = [frames_of(self.folder / f"{name}.mkv").hashes for name in "abcd"]
        self.assertEqual(frames[0], frames[1])
        self.assertEqual(frames[2], frames[3])

    def test_times(self):
        source = self.make("in.mkv", 10)
        for text in ("0.12", "0.12s", "120ms", "0.002m", "0.002min", "0:00.12", "0:0:0.12"):
            self.apply("--seconds", text, source, "out.mkv")
            self.assertEqual(len(frames_of(self.folder / "out.mkv").hashes), 3, text)
        for text in ("1h", "1:00:00", "60m", "3600"):
            self.apply("--at", text, source, "out.png", status=1, says="no frame at 3600 seconds")

    def test_help(self):
        """`help COMMAND` prints the same as `COMMAND --help`."""
        for command in ("apply", "plan", "explain", "doctor"):
            self.assertEqual(self.cudaconv("help", command).stdout, self.cudaconv(command, "--help").stdout)
        self.cudaconv("help", "aply", status=2, says="no command \"aply\"; perhaps you mean apply")
        self.cudaconv("--kernel=box", "in.mkv", status=2, says="perhaps you mean cudaconv apply --kernel=box;")


class Names(media.Case):

    def test_names(self):
        source = self.make("in.mp4", 3)
        for name in ("with space", "100 % %20 %s", "Größe — 日本", "a:b", "quote'\"", "back\\slash", "#hash?x=1", "%d"):
            with self.subTest(name=name):
                one = self.folder / f"{name}.mp4"
                one.write_bytes(source.read_bytes())
                self.apply(f"{name}.mp4", f"{name} out.mkv")
                self.assertEqual(len(frames_of(self.folder / f"{name} out.mkv").hashes), 3)
                self.apply(one.as_uri(), "uri.mkv")
                self.assertEqual(len(frames_of(self.folder / "uri.mkv").hashes), 3)
        self.apply(source.as_uri(), "in.mp4", status=2, says="IN and OUT are the same file")

    def test_numbered_names(self):
        (self.folder / "ä # folder").mkdir()
        self.make("in.mkv", 3)
        self.apply("in.mkv", "ä # folder/f %02d.png")
        self.assertEqual(sorted(os.listdir(self.folder / "ä # folder")), ["f 01.png", "f 02.png", "f 03.png"])
        self.apply("ä # folder/f %02d.png", "out.mkv")
        self.assertEqual(len(frames_of(self.folder / "out.mkv").hashes), 3)

    def test_leading_dash(self):
        self.make("in.mkv", 3).rename(self.folder / "-in.mkv")
        self.apply("-in.mkv", "out.mkv", status=2)
        self.apply("--kernel=box", "--", "-in.mkv", "-out.mkv")
        self.assertEqual(len(frames_of(self.folder / "-out.mkv").hashes), 3)

    def test_upper_case(self):
        self.make("in.mkv", 3)
        self.apply("in.mkv", "OUT.MP4")
        self.assertEqual(len(frames_of(self.folder / "OUT.MP4").hashes), 3)

    def test_links(self):
        self.make("in.mkv", 3)
        (self.folder / "else").mkdir()
        target, link = self.folder / "else" / "video.mkv", self.folder / "link.mkv"
        link.symlink_to("else/video.mkv")
        for _ in range(2):  # first the target does not exist, then it does
            self.apply("in.mkv", "link.mkv")
            self.assertTrue(link.is_symlink())
            self.assertFalse(target.is_symlink())
            self.assertEqual(len(frames_of(target).hashes), 3)
        link.unlink()
        link.symlink_to("link.mkv")
        self.apply("in.mkv", "link.mkv", status=1, says="link.mkv")
        self.assertTrue(link.is_symlink())

    def test_mode(self):
        self.make("in.mkv", 3)
        self.apply("in.mkv", "out.mkv", umask=0o027)
        self.apply("in.mkv", "out.png", umask=0o027)
        for name in ("out.mkv", "out.png"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o640, name)


def print_table():
    """The rows of docs/messages.md."""
    with tempfile.TemporaryDirectory() as name:
        fill(pathlib.Path(name))
        case = Wrong()
        case.folder = pathlib.Path(name)
        for arguments, status, _ in WRONG:
            said = case.apply(*arguments.split(), status=status).stderr.splitlines()[0]
            message = said.removeprefix("cudaconv apply: ").replace("|", "\\|").replace("<", "&lt;")
            shown = f"`{arguments}`" if arguments else "none"
            print(f"| {shown} | {status} | {message} |")


if __name__ == "__main__":
    if "--print" in sys.argv:
        print_table()
    else:
        media.main()
