# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes videos and images with GStreamer, reads them back, and runs the command. For the tests in this folder.

A test is started as TEST BUILD. It exits with 77 if gi or a needed GStreamer element is not installed.
"""

import dataclasses
import hashlib
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f"python3-gi or gir1.2-gstreamer-1.0 is not installed: {missing}")
    sys.exit(77)

BUILD = pathlib.Path(sys.argv[1]).resolve()
COMMAND = BUILD / "app" / "cudaconv"
NEEDED = ("x264enc", "x265enc", "vp9enc", "avenc_aac", "avenc_ffv1", "opusenc", "mp4mux", "matroskamux", "webmmux",
          "avimux", "flvmux", "mpegtsmux", "pngenc", "jpegenc", "webpenc", "avenc_tiff", "subparse", "interlace",
          "parsebin", "avdec_h264")
# Set for the tests whose names end with -complete. They test all combinations; a quick run tests each value once.
COMPLETE = bool(os.environ.get("CUDACONV_TEST_COMPLETE"))
WIDTH, HEIGHT, RATE = 160, 120, 25
SECOND = 1_000_000_000
TOP_FIRST = Gst.BufferFlags.LAST << 1  # GST_VIDEO_BUFFER_FLAG_TFF

os.environ["GST_PLUGIN_PATH"] = str(BUILD / "plugin")
Gst.init(None)
for name in NEEDED:
    if not Gst.ElementFactory.find(name):
        print(f"the GStreamer element {name} is not installed")
        sys.exit(77)


def every_nth(items, n, first=0):
    """All items in a complete run, otherwise every nth item, from `first` on."""
    return list(items) if COMPLETE else list(items)[first % n::n]


# ---- pipelines ----

def play(pipeline, seconds=60):
    """Plays a pipeline to the end of the stream."""
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    message = bus.timed_pop_filtered(seconds * SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if not message:
        raise AssertionError("a pipeline of the test hangs")
    if message.type == Gst.MessageType.ERROR:
        error, details = message.parse_error()
        raise AssertionError(f"{error.message}: {details}")


def launch(line):
    play(Gst.parse_launch(line))


def video(frames=RATE, size=(WIDTH, HEIGHT), caps="format=I420", pattern="ball"):
    """A line that begins with raw video."""
    return (f"videotestsrc num-buffers={frames} pattern={pattern} ! video/x-raw,width={size[0]},height={size[1]},"
            f"framerate={RATE}/1,{caps}")


H264 = "x264enc speed-preset=ultrafast key-int-max=10"


def audio(frames=RATE, frequency=440):
    """A line that begins with raw audio, as long as this number of video frames."""
    return (f"audiotestsrc num-buffers={frames} samplesperbuffer={48000 // RATE} freq={frequency} ! "
            "audio/x-raw,rate=48000,channels=2")


def make_video(path, muxer, *streams):
    """Writes a file. Each stream is a line whose output the muxer accepts."""
    lines = " ".join(f"{stream} ! queue max-size-time=0 max-size-buffers=0 max-size-bytes=0 ! m." for stream in streams)
    launch(f"{muxer} name=m ! filesink location=\"{path}\" {lines}")


def push_frames(line, caps, frames):
    """Plays a line with frames as its input: pairs of a time in nanoseconds and the bytes of a frame."""
    pipeline = Gst.parse_launch(f"appsrc name=source format=time ! {line}")
    source = pipeline.get_by_name("source")
    source.set_property("caps", Gst.Caps.from_string(caps))
    for time, data in frames:
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = time
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    play(pipeline)


def rotate(path, degrees):
    """Writes a rotation into the header of the only video track of an MP4. mp4mux of GStreamer 1.22 cannot write one."""
    one = 0x10000
    matrix = {90: (0, one, -one, 0), 180: (-one, 0, 0, -one), 270: (0, -one, one, 0)}[degrees]
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + len(b"tkhd") + 40  # in a header of version 0
    for offset, value in zip((0, 4, 12, 16), matrix):
        data[at + offset:at + offset + 4] = value.to_bytes(4, "big", signed=True)
    path.write_bytes(data)


def make_gif(path, colors, delays, size=(32, 16)):
    """Writes an animated GIF, because GStreamer has no encoder. Each frame has one color (3 bytes of RGB), and is shown
    for its delay in hundredths of a second. The codes are not compressed: a clear code comes before they would get
    longer."""
    width, height = size
    palette = b"".join(colors).ljust(128 * 3, b"\0")
    data = bytearray(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xf6, 0, 0) + palette)
    for n, delay in enumerate(delays):
        data += b"\x21\xf9\x04" + struct.pack("<BHBB", 0, delay, 0, 0)
        data += b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x07"
        codes = []
        for pixel in range(width * height):
            codes += [128, n] if pixel % 100 == 0 else [n]
        codes.append(129)  # the end
        bits = sum(code << 8 * i for i, code in enumerate(codes)).to_bytes(len(codes), "little")
        for at in range(0, len(bits), 255):
            block = bits[at:at + 255]
            data += bytes([len(block)]) + block
        data += b"\0"
    path.write_bytes(data + b"\x3b")


def make_tiff(path, samples, depth, size=(64, 32)):
    """Writes an uncompressed TIFF of grey (1 sample per pixel) or RGB (3)."""
    width, height = size
    count = width * height * samples
    image = struct.pack(f"<{count}{'B' if depth == 8 else 'H'}", *(n * 7 % (1 << depth) for n in range(count)))
    bits_at = 8 + 2 + 9 * 12 + 4
    image_at = bits_at + 8
    short, long = 3, 4
    bits = (depth, short, 1) if samples == 1 else (bits_at, short, samples)
    tags = ((256, short, 1, width), (257, short, 1, height), (258, bits[1], bits[2], bits[0]), (259, short, 1, 1),
            (262, short, 1, 1 if samples == 1 else 2), (273, long, 1, image_at), (277, short, 1, samples),
            (278, short, 1, height), (279, long, 1, len(image)))
    directory = struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    path.write_bytes(b"II*\0" + struct.pack("<I", 8) + directory + struct.pack("<4H", *[depth] * 4) + image)


# ---- reading ----

@dataclasses.dataclass
class Stream:
    caps: object = None
    times: list = dataclasses.field(default_factory=list)  # stream times in nanoseconds
    hashes: list = dataclasses.field(default_factory=list)
    data: list = dataclasses.field(default_factory=list)
    tags: dict = dataclasses.field(default_factory=dict)
    top_first: set = dataclasses.field(default_factory=set)  # the values of the flag of all frames
    samples: object = dataclasses.field(default_factory=hashlib.md5)  # of all data
    end: int = 0

    @property
    def kind(self):
        return self.caps.get_name()

    def __getitem__(self, field):
        return self.caps.get_value(field)


def on_sample(sink, stream):
    sample = sink.emit("pull-sample")
    if not sample:
        return Gst.FlowReturn.EOS
    buffer, segment = sample.get_buffer(), sample.get_segment()
    # In some versions of the bindings the result of get_structure() does not stay valid.
    stream.caps = Gst.Structure.new_from_string(sample.get_caps().to_string())
    time = segment.to_stream_time(Gst.Format.TIME, buffer.pts) if buffer.pts != Gst.CLOCK_TIME_NONE else None
    stream.times.append(time)
    data = buffer.extract_dup(0, buffer.get_size())
    stream.hashes.append(hashlib.sha256(data).hexdigest())
    stream.samples.update(data)
    if stream.kind.startswith("text/"):
        stream.data.append(data)
    stream.top_first.add(bool(buffer.get_flags() & TOP_FIRST))
    if time is not None and buffer.duration != Gst.CLOCK_TIME_NONE:
        stream.end = max(stream.end, time + buffer.duration)
    return Gst.FlowReturn.OK


def on_event(pad, info, stream):
    event = info.get_event()
    if event.type == Gst.EventType.TAG:
        tags = event.parse_tag()
        for n in range(tags.n_tags()):
            name = tags.nth_tag_name(n)
            stream.tags[name] = tags.get_value_index(name, 0)
    return Gst.PadProbeReturn.OK


def read(path, decode=True, convert=""):
    """The streams of a file, decoded or as packets. `convert` is a line of elements for the decoded video."""
    streams = []
    pipeline = Gst.Pipeline()
    source = Gst.ElementFactory.make("uridecodebin" if decode else "urisourcebin")
    source.set_property("uri", pathlib.Path(path).absolute().as_uri())
    if str(path).endswith((".tiff", ".bmp")):  # the decoders need the whole file in one buffer
        source.set_property("uri", f"imagesequence://{pathlib.Path(path).absolute()}?start-index=0&stop-index=0")
        source.connect("source-setup", lambda _, element: element.set_property("num-buffers", 1))
    if not decode:
        source.set_property("parse-streams", True)

    def on_pad(_, pad):
        stream = Stream()
        streams.append(stream)
        line = f"{convert} ! " if convert and pad.query_caps(None).to_string().startswith("video/") else ""
        branch = Gst.parse_bin_from_description(
            f"queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! {line}"
            "appsink name=sink sync=false emit-signals=true", True)
        branch.get_by_name("sink").connect("new-sample", on_sample, stream)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, on_event, stream)
        pipeline.add(branch)
        branch.sync_state_with_parent()
        pad.link(branch.get_static_pad("sink"))

    source.connect("pad-added", on_pad)
    pipeline.add(source)
    play(pipeline)
    return streams


def only(streams, kind):
    found = [stream for stream in streams if stream.caps and stream.kind.startswith(kind)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} streams of {kind}")
    return found[0]


def frames_of(path, convert=""):
    return only(read(path, convert=convert), "video/")


def filtered(path, properties, convert=""):
    """The output of the element for the video of a file, in a plain pipeline."""
    return frames_of(path, f"videoconvert ! cudaconv {properties}" + (f" ! {convert}" if convert else ""))


# ---- tests ----

BEFORE = b"the old file"


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("the condition did not become true")
        time.sleep(0.01)


class Case(unittest.TestCase):
    """Makes a folder for each test. No temporary files may be left in it at the end."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tearDown(self):
        left = [path.name for path in self.folder.rglob("*") if path.name.endswith(".part")]
        self.assertEqual(left, [])

    def cudaconv(self, *arguments, status=0, says=(), timeout=60, warns=False, stdin=subprocess.DEVNULL, **more):
        """Runs `cudaconv` and checks its exit status (None: any status but a signal). `says` are texts that it must print,
        on stderr if it fails. GLib warnings are errors unless `warns`."""
        done = subprocess.run([COMMAND, *map(str, arguments)], text=True, cwd=self.folder, timeout=timeout,
                              stdin=stdin, capture_output=True, check=False, **more)
        said = f"cudaconv {' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}"
        if status is not None:
            self.assertEqual(done.returncode, status, said)
        self.assertGreaterEqual(done.returncode, 0, said)
        for words in ["CRITICAL **"] + ([] if warns else ["WARNING **"]):
            self.assertNotIn(words, done.stderr, said)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stdout if done.returncode == 0 else done.stderr, said)
        return done

    def on_terminal(self, *arguments):
        """Runs `cudaconv` on a terminal. Returns its output."""
        terminal, other = pty.openpty()
        process = subprocess.Popen([COMMAND, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=other,
                                   stderr=other)
        os.close(other)
        output = b""
        while select.select([terminal], [], [], 30)[0]:
            try:
                output += os.read(terminal, 10000)
            except OSError:  # the end of the output
                break
        os.close(terminal)
        self.assertEqual(process.wait(timeout=20), 0, output)
        return output.decode()

    def shares(self, text, label, unit):
        """The shares of the progress lines. Checks that they increase."""
        lines = re.findall(rf"\x1b\[\?7l{label}: (\d+) %, \d+ {unit}, [\d.]+ a second, \d+:\d\d left\x1b\[\?7h", text)
        shares = [int(share) for share in lines]
        self.assertGreaterEqual(len(shares), 2, text)
        self.assertEqual(shares, sorted(shares))
        self.assertLessEqual(shares[-1], 100)
        self.assertLess(shares[0], 60)
        return shares

    def apply(self, *arguments, **more):
        return self.cudaconv("apply", *arguments, **more)

    def make(self, name="in.mkv", frames=RATE, **more):
        """Makes a small video without audio."""
        path = self.folder / name
        make_video(path, {"mkv": "matroskamux", "mp4": "mp4mux"}[name.rsplit(".", 1)[1]], f"{video(frames, **more)} ! {H264}")
        return path


def main():
    del sys.argv[1]
    unittest.main(verbosity=2)
