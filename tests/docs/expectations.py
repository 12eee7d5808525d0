#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the files and the output of a block of a page with the expectations.

    expectations.py PAGE BLOCK FOLDER OUTPUT    PAGE is like recipes-video. BLOCK is like "One image 1": the heading and the
                                                number of the block below it
    expectations.py PAGE                        lists the blocks of the page that have an expectation, one per line

FOLDER is the folder in which the block ran. The file OUTPUT has its output. PAGES has the expectations of each block. A page
that is not in PAGES has none. The exit status is 1 if an expectation is not met, and 77 if GStreamer's Python is missing.

The gst-launch-1.0 of this folder (launch.c) writes the first 10 frames of each window unchanged to window-1.gdp, window-2.gdp and
so on, and streams for other computers to sent-1.mkv or sent-1.ts.
"""

import dataclasses
import pathlib
import re
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f"python3-gi or gir1.2-gstreamer-1.0 is not installed: {missing}")
    sys.exit(77)

SECOND = 1_000_000_000


class Broken(Exception):
    """An expectation that is not met, as a sentence."""


# ---- the contents of a file ----

@dataclasses.dataclass
class Frame:
    """Statistics of a frame: mean luma, mean distance of the chroma from grey, and mean square of the differences between
    neighbouring luma samples. All are 8-bit code values."""

    seconds: float
    luma: float
    color: float
    detail: float


@dataclasses.dataclass
class Contents:
    """The video of a file or a pipeline, and the length of its audio."""

    size: tuple = None
    format: str = None
    codec: str = None
    interlace_mode: str = None
    frames: list = dataclasses.field(default_factory=list)
    audio: float = 0.0  # seconds; 0: no audio


def frame_of(seconds, data, width, height, region):
    """Returns the Frame of I420 samples, computed from some 16 rows of the region."""
    left, top, right, bottom = region or (0, 0, width, height)
    stride = (width + 3) // 4 * 4
    chroma_stride = ((width + 1) // 2 + 3) // 4 * 4
    luma_rows = [data[y * stride + left:y * stride + right]
                 for first in range(top, bottom - 1, max((bottom - top) // 8, 1)) for y in (first, first + 1)]
    steps = [(a - b) ** 2 for row in luma_rows for a, b in zip(row, row[1:])]
    steps += [(a - b) ** 2 for row, below in zip(luma_rows[::2], luma_rows[1::2]) for a, b in zip(row, below)]
    planes = [data[stride * ((height + 1) // 2 * 2):], data[(stride * 2 + chroma_stride) * ((height + 1) // 2):]]
    chroma_rows = [plane[y * chroma_stride + left // 2:y * chroma_stride + (right + 1) // 2]
                   for plane in planes for y in range(top // 2, (bottom + 1) // 2, max((bottom - top) // 8, 1))]
    luma, chroma = b"".join(luma_rows), b"".join(chroma_rows)
    return Frame(seconds, sum(luma) / len(luma), sum(abs(sample - 128) for sample in chroma) / len(chroma),
                 sum(steps) / len(steps))


def add_sample(sink, contents, region):
    """Adds a decoded frame or a block of audio to the contents."""
    sample = sink.emit("pull-sample")
    if not sample:
        return Gst.FlowReturn.EOS
    buffer, segment = sample.get_buffer(), sample.get_segment()
    # get_structure() of caps is not valid in all versions of GStreamer's Python
    caps = Gst.Structure.new_from_string(sample.get_caps().to_string())
    start = segment.to_stream_time(Gst.Format.TIME, buffer.pts) if buffer.pts != Gst.CLOCK_TIME_NONE else 0
    if caps.get_name().startswith("audio/"):
        contents.audio += buffer.duration / SECOND if buffer.duration != Gst.CLOCK_TIME_NONE else 0
        return Gst.FlowReturn.OK
    contents.size = caps.get_value("width"), caps.get_value("height")
    contents.frames.append(frame_of(start / SECOND, buffer.extract_dup(0, buffer.get_size()), *contents.size, region))
    return Gst.FlowReturn.OK


def contents_of(folder, source, region=None):
    """Reads a file of the folder, or runs a line of elements that produce raw video."""
    contents = Contents()
    videos = []
    pipeline = Gst.Pipeline()

    def add_stream(_, pad, caps=None):
        caps = caps or (pad.get_current_caps() or pad.query_caps(None)).to_string()
        line = "fakesink async=false"
        if caps.startswith("audio/"):
            line = "appsink name=sink sync=false emit-signals=true"
        elif caps.startswith("video/"):
            videos.append(caps)
            line = "videoconvert ! video/x-raw,format=I420 ! appsink name=sink sync=false emit-signals=true"
        part = Gst.parse_bin_from_description(f"queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! {line}", True)
        if sink := part.get_by_name("sink"):
            sink.connect("new-sample", add_sample, contents, region)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, note_format, contents)
        pipeline.add(part)
        part.sync_state_with_parent()
        pad.link(part.get_static_pad("sink"))

    line = source
    if " ! " not in source and not (folder / source).exists():
        raise Broken(f"{source} does not exist")
    if source.endswith(".gdp"):
        line = f"filesrc location={source} ! gdpdepay"
    if " ! " in line:
        element = Gst.parse_bin_from_description(f"{line} ! identity", True)
        pipeline.add(element)
        add_stream(element, element.get_static_pad("src"), "video/x-raw")
    else:
        element = Gst.ElementFactory.make("uridecodebin")
        element.set_property("uri", (folder / source).resolve().as_uri())
        element.connect("pad-added", add_stream)
        element.connect("autoplug-select", note_codec, contents)
        pipeline.add(element)
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    message = bus.timed_pop_filtered(60 * SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if not message or message.type == Gst.MessageType.ERROR:
        raise Broken(f"{source} cannot be read to its end: {message.parse_error()[0].message if message else 'it hangs'}")
    if len(videos) != 1:
        raise Broken(f"{source} has {len(videos)} videos, not 1")
    return contents


def note_format(_, info, contents):
    event = info.get_event()
    if event.type == Gst.EventType.CAPS:
        caps = Gst.Structure.new_from_string(event.parse_caps().to_string())
        if caps.get_name() == "video/x-raw":
            contents.format = caps.get_value("format")
            contents.interlace_mode = caps.get_value("interlace-mode")
    return Gst.PadProbeReturn.OK


def note_codec(_, pad, caps, factory, contents):
    name = caps.to_string().split(",")[0]
    if factory.get_metadata("klass").startswith("Codec/Decoder") and name.startswith(("video/", "image/")):
        contents.codec = name
    return 0  # GST_AUTOPLUG_SELECT_TRY


# ---- comparisons of a frame with its source frame ----

def same(frame, source):
    return (abs(frame.luma - source.luma) < 2 and abs(frame.color - source.color) < 2 and
            0.85 < frame.detail / source.detail < 1.15)


def softer(frame, source):
    return frame.detail < 0.8 * source.detail and abs(frame.luma - source.luma) < 8


def blurred(frame, source):
    return frame.detail < 0.2 * source.detail


def without_detail(frame, source):
    return frame.detail < 0.01 * source.detail


def sharper(frame, source):
    return frame.detail > 1.2 * source.detail and abs(frame.luma - source.luma) < 8


def edges(frame, source):
    """White lines on black, without color."""
    return frame.color < 1 < source.color and 16 <= frame.luma < 0.6 * source.luma


def lines_on_white(frame, source):
    return frame.color < 1 < source.color and frame.luma > 200


def around_grey(frame, source):
    """A derivative with its sign: flat parts are grey."""
    return frame.color < 1 < source.color and abs(frame.luma - 128) < 10


def relief(frame, source):
    return abs(frame.luma - source.luma) < 20 and frame.detail > 1.05 * source.detail


def direction_colors(frame, source):
    return frame.color > 10 and abs(frame.color - source.color) > 5


def red_edges(frame, source):
    """More color, and the same luma. Red replaces the noise of the source."""
    return abs(frame.luma - source.luma) < 8 and frame.color > source.color + 1 and frame.detail < 0.8 * source.detail


def red(frame, source):
    return frame.color > source.color + 60


def unmarked(frame, source):
    return abs(frame.luma - source.luma) < 2 and abs(frame.color - source.color) < 2


def white(frame, source):
    return frame.color < 1 < source.color and frame.luma > 230


def converted(frame, source):
    """The same after a conversion to RGB and back."""
    return abs(frame.luma - source.luma) < 4 and abs(frame.color - source.color) < 4


def covered(frame, _):
    """White lies over it."""
    return frame.color < 3 and frame.luma > 225


def without_fringe(frame, source):
    """White that covers a frame in part takes color away. A red fringe adds color."""
    return frame.color < source.color + 2


def black(frame, source):
    return frame.color < 1 < source.color and frame.luma < 20


# ---- expectations ----

@dataclasses.dataclass
class Made:
    """Expects a file with one video or image. Its size, number and times of frames, and length of audio are those of the
    source, unless given here. `looks` is a function, a dictionary from (FROM, TO) in seconds to functions, or None."""

    name: str
    source: str
    looks: object
    size: tuple = None
    frames: int = None
    first: int = None  # check only so many frames
    audio: bool = None
    times: str = "same"  # as in the source; or "shifted", or "any"
    codec: str = None
    format: str = None
    interlace_mode: str = None
    regions: dict = None  # (LEFT, TOP, RIGHT, BOTTOM) to `looks` of the region

    def check(self, folder, _):
        source, made = contents_of(folder, self.source), contents_of(folder, self.name)
        self.check_streams(source, made)
        self.check_times(source, made)
        if self.looks:
            self.check_looks(source, made, self.looks, self.name)
        for region, looks in (self.regions or {}).items():
            self.check_looks(contents_of(folder, self.source, region), contents_of(folder, self.name, region), looks,
                             f"{self.name} in {region}")

    def check_streams(self, source, made):
        size = self.size or source.size
        if made.size != size:
            raise Broken(f"{self.name} has {made.size[0]}x{made.size[1]}, not {size[0]}x{size[1]}")
        for name, actual, expected in (("codec", made.codec, self.codec), ("format", made.format, self.format),
                                       ("interlace mode", made.interlace_mode, self.interlace_mode)):
            if expected and actual != expected:
                raise Broken(f"{self.name} has the {name} {actual}, not {expected}")
        audio = source.audio if self.audio in (None, True) else 0
        if abs(made.audio - audio) > 0.15:
            raise Broken(f"{self.name} has {made.audio:.2f} s of audio, not {audio:.2f} s")

    def check_times(self, source, made):
        if self.first:
            del made.frames[self.first:]
        frames = self.first or self.frames or len(source.frames)
        if len(made.frames) != frames:
            raise Broken(f"{self.name} has {len(made.frames)} frames, not {frames}")
        if self.times == "any":
            return
        shift = made.frames[0].seconds - source.frames[0].seconds if self.times == "shifted" else 0
        for number, frame in enumerate(made.frames):
            seconds = source.frames[number].seconds + shift
            if abs(frame.seconds - seconds) > 0.005:
                raise Broken(f"{self.name} has frame {number} at {frame.seconds:.3f} s, not {seconds:.3f} s")

    def check_looks(self, source, made, looks, where):
        for (start, end), look in (looks if isinstance(looks, dict) else {(0, 1e9): looks}).items():
            frames = [number for number, frame in enumerate(made.frames) if start <= frame.seconds < end]
            if not frames:
                raise Broken(f"{where} has no frame from {start} s to {end} s")
            for number in frames:
                original = source.frames[min(number, len(source.frames) - 1)]
                if not look(made.frames[number], original):
                    raise Broken(f"{where} has frame {number} not {look.__name__}: {made.frames[number]} of {original}")


@dataclasses.dataclass
class Says:
    """Expects that the output of the block matches a regular expression."""

    pattern: str

    def check(self, _, output):
        if not re.search(self.pattern, output, re.MULTILINE):
            raise Broken(f"the output does not match /{self.pattern}/:\n{output}")


@dataclasses.dataclass
class Holds:
    """Expects that a text file matches a regular expression."""

    name: str
    pattern: str

    def check(self, folder, _):
        path = folder / self.name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if not re.search(self.pattern, text, re.MULTILINE):
            raise Broken(f"{self.name} does not match /{self.pattern}/:\n{text}")


# ---- the pages ----

CAMERA = "videotestsrc num-buffers=150 ! video/x-raw,width=320,height=240,framerate=30/1"
LARGE = "videotestsrc num-buffers=10 ! video/x-raw,width=1920,height=1080"
NUMBERED = "multifilesrc location=frames/%04d.png start-index=1 caps=image/png,framerate=25/1 ! pngdec"
SMALLER = "videoscale method=nearest-neighbour ! video/x-raw,width={},height={}"
H264 = "video/x-h264"
ASTRONAUT = "examples/astronaut.jpg"
FACE = (174, 64, 272, 162)  # in that image
REGION = (100, 60, 200, 160)  # of recipes


AROUND_REGION = {(0, 0, 320, 56): unmarked, (0, 164, 320, 240): unmarked, (0, 0, 96, 240): unmarked,
                 (204, 0, 320, 240): unmarked}


def window(looks, source=CAMERA, number=1, **more):
    """Expects the first 10 frames of a window."""
    return Made(f"window-{number}.gdp", source, looks, first=10, audio=False, **more)


RECIPES_VIDEO = {
    "Filter a video and keep its audio 1": [Made("out.mp4", "in.mp4", softer, codec=H264)],
    "Filter a video and keep its audio 2": [Made("out.mp4", "in.mp4", softer, codec=H264)],
    "Filter a video and keep its audio 3": [Made("out.mp4", "video.mkv", sharper, codec=H264)],
    "Blur a region 1": [Made("out.mp4", "in.mp4", None, codec=H264, regions={REGION: blurred, **AROUND_REGION})],
    "Blur a region 2": [Made("out.mp4", "in.mp4", None, audio=False, regions={
        REGION: blurred, (240, 180, 300, 220): blurred, (0, 0, 320, 56): unmarked, (0, 0, 96, 240): unmarked})],
    "Blur a region 3": [Made("out.mp4", "in.mp4", None, codec=H264, regions={REGION: black, **AROUND_REGION})],
    # at the end the region lies 40 rows lower
    "Blur a region that moves 1": [Made("out.mp4", "in.mp4", None, audio=False, regions={
        (20, 60, 120, 160): {(0, 0.05): blurred, (1.8, 9): unmarked},
        (200, 100, 300, 160): {(0, 1): unmarked, (2.95, 9): blurred}, (0, 0, 320, 56): unmarked})],
    "Blur faces 1": [Made("out.mp4", "in.mp4", same, codec=H264), Made("blurred.jpg", ASTRONAUT, None, regions={
        FACE: without_detail, (0, 0, 140, 288): same, (320, 0, 512, 288): same})],
    "Blur faces 2": [Made("black.jpg", ASTRONAUT, None, regions={FACE: black, (0, 0, 140, 288): same})],
    "Edges over the video 1": [Made("out.mp4", "in.mp4", red_edges)],
    "Edges over the video 2": [Made("out.mp4", "in.mp4", red_edges, audio=False)],
    "Sharpen with an unsharp mask 1": [Made("out.mp4", "in.mp4", sharper)],
    "Sharpen with an unsharp mask 2": [Made("out.mp4", "in.mp4", sharper, audio=False)],
    "Reduce color noise 1": [Made("out.mp4", "in.mp4", sharper)],
    "Ten-bit video 1": [window(softer, LARGE, format="I420_10LE")],
    "Interlaced video 1": [Made("out.mkv", "recording.ts", softer, times="shifted", codec=H264, interlace_mode="interleaved")],
    "Interlaced video 2": [Made("out.mkv", "recording.ts", softer, times="shifted", audio=False, codec=H264,
                                interlace_mode="interleaved")],
    "Interlaced video 3": [Made("out.mp4", "recording.ts", softer, frames=180, times="any", audio=False, codec=H264,
                                interlace_mode="progressive")],
    "One image 1": [Made("edges.png", "photo.jpg", edges)],
    "One image 2": [Made("edges.png", "photo.jpg", edges)],
    "A folder of images 1": [Made(f"edges/{name}.jpg", f"pictures/{name}.jpg", edges) for name in ("a", "b c")],
    "A folder of images 2": [Made(f"edges/{name}.jpg", f"pictures/{name}.jpg", edges) for name in ("a", "b c")],
    "Numbered images 1": [Made(f"out/{name}.png", f"frames/{name}.png", sharper) for name in ("0001", "0012")],
    "Numbered images 2": [Made("video.webm", NUMBERED, sharper, codec="video/x-vp9"),
                          Made("frame.png", "in.mp4", edges, frames=1, audio=False)],
    "Numbered images 3": [Made(f"out/{name}.png", f"frames/{name}.png", sharper) for name in ("0001", "0012")],
    # a fourth of the pixels without smoothing has more detail than the thumbnail
    "Thumbnails 1": [Made("thumbnail.jpg", f"filesrc location=photo.jpg ! jpegdec ! {SMALLER.format(80, 60)}", softer)],
    "Thumbnails 2": [window(softer, f"{LARGE} ! {SMALLER.format(480, 270)}")],
    # the yellow and the blue bar
    "A page in black and white 1": [Made("page.png", "photo.jpg", None, regions={(50, 4, 88, 150): white,
                                                                                 (278, 4, 316, 150): black})],
    "Images with transparency 1": [window(relief, CAMERA.replace("videotestsrc", "videotestsrc pattern=ball"), format="RGBA")],
    # the logo, its soft edges, and what is beside it
    "A blurred logo over video 1": [Made("out.mp4", "in.mp4", None, audio=False, codec=H264, regions={
        (52, 48, 76, 64): covered, (32, 40, 38, 72): without_fringe, (130, 0, 320, 150): converted})],
    "A matrix of your own 1": [window(sharper), window(sharper, number=2), Made("sharp.png", "photo.jpg", sharper)],
    "A row and a column 1": [window(around_grey)],
    "A kernel from a file 1": [window(sharper), Made("outline.png", "photo.jpg", sharper)],
    "A preset 1": [window(lines_on_white), Made("sketch.png", "photo.jpg", lines_on_white)],
    "Gradient directions as colors 1": [window(direction_colors, CAMERA.replace("videotestsrc", "videotestsrc pattern=circular")),
                                        Made("directions.png", "photo.jpg", direction_colors)],
    "Decode, filter and encode on the GPU 1": [Made("out.mp4", "in.mp4", softer, audio=False, codec=H264)],
    "Several GPUs 1": [Made("first.mp4", "in.mp4", softer, audio=False),
                       Made("second.mp4", "video.mkv", softer, audio=False)],
    "CPU threads 1": [Says(r"last-message = rendered: .*average: [1-9]"), Says("^2000 frames were filtered$")],
    "Compare the GPU algorithms 1": [Says(r"last-message = rendered: .*average: [1-9]"), Says("^1000 frames were filtered$")],
}
RECIPES_LIVE = {
    "A camera in a window 1": [window(edges)],
    "Canny's edges 1": [window(edges)],
    "A figure for the focus 1": [window(None, regions={(84, 0, 196, 150): unmarked}), Says(r"cudaconv-measure.* mean-square=\(double\)[1-9]")],
    "A figure for the focus 2": [Says(r"^sharpest at 6\.[1-5]")],
    # the noise is sharp, and the yellow bar has no detail
    "Focus peaking 1": [window(None, regions={(244, 184, 316, 236): red, (50, 4, 88, 150): unmarked})],
    "A privacy mask 1": [window(None, regions={(0, 0, 80, 60): black, (200, 40, 320, 120): black, (84, 0, 196, 150): unmarked})],
    "A detector of your own 1": [Made("out.mp4", "in.mp4", None, audio=False, codec=H264, regions={
        REGION: blurred, **AROUND_REGION})],
    "Record the screen 1": [Made("screen.mkv", CAMERA, edges, codec=H264)],
    "A virtual camera 1": [window(edges, format="YUY2")],
    "An RTSP camera 1": [window(sharper, "in.mp4"), window(sharper, "in.mp4", number=2)],
    "An RTSP server 1": [window(edges, times="any")],
    "Publish to an RTSP server 1": [Made("sent-1.mkv", CAMERA, edges, codec=H264)],
    "HLS 1": [Holds("live.m3u8", r"^#EXTINF:2[.,](.*\n)*segment00000\.ts\n#EXTINF:2[.,](.*\n)*segment00001.ts\n"),
              Made("segment00000.ts", CAMERA, edges, frames=60, times="shifted"),
              Made("segment00001.ts", CAMERA, edges, frames=60, times="shifted")],
    "SRT 1": [Made("sent-1.ts", CAMERA, edges, codec=H264, times="shifted")],
    "WebRTC 1": [Says("^100 packets arrived$")],
}
RECIPES_PROGRAMS = {
    "C 1": [Made("out.mp4", "in.mp4", softer, audio=False, codec=H264)],
    "Frames as NumPy arrays 1": [Says(r"^frame 0: [1-4]?\d\..*\n(frame.*\n)*frame 89: [1-4]?\d\..*\n90 frames$")],
    "A matrix from Python 1": [Says(r"^0 -1 0; -1 5 -1; 0 -1 0;$")],
    "A matrix from Python 2": [Says(r"^<-1,0,1> <1,2,1>$")],
    "A matrix from Python 3": [Says(r"^<<10,20,60,60>,<150,20,60,60>> <<0,0>,<100,0>>$")],
    "Change the filter while it plays 1": [Says(r"\A[1-9]\d+ frames\n\Z")],
    "Values over time 1": [Says(r"^At the end sigma is 1\.(6|7)"),
                           Made("out.mp4", "in.mp4", {(0, 0.05): same, (2.5, 9): softer}, audio=False)],
    "Players 1": [Says("^90 frames were filtered$")],
    "Players 2": [Says("^Reached end of play list")],
    "ges-launch 1": [Made("out.mp4", "in.mp4", {(0, 0.99): softer, (0.99, 9): same}, codec=H264)],
}
README = {
    "cudaconv 1": [Made("edges.mp4", "holiday.mp4", edges), window(edges)],
    "The command 1": [Made("edges.mp4", "holiday.mp4", edges), Made("soft.png", "photo.jpg", softer)],
    "The element 1": [Made("out.mp4", "in.mp4", softer, audio=False),
                      Says(r"last-message = rendered: .*average: [1-9]"), Says("^3000 frames were filtered$")],
    "The element 2": [window(sharper, "in.mp4"), window(lines_on_white, number=2)],
}
PAGES = {"recipes-video": RECIPES_VIDEO, "recipes-live": RECIPES_LIVE, "recipes-programs": RECIPES_PROGRAMS,
         "README": README}


def main():
    page = PAGES.get(sys.argv[1], {})
    if len(sys.argv) == 2:
        print("".join(f"{block}\n" for block in page), end="")
        return 0
    block, folder, output = sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    Gst.init(None)
    try:
        for expectation in page[block]:
            expectation.check(folder, output.read_text(encoding="utf-8"))
    except Broken as broken:
        print(broken)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
