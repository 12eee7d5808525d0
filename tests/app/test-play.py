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


def check_keys(film):
    player = playing.Player("--sink", "fakesink sync=true", film)
    player.expect(line("--kernel sobel", film))
    check("left, right" in player.printed and "Filtering on" in player.printed, "the keys are not told at the start")
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
    ):
        player.press(keys)
        player.expect(line(options, film))

    # presets, of which the last one is before the first
    player.press("p")
    player.expect(line("--kernel gaussian --size 3", film))
    player.press("P")
    player.expect(line("--kernel sobel --size 5 --scale 0.0625", film))

    # a value that is refused goes back with the element's words, and the key passes it by
    player.press("p")
    player.expect(line("--kernel gaussian --size 3", film), 2)
    before = player.printed
    player.press("R")
    player.expect("response=direction: the kernel gaussian has 1 matrix")
    time.sleep(0.6)
    check(player.read().count("cudaconv apply") == before.count("cudaconv apply"), "a refused value is in the line")
    player.press("R")
    player.expect(line("--kernel gaussian --size 3 --response magnitude-l1", film))

    # keys that print nothing, and those that are none
    player.press("oooht \x1b[C\x1b[D?z~\x1b[24~ \x1bOP\x1bxk")
    # another kernel leaves what the preset had set for its own
    player.expect(line("--kernel sharpen", film))
    player.end()


def check_lines(film):
    """What a line says gives the same filter once more."""
    for options in ("--kernel box --size 9 --border constant --border-value 0.25",
                    "--matrix '<<0,-1,0>,<-1,5,-1>,<0,-1,0>>'",
                    "--matrix-text '0 -1 0; -1 5 -1; 0 -1 0' --bias=-3.5",
                    "--row '<1,2,1>' --column '<1,0.5,1>' --chroma filter",
                    "--kernel sobel --scale=-1 --bias 255 --backend cpu --n-threads 1"):
        player = playing.Player("--sink", "fakesink", *shlex.split(options), film)
        player.expect(line(options, film))
        player.end("\x1b")


def check_frames(film):
    """The line is where it is asked for, the rest is one or the other, and the film begins anew."""
    seen = pathlib.Path(folder, "seen")
    seen.mkdir()
    raw = f"videoconvert ! video/x-raw,format=RGB ! multifilesink sync=true location={seen}/%06d.raw"
    player = playing.Player("--sink", raw, "--split", "0.25", "--kernel", "identity", film)

    def newest():
        """The first row of the frame that comes after the next one."""
        last = max((int(p.stem) for p in seen.iterdir()), default=-1)
        path = seen / f"{last + 2:06d}.raw"
        end = time.monotonic() + playing.PATIENCE
        while not path.exists() or path.stat().st_size < WIDTH * HEIGHT * 3:
            if time.monotonic() > end:
                sys.exit(f"no frame {path.name}:\n{player.read()}")
            time.sleep(0.02)
        return path.read_bytes()[:WIDTH * 3]

    def wait_for(place, what):
        end = time.monotonic() + playing.PATIENCE
        while (found := playing.find_line(newest())) != place:
            if time.monotonic() > end:
                sys.exit(f"{what}: the line is at {found}, not {place}")

    wait_for(WIDTH // 4, "--split 0.25")
    plain = newest()
    player.press("\x1b[C" * 5)  # each moves it by 2 %
    wait_for(round(0.35 * WIDTH / 2) * 2, "five times to the right")
    player.press("o")
    wait_for(None, "all filtered")
    check(newest() == newest(), "frames of the same film differ")
    filtered = newest()
    player.press("k")  # box
    player.expect("--kernel box")
    end = time.monotonic() + playing.PATIENCE
    while newest() == filtered:
        check(time.monotonic() < end, "another kernel changes nothing")
        if failed:
            break
    blurred = newest()
    player.press("o")
    wait_for(None, "nothing filtered")
    end = time.monotonic() + playing.PATIENCE
    while newest() != filtered and time.monotonic() < end:
        pass
    check(newest() == filtered, "the original is not what came in")
    check(plain[:30] == filtered[:30], "the left part is not the original")
    player.press("o")
    wait_for(round(0.35 * WIDTH / 2) * 2, "both again")
    row = newest()
    check(row[:300] == filtered[:300], "the left part is not the original")
    check(row[-300:] == blurred[-300:] != filtered[-300:], "the right part is not filtered")
    check(len(list(seen.iterdir())) > playing.FRAMES, "the film does not begin anew")
    player.end("q")


def check_terminal(film):
    """Whatever ends it, the terminal is what it was before; in the background it is the shell's."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        player = playing.Player("--sink", "fakesink sync=true", film)
        player.expect(line("--kernel sobel", film))
        player.process.send_signal(number)
        player.end(None)

    player = playing.Player("--sink", "fakesink sync=true", film)
    player.expect(line("--kernel sobel", film))
    player.process.stdout.close()
    player.process.stdout = open(os.devnull, "rb")
    player.press("k")
    time.sleep(0.6)
    player.end()

    # a shell that lets it go on in the background and takes keys of its own
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
assert os.waitpid(player.pid, os.WNOHANG | os.WUNTRACED) == (0, 0), "keys of the shell stop it"
player.terminate()
sys.exit(player.wait(10))
"""
    shell = subprocess.Popen([sys.executable, "-c", code, playing.PROGRAM, "play", "--no-sound", "--sink", "fakesink sync=true",
                              film], stdin=other, stdout=subprocess.PIPE, text=True)
    shell.stdout.readline()
    os.write(terminal, b"keys of the shell\n")
    try:
        status = shell.wait(playing.PATIENCE)
    except subprocess.TimeoutExpired:
        shell.kill()
        status = "nothing, for it waits"
    check(status == 0, f"in the background: {status}")
    os.close(terminal)
    os.close(other)


def check_picture(picture):
    player = playing.Player("--sink", "fakesink sync=true", picture)
    player.expect(line("--kernel sobel", picture, "png"))
    time.sleep(1)
    player.press("k")
    player.expect(line("--kernel sobel-x", picture, "png"))
    check("ended" not in player.printed, f"a picture ends:\n{player.printed}")
    player.end()


def expect_error(status, text, *arguments, env=None):
    got, printed = playing.run(*arguments, env=env)
    lines = [l for l in printed.splitlines() if not l.startswith("AL lib:")]
    wanted = 2 if status == 2 else 1
    check(got == status and text in printed and len(lines) == wanted and lines[0].startswith("cudaconv play: "),
          f"{' '.join(map(str, arguments))}: exits with {got}, not {status} and \"{text}\":\n{printed}")


def check_errors(film, sound, text):
    fake = ("--sink", "fakesink")
    none = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    expect_error(1, "there is no display", film, env=none)
    expect_error(1, "no window opens", film, env=none | {"DISPLAY": ":4711", "XDG_RUNTIME_DIR": folder})
    if not any(pathlib.Path("/dev").glob("video?")):
        expect_error(1, "there is no camera such as /dev/video0", *fake)
    expect_error(1, "nowhere.mp4: there is no such file", *fake, "nowhere.mp4")
    expect_error(1, "/dev/video4711: there is no such camera", *fake, "/dev/video4711")
    expect_error(1, f"{sound}: there is no video in it", *fake, "--no-sound", sound)
    expect_error(1, f"{text}: ", *fake, text)
    expect_error(1, "is a folder", *fake, folder)
    expect_error(1, "not installed: FOO", *fake, "foo://bar")
    expect_error(1, "size=4 is refused: an odd number", *fake, "--size", "4", film)
    expect_error(1, "response=direction: the kernel box", *fake, "--kernel=box", "--response=direction", film)
    expect_error(2, '--split "2": it takes a share of the width from 0 to 1', *fake, "--split", "2", film)
    expect_error(2, '--split "nan"', *fake, "--split", "nan", film)
    expect_error(2, "--kernel \"nope\": one of custom, identity", *fake, "--kernel", "nope", film)
    expect_error(2, "--preset \"nope\": there is no such preset", *fake, "--preset", "nope", film)
    expect_error(2, "--sink \"nope\": no element", "--sink", "nope", film)
    expect_error(2, "--sink \"identity\": this is no sink", "--sink", "identity", film)
    expect_error(1, "the sink takes no video", "--sink", "fakeaudiosink", film)
    expect_error(2, "expected [IN], got 2 arguments", *fake, film, film)
    status, printed = playing.run("--help")
    check(status == 0 and "next, previous kernel" in printed and "--split" in printed and "--sigma" in printed,
          f"the help lacks something:\n{printed}")


with tempfile.TemporaryDirectory() as folder:
    film, picture, sound, text = (pathlib.Path(folder, n) for n in ("film.avi", "picture.png", "sound.wav", "text.mp4"))
    playing.make_film(film)
    playing.make_picture(picture)
    playing.launch(f"audiotestsrc num-buffers=3 ! wavenc ! filesink location={sound}")
    text.write_text("no film")
    check_errors(film, sound, text)
    check_keys(film)
    check_lines(film)
    check_frames(film)
    check_terminal(film)
    check_picture(picture)
    for encoder, whole in (("avenc_bmp", picture.with_suffix(".bmp")), ("avenc_tiff", picture.with_suffix(".tiff"))):
        playing.launch(f"filesrc location={picture} ! pngdec ! videoconvert ! {encoder} ! filesink location={whole}")
        check_picture(whole)

sys.exit(1 if failed else 0)
