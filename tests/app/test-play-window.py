#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv play` in a window: keys and the mouse of an X server, and what is on its screen.

    tests/app/test-play-window.py PROGRAM

Exits with 77 where Xvfb or xdotool is missing.
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

WIDTH = playing.WIDTH
SCREEN = 640, 480
for tool in ("Xvfb", "xdotool"):
    if not shutil.which(tool):
        print(f"{tool} is not installed")
        sys.exit(77)


def start_server():
    """A screen of our own, and the server behind it. A server that resets when its last client leaves refuses those that
    come at that moment."""
    reader, writer = os.pipe()
    size = f"{SCREEN[0]}x{SCREEN[1]}x24"
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as numbers:
        os.environ["DISPLAY"] = f":{numbers.readline().strip()}"
    return server


def act(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def look():
    """The first row of the window, which has no frame and is in the corner."""
    path = pathlib.Path(folder, "screen.raw")
    playing.launch("ximagesrc num-buffers=1 show-pointer=false use-damage=false ! videoconvert"
                   f" ! video/x-raw,format=RGB ! filesink location={path}")
    return path.read_bytes()[:3 * WIDTH]


def wait_for(place, what, player):
    end = time.monotonic() + playing.PATIENCE
    while (found := playing.find_line(look())) != place:
        if time.monotonic() > end:
            sys.exit(f"{what}: the line is at {found}, not {place}:\n{player.read()}")


def find_window(player):
    """Waits until the pointer is over the window, which then gets the keys."""
    player.expect("cudaconv apply --kernel sobel")
    act("mousemove", WIDTH // 4, 100)
    wait_for(WIDTH // 2, "at the start", player)


def check_keys_and_mouse(film, sink):
    player = playing.Player(*sink, film)
    find_window(player)
    for keys, options in (("k", "--kernel sobel-x "), ("shift+k", "--kernel sobel "), ("Up", "--size 5 "),
                          ("r", "--response clamp ")):
        count = player.read().count(options)
        act("key", keys)
        player.expect(options, count + 1)

    # the mouse, while it plays and while it is stopped; keys do not lose the place
    act("mousemove", 200, 50, "mousedown", 1)
    wait_for(200, "the mouse is pressed", player)
    act("mousemove", 240, 60)
    wait_for(240, "the mouse is dragged", player)
    act("mouseup", 1)
    time.sleep(0.5)  # the sink looks at the mouse now and then, and takes moves first
    act("mousemove", 100, 60)
    act("key", "space")
    time.sleep(0.5)
    wait_for(240, "the mouse is moved without a button", player)
    act("mousemove", 100, 60, "click", 1)
    wait_for(100, "while it is stopped", player)
    act("key", "o")
    wait_for(None, "all filtered while it is stopped", player)
    act("key", "space", "key", "o", "key", "o")
    wait_for(100, "it goes on", player)
    act("key", "h")
    time.sleep(0.5)
    act("key", "q")
    player.end(None)


def check_default_sink(film):
    player = playing.Player(film)
    find_window(player)
    act("key", "k")
    player.expect("--kernel sobel-x ")
    act("key", "Escape")
    player.end(None)


class ClientMessage(ctypes.Structure):
    """An XClientMessageEvent, with the room that an XEvent takes."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 24)]


def close_window(window):
    """What a window manager sends when its button is pressed."""
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


def check_killing(film):
    """Xlib ends the process when its window is killed or the server is gone; the terminal is as before."""
    player = playing.Player("--sink", "ximagesink", film)
    find_window(player)
    act("windowkill", window_under_pointer())
    player.process.wait(playing.PATIENCE)
    if termios.tcgetattr(player.other) != player.modes:
        sys.exit("a killed window does not give the terminal back")


def check_closing(film):
    """A window that is closed ends it as a key does."""
    player = playing.Player("--sink", "ximagesink", film)
    find_window(player)
    close_window(window_under_pointer())
    player.end(None)


with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_RUNTIME_DIR"] = folder
    os.environ.pop("WAYLAND_DISPLAY", None)
    film = pathlib.Path(folder, "film.avi")
    playing.make_film(film)
    server = start_server()
    try:
        check_keys_and_mouse(film, ("--sink", "ximagesink"))
        check_default_sink(film)
        check_closing(film)
        check_killing(film)
    finally:
        server.terminate()
        server.wait()
