#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blurs the faces in a video or an image.

OpenCV's detector finds the faces in each frame. Each face becomes a GstVideoRegionOfInterestMeta of the frame, and the element
cudaconv blurs these regions. Audio and subtitles are copied if the container of OUT can hold them.

A blur is no anonymization, because blurred faces can be recognised. --black paints the faces black instead. With both, watch
the result: the detector misses faces.
"""

import argparse
import html
import os
import sys

try:
    import cv2
    import gi
    import numpy
    for library in "Gst", "GstPbutils", "GstVideo":
        gi.require_version(library, "1.0")
    from gi.repository import GLib, Gst, GstPbutils, GstVideo
except (ImportError, ValueError) as missing:
    sys.exit(f"{missing}. Debian's packages for /usr/bin/python3 are python3-opencv, python3-gst-1.0 and "
             "gir1.2-gst-plugins-base-1.0.")

CASCADE = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"
OUTPUTS = {".mkv": ("x264enc", " ! matroskamux name=muxer"), ".mp4": ("x264enc", " ! h264parse ! mp4mux name=muxer"),
           ".png": ("pngenc snapshot=true", ""), ".jpg": ("jpegenc quality=95 snapshot=true", "")}
# The muxer needs the streams at the same time, and encoders delay the video by some 40 frames. So large queues hold packets.
PACKETS = "queue max-size-buffers=0 max-size-time=0 max-size-bytes=100000000"
BLUR = "kernel=gaussian roi-sigma={}"
BLACK = "kernel=identity bias=-255 threshold=1"
# In these formats the first plane is luma.
LUMA = "video/x-raw, format=(string){{ I420, NV12, Y42B, Y444, GRAY8 }}"
# A frame leaves the queue behind `frames` when the next one enters it. By then Python has released the frame, so that cudaconv
# can filter it in place.
PIPELINE = (f"filesrc name=in ! parsebin name=streams {PACKETS} name=video ! decodebin ! videoflip video-direction=auto ! "
            f"videoconvert ! {LUMA} ! identity name=frames ! queue min-threshold-buffers=2 ! "
            "cudaconv roi-meta=true roi-type=face name=filter {filter} ! videoconvert ! {encoder}{muxer} ! filesink name=out")
COPIED = Gst.BufferCopyFlags.FLAGS | Gst.BufferCopyFlags.TIMESTAMPS | Gst.BufferCopyFlags.META | Gst.BufferCopyFlags.MEMORY


class Detector:
    def __init__(self, cascade, options):
        self.cascade, self.options = cascade, options
        self.known = []  # pairs of a face (x, y, width, height) and the number of frames for which it may be missed
        self.frames = self.frames_with_faces = 0

    def detect(self, luma):
        # A face of 30 pixels can be found, and a small frame takes less time.
        shrink = max(self.options.smallest * luma.shape[0] / 30, 1)
        small = cv2.resize(luma, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        found = [face * shrink for face in self.cascade.detectMultiScale(small, 1.1, 3, minSize=(30, 30))]
        # The detector misses a face in some frames. The face then stays where it was, for a limited number of frames.
        missed = [(face, left - 1) for face, left in self.known if left > 0 and not any(overlap(face, new) for new in found)]
        self.known = [(face, self.options.hold) for face in found] + missed
        self.frames += 1
        self.frames_with_faces += bool(self.known)

    def mark(self, buffer, pad):
        """Returns a new buffer with the same memory and a meta for each face. `buffer` cannot get a meta: Python and the pad
        have one reference each, and a buffer with two references is not writable."""
        info = GstVideo.VideoInfo.new_from_caps(pad.get_current_caps())
        layout = GstVideo.buffer_get_video_meta(buffer) or info  # decoders may pad rows
        with buffer.map(Gst.MapFlags.READ) as memory:
            self.detect(numpy.ndarray((info.height, info.width), numpy.uint8, memory.data, layout.offset[0],
                                      (layout.stride[0], 1)))
        marked = buffer.copy_region(COPIED, 0, buffer.get_size())
        margin = self.options.margin
        for (x, y, width, height), _ in self.known:
            left, top = (max(int(side), 0) for side in (x - margin * width, y - margin * height))
            right, bottom = int(x + (1 + margin) * width), int(y + (1 + margin) * height)
            GstVideo.buffer_add_video_region_of_interest_meta(marked, "face", left, top, right - left, bottom - top)
        return marked


def count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def overlap(a, b):
    return all(a[i] < b[i] + b[i + 2] and b[i] < a[i] + a[i + 2] for i in (0, 1))


def plain_text(buffer, _):
    """Returns a buffer of subtitles without escapes. Demuxers output Pango markup, and muxers accept plain text only."""
    plain = Gst.Buffer.new_wrapped(html.unescape(buffer.extract_dup(0, buffer.get_size()).decode()).encode())
    plain.pts, plain.duration = buffer.pts, buffer.duration
    return plain


def replace_buffers(pipeline, pad, make):
    """Replaces each buffer between a pad and the queue behind it with make(buffer, pad). A probe cannot exchange a buffer in
    Python. So it drops the buffer and puts the new one into the queue."""
    def on_buffer(pad, info):
        try:
            pad.get_peer().chain(make(info.get_buffer(), pad))
        except Exception as error:  # Python would only print it
            pipeline.get_bus().post(Gst.Message.new_error(pipeline, GLib.Error(str(error)), ""))
        return Gst.PadProbeReturn.DROP
    pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)


def add_stream(_, pad, pipeline):
    """Links the first video to the decoder, and all other streams to the muxer."""
    kind = pad.query_caps(None).get_structure(0).get_name()
    decoder, muxer = pipeline.get_by_name("video").get_static_pad("sink"), pipeline.get_by_name("muxer")
    if kind.startswith(("video/", "image/")) and not decoder.is_linked():
        pad.link(decoder)
        return
    text = "capssetter name=text caps=text/x-raw,format=utf8 replace=true ! " if kind == "text/x-raw" else ""
    branch = Gst.parse_bin_from_description(text + PACKETS, True)
    pipeline.add(branch)
    if pad.link(branch.get_static_pad("sink")) != Gst.PadLinkReturn.OK or not muxer or not branch.link(muxer):
        print(f"left out: {kind}", file=sys.stderr)
        pipeline.remove(branch)
        branch.set_state(Gst.State.NULL)  # the pipeline may have changed its state before
        return
    if text:
        replace_buffers(pipeline, branch.get_by_name("text").get_static_pad("src"), plain_text)
    branch.sync_state_with_parent()


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="IN", help="a video or an image")
    parser.add_argument("output", metavar="OUT", help=f"ends in {', '.join(OUTPUTS)}")
    parser.add_argument("--cascade", metavar="FILE", default=CASCADE, help="a cascade of OpenCV (default: %(default)s)")
    parser.add_argument("--smallest", type=float, metavar="SHARE", default=0.08,
                        help="height of the smallest face, as a share of the frame's; less is slower (default: %(default)s)")
    parser.add_argument("--margin", type=float, metavar="SHARE", default=0.2,
                        help="enlarges a face on each side by this share of its size (default: %(default)s)")
    parser.add_argument("--hold", type=int, metavar="FRAMES", default=10,
                        help="blurs a face for so many frames after the detector has lost it (default: %(default)s)")
    parser.add_argument("--sigma", type=float, metavar="SHARE", default=0.3,
                        help="sigma of the blur, as a share of the region's smaller side (default: %(default)s)")
    parser.add_argument("--black", action="store_true", help="paints faces black instead of blurring them")
    parser.add_argument("--encoder", metavar="ELEMENTS", help="for example avenc_ffv1")
    options = parser.parse_args()
    if os.path.splitext(options.output)[1] not in OUTPUTS:
        parser.error(f"OUT {options.output}: must end in {', '.join(OUTPUTS)}")
    for name, file in ("IN", options.input), ("--cascade", options.cascade):
        if not os.path.isfile(file):
            parser.error(f"{name} {file}: there is no such file")
    if os.path.realpath(options.input) == os.path.realpath(options.output):
        parser.error("IN and OUT are the same file")
    return options


def main():
    options = read_options()
    cascade = cv2.CascadeClassifier()
    try:
        cascade.load(options.cascade)
    except cv2.error:
        sys.exit(f"--cascade {options.cascade}: this is no cascade of OpenCV")
    detector = Detector(cascade, options)
    Gst.init(None)
    encoder, muxer = OUTPUTS[os.path.splitext(options.output)[1]]
    try:
        pipeline = Gst.parse_launch(PIPELINE.format(encoder=options.encoder or encoder, muxer=muxer,
                                                    filter=BLACK if options.black else BLUR.format(options.sigma)))
    except GLib.Error as error:
        sys.exit(error.message)
    try:
        streams = GstPbutils.Discoverer.new(10 * Gst.SECOND).discover_uri(Gst.filename_to_uri(options.input))
        if not streams.get_video_streams():
            sys.exit(f"{options.input}: there is no video or image in this file")
    except GLib.Error as error:
        sys.exit(f"{options.input}: {error.message}")
    pipeline.get_by_name("in").set_property("location", options.input)
    pipeline.get_by_name("out").set_property("location", options.output)
    pipeline.get_by_name("streams").connect("pad-added", add_stream, pipeline)
    replace_buffers(pipeline, pipeline.get_by_name("frames").get_static_pad("src"), detector.mark)
    pipeline.set_state(Gst.State.PLAYING)
    message = None
    while not message:  # returns several times a second, so that Ctrl+C works
        message = pipeline.get_bus().timed_pop_filtered(Gst.SECOND // 5, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    limited = pipeline.get_by_name("filter").get_property("stats").get_uint64("limited-regions").value
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        # a message of these two names the value or the output
        name = "" if message.src.get_name() in ("filter", "out") else f"{options.input}: "
        sys.exit(name + message.parse_error()[0].message)
    faces = f"{detector.frames_with_faces} of them with faces" if detector.frames_with_faces else "no face was found"
    print(f"{options.output}: {count(detector.frames, 'frame')}, {faces}")
    if limited:
        print(f"{count(limited, 'region')} blurred less than --sigma requests, because no sigma is above 63.5 pixels; "
              "--black hides large faces", file=sys.stderr)


if __name__ == "__main__":
    main()
