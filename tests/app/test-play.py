#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv play` without a display: keys from a terminal, what they print and change, and errors.

    tests/app/test-play.py PROGRAM
"""

import os
import pathlib
import pty
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import playing

WIDTH, HEIGHT = playing.WIDTH, playing.HEIGHT
failed = 0
folder = None


def check(ok, what):
    global failed
    if not ok:
        print(what)
        failed += 1


def line(options, input_, out="mp4"):
    return f"cudaconv apply {options} {input_} out.{out}\n"


def check_keys(video):
    player = playing.Player("--sink", "fakesink sync=true", video)
    player.expect(line("--kernel sobel", video))
    check("left, right" in player.printed and "Filtering on" in player.printed, "the keys are not printed at the start")
    for keys, options in (
            ("k", "--kernel sobel-x"),
            ("KK", "--kernel emboss"),
            ("k" * 10, "--kernel log"),
            ("k" * 3, "--kernel box"),
            ("k", "--kernel gaussian"),
            ("ssss", "--kernel gaussian --sigma 2"),
            ("S", "--kernel gaussian --sigma 1.5"),
            ("5", "--kernel gaussian --size 5 --sigma 1.5"),
            ("\x1b[A", "--kernel gaussian --size 7 --sigma 1.5"),
            ("\x1b[B\x1b[B", "--kernel gaussian --size 3 --sigma 1.5"),
            ("bb", "--kernel gaussian --size 3 --sigma 1.5 --border reflect"),
            ("c", "--kernel gaussian --size 3 --sigma 1.5 --border reflect --chroma filter"),
            ("bbbcccs3", "--kernel gaussian --size 3 --sigma 2"),
            ("vvvV", "--kernel gaussian --size 3 --sigma 2 --threshold 0.1"),
            ("i", "--kernel gaussian --size 3 --sigma 2 --threshold 0.1 --invert"),
            ("iM", "--kernel gaussian --size 3 --sigma 2 --threshold 0.1 --mix 0.75"),
            ("VVV" + "M" * 5, "--kernel gaussian --size 3 --sigma 2 --mix=-0.5"),
            ("m" * 6 + "l", "--kernel gaussian --size 3 --sigma 2 --overlay 0xffff0000"),
            ("L", "--kernel gaussian --size 3 --sigma 2"),
            ("L", "--kernel gaussian --size 3 --sigma 2 --overlay 0xffffffff"),
    ):
        player.press(keys)
        player.expect(line(options, video))

    # presets; the last one comes before the first
    player.press("p")
    player.expect(line("--kernel gaussian --size 3", video))
    player.press("P")
    player.expect(line("--kernel gaussian --sigma 3 --chroma copy --mix=-0.75", video))

    # A rejected value is reset with the element's message. The same key skips it.
    player.press("p")
    player.expect(line("--kernel gaussian --size 3", video), 2)
    before = player.printed
    for message in ("response=canny-l1: the kernel is gaussian", "response=canny: the kernel is gaussian",
                    "response=direction: the kernel gaussian has 1 matrix"):
        player.press("R")
        player.expect(message)
        time.sleep(0.6)
        check(player.read().count("cudaconv apply") == before.count("cudaconv apply"), "a rejected value is printed")
    player.press("R")
    player.expect(line("--kernel gaussian --size 3 --response magnitude-l1", video))

    # keys that print nothing, and unknown keys
    player.press("oooht \x1b[C\x1b[D?z~\x1b[24~ \x1bOP\x1bxk")
    # Another kernel resets the values that the preset had set.
    player.expect(line("--kernel sharpen", video))
    player.end()


def check_canny(video):
    """The keys of the thresholds, and the figure in the text of the window, which GStreamer logs."""
    text = os.environ | {"GST_DEBUG": "basetextoverlay:5", "GST_DEBUG_NO_COLOR": "1"}
    player = playing.Player("--sink", "fakesink sync=true", "--kernel", "identity", "--bias", "255", video, env=text)
    player.expect("; mean square 65025.0")
    player.press("k" * 6)  # sobel
    player.expect(line("--kernel sobel --bias 255", video))
    player.end()

    player = playing.Player("--sink", "fakesink sync=true", "--response", "canny", "--low=95", "--high=995", video, env=text)
    player.expect("; 0.00 % edges")
    for keys, options in (("w", "--low 105 --high 995"), ("WWW", "--low 75 --high 995"), ("W" * 10, "--low 0 --high 995"),
                          ("e", "--low 0 --high 1005"), ("e", "--low 0 --high 1105"), ("EE", "--low 0 --high 905"),
                          ("E" * 95, "--low 0 --high 0")):
        player.press(keys)
        player.expect(line(f"--kernel sobel --response canny {options}", video))
    player.expect("; 1.88 % edges")  # six lines between the bars
    player.press(" " + "e" * 101)
    player.expect("; 0.00 % edges; paused")
    # A preset measures too, and another kernel resets its thresholds.
    player.press(" " + "p" * 3)
    player.expect(line("--kernel sobel --response canny", video))
    player.expect("; 0.31 % edges")  # one line
    player.press("pK")
    player.expect(line("--kernel emboss", video))
    player.end()


def check_lines(video):
    """A printed line makes the same filter again."""
    for options in ("--kernel box --size 9 --border constant --border-value 0.25",
                    "--matrix '<<0,-1,0>,<-1,5,-1>,<0,-1,0>>'",
                    "--matrix-text '0 -1 0; -1 5 -1; 0 -1 0' --bias=-3.5",
                    "--row '<1,2,1>' --column '<1,0.5,1>' --chroma filter",
                    "--kernel sobel --threshold 0.25 --invert --mix=-1.5 --overlay 0x80ff0000",
                    "--kernel sobel --scale=-1 --bias 255 --backend cpu --n-threads 1",
                    "--kernel sobel --chroma-kernel gaussian --chroma-size 9"):
        player = playing.Player("--sink", "fakesink", *shlex.split(options), video)
        player.expect(line(options, video))
        player.end("\x1b")


def check_limits(video):
    """Numbers stop at their limits, 0 has no sign, and another color than those of the key is replaced by off."""
    for options, key, result in (("--threshold 0.048", "V", "--kernel sobel"),
                                 ("--threshold 0.98", "v", "--kernel sobel --threshold 1"),
                                 ("--mix=-0.252", "m", "--kernel sobel --mix 0"),
                                 ("--mix 7.9", "m", "--kernel sobel --mix 8"),
                                 ("--mix=-7.9", "M", "--kernel sobel --mix=-8"),
                                 ("--overlay 0x80ff0000", "l", "--kernel sobel")):
        player = playing.Player("--sink", "fakesink sync=true", *options.split(), video)
        player.expect(line(f"--kernel sobel {options}", video))
        player.press(key)
        player.expect(line(result, video))
        player.end()


def check_frames(video):
    """The line is at its column, each side shows the right frame, and the video restarts."""
    seen = pathlib.Path(folder, "seen")
    seen.mkdir()
    raw = f"videoconvert ! video/x-raw,format=RGB ! multifilesink sync=true location={seen}/%06d.raw"
    player = playing.Player("--sink", raw, "--split", "0.25", "--kernel", "identity", video)

    def newest():
        """The first row of the frame after the next one."""
        last = max((int(p.stem) for p in seen.glob("[0-9]*.raw")), default=-1)
        path = seen / f"{last + 2:06d}.raw"
        end = time.monotonic() + playing.TIMEOUT
        while not path.exists() or path.stat().st_size < WIDTH * HEIGHT * 3:
            if time.monotonic() > end:
                sys.exit(f"no frame {path.name}:\n{player.read()}")
            time.sleep(0.02)
        return path.read_bytes()[:WIDTH * 3]

    def wait_for(column, what):
        end = time.monotonic() + playing.TIMEOUT
        while (found := playing.find_line(newest())) != column:
            if time.monotonic() > end:
                sys.exit(f"{what}: the line is at {found}, not {column}")

    wait_for(WIDTH // 4, "--split 0.25")
    plain = newest()
    player.press("\x1b[C" * 5)  # each moves it by 2 %
    wait_for(round(0.35 * WIDTH / 2) * 2, "five times to the right")
    player.press("o")
    wait_for(None, "all filtered")
    check(newest() == newest(), "frames of the same video differ")
    filtered = newest()
    player.press("k")  # box
    player.expect("--kernel box")
    end = time.monotonic() + playing.TIMEOUT
    while newest() == filtered:
        check(time.monotonic() < end, "another kernel changes nothing")
        if failed:
            break
    blurred = newest()
    player.press("o")
    wait_for(None, "nothing filtered")
    end = time.monotonic() + playing.TIMEOUT
    while newest() != filtered and time.monotonic() < end:
        pass
    check(newest() == filtered, "the original is not the input")
    check(plain[:30] == filtered[:30], "the left part is not the original")
    player.press("o")
    wait_for(round(0.35 * WIDTH / 2) * 2, "both again")
    row = newest()
    check(row[:300] == filtered[:300], "the left part is not the original")
    check(row[-300:] == blurred[-300:] != filtered[-300:], "the right part is not filtered")
    check(len(list(seen.iterdir())) > playing.FRAMES, "the video does not restart")
    player.end("q")


def check_terminal(video):
    """The terminal is restored however the player ends. In the background the terminal belongs to the shell."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        player = playing.Player("--sink", "fakesink sync=true", video)
        player.expect(line("--kernel sobel", video))
        player.process.send_signal(number)
        player.end(None)

    player = playing.Player("--sink", "fakesink sync=true", video)
    player.expect(line("--kernel sobel", video))
    player.process.stdout.close()
    player.process.stdout = open(os.devnull, "rb")
    player.press("k")
    time.sleep(0.6)
    player.end()

    # A shell moves the player to the background and reads keys itself.
    terminal, other = pty.openpty()
    code = """import os, signal, subprocess, sys, termios, time
os.setsid()
os.close(os.open(os.ttyname(0), os.O_RDWR))
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
def own_group():
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
modes = termios.tcgetattr(0)
player = subprocess.Popen(sys.argv[1:], preexec_fn=own_group, stdout=subprocess.PIPE)
while b"cudaconv apply" not in player.stdout.readline():
    pass
os.tcsetpgrp(0, os.getpgrp())
termios.tcsetattr(0, termios.TCSANOW, modes)
print("now", flush=True)
time.sleep(1)
assert os.waitpid(player.pid, os.WNOHANG | os.WUNTRACED) == (0, 0), "keys of the shell stop the player"
player.terminate()
sys.exit(player.wait(10))
"""
    shell = subprocess.Popen([sys.executable, "-c", code, playing.PROGRAM, "play", "--no-sound", "--sink", "fakesink sync=true",
                              video], stdin=other, stdout=subprocess.PIPE, text=True)
    shell.stdout.readline()
    os.write(terminal, b"keys of the shell\n")
    try:
        status = shell.wait(playing.TIMEOUT)
    except subprocess.TimeoutExpired:
        shell.kill()
        status = "it hangs"
    check(status == 0, f"in the background: {status}")
    os.close(terminal)
    os.close(other)


def check_image(image):
    player = playing.Player("--sink", "fakesink sync=true", image)
    player.expect(line("--kernel sobel", image, "png"))
    time.sleep(1)
    player.press("k")
    player.expect(line("--kernel sobel-x", image, "png"))
    check("ended" not in player.printed, f"an image ends:\n{player.printed}")
    player.end()


def expect_error(status, text, *arguments, env=None):
    got, printed = playing.run(*arguments, env=env)
    lines = [l for l in printed.splitlines() if not l.startswith("AL lib:")]
    wanted = 2 if status == 2 else 1
    check(got == status and text in printed and len(lines) == wanted and lines[0].startswith("cudaconv play: "),
          f"{' '.join(map(str, arguments))}: exits with {got}, not {status} and \"{text}\":\n{printed}")


def check_errors(video, audio, text):
    fake = ("--sink", "fakesink")
    none = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    expect_error(1, "there is no display", video, env=none)
    expect_error(1, "no window opens", video, env=none | {"DISPLAY": ":4711", "XDG_RUNTIME_DIR": folder})
    if not any(pathlib.Path("/dev").glob("video?")):
        expect_error(1, "there is no camera such as /dev/video0", *fake)
    expect_error(1, "nowhere.mp4: there is no such file", *fake, "nowhere.mp4")
    expect_error(1, "/dev/video4711: there is no such camera", *fake, "/dev/video4711")
    expect_error(1, f"{audio}: there is no video in it", *fake, "--no-sound", audio)
    expect_error(1, f"{text}: ", *fake, text)
    expect_error(1, "is a folder", *fake, folder)
    expect_error(1, "not installed: FOO", *fake, "foo://bar")
    expect_error(1, "size=4 is refused: an odd number", *fake, "--size", "4", video)
    expect_error(1, "response=direction: the kernel box", *fake, "--kernel=box", "--response=direction", video)
    expect_error(2, '--split "2": expected a share of the width from 0 to 1', *fake, "--split", "2", video)
    expect_error(2, '--split "nan"', *fake, "--split", "nan", video)
    expect_error(2, "--kernel \"nope\": one of custom, identity", *fake, "--kernel", "nope", video)
    expect_error(2, "--preset \"nope\": there is no such preset", *fake, "--preset", "nope", video)
    expect_error(2, "--sink \"nope\": no element", "--sink", "nope", video)
    expect_error(2, "--sink \"identity\": this is not a sink", "--sink", "identity", video)
    expect_error(1, "the sink does not accept video", "--sink", "fakeaudiosink", video)
    expect_error(2, "expected [IN], got 2 arguments", *fake, video, video)
    status, printed = playing.run("--help")
    check(status == 0 and "next, previous kernel" in printed and "--split" in printed and "--sigma" in printed,
          f"the help lacks something:\n{printed}")


with tempfile.TemporaryDirectory() as folder:
    video, image, audio, text = (pathlib.Path(folder, n) for n in ("video.avi", "image.png", "audio.wav", "text.mp4"))
    playing.make_video(video)
    playing.make_image(image)
    playing.launch(f"audiotestsrc num-buffers=3 ! wavenc ! filesink location={audio}")
    text.write_text("not a video")
    check_errors(video, audio, text)
    check_keys(video)
    check_canny(video)
    check_lines(video)
    check_limits(video)
    check_frames(video)
    check_terminal(video)
    check_image(image)
    for encoder, other in (("avenc_bmp", image.with_suffix(".bmp")), ("avenc_tiff", image.with_suffix(".tiff"))):
        playing.launch(f"filesrc location={image} ! pngdec ! videoconvert ! {encoder} ! filesink location={other}")
        check_image(other)

sys.exit(1 if failed else 0)
