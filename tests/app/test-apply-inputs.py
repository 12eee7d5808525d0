#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv` with inputs that GStreamer reads in special ways, its messages about losses, parts of a video, and several
files.

    tests/app/test-apply-inputs.py BUILD
"""

import hashlib
import os
import pathlib
import shlex
import shutil
import struct
import subprocess
import threading

import media
from media import H264, RATE, SECOND, Gst, audio, filtered, frames_of, make_video, only, read, video

RGB = "videoconvert ! video/x-raw,format=RGB"
COLORS = (b"\xff\0\0", b"\0\xff\0", b"\0\0\xff", b"\xff\xff\xff")
DELAYS = (10, 50, 20, 40)  # hundredths of a second
# ffmpeg -f lavfi -i testsrc=d=1:s=32x16:r=5 -vf format=yuva420p,colorchannelmixer=aa=0.5 -c:v libvpx-vp9 alpha.webm
ALPHA = pathlib.Path(__file__).with_name("alpha.webm")
ALPHA_LOST = "left out: the alpha channel (the encoder does not support it)"


class Case(media.Case):

    def play(self, *arguments):
        """The command that `play` prints."""
        with subprocess.Popen([media.COMMAND, "play", "--no-sound", "--sink=fakesink sync=true", *arguments], text=True,
                              cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                if line.startswith("cudaconv apply "):
                    process.terminate()
                    return line
        raise AssertionError("play prints no command")


class Gif(Case):
    """libav sets the time 0 for all frames of a GIF, and does not find its end."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / "in.gif"
        media.make_gif(self.source, COLORS, DELAYS)

    def color_at(self, time):
        self.apply("--kernel=identity", "--at", time, self.source, "out.png")
        return only(read(self.folder / "out.png", convert=RGB), "video/").samples.hexdigest()

    def test_at(self):
        expected = [hashlib.md5(color * 32 * 16).hexdigest() for color in COLORS]
        for time, n in (("0", 0), ("0.09", 0), ("0.1", 1), ("0.55", 1), ("0.6", 2), ("0:00.85", 3), ("1.19", 3)):
            self.assertEqual(self.color_at(time), expected[n], time)
        self.apply("--at=1.3", self.source, "none.png", status=1, says="no frame at 1.3 seconds")

    def test_all(self):
        self.apply("--kernel=box", self.source, "out.mkv")
        self.assertEqual([round(time / 1e7) for time in frames_of(self.folder / "out.mkv").times], [0, 10, 60, 80])
        self.apply("--start=0.2", "--end=0.7", self.source, "part.mkv")
        self.assertEqual([round(time / 1e7) for time in frames_of(self.folder / "part.mkv").times], [0, 40])
        self.apply(self.source, "f%d.png")
        self.assertEqual(len(list(self.folder.glob("f*.png"))), 4)

    def test_damaged(self):
        """It ends wherever the file is cut."""
        data = self.source.read_bytes()
        for length in (20, 400, 500, len(data) // 2, len(data) - 1):
            self.source.write_bytes(data[:length])
            self.apply(self.source, "out.mkv", status=None)
            self.apply("--at=1", self.source, "out.png", status=None)

    def test_play(self):
        """The printed command works."""
        self.assertEqual(self.apply(*shlex.split(self.play("--kernel=box", self.source))[2:]).returncode, 0)
        self.assertEqual(len(frames_of(self.folder / "out.mp4").hashes), 4)

    def test_late_frames(self):
        """The decoder does not drop frames by its wrong times. The sink sends it QoS events."""
        with subprocess.Popen([media.COMMAND, "play", "--no-sound", "--sink=fakesink sync=true qos=true", self.source],
                              env={**os.environ, "GST_DEBUG": "videodecoder:5"}, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            limit = threading.Timer(30, process.terminate)
            limit.start()
            pushed = dropped = 0
            for line in process.stderr:
                dropped += "due to QoS" in line
                pushed += "pushing buffer" in line
                if pushed > 20:  # the video was played five times
                    break
            limit.cancel()
            process.terminate()
        self.assertEqual((pushed, dropped), (21, 0))

    def test_a_job(self):
        self.cudaconv("plan", self.source, "--out", "out.mkv", "--piece=0.3", "--job=job")
        self.cudaconv("run", "job")
        self.cudaconv("merge", "job")
        self.assertEqual([round(time / 1e7) for time in frames_of(self.folder / "out.mkv").times], [0, 10, 60, 80])


class Times(media.Case):

    def test_times_that_do_not_increase(self):
        frame = bytes(media.WIDTH * media.HEIGHT * 3 // 2)
        for times in ([0] * 10, [0, 4, 8, 0, 4, 8], [5, 4, 3, 2, 1, 0]):
            media.push_frames(f"avenc_ffv1 ! matroskamux ! filesink location={self.folder}/in.mkv",
                              f"video/x-raw,format=I420,width={media.WIDTH},height={media.HEIGHT},framerate=25/1",
                              [(time * SECOND // 10, frame) for time in times])
            self.apply("--at=2", "in.mkv", "out.png", status=1, says="no frame at 2 seconds")
            self.apply("in.mkv", "out.mkv")
            for chunk in ("0.2", "9"):
                shutil.rmtree(self.folder / "job", ignore_errors=True)
                done = self.cudaconv("plan", "in.mkv", "--out=job.mkv", "--piece", chunk, "--job=job", status=None)
                if done.returncode == 0:
                    done = self.cudaconv("run", "job", status=1)
                self.assertRegex(done.stderr, "do not always increase|other frames are read|does not state its length")


class Alpha(Case):

    def test_webm(self):
        """Alpha is a separate VP9 stream, with its own decoder."""
        expected = frames_of(ALPHA)
        self.assertEqual(expected["format"], "A420")
        count = len(expected.hashes)  # GStreamer 1.26 loses the last of five
        self.assertEqual(self.apply(ALPHA, "out.webm").stderr, f"out.webm: {ALPHA_LOST}\n")
        self.assertEqual(len(frames_of(self.folder / "out.webm").hashes), count)
        self.assertEqual(self.apply("--at=0.5", "--kernel=box", ALPHA, "out.png").stderr, "")
        self.assertEqual(frames_of(self.folder / "out.png")["format"], "RGBA")
        self.assertIn("alpha.webm out.mp4", self.play(ALPHA))
        self.cudaconv("plan", ALPHA, "--out=job.webm", "--piece=0.4", "--job=job")
        self.cudaconv("run", "job")
        if count == 5:
            self.cudaconv("merge", "job")
            self.assertEqual(len(frames_of(self.folder / "job.webm").hashes), 5)
        else:
            self.cudaconv("merge", "job", status=1, says="it has frames after the last one of the job")

    def test_missing_decoder(self):
        """The messages of all commands mention it."""
        env = {**os.environ, "GST_PLUGIN_FEATURE_RANK": "vp9alphadecodebin:NONE,vp9dec:NONE,avdec_vp9:NONE"}
        for arguments in (("apply", ALPHA, "out.mkv"), ("apply", "--at=0.1", ALPHA, "out.png"),
                          ("plan", ALPHA, "--out=out.mkv", "--job=job"), ("play", "--sink=fakesink", ALPHA)):
            with self.subTest(arguments=arguments[0:2]):
                said = self.cudaconv(*arguments, status=1, env=env).stderr
                self.assertRegex(said, "not installed: (VP9 decoder|a decoder for it);|a decoder for it is not installed")
                self.assertNotIn("no video in it", said)


class Lengths(media.Case):

    def test_guessed(self):
        """GStreamer guesses the length of a stream without a container from its first bytes."""
        media.launch(f"videotestsrc num-buffers=200 pattern=black ! video/x-raw,format=I420,width=160,height=120,"
                     "framerate=25/1 ! c. videotestsrc num-buffers=50 pattern=snow ! video/x-raw,format=I420,width=160,"
                     "height=120,framerate=25/1 ! c. concat name=c ! x264enc ! h264parse ! video/x-h264,"
                     f"stream-format=byte-stream,alignment=au ! filesink location={self.folder}/in.h264")
        self.assertIn("250 frames", self.apply("in.h264", "out.mkv").stdout)

    def test_late_start(self):
        """The length of a Matroska file that begins late is the time of its end."""
        late = video(50).replace("!", "timestamp-offset=10000000000 !", 1)
        make_video(self.folder / "in.mkv", "matroskamux", f"{late} ! {H264}")
        self.assertIn("50 frames", self.apply("in.mkv", "out.mkv").stdout)

    def test_existing_incomplete_file(self):
        """OUT.incomplete may be IN, or belong to another video, so it is never replaced."""
        data = self.make("whole.mkv", 100).read_bytes()
        (self.folder / "out.incomplete.mkv").write_bytes(data[:len(data) // 2])
        before = (self.folder / "out.incomplete.mkv").read_bytes()
        for n in (2, 3):
            self.apply("out.incomplete.mkv", "out.mkv", status=1, says=f"is in out.incomplete-{n}.mkv")
            self.assertEqual((self.folder / "out.incomplete.mkv").read_bytes(), before)

    def test_end_after_the_end(self):
        source = self.make("in.mkv", 25)
        self.apply("--end=60", source, "out.mkv")
        with subprocess.Popen(["cat", source], stdout=subprocess.PIPE) as cat:
            self.apply("--end=60", "/dev/stdin", "out.mkv", stdin=cat.stdout)


class Rotated(media.Case):

    def test_photo(self):
        """The EXIF data of a photo contain its orientation."""
        media.launch(f"{video(1)} ! jpegenc ! filesink location={self.folder}/in.jpg")
        data = (self.folder / "in.jpg").read_bytes()
        tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
        exif = b"\xff\xe1" + struct.pack(">H", len(tiff) + 8) + b"Exif\0\0" + tiff
        (self.folder / "in.jpg").write_bytes(data[:2] + exif + data[2:])
        for out in ("out.png", "out.jpg", "out.mkv"):
            self.apply("--kernel=identity", "in.jpg", out)
            turned = frames_of(self.folder / out)
            self.assertEqual((turned["width"], turned["height"]), (media.HEIGHT, media.WIDTH), out)
            self.assertNotIn(Gst.TAG_IMAGE_ORIENTATION, turned.tags)


class Losses(media.Case):

    def assert_says(self, lines, *arguments):
        self.assertEqual(self.apply(*arguments).stderr.splitlines(), lines)

    def test_alpha(self):
        media.launch(f"{video(1, caps='format=RGBA')} ! pngenc ! filesink location={self.folder}/in.png")
        for out in ("out.jpg", "out.mp4", "out.bmp"):
            self.assert_says([f"{out}: {ALPHA_LOST}"], "in.png", out)
        for out in ("out.png", "out.webp"):
            self.assert_says([], "in.png", out)

    def test_tiff(self):
        """GStreamer has a 16-bit format for grey, but not for RGB."""
        for samples, depth, lost in ((3, 16, True), (1, 16, False), (3, 8, False), (1, 8, False)):
            media.make_tiff(self.folder / "in.tiff", samples, depth)
            for out in ("out.png", "out.mkv"):
                said = self.apply("--kernel=identity", "in.tiff", out).stderr
                self.assertEqual("in.tiff: it has 16 bits per sample, but GStreamer reads only 8\n" in said, lost, out)

    def test_one_after_the_other(self):
        """The choice of a decoder for one file does not affect the next file."""
        media.make_tiff(self.folder / "a.tiff", 3, 16)
        media.make_tiff(self.folder / "b.tiff", 1, 16)
        for name in ("a", "b"):
            self.apply(f"{name}.tiff", f"{name}.png")
        self.apply("a.tiff", "b.tiff", "both/{}.png")
        for name in ("a", "b"):
            self.assertEqual((self.folder / f"both/{name}.png").read_bytes(), (self.folder / f"{name}.png").read_bytes())

    def test_two_videos(self):
        """Messages report the losses of the filtered video only."""
        for first, second, lines in (("I420", "Y444", []), ("Y444", "I420", ["in.mkv has 4:4:4"])):
            make_video(self.folder / "in.mkv", "matroskamux", f"{video(5, caps=f'format={first}')} ! {H264}",
                       f"{video(5, caps=f'format={second}')} ! {H264}")
            said = [line for line in self.apply("in.mkv", "out.mp4").stderr.splitlines() if "the first video" not in line]
            self.assertEqual([line.split(", but ")[-1] for line in said], lines)

    def test_chroma(self):
        for layout, name in (("Y42B", "4:2:2"), ("Y444", "4:4:4"), ("I420", None)):
            self.make("in.mkv", 3, caps=f"format={layout}")
            for out, arguments in (("out.mp4", ()), ("out.mkv", ("--lossless",))):
                self.assert_says([f"out.mp4: its chroma is 4:2:0, but in.mkv has {name}"]
                                 if name and out == "out.mp4" else [], *arguments, "in.mkv", out)

    def test_bits(self):
        media.launch(f"{video(1, caps='format=GRAY16_BE')} ! pngenc ! filesink location={self.folder}/in.png")
        self.assert_says(["out.jpg: it has 8 bits per sample, but in.png has 16"], "in.png", "out.jpg")


class Parts(media.Case):

    def make_with_audio(self, name, muxer, codec=H264, audio_codec="avenc_aac"):
        path = self.folder / name
        make_video(path, muxer, f"{video(4 * RATE, pattern='snow')} ! {codec}", f"{audio(4 * RATE)} ! {audio_codec}")
        return path

    def test_start_and_end(self):
        """The frames equal those of the whole video, and the audio is as long, with or without a seek."""
        kinds = {"in.mp4": ("mp4mux", H264), "in.mkv": ("matroskamux", H264), "in.webm": ("webmmux", "vp9enc deadline=1"),
                 "in.avi": ("avimux", "jpegenc"), "in.ts": ("mpegtsmux", H264)}
        for name, (muxer, codec) in kinds.items():
            source = self.make_with_audio(name, muxer, codec,
                                    {"in.webm": "opusenc", "in.avi": "lamemp3enc"}.get(name, "avenc_aac"))
            whole = filtered(source, "kernel=sobel").hashes
            cuts = ((("--start=1", "--end=0:02"), 25, 50), (("--start=3.6",), 90, 100),
                    (("--start=1.52", "--seconds=0.4"), 38, 48), (("--end=1.2s",), 0, 30))
            for arguments, first, end in cuts if media.COMPLETE else cuts[:2]:
                with self.subTest(name=name, arguments=arguments):
                    self.apply("--kernel=sobel", "--lossless", *arguments, source, "out.mkv")
                    out = read(self.folder / "out.mkv")
                    self.assertEqual(only(out, "video/").hashes, whole[first:end])
                    self.assertEqual(only(out, "video/").times[0], 0)
                    self.assertLess(only(out, "audio/").times[0] / SECOND, 0.3 if name == "in.ts" else 0.05)
                    length = (end - first) * SECOND / RATE
                    self.assertAlmostEqual(only(out, "audio/").end / SECOND, length / SECOND, delta=0.12)

    def test_between_frames(self):
        """OUT begins with the frame that is shown at the start."""
        source = self.make_with_audio("in.mp4", "mp4mux")
        whole = filtered(source, "kernel=box").hashes
        self.apply("--kernel=box", "--lossless", "--start=1.01", "--end=1.1", source, "out.mkv")
        self.assertEqual(frames_of(self.folder / "out.mkv").hashes, whole[25:28])

    def test_one_stream_is_late(self):
        """The video begins one second after the audio."""
        make_video(self.folder / "in.mp4", "mp4mux", f"{video(75).replace('!', 'timestamp-offset=1000000000 !', 1)} ! {H264}",
                   f"{audio(100)} ! avenc_aac")
        for arguments, frames, begins in ((("--end=3",), 50, 1), (("--start=0.5", "--end=3"), 50, 0.5),
                                          (("--start=2", "--end=3"), 25, 0)):
            with self.subTest(arguments=arguments):
                self.apply(*arguments, "in.mp4", "out.mkv")
                out = read(self.folder / "out.mkv")
                self.assertEqual(len(only(out, "video/").times), frames)
                self.assertAlmostEqual(only(out, "video/").times[0] / SECOND, begins, delta=0.02)
                self.assertAlmostEqual(only(out, "audio/").times[0] / SECOND, 0, delta=0.05)

    def test_frames_without_durations(self):
        """A frame is shown until the next one."""
        size = "width=16,height=16"
        media.push_frames(f"avenc_ffv1 ! matroskamux ! filesink location={self.folder}/in.mkv",
                          f"video/x-raw,format=GRAY8,{size},framerate=0/1",
                          [(seconds * SECOND, bytes([40 * n]) * 256) for n, seconds in enumerate((0, 2, 4, 10, 20))])
        grey = "videoconvert ! video/x-raw,format=GRAY8"
        frames = frames_of(self.folder / "in.mkv", grey).hashes
        for time, n in (("0", 0), ("1", 0), ("2", 1), ("3", 1), ("9.9", 2), ("0:10", 3), ("19", 3)):
            self.apply("--kernel=identity", "--at", time, "in.mkv", "out.png")
            self.assertEqual(frames_of(self.folder / "out.png", grey).hashes, [frames[n]], time)
        self.apply("--kernel=identity", "--lossless", "--start=7", "--end=12", "in.mkv", "out.mkv")
        out = frames_of(self.folder / "out.mkv", grey)
        self.assertEqual((out.hashes, out.times), (frames[2:4], [0, 3 * SECOND]))

    def test_numbered_images(self):
        source = self.make("in.mkv", 50, pattern="snow")
        self.apply("--start=1", "--end=1.2", "--kernel=identity", source, "f%d.png")
        self.assertEqual(len(list(self.folder.glob("f*.png"))), 5)
        self.apply("--start=0.08", "f%d.png", "out.mkv")
        self.assertEqual(len(frames_of(self.folder / "out.mkv").hashes), 3)


class Many(media.Case):

    def setUp(self):
        super().setUp()
        self.images = self.folder / "in"
        self.images.mkdir()
        for name, encoder in (("a.png", "pngenc"), ("b.JPG", "jpegenc"), ("c.bmp", "avenc_bmp")):
            media.launch(f"{video(1, caps='format=BGR')} ! videoconvert ! {encoder} ! filesink location={self.images}/{name}")
        (self.images / "notes.txt").write_text("not an image")
        (self.images / ".hidden.png").touch()
        (self.images / "more").mkdir()
        media.make_gif(self.images / "d.gif", COLORS, DELAYS)

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def test_folder(self):
        for out in ("out", "out/", "out"):  # a new folder, and an existing one
            said = self.apply("--kernel=box", "in", out)
            self.assertEqual(said.stderr, "in: left out: notes.txt (no ending of a video or image)\n"
                                          "in: left out: d.gif (can be read but not written; OUT such as edges/{}.mkv "
                                          "changes the ending)\n"
                                          "in: left out: 1 subfolder (subfolders must be named as IN)\n")
            self.assertEqual([line.split(":")[0] for line in said.stdout.splitlines()],
                             ["out/a.png", "out/b.JPG", "out/c.bmp"])
            self.assertEqual(self.names("out"), ["a.png", "b.JPG", "c.bmp"])
        self.apply("--kernel=box", "in/a.png", "one.png")
        self.assertEqual(frames_of(self.folder / "one.png").hashes, frames_of(self.folder / "out/a.png").hashes)

    def test_several(self):
        self.apply("--stride=4", "in/a.png", "in/c.bmp", "thumbs/small-{}.jpg")
        self.assertEqual(self.names("thumbs"), ["small-a.jpg", "small-c.jpg"])
        self.assertEqual(frames_of(self.folder / "thumbs/small-a.jpg")["width"], media.WIDTH // 4)
        self.apply("in/*.png", "in/b.JPG", "all/")
        self.assertEqual(self.names("all"), ["a.png", "b.JPG"])
        self.apply("in/a.png", "all/{}.webp")
        self.apply("in/a.png", "twice/{}-{}.png")
        self.assertEqual(self.names("twice"), ["a-a.png"])
        self.apply("in/a.png", "numbered/%02d.png")
        self.assertEqual(self.names("numbered"), ["01.png"])
        self.apply("in/c.bmp", "all")
        self.assertEqual(self.names("all"), ["a.png", "a.webp", "b.JPG", "c.bmp"])

    def test_gif_in_a_folder(self):
        self.assertIn("out/d.mkv: 4 frames", self.apply("in", "out/{}.mkv").stdout)

    def test_one_is_damaged(self):
        (self.images / "b.JPG").write_bytes(b"not an image")
        done = self.apply("in", "out", status=1, says=("in/b.JPG: ", "1 of 3 files could not be filtered"))
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertEqual(self.names("out"), ["a.png", "c.bmp"])

    def test_nothing_is_written(self):
        for arguments in (("--at=1", "--kernel=none", "in", "out"), ("--lossless", "in", "out/{}.jpg"),
                          ("in", "out/{}.xyz"), ("--framerate=25", "in", "out")):
            self.apply(*arguments, status=2)
            self.assertFalse((self.folder / "out").exists(), arguments)

    def test_bmp(self):
        self.apply("--kernel=identity", "in/a.png", "out.bmp")
        self.apply("--kernel=identity", "out.bmp", "again.png")
        self.assertEqual(frames_of(self.folder / "again.png", RGB).hashes, frames_of(self.images / "a.png", RGB).hashes)


class Permissions(media.Case):

    def test_umask_stays(self):
        """The command never sets the umask, because it belongs to the process and GStreamer's threads create files."""
        symbols = subprocess.run(["nm", "--dynamic", "--undefined-only", media.COMMAND], text=True, check=True,
                                 capture_output=True).stdout
        self.assertIn(" g_mkstemp_full", symbols)
        self.assertNotIn(" umask", symbols)


if __name__ == "__main__":
    media.main()
