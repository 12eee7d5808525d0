# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of `cudaconv play` share: films that are made here, and a running player."""

import os
import pathlib
import pty
import subprocess
import sys
import termios
import time

PROGRAM = pathlib.Path(sys.argv[1])
WIDTH, HEIGHT, FRAMES = 320, 240, 12
PATIENCE = 20  # seconds
# something to see everywhere in the first row, and it is not what a filter makes of it
PICTURE = f"video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},framerate=25/1"


def launch(*words):
    subprocess.run(["gst-launch-1.0", "-q", *" ".join(words).split()], check=True)


def make_film(path):
    """A film without a codec; all of its frames are the same vertical bars."""
    launch(f"videotestsrc num-buffers={FRAMES} pattern=smpte100 ! {PICTURE} ! videoconvert"
           f" ! video/x-raw,format=BGR ! avimux ! filesink location={path}")


def make_picture(path):
    launch(f"videotestsrc num-buffers=1 pattern=smpte100 ! {PICTURE} ! pngenc ! filesink location={path}")


def find_line(row):
    """The first column of the white line with a black one beside it, in a row of RGB; None without one."""
    pixels = [tuple(row[3 * x:3 * x + 3]) for x in range(len(row) // 3)]
    for x in range(len(pixels) - 1):
        if min(pixels[x]) > 250 and max(pixels[x + 1]) < 5:
            return x
    return None


class Player:
    """`cudaconv play` with a terminal as its input."""

    def __init__(self, *arguments, env=None):
        self.terminal, other = pty.openpty()
        self.modes = termios.tcgetattr(other)
        self.other = other
        self.printed = ""
        self.process = subprocess.Popen([PROGRAM, "play", "--no-sound", *map(str, arguments)], stdin=other,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                                        preexec_fn=self.own_terminal)
        os.set_blocking(self.process.stdout.fileno(), False)

    @staticmethod
    def own_terminal():
        """The terminal becomes that of a session of its own, as a shell would have it."""
        os.setsid()
        os.close(os.open(os.ttyname(0), os.O_RDWR))

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self):
        self.printed += (self.process.stdout.read() or b"").decode()
        return self.printed

    def expect(self, text, count=1):
        """Waits until it has printed this so many times."""
        end = time.monotonic() + PATIENCE
        while self.read().count(text) < count:
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"it does not print {count} times {text!r}, but:\n{self.read()}")
            time.sleep(0.05)

    def end(self, key="q"):
        if key:
            self.press(key)
        status = self.process.wait(PATIENCE)
        self.read()
        if status != 0:
            sys.exit(f"it exits with {status}:\n{self.printed}")
        if termios.tcgetattr(self.other) != self.modes:
            sys.exit("the terminal is not what it was before")
        os.close(self.terminal)
        os.close(self.other)


def run(*arguments, env=None):
    """The exit status of a player that does not start, and its lines."""
    done = subprocess.run([PROGRAM, "play", *map(str, arguments)], stdin=subprocess.DEVNULL, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout
