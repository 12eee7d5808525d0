#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lossless output of `cudaconv apply` equals the output of the element in a plain pipeline, and every option reaches
the element.

    tests/app/test-apply-exact.py BUILD
"""

import media
from media import H264, filtered, frames_of, make_video, video

RGBA = "videoconvert ! video/x-raw,format=RGBA"


class Exact(media.Case):

    def same(self, source, out, properties, convert="", options=()):
        arguments = [f"--{part}" for part in properties.split()]
        self.apply(*arguments, *options, source, out)
        expected, got = filtered(source, properties, convert), frames_of(self.folder / out, convert)
        self.assertGreater(len(expected.hashes), 0)
        self.assertEqual(got["format"], expected["format"])
        self.assertEqual(got.hashes, expected.hashes)

    def test_lossless_videos(self):
        source = self.make(frames=10, size=(160, 96))
        for out in ("out.mkv", "out.mp4", "out.mov", "out.webm"):
            for properties in ("kernel=sobel", "kernel=gaussian size=7 chroma=filter"):
                with self.subTest(out=out, properties=properties):
                    self.same(source, out, properties, options=["--lossless"])

    def test_lossless_formats(self):
        for name in ("GRAY8", "Y42B", "Y444", "I420_10LE", "GRAY16_LE"):
            source = self.folder / f"{name}.mkv"
            make_video(source, "matroskamux", f"{video(5, caps=f'format={name}', pattern='smpte')} ! avenc_ffv1")
            with self.subTest(format=name):
                self.same(source, "out.mkv", "kernel=unsharp", options=["--lossless"])

    def test_odd_sizes(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{video(5, size=(161, 121), pattern='smpte')} ! avenc_ffv1")
        self.same(source, "out.mkv", "kernel=sharpen", convert="videoconvert ! video/x-raw,format=AYUV",
                  options=["--lossless"])

    def test_images(self):
        source = self.folder / "in.png"
        media.launch(f"{video(1, caps='format=RGBA', pattern='smpte')} ! pngenc ! filesink location={source}")
        for out in ("out.png", "out.tiff"):
            with self.subTest(out=out):
                self.same(source, out, "kernel=laplacian", convert=RGBA)
        self.same(source, "out.webp", "kernel=laplacian", convert=RGBA, options=["--lossless"])

    def test_numbered(self):
        self.make("in.mkv", 12)
        (self.folder / "out").mkdir()
        self.assertIn("12 images", self.apply("--kernel=box", "in.mkv", "out/%03d.png").stdout)
        expected = filtered(self.folder / "in.mkv", "kernel=box", RGBA).hashes
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, [f"{n:03}.png" for n in range(1, 13)])
        self.assertEqual([frames_of(self.folder / "out" / name, RGBA).hashes[0] for name in names], expected)
        # and back, with the kernel identity
        self.apply("--kernel=identity", "--lossless", "--framerate=30000/1001", "out/%03d.png", "back.mkv")
        rgb = "videoconvert ! video/x-raw,format=RGB"
        back = frames_of(self.folder / "back.mkv", rgb)
        self.assertEqual(back.hashes, [frames_of(self.folder / "out" / name, rgb).hashes[0] for name in names])
        self.assertEqual((back["framerate"].num, back["framerate"].denom), (30000, 1001))
        # OUT has the same numbers as IN
        (self.folder / "out" / "001.png").unlink()
        (self.folder / "more").mkdir()
        self.apply("out/%03d.png", "more/%d.jpg")
        self.assertEqual(len(list((self.folder / "more").iterdir())), 11)
        self.assertTrue((self.folder / "more" / "12.jpg").exists())
        (self.folder / "out" / "007.png").unlink()
        self.apply("out/%03d.png", "gap.mkv", status=1, says=("007.png is missing", "from 2 to 12"))
        self.apply("out/%03d.png", "out/%03d.png", status=1, says="007.png is missing")

    def test_at_and_seconds(self):
        source = self.make("in.mp4", 50, pattern="snow")
        frames = filtered(source, "kernel=sobel", RGBA).hashes
        for at, n in (("0", 0), ("0.04", 1), ("0.999", 24), ("1.961", 49)):
            self.apply("--at", at, source, "at.png")
            self.assertEqual(frames_of(self.folder / "at.png", RGBA).hashes, [frames[n]], at)
        # Frames that follow it do not replace it.
        for _ in range(15 if media.COMPLETE else 5):
            self.apply("--at=0", source, "at.png")
            self.assertEqual(frames_of(self.folder / "at.png", RGBA).hashes, frames[:1])
        self.apply("--at=2.5", source, "at.png", status=1, says="no frame at 2.5 seconds")
        for seconds, n in (("1", 25), ("0.06", 2), ("100", 50)):
            self.apply("--lossless", "--seconds", seconds, source, "part.mkv")
            self.assertEqual(frames_of(self.folder / "part.mkv", RGBA).hashes, frames[:n], seconds)
        (self.folder / "p").mkdir()
        self.apply("--seconds=0.2", source, "p/%d.png")
        self.assertEqual(len(list((self.folder / "p").iterdir())), 5)

    def test_seconds_do_not_read_the_rest(self):
        source = self.make("in.mkv", 100)
        data = source.read_bytes()
        cut = self.folder / "cut.mkv"
        cut.write_bytes(data[:len(data) // 2])
        done = self.apply("--seconds=0.4", cut, "out.mkv")
        self.assertIn("10 frames", done.stdout)
        self.assertEqual(done.stderr, "")


# a value for each property
CHANGES = {
    "matrix": "<<0,-1,0>,<-1,5,-1>,<0,-1,0>>",
    "matrix-text": "1 1 1 1 1 1 1 1 1",
    "row": "<1,2,1>",
    "column": "<1,0,-1>",
    "kernel": "emboss",
    "size": "5",
    "scale": "0.5",
    "bias": "20",
    "response": "offset",
    "border": "wrap",
    "chroma": "filter",
    "chroma-kernel": "gaussian",
    "threshold": "0.25",
    "mix": "-1.5",
    "overlay": "0x80ff8000",
    "stride": "2",
    "roi": "<8,4,20,12>",
}


class Options(media.Case):

    def test_each_property(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{video(2, pattern='smpte')} ! {H264}")
        plain = filtered(source, "kernel=sobel").hashes
        for n, (option, value) in enumerate(CHANGES.items()):
            expected = filtered(source, f"{option}=\"{value}\"").hashes
            self.assertNotEqual(expected, plain)
            for words in media.every_nth(((f"--{option}", value), ("--set", f"{option}={value}")), 2, n):
                with self.subTest(words=words):
                    self.apply("--lossless", *words, source, "out.mkv")
                    self.assertEqual(frames_of(self.folder / "out.mkv").hashes, expected)

    def test_properties_that_need_others(self):
        source = self.make(frames=2, pattern="smpte")
        kernel = self.folder / "my.ini"
        kernel.write_text("[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n")
        for properties in ("kernel=sobel response=canny low=40 high=90.5", "kernel=gaussian sigma=3", "kernel=gaussian size=9 chroma-size=3",
                           "kernel=sobel chroma-kernel=gaussian chroma-size=9", "border=constant border-value=1", "kernel-file=" + str(kernel),
                           "roi=<8,4,20,12> target=<2,6>", "roi=<<8,4,20,12>,<0,0,8,8>> outside=black",
                           "kernel=gaussian roi=<8,4,20,12> roi-sigma=0.25"):
            self.apply("--lossless", *(f"--{part}" for part in properties.split()), source, "out.mkv")
            self.assertEqual(frames_of(self.folder / "out.mkv").hashes, filtered(source, properties).hashes)
        rgb = self.folder / "in.png"
        media.launch(f"{video(1, caps='format=ARGB', pattern='smpte')} ! alpha alpha=0.5 method=set ! videoconvert ! "
                     f"pngenc ! filesink location={rgb}")
        for properties in ("color=grey", "alpha=opaque", "alpha=filter"):
            self.apply(*(f"--{part}" for part in properties.split()), rgb, "out.png")
            self.assertEqual(frames_of(self.folder / "out.png", RGBA).hashes, filtered(rgb, properties, RGBA).hashes)
        for properties, words in (("invert=true", ("--invert",)), ("invert=false", ("--invert=false",)),
                                  ("invert=true", ("--set=invert=true",)),
                                  ("invert=false", ("--invert", "--set=invert=false")),
                                  ("mix=-0.5", ("--mix", "-0.5")), ("overlay=0xff00ff00", ("--overlay", "#00ff00")),
                                  ("overlay=0x8000ff00", ("--overlay=#8000ff00",)),
                                  ("roi=<<8,4,20,12>,<0,0,8,8>>", ("--roi", "8,4,20,12; 0 0 8 8")),
                                  ("roi=<8,4,20,12> target=<2,6>", ("--roi=8,4,20,12", "--target=2,6")),
                                  ("invert=false", ("--roi=8,4,20,12", "--roi", "")),
                                  ("invert=false", ("--set=roi-meta=true", "--set=roi-meta=false"))):
            self.apply("--lossless", *words, source, "out.mkv")
            self.assertEqual(frames_of(self.folder / "out.mkv").hashes, filtered(source, properties).hashes)
        for option in ("--backend=cpu", "--n-threads=1", "--in-flight=1", "--cuda-device-id=0", "--algorithm=auto"):
            self.apply(option, source, "out.mkv")
        self.assertIn("1 thread)", self.apply("--n-threads=1", source, "out.mkv").stdout)

    def test_weighted_alpha(self):
        """The colors of an image are weighted by alpha if the kernel is a named blur and no option decides otherwise."""
        size = (40, 32)
        source = self.folder / "1.png"
        frame = bytes((n * n * 31 // 7 + n) % 256 if n % 512 < 256 else 0 for n in range(4 * size[0] * size[1]))
        media.push_frames(f"pngenc ! filesink location=\"{source}\"",
                          f"video/x-raw,format=RGBA,width={size[0]},height={size[1]},framerate=25/1", [(0, frame)])
        weighted = ("kernel=gaussian sigma=3", "kernel=box size=5 border=wrap", "kernel=motion-blur mix=0.5",
                    "kernel=gaussian chroma-kernel=box roi=<4,4,20,20> roi-sigma=0.2", "kernel=box alpha=weighted")
        others = ("kernel=gaussian alpha=copy", "kernel=box alpha=filter", "kernel=box alpha=opaque", "kernel=sharpen",
                  "kernel=sobel", "kernel=identity", "matrix=<<1,2,1>>", "kernel=box bias=3", "kernel=box scale=0.1",
                  "kernel=box response=absolute", "kernel=box border=constant",
                  "kernel=gaussian chroma=filter chroma-kernel=sharpen")
        for properties in weighted + others:
            with self.subTest(properties=properties):
                self.apply(*(f"--{part}" for part in properties.split()), source, "out.png")
                expected = properties + (" alpha=weighted" if properties in weighted else "")
                self.assertEqual(frames_of(self.folder / "out.png", RGBA).hashes, filtered(source, expected, RGBA).hashes)
                if properties in weighted:
                    self.assertNotEqual(filtered(source, properties + " alpha=filter", RGBA).hashes,
                                        filtered(source, expected, RGBA).hashes)
        for words, alpha in ((("--preset=blur-light",), "weighted"), (("--preset=blur-light", "--set=alpha=copy"), "copy")):
            self.apply(*words, source, "out.png")
            self.assertEqual(frames_of(self.folder / "out.png", RGBA).hashes,
                             filtered(source, f"kernel=gaussian size=3 alpha={alpha}", RGBA).hashes)
        # numbered images, and a video
        rgb = "videoconvert ! video/x-raw,format=RGB"
        for out, alpha, convert in (("out%d.png", "weighted", RGBA), ("out.mkv", "copy", rgb)):
            self.apply("--lossless", "--framerate=25", "--kernel=gaussian", "%d.png", out)
            self.assertEqual(frames_of(self.folder / out.replace("%d", "1"), convert).hashes,
                             filtered(source, f"kernel=gaussian alpha={alpha}", convert).hashes)

    def test_fields(self):
        source = self.folder / "in.mkv"
        fields = f"{video(8, pattern='snow')} ! interlace field-pattern=1:1"
        make_video(source, "matroskamux", f"{fields} ! {H264} interlaced=true")
        frames = {}
        for value in ("auto", "frame"):
            self.apply("--lossless", f"--fields={value}", source, "out.mkv")
            frames[value] = frames_of(self.folder / "out.mkv").hashes
            self.assertEqual(frames[value], filtered(source, f"fields={value}").hashes)
        self.assertFalse(set(frames["auto"]) & set(frames["frame"]))

    def test_presets_and_order(self):
        source = self.make(frames=2, pattern="smpte")
        self.apply("--lossless", "--size=5", "--kernel=box", source, "one.mkv")
        self.apply("--lossless", "--kernel=box", "--size=5", source, "two.mkv")
        self.assertEqual(frames_of(self.folder / "one.mkv").hashes, frames_of(self.folder / "two.mkv").hashes)
        # A preset is applied first, at any position.
        self.apply("--lossless", "--kernel=emboss", "--preset=sketch", source, "one.mkv")
        self.apply("--lossless", "--preset=sketch", "--kernel=emboss", source, "two.mkv")
        self.apply("--lossless", "--preset=sketch", source, "three.mkv")
        one, two, three = (frames_of(self.folder / f"{name}.mkv").hashes for name in ("one", "two", "three"))
        self.assertEqual(one, two)
        self.assertNotEqual(one, three)
        self.apply("--lossless", "-k", "box", "-k", "emboss", source, "last.mkv")
        self.assertEqual(frames_of(self.folder / "last.mkv").hashes, filtered(source, "kernel=emboss").hashes)

    def test_encoder(self):
        source = self.make(frames=5)
        self.apply("--encoder", "x265enc speed-preset=ultrafast log-level=none", source, "out.mp4")
        self.assertEqual(media.read(self.folder / "out.mp4", decode=False)[0].kind, "video/x-h265")
        self.apply("--encoder", "videoscale ! video/x-raw,width=80,height=60 ! jpegenc", source, "out.avi")
        self.assertEqual(frames_of(self.folder / "out.avi")["width"], 80)
        self.apply("--encoder", "jpegenc quality=10", source, "out.jpg")

    def test_quiet(self):
        source = self.make(frames=2)
        done = self.apply("--quiet", source, "out.mkv")
        self.assertEqual(done.stdout + done.stderr, "")
        done = self.apply("-q", self.folder / "none.mkv", "out.mkv", status=1, says="there is no such file")
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    media.main()
