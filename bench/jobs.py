#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the command: `cudaconv apply`, and jobs of `plan`, `run`, `status` and `merge`.

    bench/jobs.py BUILD apply [--rounds N] [--seconds N]  a video with `cudaconv apply` and with ffmpeg's filter sobel
    bench/jobs.py BUILD video [--minutes N] [--size WxH]  a video in chunks, with one task and with one task per core
    bench/jobs.py BUILD stages [--size WxH]               the time of a frame to decode, filter, hash and encode
    bench/jobs.py BUILD images [--count N]                images, and the same with ImageMagick and libvips
    bench/jobs.py BUILD size [--count N]                  a job of many chunks: the time to read its files

Each task of a job has one thread and its own core (taskset), like a node with one core. ffmpeg renders the videos.
Without ffmpeg, or without the peer of a measurement, the exit status is 77.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

LOOP = 10  # length in seconds of the video that is repeated
CORES = sorted(os.sched_getaffinity(0))


def run(*command, core=None, **more):
    """Runs a command. Returns wall seconds and processor seconds. Exits if the command fails."""
    command = [*(("taskset", "-c", str(core)) if core is not None else ()), *map(str, command)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"{program} is not installed" + "; scripts/install-deps.sh bench installs it" * (program == "ffmpeg"))
            sys.exit(77)


def make_video(folder, seconds, size):
    """Renders a moving pattern as H.264 with B-frames, and AAC. Repeats it without encoding it again."""
    need("ffmpeg", "taskset")
    loop, video = folder / "loop.mp4", folder / "video.mkv"
    run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=25:d={LOOP}", "-f", "lavfi", "-i",
        f"sine=440:r=48000:d={LOOP}", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", loop)
    run("ffmpeg", "-v", "error", "-y", "-stream_loop", str(max(0, seconds // LOOP - 1)), "-i", loop, "-c", "copy", video)
    return video


def measure_apply(command, folder, options):
    """Measures cudaconv and ffmpeg. Both filter all planes and encode with x264, with two threads each, and copy
    the audio."""
    need("ffmpeg")
    source, frames = folder / "source.mp4", options.seconds * 25
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={options.size}:r=25:d={options.seconds}", "-f", "lavfi",
        "-i", f"sine=440:r=48000:d={options.seconds}", "-c:a", "aac", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "18",
        "-pix_fmt", "yuv420p", source)
    commands = {
        "cudaconv": (command, "apply", "-q", "--kernel=sobel", "--chroma=filter", "--bias=-0.5", "--border=reflect-101",
                     "--backend=cpu", "--n-threads=2", "--encoder=x264enc pass=quant quantizer=20 speed-preset=veryfast threads=2",
                     source),
        "ffmpeg": ("ffmpeg", "-v", "error", "-y", "-filter_threads", 2, "-i", source, "-vf", "sobel", "-c:v", "libx264", "-qp",
                   20, "-preset", "veryfast", "-threads", 2, "-c:a", "copy")}
    times = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, words in commands.items():
            (folder / f"{name}.mp4").unlink(missing_ok=True)
            times[name].append(run(*words, folder / f"{name}.mp4"))
    print(f"| {options.size}, {frames} frames, {options.rounds} rounds | median s | fastest s | processor s |\n"
          "| --- | --- | --- | --- |")
    for name, taken in times.items():
        clock = sorted(seconds for seconds, _ in taken)
        print(f"| {name} ({(folder / f'{name}.mp4').stat().st_size / 1e6:.1f} MB) | {clock[len(clock) // 2]:.2f} | "
              f"{clock[0]:.2f} | {min(used for _, used in taken):.2f} |")


def share_out(commands, tasks):
    """Runs the commands with `tasks` processes at a time, each on its own core. Returns wall seconds."""
    waiting = list(reversed(commands))

    def run_on(core):
        while waiting:
            run(*waiting.pop(), core=core)

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(tasks) as pool:
        list(pool.map(run_on, CORES[:tasks]))
    return time.monotonic() - start


def chunks_of(job):
    return json.loads((job / "manifest.json").read_text(encoding="utf-8"))["pieces"]


def measure_chunks(command, folder, options):
    seconds = options.minutes * 60
    video = make_video(folder, seconds, options.size)
    print(f"video: {seconds} s of {options.size}, {video.stat().st_size / 1e6:.0f} MB; chunks of {options.piece}, "
          f"{'lossless' if options.lossless else 'H.264'}")
    print("| step | wall s | processor s | share of one task's run |\n| --- | --- | --- | --- |")
    one = None
    for tasks in sorted({1, len(CORES)}):
        job = folder / f"job{tasks}"
        planned = run(command, "plan", video, "--kernel", "sobel", "--out", folder / f"out{tasks}.mkv", "--piece",
                      options.piece, "--job", job, *(["--lossless"] if options.lossless else []))
        ran = share_out([(command, "run", job, "-q", "--n-threads", "1", "--index", i) for i in range(chunks_of(job))],
                        tasks)
        merged = run(command, "merge", job)
        one = one or ran
        print(f"| plan | {planned[0]:.2f} | {planned[1]:.2f} | {planned[0] / one:.1%} |")
        print(f"| run, {tasks} task{'s' * (tasks > 1)} | {ran:.2f} | | {one / ran:.2f} times as fast |")
        print(f"| merge | {merged[0]:.2f} | {merged[1]:.2f} | {merged[0] / one:.1%} |", flush=True)
        size = (folder / f"out{tasks}.mkv").stat().st_size
        shutil.rmtree(job)
    print(f"result: {size / 1e6:.0f} MB")


def measure_stages(command, folder, options):
    """Measures pipelines with one thread. Each is one stage longer than the one before, and the difference is the
    time of the stage."""
    need("gst-launch-1.0")
    source = make_video(folder, 20, options.size)
    frames = 20 * 25
    video = f"filesrc location={source} ! matroskademux ! h264parse ! avdec_h264 max-threads=1"
    filtered = f"{video} ! cudaconv kernel=sobel backend=cpu n-threads=1"
    lines = {
        "decode H.264": (video, None),
        "filter 3x3": (filtered, video),
        "encode H.264 (veryfast)": (f"{filtered} ! x264enc pass=qual quantizer=20 speed-preset=veryfast threads=1", filtered),
        "encode FFV1": (f"{filtered} ! avenc_ffv1", filtered),
    }
    taken = {}
    print(f"| {options.size}, one thread | processor ms a frame |\n| --- | --- |")
    for name, (line, base) in lines.items():
        best = min(run("gst-launch-1.0", "-q", *f"{line} ! fakesink".split(), core=CORES[0])[1] for _ in range(3))
        taken[line] = best
        print(f"| {name} | {(best - (taken[base] if base else 0)) / frames * 1000:.2f} |", flush=True)
    width, height = map(int, options.size.split("x"))
    bytes_ = width * height * 3 // 2
    rate = hash_rate()
    print(f"| hash (MD5 of GLib, {rate / 1e6:.0f} MB/s) | {bytes_ / rate * 1000:.2f} |")


def hash_rate():
    """Returns bytes per second of GChecksum. Runs Debian's Python, because that has gi."""
    script = ("import gi,time;gi.require_version('GLib','2.0');from gi.repository import GLib;d=bytes(64<<20);"
              "c=GLib.Checksum.new(GLib.ChecksumType.MD5);s=time.process_time();c.update(d);"
              "print(len(d)/(time.process_time()-s))")
    done = subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else float("nan")


def measure_images(command, folder, options):
    need("ffmpeg", "convert", "vips", "taskset")
    source = folder / "in"
    source.mkdir()
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s={options.size}:r=25", "-frames:v", "100", "-q:v", "3",
        folder / "%03d.jpg")
    made = sorted(folder.glob("*.jpg"))
    for i in range(options.count):
        os.link(made[i % len(made)], source / f"{i:06}.jpg")
    names = sorted(path.name for path in source.iterdir())
    chunks = [names[i:i + 100] for i in range(0, len(names), 100)]
    tasks = len(CORES)
    print(f"{options.count} JPEG images of {options.size}, {tasks} processes; sobel, quality 95")
    print("| | images per second | relative to cudaconv |\n| --- | --- | --- |")
    job = folder / "job"
    start = time.monotonic()
    run(command, "plan", source, "--kernel", "sobel", "--out", f"{folder / 'edges'}/", "--job", job)
    share_out([(command, "run", job, "-q", "--n-threads", "1", "--index", i) for i in range(chunks_of(job))], tasks)
    run(command, "merge", job)
    ours = options.count / (time.monotonic() - start)
    print(f"| cudaconv plan, run, merge | {ours:.1f} | 1 |", flush=True)
    peers = {
        "convert, a process per image": "convert $f -morphology Convolve Sobel -quality 95 out/$f",
        "vips sobel, a process per image": "vips sobel $f out/$f[Q=95]",
    }
    os.environ.update({"VIPS_CONCURRENCY": "1", "OMP_NUM_THREADS": "1", "MAGICK_THREAD_LIMIT": "1"})
    (source / "out").mkdir()
    for name, line in peers.items():
        count = min(options.count, options.peer_count)
        share = [chunk for chunk in chunks][:max(1, count // 100)]
        taken = share_out([("sh", "-c", f"cd {source} && for f in {' '.join(chunk)}; do {line} || exit 1; done")
                           for chunk in share], tasks)
        rate = sum(map(len, share)) / taken
        print(f"| {name} ({sum(map(len, share))} images) | {rate:.1f} | {rate / ours:.2f} |", flush=True)


def measure_size(command, folder, options):
    """Makes a job of one image and many files of one byte. Runs only the image, and writes copies of its result and
    its record for the other files."""
    need("ffmpeg")
    source, job = folder / "in", folder / "job"
    source.mkdir()
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", 1, source / "0000000.jpg")
    for i in range(1, options.count):
        (source / f"{i:07}.jpg").write_bytes(b"x")
    print(f"| a job of {options.count} chunks | wall s |\n| --- | --- |")
    planned = run(command, "plan", source, "--kernel", "sobel", "--out", f"{folder / 'out'}/", "--files", 1, "--job", job)
    print(f"| plan | {planned[0]:.2f} |\n| manifest | {(job / 'manifest.json').stat().st_size / 1e6:.1f} MB |")
    run(command, "run", job, "-q", "--index", 0)
    record = json.loads((job / "pieces" / "000000.json").read_text(encoding="utf-8"))
    del record["check"]
    result = (folder / "out" / "0000000.jpg").read_bytes()
    name, record["seconds"] = record["files"][0]["name"], 1  # all JSON writers print an integer in the same way
    for i in range(1, options.count - 1):
        record["piece"], record["files"][0]["name"] = i, name.replace("0000000", f"{i:07}")
        check = hashlib.md5(json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
        (job / "pieces" / f"{i:06}.json").write_text(json.dumps({**record, "check": check}), encoding="utf-8")
        (folder / "out" / f"{i:07}.jpg").write_bytes(result)
    for name, arguments in {"status --missing": ("status", job, "--missing"), "status": ("status", job),
                            "run of a finished chunk": ("run", job, "--index", 0)}.items():
        print(f"| {name} | {run(command, *arguments)[0]:.2f} |", flush=True)


MEASUREMENTS = {"apply": measure_apply, "video": measure_chunks, "stages": measure_stages, "images": measure_images,
                "size": measure_size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a build folder")
    parser.add_argument("measurement", choices=MEASUREMENTS)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of apply; a round runs both commands (3)")
    parser.add_argument("--seconds", type=int, default=10, help="length of the video for apply (10)")
    parser.add_argument("--minutes", type=int, default=2, help="length of the video for video (2)")
    parser.add_argument("--size", default="1920x1080", help="size of the video or the images (1920x1080)")
    parser.add_argument("--piece", default="10s", help="length of a chunk (10s)")
    parser.add_argument("--lossless", action="store_true", help="encode the video losslessly")
    parser.add_argument("--count", type=int, default=1000, help="number of images or chunks (1000)")
    parser.add_argument("--peer-count", type=int, default=1000, help="maximum number of images for the slower peers (1000)")
    options = parser.parse_args()
    if min(options.rounds, options.seconds) < 1:
        parser.error("--rounds and --seconds have to be 1 or more")
    command = options.build.resolve() / "app" / "cudaconv"
    if not command.exists():
        parser.error(f"{options.build} has no app/cudaconv")
    os.environ["GST_PLUGIN_PATH"] = str(options.build.resolve() / "plugin")
    with tempfile.TemporaryDirectory() as name:
        MEASUREMENTS[options.measurement](command, pathlib.Path(name), options)


if __name__ == "__main__":
    main()
