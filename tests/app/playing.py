# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared code of the tests with windows and terminals: makes videos and images, runs an X server, and runs a player."""

import os
import pathlib
import pty
import subprocess
import sys
import termios
import time

PROGRAM = pathlib.Path(sys.argv[1])
WIDTH, HEIGHT, FRAMES = 320, 240, 12
TIMEOUT = 20  # seconds
# All parts of the first row have content that a filter changes.
CAPS = f"video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},framerate=25/1"


def launch(*words):
    subprocess.run(["gst-launch-1.0", "-q", *" ".join(words).split()], check=True)


def make_video(path):
    """Makes an uncompressed video. All of its frames are the same vertical bars."""
    launch(f"videotestsrc num-buffers={FRAMES} pattern=smpte100 ! {CAPS} ! videoconvert"
           f" ! video/x-raw,format=BGR ! avimux ! filesink location={path}")


def make_image(path):
    launch(f"videotestsrc num-buffers=1 pattern=smpte100 ! {CAPS} ! pngenc ! filesink location={path}")


def find_line(row):
    """Returns the column of the white line with a black line beside it, in a row of RGB; None if there is no line."""
    pixels = [tuple(row[3 * x:3 * x + 3]) for x in range(len(row) // 3)]
    for x in range(len(pixels) - 1):
        if min(pixels[x]) > 250 and max(pixels[x + 1]) < 5:
            return x
    return None


def start_server(width, height):
    """Starts an X server. -noreset: a server that resets when its last client leaves refuses new clients at that
    moment."""
    reader, writer = os.pipe()
    screen = f"{width}x{height}x24"
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as numbers:
        os.environ["DISPLAY"] = f":{numbers.readline().strip()}"
    return server


def read_screen(folder):
    """Returns the bytes of the screen in RGB. Their file is in the folder."""
    path = pathlib.Path(folder, "screen.raw")
    launch("ximagesrc num-buffers=1 show-pointer=false use-damage=false ! videoconvert"
           f" ! video/x-raw,format=RGB ! filesink location={path}")
    return path.read_bytes()


def act(*words):
    """Moves the mouse, or presses keys and buttons, with the words of xdotool."""
    subprocess.run(["xdotool", *map(str, words)], check=True)


class Player:
    """A process of `cudaconv play` with a terminal as its input."""

    def __init__(self, *arguments, env=None):
        self.terminal, other = pty.openpty()
        self.modes = termios.tcgetattr(other)
        self.other = other
        self.printed = ""
        self.process = subprocess.Popen([PROGRAM, "play", "--no-sound", *map(str, arguments)], stdin=other,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                                        preexec_fn=self.take_terminal)
        os.set_blocking(self.process.stdout.fileno(), False)

    @staticmethod
    def take_terminal():
        """Makes the terminal the controlling terminal of a new session, as a shell would."""
        os.setsid()
        os.close(os.open(os.ttyname(0), os.O_RDWR))

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self):
        self.printed += (self.process.stdout.read() or b"").decode()
        return self.printed

    def prints(self, text, count, seconds):
        """Waits until the player has printed `text` `count` times. Returns False if it does not in that time."""
        end = time.monotonic() + seconds
        while self.read().count(text) < count:
            if time.monotonic() > end or self.process.poll() is not None:
                return False
            time.sleep(0.05)
        return True

    def expect(self, text, count=1):
        """Waits until the player has printed `text` `count` times, or ends the test."""
        if not self.prints(text, count, TIMEOUT):
            sys.exit(f"{text!r} is not printed {count} times:\n{self.read()}")

    def end(self, key="q"):
        if key:
            self.press(key)
        status = self.process.wait(TIMEOUT)
        self.read()
        if status != 0:
            sys.exit(f"it exits with {status}:\n{self.printed}")
        if termios.tcgetattr(self.other) != self.modes:
            sys.exit("the terminal was not restored")
        os.close(self.terminal)
        os.close(self.other)


def run(*arguments, env=None):
    """Runs a player that fails to start. Returns its exit status and output."""
    done = subprocess.run([PROGRAM, "play", *map(str, arguments)], stdin=subprocess.DEVNULL, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout
