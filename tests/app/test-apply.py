#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of each kind through `cudaconv apply`, into their own container and into others. Checks what must be kept.

    tests/app/test-apply.py BUILD
"""

import os

import media
from media import H264, RATE, SECOND, audio, frames_of, make_video, only, read, video

AAC = "avenc_aac"
SUBTITLES = "1\n00:00:00,200 --> 00:00:00,600\none & two\n\n2\n00:00:00,700 --> 00:00:00,900\nthree\n"


def rows_of(frame, size):
    """The rows of each plane of a frame of I420."""
    planes, at = [], 0
    for columns, rows in (size, (size[0] // 2, size[1] // 2), (size[0] // 2, size[1] // 2)):
        planes.append([frame[at + y * columns:at + (y + 1) * columns] for y in range(rows)])
        at += columns * rows
    return planes


def split_fields(frame, size):
    """The two fields of a frame, as frames of half the height."""
    return [b"".join(row for rows in rows_of(frame, size) for row in rows[field::2]) for field in (0, 1)]


def weave(first, second, size):
    """The frame of two fields."""
    half = (size[0], size[1] // 2)
    return b"".join(row for planes in zip(rows_of(first, half), rows_of(second, half)) for both in zip(*planes) for row in both)


class Kinds(media.Case):

    def keep(self, source, *outs, options=("--kernel=sobel",), tolerance=1_000_000, size=None):
        """Filters into each of `outs`. The number of frames and their times must stay. Returns the streams of each output."""
        before = frames_of(source)
        results = []
        for out in outs:
            with self.subTest(out=out):
                done = self.apply(*options, source, out)
                streams = read(self.folder / out)
                after = only(streams, "video/")
                self.assertEqual(len(after.hashes), len(before.hashes), done.stdout)
                for old, new in zip(before.times, after.times):
                    self.assertLessEqual(abs(old - new), tolerance, f"{before.times}\n{after.times}")
                self.assertEqual((after["width"], after["height"]), size or (before["width"], before["height"]))
                self.assertIn(f"{len(before.hashes)} frames of {after['width']}x{after['height']}", done.stdout)
                self.assertNotEqual(after.hashes, before.hashes)
                results.append(streams)
        self.assertEqual(len(results), len(outs))
        return results

    def packets(self, path, kind="audio/"):
        return [stream for stream in read(path, decode=False) if stream.caps and stream.kind.startswith(kind)]

    def same_packets(self, source, out):
        """Checks that audio was copied. A container may omit packets before its beginning."""
        old, new = self.packets(source), self.packets(self.folder / out)
        self.assertEqual(len(old), len(new))
        for before, after in zip(old, new):
            self.assertGreaterEqual(len(after.hashes), len(before.hashes) - 2)
            self.assertIn(" ".join(after.hashes), " ".join(before.hashes))

    def test_phone(self):
        source = self.folder / "in.mp4"
        make_video(source, "mp4mux", f"{video()} ! {H264}", f"{audio()} ! {AAC}")
        media.rotate(source, 90)
        self.assertEqual(frames_of(source).tags["image-orientation"], "rotate-90")
        for out in ("out.mp4", "out.mkv"):
            with self.subTest(out=out):
                self.apply("--lossless", "--kernel=identity", source, out)
                after = frames_of(self.folder / out)
                self.assertEqual((after["width"], after["height"]), (media.HEIGHT, media.WIDTH))
                self.assertNotIn("image-orientation", after.tags)
                upright = frames_of(source, "videoconvert ! videoflip video-direction=90r")
                self.assertEqual(after.hashes, upright.hashes)
                self.same_packets(source, out)
        self.apply(source, "image.png")
        image = frames_of(self.folder / "image.png")
        self.assertEqual((image["width"], image["height"]), (media.HEIGHT, media.WIDTH))

    def test_variable_rate(self):
        source = self.folder / "in.mkv"
        times = [n * 40_000_000 + (n * n % 7) * 5_000_000 for n in range(40) if n % 5 != 3]
        frame = media.WIDTH * media.HEIGHT * 3 // 2
        caps = f"video/x-raw,format=I420,width={media.WIDTH},height={media.HEIGHT},framerate=0/1"
        media.push_frames(f"{H264} ! matroskamux ! filesink location={source}", caps,
                          [(time, bytes((n * 7 + k * k // 50) % 256 for k in range(frame)))
                           for n, time in enumerate(times)])
        self.keep(source, "out.mkv", "out.mp4", "out.webm")

    def test_no_audio(self):
        source = self.make("in.mp4")
        for streams in self.keep(source, "out.mp4", "out.mov", "out.avi", "out.ogv", tolerance=SECOND // RATE):
            self.assertEqual(len(streams), 1)

    def test_deep_and_hdr(self):
        source = self.folder / "in.mp4"
        deep = video(caps="format=I420_10LE,colorimetry=bt2100-pq")
        make_video(source, "mp4mux", f"{deep} ! x265enc speed-preset=ultrafast log-level=none ! h265parse")
        for streams in self.keep(source, "out.mp4", "out.mkv"):
            after = only(streams, "video/")
            self.assertEqual((after["format"], after["colorimetry"]), ("I420_10LE", "bt2100-pq"))
        for out in ("out.mp4", "out.mkv"):
            self.assertEqual(self.packets(self.folder / out, "video/")[0].kind, "video/x-h265")
        self.keep(source, "out.webm")

    def test_subtitles_and_two_audio_streams(self):
        source = self.folder / "in.mkv"
        text = self.folder / "text.srt"
        text.write_text(SUBTITLES, encoding="utf-8")
        make_video(source, "matroskamux", f"{video()} ! {H264}", f"{audio()} ! {AAC}", f"{audio(frequency=880)} ! opusenc",
                   f"filesrc location={text} ! subparse")
        for out, streams in zip(("out.mkv", "out.mp4"), self.keep(source, "out.mkv", "out.mp4")):
            with self.subTest(out=out):
                self.same_packets(source, out)
                self.assertEqual(len(self.packets(self.folder / out)), 2)
                subtitles = only(streams, "text/")
                texts = [data.rstrip(b"\0\n") for data in subtitles.data if data.strip(b"\0\n")]
                # matroskademux outputs Pango markup
                self.assertEqual(texts, [b"one &amp; two" if out == "out.mkv" else b"one & two", b"three"])
                shown = [time for time, data in zip(subtitles.times, subtitles.data) if data.strip(b"\0\n")]
                self.assertEqual([round(time / 1e6) for time in shown], [200, 700])
        self.assertIn("encoded to Opus, copied Opus", self.apply(source, "out.webm").stdout)
        self.assertIn("out.avi: left out: Timed Text", self.apply(source, "out.avi").stderr)

    def test_jpeg_and_pcm(self):
        source = self.folder / "in.avi"
        make_video(source, "avimux", f"{video()} ! jpegenc", audio().replace("audio/x-raw", "audio/x-raw,format=S16LE"))
        for streams in self.keep(source, "out.avi", "out.mkv", "out.mp4", tolerance=SECOND // RATE):
            heard = only(streams, "audio/")
            self.assertLess(abs(heard.end - SECOND), SECOND // 10)
        self.assertEqual([stream.kind for stream in self.packets(self.folder / "out.mkv")], ["audio/x-raw"])
        self.same_packets(source, "out.mkv")

    def test_webm(self):
        source = self.folder / "in.webm"
        make_video(source, "webmmux", f"{video()} ! vp9enc deadline=1 cpu-used=8", f"{audio()} ! opusenc")
        self.keep(source, "out.webm", "out.mkv", "out.mp4")
        for out in ("out.webm", "out.mkv", "out.mp4"):
            self.same_packets(source, out)
        kinds = [stream.kind for stream in read(self.folder / "out.webm", decode=False)]
        self.assertEqual(sorted(kinds), ["audio/x-opus", "video/x-vp9"])

    def test_interlaced(self):
        source = self.folder / "in.mkv"
        for top in ("true", "false"):
            fields = f"{video(50)} ! interlace field-pattern=1:1 top-field-first={top}"
            make_video(source, "matroskamux", f"{fields} ! {H264} interlaced=true")
            before = frames_of(source)
            self.assertEqual(before["interlace-mode"], "interleaved")
            self.assertEqual(before.top_first, {top == "true"})
            for streams in self.keep(source, "out.mkv", "out.mp4"):
                after = only(streams, "video/")
                self.assertEqual(after["interlace-mode"], "interleaved")
                self.assertEqual(after.top_first, before.top_first)

    def cut(self, size):
        """The frames in the file `raw`."""
        data, length = (self.folder / "raw").read_bytes(), size[0] * size[1] * 3 // 2
        self.assertEqual(len(data) % length, 0)
        return [data[at:at + length] for at in range(0, len(data), length)]

    def raw(self, path, size):
        """The frames of a video as I420."""
        media.launch(f"filesrc location=\"{path}\" ! decodebin ! video/x-raw,format=I420 ! "
                     f"filesink location=\"{self.folder}/raw\"")
        return self.cut(size)

    def blur(self, frames, size):
        """The frames as progressive video, blurred."""
        caps = f"video/x-raw,format=I420,width={size[0]},height={size[1]},framerate={RATE}/1"
        media.push_frames(f"cudaconv kernel=gaussian size=5 ! filesink location=\"{self.folder}/raw\"", caps,
                          [(n * SECOND // RATE, frame) for n, frame in enumerate(frames)])
        return self.cut(size)

    def test_fields(self):
        """The fields of a file are filtered apart: interlaced H.264, and MPEG-2, which has a flag in each frame."""
        size = (160, 128)
        source = self.folder / "in.video"
        fields = f"{video(20, size)} ! interlace field-pattern=1:1 ! video/x-raw,width=160,interlace-mode=interleaved"
        encoders = {"matroskamux": f"{H264} interlaced=true"}
        if media.Gst.ElementFactory.find("mpeg2enc"):
            encoders["mpegtsmux"] = "mpeg2enc format=3 ! mpegvideoparse"
        for muxer, encoder in encoders.items():
            with self.subTest(encoder=encoder):
                make_video(source, muxer, f"{fields.replace('framerate=25', 'framerate=50')} ! {encoder}")
                self.assertEqual(frames_of(source)["interlace-mode"], "interleaved" if "x264" in encoder else "mixed")
                frames = self.raw(source, size)
                blurred = self.blur([field for frame in frames for field in split_fields(frame, size)], (160, 64))
                apart = [weave(*pair, size) for pair in zip(blurred[::2], blurred[1::2])]
                for value, expected in (("auto", apart), ("frame", self.blur(frames, size))):
                    self.apply("--lossless", "--kernel=gaussian", "--size=5", f"--fields={value}", source, "out.mkv")
                    self.assertEqual(len(expected), 10)
                    self.assertEqual(self.raw(self.folder / "out.mkv", size), expected)

    def test_odd_size_and_wide_pixels(self):
        source = self.folder / "in.mp4"
        make_video(source, "mp4mux", f"{video(size=(161, 121), caps='format=Y444,pixel-aspect-ratio=4/3')} ! {H264}")
        before = frames_of(source)
        for streams in self.keep(source, "out.mp4", "out.mkv", "out.webm"):
            shapes = [stream["pixel-aspect-ratio"] for stream in (before, only(streams, "video/"))]
            self.assertAlmostEqual(shapes[0].num / shapes[0].denom, shapes[1].num / shapes[1].denom, places=2)
            self.assertAlmostEqual(shapes[1].num / shapes[1].denom, 4 / 3, places=1)

    def test_images(self):
        encoders = {"png": "pngenc", "jpg": "jpegenc quality=95", "tiff": "avenc_tiff", "webp": "webpenc quality=95",
                    "bmp": "avenc_bmp"}
        for ending, encoder in encoders.items():
            source = self.folder / f"in.{ending}"
            media.launch(f"{video(1, size=(161, 121), caps='format=RGB', pattern='smpte')} ! videoconvert ! {encoder} ! "
                         f"filesink location={source}")
            rgb = "videoconvert ! video/x-raw,format=RGBA"
            for out in {f"out.{ending}", "other.png"} - {"out.bmp"}:
                with self.subTest(ending=ending, out=out):
                    said = self.apply("--kernel=gaussian", source, out).stdout
                    self.assertIn("1 image of 161x121", said)
                    after = frames_of(self.folder / out, rgb)
                    self.assertEqual((len(after.hashes), after["width"], after["height"]), (1, 161, 121))
                    if out == "other.png":
                        self.assertEqual(after.hashes, media.filtered(source, "kernel=gaussian", rgb).hashes)
        self.apply("in.png", "video.mkv")
        self.assertEqual(len(frames_of(self.folder / "video.mkv").hashes), 1)


class Durations(media.Case):
    """Videos whose streams differ in start, end or number."""

    def test_audio_ends_early(self):
        source = self.folder / "in.mp4"
        make_video(source, "mp4mux", f"{video(75)} ! {H264}", f"{audio(10)} ! {AAC}")
        for out in ("out.mp4", "out.mkv", "out.webm"):
            self.apply(source, out)
            self.assertEqual(len(frames_of(self.folder / out).hashes), 75)

    def test_audio_starts_late(self):
        source = self.folder / "in.mkv"
        late = audio(25).replace("audiotestsrc", "audiotestsrc timestamp-offset=2000000000")
        make_video(source, "matroskamux", f"{video(75)} ! {H264}", f"{late} ! opusenc")
        for out in ("out.mkv", "out.mp4", "out.webm"):
            self.apply(source, out)
            heard = only(read(self.folder / out), "audio/")
            self.assertLess(abs(heard.times[0] - 2 * SECOND), SECOND // 10, out)

    def test_video_starts_late(self):
        source = self.folder / "in.mkv"
        late = video(25).replace("videotestsrc", "videotestsrc timestamp-offset=1000000000")
        make_video(source, "matroskamux", f"{late} ! {H264}", f"{audio(50)} ! opusenc")
        for out in ("out.mkv", "out.mp4", "out.webm"):
            self.apply(source, out)
            after = frames_of(self.folder / out)
            self.assertEqual(len(after.hashes), 25)
            self.assertLess(abs(after.times[0] - SECOND), SECOND // 10, out)

    def test_many_audio_streams(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{video()} ! {H264}",
                   *(f"{audio(frequency=200 + 100 * n)} ! opusenc" for n in range(12)))
        self.apply(source, "out.mkv")
        self.assertEqual(len(read(self.folder / "out.mkv", decode=False)), 13)

    def test_two_videos(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{video()} ! {H264}", f"{video(1)} ! jpegenc", f"{audio()} ! {AAC}")
        self.assertIn("the first video is filtered", self.apply(source, "out.mp4").stderr)
        self.assertEqual(len(frames_of(self.folder / "out.mp4").hashes), 25)

    def test_one_frame(self):
        source = self.make("in.mp4", 1)
        for out in ("out.mp4", "out.mkv", "out.webm", "out.avi", "out.ogv"):
            self.assertIn("1 frame of", self.apply(source, out).stdout)

    def test_badly_interleaved(self):
        """All of the video comes before the audio."""
        source = self.folder / "in.mp4"
        make_video(source, "mp4mux interleave-time=100000000000 interleave-bytes=100000000",
                   f"{video(100, pattern='snow')} ! {H264}",
                   f"{audio(100)} ! {AAC}")
        for out in ("out.mp4", "out.mkv"):
            self.apply(source, out)
            streams = read(self.folder / out)
            self.assertEqual(len(only(streams, "video/").hashes), 100)
            self.assertLess(abs(only(streams, "audio/").end - 4 * SECOND), SECOND // 10)

    def test_audio_that_cannot_be_decoded(self):
        """A message says that a video lacks its audio. An image needs no audio."""
        source = self.folder / "in.mp4"
        make_video(source, "mp4mux", f"{video(8)} ! {H264}", f"{audio(8)} ! {AAC}")
        decoders = ("avdec_aac", "avdec_aac_fixed", "avdec_aac_latm", "faad", "fdkaacdec", "voaacdec")
        env = {**os.environ, "GST_PLUGIN_FEATURE_RANK": ",".join(f"{name}:NONE" for name in decoders)}
        self.assertIn("left out: MPEG-4 AAC decoder", self.apply(source, "out.ogv", env=env).stderr)
        self.assertEqual(self.apply(source, "out.png", env=env).stderr, "")
        self.assertEqual(self.apply(source, "out.mp4", env=env).stderr, "")

    def test_no_frame(self):
        source = self.folder / "in.mkv"
        make_video(source, "matroskamux", f"{audio()} ! opusenc")
        self.apply(source, "out.mkv", status=1, says="there is no video in it")
        self.apply(source, "out.png", status=1, says="there is no video in it")


if __name__ == "__main__":
    media.main()
