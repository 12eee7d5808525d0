#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv play` in a window of an X server: keys, the mouse, and the image on the screen.

    tests/app/test-play-window.py PROGRAM

Exits with 77 if Xvfb or xdotool is not installed.
"""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import termios
import time

import playing
from playing import act

WIDTH = playing.WIDTH
SCREEN = 640, 480
ATTEMPTS = 3
for tool in ("Xvfb", "xdotool"):
    if not shutil.which(tool):
        print(f"{tool} is not installed")
        sys.exit(77)


def look():
    """The first row of the window. The window has no border and is in the corner of the screen."""
    return playing.read_screen(folder)[:3 * WIDTH]


def wait_for(column, what, player):
    end = time.monotonic() + playing.TIMEOUT
    while (found := playing.find_line(look())) != column:
        if time.monotonic() > end:
            sys.exit(f"{what}: the line is at {found}, not {column}:\n{player.read()}")


def find_window(player):
    """Waits for the window and moves the pointer over it, so that it gets the keys."""
    player.expect("cudaconv apply --kernel sobel")
    act("mousemove", WIDTH // 4, 100)
    wait_for(WIDTH // 2, "at the start", player)


def press(player, keys, options):
    """Presses keys until the player prints the options. The sink loses an event that arrives while it discards the
    events that it does not handle."""
    count = player.read().count(options)
    for _ in range(ATTEMPTS):
        act("key", keys)
        if player.prints(options, count + 1, playing.TIMEOUT / ATTEMPTS):
            return
    sys.exit(f"{options!r} is not printed after {keys}:\n{player.read()}")


def check_keys_and_mouse(video, sink):
    player = playing.Player(*sink, video)
    find_window(player)
    for keys, options in (("k", "--kernel sobel-x "), ("shift+k", "--kernel sobel "), ("Up", "--size 5 "),
                          ("r", "--response clamp ")):
        press(player, keys, options)

    # The mouse, while it plays and while it is paused. Keys do not move the line.
    act("mousemove", 200, 50, "mousedown", 1)
    wait_for(200, "the mouse is pressed", player)
    act("mousemove", 240, 60)
    wait_for(240, "the mouse is dragged", player)
    act("mouseup", 1)
    time.sleep(0.5)  # the sink polls the mouse, and handles moves first
    act("mousemove", 100, 60)
    act("key", "space")
    time.sleep(0.5)
    wait_for(240, "the mouse is moved without a button", player)
    act("mousemove", 100, 60, "click", 1)
    wait_for(100, "while it is paused", player)
    act("key", "o")
    wait_for(None, "all filtered while it is paused", player)
    act("key", "space", "key", "o", "key", "o")
    wait_for(100, "it continues", player)
    act("key", "h")
    time.sleep(0.5)
    act("key", "q")
    player.end(None)


def check_default_sink(video):
    player = playing.Player(video)
    find_window(player)
    press(player, "k", "--kernel sobel-x ")
    act("key", "Escape")
    player.end(None)


class ClientMessage(ctypes.Structure):
    """An XClientMessageEvent, padded to the size of an XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]


def close_window(window):
    """Sends the message of a window manager whose close button is pressed."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    protocols, delete = (x11.XInternAtom(display, name, False) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    event = ClientMessage(type=33, window=window, message_type=protocols, format=32)
    event.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(window), False, ctypes.c_long(0), ctypes.byref(event))
    x11.XCloseDisplay(display)


def window_under_pointer():
    said = subprocess.run(["xdotool", "getmouselocation", "--shell"], text=True, stdout=subprocess.PIPE, check=True)
    return int(said.stdout.split("WINDOW=")[1].split()[0])


def check_killing(video):
    """Xlib ends the process if its window is killed or the server is gone. The terminal is restored."""
    player = playing.Player("--sink", "ximagesink", video)
    find_window(player)
    act("windowkill", window_under_pointer())
    player.process.wait(playing.TIMEOUT)
    if termios.tcgetattr(player.other) != player.modes:
        sys.exit("the terminal is not restored after the window is killed")


def check_closing(video):
    """A closed window ends the player as a key does."""
    player = playing.Player("--sink", "ximagesink", video)
    find_window(player)
    close_window(window_under_pointer())
    player.end(None)


with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_RUNTIME_DIR"] = folder
    os.environ.pop("WAYLAND_DISPLAY", None)
    video = pathlib.Path(folder, "video.avi")
    playing.make_video(video)
    server = playing.start_server(*SCREEN)
    try:
        check_keys_and_mouse(video, ("--sink", "ximagesink"))
        check_default_sink(video)
        check_closing(video)
        check_killing(video)
    finally:
        server.terminate()
        server.wait()
