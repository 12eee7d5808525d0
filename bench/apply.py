#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares `cudaconv apply` with ffmpeg: the time for a film, and what stays of ten kinds of files.

    bench/apply.py BUILD [--rounds N] [--seconds N]

Both detect edges with their `sobel` in all planes, encode with x264 at the same quantizer and preset, filter with two threads, encode
with two, and copy the sound. Needs ffmpeg with ffprobe; without them the exit status is 77.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

THREADS = 2
X264 = ("-c:v", "libx264", "-preset", "ultrafast", "-qp", "18")
AAC = ("-f", "lavfi", "-i", "sine=440:r=48000:d=2", "-c:a", "aac")
VIDEO = ("-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=2")
SUBTITLES = "1\n00:00:00,200 --> 00:00:01,500\nwords\n"

# kind: the file, what ffmpeg makes it with, and the ending of OUT
KINDS = {
    "phone, rotated by 90°": ("phone.mp4", (*VIDEO, *AAC, *X264), "mp4"),
    "variable rate": ("rate.mkv", (*VIDEO, *AAC, "-vf", "select='not(eq(mod(n,5),3))+lt(n,9)'", "-vsync", "vfr", *X264), "mkv"),
    "no sound": ("silent.mp4", (*VIDEO, *X264), "mp4"),
    "HEVC, 10 bits, HDR": ("hdr.mp4", (*VIDEO, *AAC, "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast",
                                       "-x265-params", "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
                                       "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc"), "mkv"),
    "two sounds, subtitles": ("tracks.mkv", (*VIDEO, *AAC, "-i", "text.srt", "-map", "0", "-map", "1", "-map", "1", "-map", "2",
                                             *X264), "mkv"),
    "MJPEG and PCM in AVI": ("old.avi", (*VIDEO, *AAC[:4], "-c:a", "pcm_s16le", "-c:v", "mjpeg"), "mkv"),
    "VP9 and Opus in WebM": ("web.webm", (*VIDEO, *AAC[:4], "-c:a", "libopus", "-c:v", "libvpx-vp9", "-deadline", "realtime"), "mkv"),
    "interlaced": ("fields.mkv", (*VIDEO, *AAC, "-vf", "tinterlace=interleave_top,setfield=tff", *X264, "-flags", "+ildct",
                                  "-x264opts", "tff=1"), "mkv"),
    "odd size": ("odd.mkv", ("-f", "lavfi", "-i", "testsrc2=s=321x241:r=25:d=2", *AAC, "-vf", "scale=321:241", *X264, "-pix_fmt", "yuv444p"), "mkv"),
    "picture": ("picture.png", (*VIDEO, "-frames:v", "1"), "png"),
}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, folder):
    """Seconds of the clock and of the processor, and whether it worked."""
    before, start = cpu_seconds(), time.monotonic()
    done = subprocess.run(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return time.monotonic() - start, cpu_seconds() - before, done.returncode == 0


def ffmpeg(*arguments):
    return ("ffmpeg", "-v", "error", "-y", *arguments)


def make(folder, name, arguments):
    if not run(ffmpeg(*arguments, name), folder)[2]:
        sys.exit(f"ffmpeg does not make {name}")


def turn(folder, name):
    turned = f"turned-{name}"
    if not run(ffmpeg("-i", name, "-c", "copy", "-metadata:s:v:0", "rotate=90", turned), folder)[2]:
        sys.exit("ffmpeg does not rotate")
    (folder / turned).replace(folder / name)


def commands(build, source, out):
    """The same of both, by name."""
    picture = out.endswith(".png")
    encoder = (f"--encoder=x264enc pass=quant quantizer=20 speed-preset=veryfast threads={THREADS}",)
    x264 = ("-c:v", "libx264", "-qp", "20", "-preset", "veryfast", "-threads", THREADS, "-c:a", "copy")
    return {
        "cudaconv": (build / "app" / "cudaconv", "apply", "-q", "--kernel=sobel", "--chroma=filter", "--bias=-0.5",
                     "--border=reflect-101", "--backend=cpu", f"--n-threads={THREADS}",
                     *(() if picture else encoder), source, f"cudaconv-{out}"),
        "ffmpeg": ffmpeg("-filter_threads", THREADS, "-i", source, "-vf", "sobel", *(() if picture else x264), f"ffmpeg-{out}"),
    }


def probe(folder, name):
    """What ffprobe says of a file, as text for people."""
    said = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", name],
                          cwd=folder, capture_output=True, check=False).stdout
    told = json.loads(said or "{}")
    streams = told.get("streams", [])
    video = next((stream for stream in streams if stream["codec_type"] == "video"), None)
    if not video:
        return {"frames": "none"}
    turned = any(abs(int(data.get("rotation", 0))) == 90 for data in video.get("side_data_list", []))
    size = (video["width"], video["height"])
    return {
        "frames": video["nb_read_frames"],
        "shown as": "{}x{}".format(*(reversed(size) if turned else size)),
        "seconds": f"{float(told['format'].get('duration', 0)):.2f}",
        "sound": ", ".join(stream["codec_name"] for stream in streams if stream["codec_type"] == "audio") or "none",
        "subtitles": str(sum(stream["codec_type"] == "subtitle" for stream in streams)),
        "colour": "/".join(video.get(key, "?") for key in ("color_space", "color_transfer", "color_primaries"))
                  .replace("unknown", "?"),
        "pixels": video["pix_fmt"],
        "fields": {"tt": "top first", "tb": "top first", "bb": "bottom first", "bt": "bottom first"}
                  .get(video.get("field_order"), "none"),
    }


def compare_kinds(build, folder):
    print("| file | | before | cudaconv | ffmpeg |\n| --- | --- | --- | --- | --- |")
    for kind, (source, arguments, ending) in KINDS.items():
        make(folder, source, arguments)
        if source == "phone.mp4":
            turn(folder, source)
        out = f"{pathlib.Path(source).stem}.{ending}"
        results = {"before": probe(folder, source)}
        for name, command in commands(build, source, out).items():
            worked = run(command, folder)[2]
            results[name] = probe(folder, f"{name}-{out}") if worked else {"frames": "failed"}
        for key, before in results["before"].items():
            values = [results[name].get(key, "-") for name in ("cudaconv", "ffmpeg")]
            if key == "frames" or any(value != before for value in values):
                print(f"| {kind if key == 'frames' else ''} | {key} | {before} | {' | '.join(values)} |")


def compare_times(build, folder, rounds, seconds):
    source = "large.mp4"
    make(folder, source, ("-f", "lavfi", "-i", f"testsrc2=s=1920x1080:r=25:d={seconds}",
                          "-f", "lavfi", "-i", f"sine=440:r=48000:d={seconds}", "-c:a", "aac", *X264, "-pix_fmt", "yuv420p"))
    times = {}
    for _ in range(rounds):
        for name, command in commands(build, source, "large.mp4").items():
            clock, cpu, worked = run(command, folder)
            if not worked:
                sys.exit(f"{name} fails")
            times.setdefault(name, []).append((clock, cpu))
    print(f"\n| 1920x1080, {seconds * 25} frames, {rounds} rounds | median s | fastest s | processor s |\n| --- | --- | --- | --- |")
    for name, taken in times.items():
        taken.sort()
        size = (folder / f"{name}-large.mp4").stat().st_size / 1e6
        print(f"| {name} ({size:.1f} MB) | {taken[len(taken) // 2][0]:.2f} | {taken[0][0]:.2f} | {min(cpu for _, cpu in taken):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build folder")
    parser.add_argument("--rounds", type=int, default=3, help="times that the film is filtered by both (3)")
    parser.add_argument("--seconds", type=int, default=10, help="length of the film (10)")
    options = parser.parse_args()
    build = options.build.resolve()
    if not (build / "app" / "cudaconv").exists():
        parser.error(f"{options.build}: no app/cudaconv is there")
    if options.rounds < 1 or options.seconds < 1:
        parser.error("--rounds and --seconds: 1 or more is needed")
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        print("ffmpeg is not installed; scripts/install-deps.sh bench installs it")
        sys.exit(77)
    os.environ["GST_PLUGIN_PATH"] = str(build / "plugin")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "text.srt").write_text(SUBTITLES, encoding="utf-8")
        compare_kinds(build, folder)
        compare_times(build, folder, options.rounds, options.seconds)


if __name__ == "__main__":
    main()
