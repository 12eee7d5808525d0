#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A video joined from chunks equals that of `cudaconv apply`, and a chunk has the same bytes each time.

    tests/app/test-job.py BUILD
"""

import json
import os
import shutil
import struct

import jobs
import media
from jobs import OPEN_GOP
from media import H264, RATE, SECOND, audio, every_nth, make_video, only, read, video

FRAMES = 6 * RATE  # from the third chunk on, the reader has to seek
CHUNK_LENGTH = 1.25  # seconds; not a whole number of frames
AAC = "avenc_aac"
TITLE = "taginject tags=\"title=Ball,artist=Nobody\""
# Tags about the encoding of the video and the date of the file, which are not compared.
OF_ENCODING = {"datetime", "bitrate", "minimum-bitrate", "maximum-bitrate", "nominal-bitrate", "encoder",
               "encoder-version"}
SUBTITLES = "".join(f"{n + 1}\n00:00:0{n},500 --> 00:00:0{n + 1},200\nline {n}\n\n" for n in range(5))


def tags_of(stream):
    return {name: str(value) for name, value in stream.tags.items() if name not in OF_ENCODING}


def use_cores(*cores):
    return lambda: os.sched_setaffinity(0, cores)


class Exact(jobs.Case):

    # ---- comparisons ----

    def same_video(self, expected, got, lossless):
        self.assertEqual(got.times, expected.times)
        self.assertEqual(got["format"], expected["format"])
        for field in ("width", "height", "framerate", "pixel-aspect-ratio", "interlace-mode", "colorimetry"):
            self.assertEqual(str(got[field]), str(expected[field]), field)
        self.assertEqual(got.top_first, expected.top_first)
        if lossless:
            self.assertEqual(got.hashes, expected.hashes)

    def same_rest(self, expected, got):
        """Compares the packets of audio and subtitles, and the tags of all streams."""
        self.assertEqual([stream.kind for stream in got], [stream.kind for stream in expected])
        for theirs, ours in zip(expected, got):
            self.assertEqual(tags_of(ours), tags_of(theirs))
            if not ours.kind.startswith("video/"):
                self.assertEqual(ours.hashes, theirs.hashes)
                self.assertEqual(ours.times, theirs.times)
                self.assertEqual(ours.data, theirs.data)

    def compare(self, source, out, *options, frames=FRAMES, length=CHUNK_LENGTH, n_chunks=None, audio_tracks=1, convert=""):
        """Makes OUT from the source in chunks and as a whole, and compares. `convert` removes the padding of decoded frames."""
        shutil.rmtree(self.job, ignore_errors=True)
        options = ("--kernel=sobel", *options)
        whole, joined = self.folder / f"whole-{out}", self.folder / f"joined-{out}"
        self.apply(*options, source, whole)
        self.plan(*options, "--piece", length, source, "--out", joined)
        if n_chunks is not None:
            self.assertEqual(self.n_chunks(), n_chunks)
        self.run_job()
        self.merge(says=f"{frames} frames of {self.n_chunks()} chunk")
        expected, got = media.frames_of(whole, convert), media.frames_of(joined, convert)
        self.assertEqual(len(expected.hashes), frames)
        self.same_video(expected, got, "--lossless" in options)
        expected, got = (sorted(read(path, decode=False), key=lambda stream: stream.kind) for path in (whole, joined))
        self.assertEqual(len([stream for stream in got if stream.kind.startswith("audio/")]), audio_tracks)
        self.same_rest(expected, got)

    # ---- sources ----

    def make_source(self, name, encoder, *streams, frames=FRAMES, **more):
        muxers = {"mkv": "matroskamux", "mp4": "mp4mux", "mov": "qtmux", "webm": "webmmux", "flv": "flvmux",
                  "ts": "mpegtsmux"}
        path = self.folder / name
        make_video(path, muxers[name.rsplit(".", 1)[1]], f"{video(frames, **more)} ! {encoder}", *streams)
        return path

    def test_containers(self):
        """B-frames of an open GOP, with audio."""
        parse = {"flv": ("h264parse", "aacparse")}
        for name, out in every_nth((("in.mkv", "out.mp4"), ("in.mp4", "out.mov"), ("in.mov", "out.mkv"),
                                    ("in.flv", "out.mp4")), 2, 1):
            video_parser, audio_parser = parse.get(name[3:], ("identity", "identity"))
            source = self.make_source(name, f"{TITLE} ! {OPEN_GOP} ! {video_parser}",
                                    f"{audio(FRAMES)} ! {AAC} ! {audio_parser}")
            with self.subTest(source=name, out=out):
                self.compare(source, out, "--lossless", n_chunks=5)

    def test_containers_that_are_refused(self):
        """After a seek, flvdemux may start after a key frame, and the times of MPEG streams are estimates."""
        for name, encoder, says in (("in.flv", "x264enc speed-preset=ultrafast key-int-max=1000", "after a seek"),
                                    ("in.ts", OPEN_GOP, "the times in MPEG streams")):
            source = self.make_source(name, f"{encoder} ! h264parse", f"{audio(FRAMES)} ! {AAC} ! aacparse")
            with self.subTest(source=name):
                self.plan("--piece", CHUNK_LENGTH, source, "--out=out.mkv", status=1,
                          says=(says, "copy it into a Matroska file"))
                self.assertFalse(self.job.exists())

    def test_vp9(self):
        source = self.make_source("in.webm", "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=20 lag-in-frames=10",
                                f"{audio(FRAMES)} ! opusenc", size=(96, 64))
        self.compare(source, "out.webm", "--lossless", n_chunks=5)

    def test_subtitles_and_two_audio_tracks(self):
        subtitles = self.folder / "in.srt"
        subtitles.write_text(SUBTITLES)
        source = self.make_source("in.mkv", f"{TITLE} ! {OPEN_GOP}", f"{audio(FRAMES)} ! {AAC}",
                                f"{audio(FRAMES, 880)} ! opusenc",
                                f"filesrc location=\"{subtitles}\" ! subparse")
        self.compare(source, "out.mkv", "--lossless", audio_tracks=2)
        self.compare(source, "out.mp4", "--lossless", audio_tracks=2)
        for out in ("joined-out.mkv", "joined-out.mp4"):
            streams = read(self.folder / out, decode=False)
            output = b"".join(only(streams, "text/").data)
            self.assertIn(b"line 4", output)
            self.assertIn("Ball", only(streams, "video/").tags["title"])

    def test_lossy(self):
        """Samples are not compared, because the encoder starts again in each chunk."""
        source = self.make_source("in.mkv", OPEN_GOP, f"{audio(FRAMES)} ! {AAC}")
        for out in every_nth(("out.mp4", "out.mkv", "out.webm", "out.mov"), 4):
            with self.subTest(out=out):
                self.compare(source, out)

    def test_intra_refresh(self):
        source = self.make_source("in.mkv", "x264enc speed-preset=ultrafast key-int-max=15 intra-refresh=true")
        self.compare(source, "out.mkv", "--lossless", audio_tracks=0)

    def test_one_key_frame(self):
        """Each chunk is decoded from the start of the video."""
        source = self.make_source("in.mp4", "x264enc speed-preset=ultrafast key-int-max=1000")
        self.compare(source, "out.mkv", "--lossless", audio_tracks=0)

    def test_deep(self):
        source = self.make_source("in.mkv", "x265enc speed-preset=ultrafast key-int-max=20 log-level=none ! h265parse",
                                caps="format=I420_10LE")
        self.compare(source, "out.mkv", "--lossless", audio_tracks=0)
        self.compare(source, "out.mp4", audio_tracks=0)

    def test_interlaced(self):
        """Two fields become a frame."""
        for order in every_nth(("tff", "bff"), 2, 1):
            source = self.make_source("in.mkv", f"interlace field-pattern=1:1 top-field-first={order == 'tff'} ! "
                                    f"x264enc speed-preset=ultrafast key-int-max=20 interlaced=true", frames=FRAMES)
            with self.subTest(order=order):
                self.compare(source, "out.mp4", "--lossless", frames=FRAMES // 2, audio_tracks=0)

    def test_rotated(self):
        source = self.make_source("in.mp4", OPEN_GOP, size=(96, 64))
        media.rotate(source, 90)
        self.compare(source, "out.mkv", "--lossless", audio_tracks=0)
        self.assertEqual(media.frames_of(self.folder / "joined-out.mkv")["width"], 64)

    def test_odd_size(self):
        source = self.make_source("in.mkv", "avenc_ffv1", frames=80, size=(101, 67))
        self.compare(source, "out.mkv", "--lossless", frames=80, audio_tracks=0,
                     convert="videoconvert ! video/x-raw,format=AYUV")
        self.compare(source, "out.mp4", frames=80, audio_tracks=0)

    # ---- times ----

    def push(self, name, times, encoder="x264enc speed-preset=ultrafast key-int-max=10 bframes=2"):
        path = self.folder / name
        muxer = {"mkv": "matroskamux", "mp4": "mp4mux"}[name.rsplit(".", 1)[1]]
        frames = [(round(time * SECOND), bytes([n * 37 % 251]) * (96 * 64) + bytes([128]) * (96 * 64 // 2))
                  for n, time in enumerate(times)]
        media.push_frames(f"{encoder} ! {muxer} ! filesink location=\"{path}\"",
                          "video/x-raw,format=I420,width=96,height=64,framerate=0/1", frames)
        return path

    def test_variable_rate(self):
        times = [0]
        while times[-1] < 6:
            times.append(times[-1] + (0.02, 0.033, 0.1, 0.25, 0.041)[len(times) % 5])
        # the last frame has no duration; in MP4 GStreamer drops it, because the file ends at its start
        for name, out, frames in every_nth((("in.mkv", "out.mkv", len(times)), ("in.mp4", "out.mp4", len(times) - 1)), 2):
            with self.subTest(source=name):
                self.compare(self.push(name, times), out, "--lossless", frames=frames, audio_tracks=0)

    def test_stated_length_too_short(self):
        """After a seek, a Matroska file ends at its stated length. merge detects the frames after it."""
        for encoder in every_nth(("x264enc speed-preset=ultrafast key-int-max=10", "avenc_ffv1"), 2):
            source = self.push("in.mkv", [n / 5 for n in range(50)], encoder)
            self.compare(source, "out.mkv", "--lossless", frames=50, length=2, n_chunks=5, audio_tracks=0)
            data = bytearray(source.read_bytes())
            at = data.index(b"\x44\x89\x88") + 3  # the element Duration
            self.assertEqual(struct.unpack_from(">d", data, at), (9800,))  # the start of the last frame
            struct.pack_into(">d", data, at, 6500)
            source.write_bytes(data)
            shutil.rmtree(self.job, ignore_errors=True)
            self.plan("--piece=2", source, "--out", "out.mkv")
            self.run_job()
            self.merge(status=1, says="it has frames after the last one of the job")
            self.assertFalse((self.folder / "out.mkv").exists())
        self.apply("in.mkv", "copied.mkv", "--kernel=identity", "--lossless")  # the copy has the right duration
        self.compare("copied.mkv", "out.mkv", "--lossless", frames=50, length=2, audio_tracks=0)

    def test_an_edit_list(self):
        """An edit list hides the end of the video, which is still in the file."""
        source = self.make_source("in.mp4", OPEN_GOP)
        data = bytearray(source.read_bytes())
        units = struct.unpack_from(">I", data, data.index(b"mvhd") + 16)[0]  # in a second
        at = data.index(b"elst") + 12
        self.assertEqual(struct.unpack_from(">I", data, at), (6 * units,))
        struct.pack_into(">I", data, at, 5 * units)
        struct.pack_into(">I", data, data.index(b"mvhd") + 20, 5 * units)
        source.write_bytes(data)
        self.compare(source, "out.mkv", "--lossless", frames=5 * RATE, audio_tracks=0)

    def test_a_late_start(self):
        """The first frame is not at zero."""
        for name, out in every_nth((("in.mkv", "out.mkv"), ("in.mkv", "out.mp4"), ("in.mp4", "out.mp4"),
                                    ("in.mp4", "out.mkv")), 4, 2):
            source = self.push(name, [0.52 + n / 10 for n in range(50)])
            frames = len(media.frames_of(source).times)
            with self.subTest(source=name, out=out):
                self.compare(source, out, "--lossless", frames=frames, audio_tracks=0)

    def test_one_frame_every_three_seconds(self):
        """Most chunks have no frame, and the frame before a chunk is far away."""
        source = self.push("in.mkv", range(0, 30, 3))
        self.compare(source, "out.mkv", "--lossless", frames=10, length=1, audio_tracks=0)
        counts = [self.record(chunk)["frames"] for chunk in range(self.n_chunks())]
        self.assertEqual(counts, [int(n % 3 == 0) for n in range(28)])
        self.assertEqual(self.record(26)["files"], [])
        self.compare(source, "out.mp4", "--lossless", frames=10, length=7.5, audio_tracks=0)

    def test_shorter_than_a_chunk(self):
        source = self.make_source("in.mkv", OPEN_GOP, f"{audio(10)} ! {AAC}", frames=10)
        self.compare(source, "out.mkv", "--lossless", frames=10, length="60s", n_chunks=1)
        self.compare(source, "out.mp4", "--lossless", frames=10, length="277h", n_chunks=1)
        one = self.make_source("one.mkv", H264, frames=1)
        self.compare(one, "out.mp4", "--lossless", frames=1, n_chunks=1, audio_tracks=0)

    def test_longer_audio(self):
        """No chunk is planned after the last frame, even if the audio is much longer."""
        for name, audio_frames in (("in.mkv", 6 * RATE), ("in.mp4", 3 * RATE + 2), ("in.mov", 12 * RATE)):
            source = self.make_source(name, OPEN_GOP, f"{audio(audio_frames)} ! {AAC}", frames=3 * RATE)
            with self.subTest(source=name):
                self.compare(source, "out.mkv", "--lossless", frames=3 * RATE, length=1, n_chunks=3)
                self.assertEqual([self.record(chunk)["frames"] for chunk in range(3)], [25, 25, 25])

    def test_chunks_without_frames_at_the_end(self):
        """Jobs that older versions planned with the length of the audio can be merged."""
        source = self.make_source("in.mkv", OPEN_GOP, f"{audio(6 * RATE)} ! {AAC}", frames=3 * RATE)
        out = self.folder / "out.mkv"
        self.plan("--piece=1", source, "--out", out)
        manifest = json.loads((self.job / "manifest.json").read_text())
        manifest["sources"][0]["pieces"] = manifest["pieces"] = 7
        jobs.write_sealed(self.job / "manifest.json", manifest, "id")
        self.run_job()
        self.assertEqual([self.record(chunk)["frames"] for chunk in range(7)], [25, 25, 25, 0, 0, 0, 0])
        self.assertEqual(self.record(6)["files"], [])
        self.merge(says=f"{3 * RATE} frames of 7 chunks")

    def test_chunks_of_any_length(self):
        source = self.make_source("in.mp4", OPEN_GOP, frames=30)
        for length in every_nth(("0.1", "0.33s", "0.02m"), 3, 1):
            with self.subTest(length=length):
                self.compare(source, "out.mkv", "--lossless", frames=30, length=length, audio_tracks=0)


class Equal(jobs.Case):
    """The same bytes, whoever makes it."""

    def all_bytes(self):
        return {path.name: path.read_bytes() for path in self.job.glob("pieces/*") if path.suffix != ".json"}

    def test_hash_of_a_chunk(self):
        """The hash in the record is that of the frames decoded from the chunk's file."""
        source = self.make("in.mkv", FRAMES)
        self.plan("--lossless", "--kernel=box", "--piece=2", source, "--out", "out.mkv")
        self.run_job()
        for chunk in range(3):
            record = self.record(chunk)
            decoded = media.frames_of(self.files_of(chunk)[0])
            self.assertEqual(record["hash"], decoded.samples.hexdigest())
            self.assertEqual(record["frames"], len(decoded.hashes))
        self.assertEqual(media.frames_of(self.files_of(0)[0]).hashes + media.frames_of(self.files_of(1)[0]).hashes,
                         media.filtered(source, "kernel=box").hashes[:4 * RATE])

    def test_compose(self):
        """A switch, a negative number and a color get from the command through the manifest to the chunks."""
        source = self.make("in.mkv", FRAMES, pattern="smpte")
        self.plan("--lossless", "--invert", "--mix=-1.5", "--overlay=#80ff8000", "--threshold=0.3", "--piece=2", source,
                  "--out", "out.mkv")
        self.run_job()
        frames = [frame for chunk in range(3) for frame in media.frames_of(self.files_of(chunk)[0]).hashes]
        self.assertEqual(frames, media.filtered(source, "invert=true mix=-1.5 overlay=0x80ff8000 threshold=0.3").hashes)

    def test_chroma_kernel(self):
        source = self.make("in.mkv", FRAMES, pattern="smpte")
        self.plan("--lossless", "--chroma-kernel=gaussian", "--chroma-size=9", "--piece=2", source, "--out", "out.mkv")
        self.run_job()
        frames = [frame for chunk in range(3) for frame in media.frames_of(self.files_of(chunk)[0]).hashes]
        self.assertEqual(frames, media.filtered(source, "chroma-kernel=gaussian chroma-size=9").hashes)
        self.assertNotEqual(frames, media.filtered(source, "kernel=sobel").hashes)

    def test_regions(self):
        """Lists, whose texts have semicolons, get into the chunks in the same way."""
        source = self.make("in.mkv", FRAMES, pattern="smpte")
        self.plan("--lossless", "--roi=8,4,20,12; 0,0,8,8", "--target=2,2;40,20", "--outside=black", "--piece=2", source,
                  "--out", "out.mkv")
        self.run_job()
        frames = [frame for chunk in range(3) for frame in media.frames_of(self.files_of(chunk)[0]).hashes]
        properties = "roi=<<8,4,20,12>,<0,0,8,8>> target=<<2,2>,<40,20>> outside=black"
        self.assertEqual(frames, media.filtered(source, properties).hashes)

    def test_digest_of_0_1(self):
        """Options that version 0.1 did not have leave the digest of the settings of its jobs as it was."""
        source = self.make("in.mkv", FRAMES)
        self.plan("--kernel=gaussian", "--sigma=2", "--piece=2", source, "--out", "out.mkv")
        manifest = json.loads((self.job / "manifest.json").read_text())
        self.assertEqual(manifest["settings-hash"], "657919dad77f1014d3ef79eef11ac608")

    def test_equal_bytes(self):
        cores = sorted(os.sched_getaffinity(0))
        few, many = use_cores(cores[0]), use_cores(*cores)
        source = self.make("in.mkv", 5 * RATE, pattern="smpte")
        deep = self.folder / "deep.mkv"
        make_video(deep, "matroskamux", f"{video(RATE, caps='format=I420_10LE')} ! avenc_ffv1")
        for name, out, options in every_nth(((source, "out.mkv", ("--lossless",)), (source, "out.mkv", ()),
                                             (source, "out.webm", ()), (deep, "out.mkv", ())), 4, 1):
            with self.subTest(source=name, out=out, options=options):
                shutil.rmtree(self.job, ignore_errors=True)
                self.plan(*options, "--piece=2.5", name, "--out", out)
                self.run_job(preexec_fn=many)
                first = self.all_bytes()
                self.assertEqual(len(first), 2 * self.n_chunks())
                self.run_job("--again", preexec_fn=few)
                self.run_job("--again", "--n-threads=1", "--in-flight=1", preexec_fn=many)
                self.assertEqual(self.all_bytes(), first)
                self.merge(preexec_fn=many)
                first_result = (self.folder / out).read_bytes()
                self.merge(preexec_fn=few)
                self.assertEqual((self.folder / out).read_bytes(), first_result)

    def test_equal_bytes_of_larger_frames(self):
        """With a lookahead thread, x264 would make different packets each time."""
        source = self.make("in.mkv", 8 * RATE, size=(320, 180), pattern="snow")
        self.plan("--piece=8", source, "--out", "out.mkv")
        self.run_job()
        first = self.all_bytes()
        for _ in range(3):
            self.run_job("--again")
        self.assertEqual(self.all_bytes().keys(), first.keys())

    def test_any_order(self):
        """Chunks that are made one by one, the last one first, and shared among runs."""
        source = self.make("in.mkv", FRAMES)
        self.plan("--piece=1", source, "--out", "out.mkv")
        self.run_job()
        first = self.all_bytes()
        self.merge()
        first_result = (self.folder / "out.mkv").read_bytes()
        shutil.rmtree(self.job)
        self.plan("--piece=1", source, "--out", "out.mkv")
        for chunk in (5, 0, 3):
            self.run_job("--index", chunk)
        self.assertEqual(self.missing(), [1, 2, 4])
        self.run_job("--index=1", "--of=2")
        self.run_job("--index=0", "--of=2")
        self.assertEqual(self.all_bytes(), first)
        self.merge()
        self.assertEqual((self.folder / "out.mkv").read_bytes(), first_result)


if __name__ == "__main__":
    media.main()
