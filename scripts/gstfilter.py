# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs frames of raw video through cudaconv with gst-launch-1.0, for the scripts beside this file."""

import os
import pathlib
import shutil
import subprocess

SKIPPED = 77  # the exit status of a test that cannot run here


class Failed(Exception):
    """What gst-launch-1.0 said when it did not do what was asked for."""


def environment(build):
    """The variables with which GStreamer finds the plugin of a build folder; None: the installed one.

    A registry of its own, so that the user's does not change."""
    env = dict(os.environ, LC_ALL="C.UTF-8")
    if build:
        plugin = pathlib.Path(build).resolve() / "plugin"
        if not (plugin / "libgstcudaconv.so").exists():
            raise Failed(f"{build}: no plugin/libgstcudaconv.so is there; name a folder that ninja has built")
        env.update(GST_PLUGIN_PATH=str(plugin), GST_REGISTRY_FORK="no")
        env.setdefault("GST_REGISTRY", str(plugin.parent / "scripts.registry"))
    return env


def environment_of_others():
    """The variables for a program that is none of GStreamer's: a sanitizer stays out of it."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def launcher():
    """The path of gst-launch-1.0."""
    program = shutil.which("gst-launch-1.0")
    if not program:
        raise Failed("gst-launch-1.0 is missing; Debian has it in gstreamer1.0-tools")
    return program


def row_bytes(width):
    """Bytes from a row of grey to the next as GStreamer lays them out."""
    return (width + 3) // 4 * 4


def line(properties, width, height, video_format="GRAY8"):
    """A pipeline that filters raw frames from the standard input to the standard output."""
    return ["fdsrc", "fd=0", "!", "rawvideoparse", f"format={video_format.lower().replace('_', '-')}",
            f"width={width}", f"height={height}", "framerate=25/1", "!",
            "cudaconv", *properties, "!", "fdsink", "fd=1", "sync=false"]


def start(build, properties, width, height, video_format="GRAY8", folder=None):
    """The running gst-launch-1.0, with pipes for frames in and out and for what it says. Paths in the
    properties are relative to the folder."""
    return subprocess.Popen([launcher(), "-q", *line(properties, width, height, video_format)],
                            env=environment(build), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run(build, properties, frames, width, height, video_format="GRAY8", folder=None):
    """What cudaconv makes of the bytes of some frames."""
    process = start(build, properties, width, height, video_format, folder)
    out, told = process.communicate(frames)
    told = told.decode(errors="replace").strip()
    if process.returncode != 0 or len(out) != len(frames) or "WARNING" in told:
        raise Failed(f"cudaconv {' '.join(properties)}: {told or 'no frames came out'}")
    return out
