# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs frames of raw video through cudaconv with gst-launch-1.0, for the scripts in this folder."""

import os
import pathlib
import shutil
import subprocess

SKIPPED = 77  # the exit status of a test that cannot run here


class Failed(Exception):
    """An error of gst-launch-1.0, with its message."""


def environment(build):
    """Returns the environment in which GStreamer finds the plugin of a build folder, or with None the installed plugin.

    It has a separate registry, so that the user's registry does not change."""
    env = dict(os.environ, LC_ALL="C.UTF-8")
    if build:
        plugin = pathlib.Path(build).resolve() / "plugin"
        if not (plugin / "libgstcudaconv.so").exists():
            raise Failed(f"{build} has no plugin/libgstcudaconv.so; name a folder that ninja has built")
        env.update(GST_PLUGIN_PATH=str(plugin), GST_REGISTRY_FORK="no")
        env.setdefault("GST_REGISTRY", str(plugin.parent / "scripts.registry"))
    return env


def environment_of_others():
    """Returns the environment for a program that does not use GStreamer. Removes a preloaded sanitizer."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def launcher():
    """Returns the path of gst-launch-1.0."""
    program = shutil.which("gst-launch-1.0")
    if not program:
        raise Failed("gst-launch-1.0 is missing; Debian has it in gstreamer1.0-tools")
    return program


def row_bytes(width):
    """Returns the bytes from a row of grey to the next in GStreamer's layout."""
    return (width + 3) // 4 * 4


def line(properties, width, height, video_format="GRAY8", interlaced=False):
    """Returns the words of a pipeline that filters raw frames from standard input to standard output."""
    return ["fdsrc", "fd=0", "!", "rawvideoparse", f"format={video_format.lower().replace('_', '-')}",
            f"width={width}", f"height={height}", "framerate=25/1", f"interlaced={interlaced}", "!",
            "cudaconv", *properties, "!", "fdsink", "fd=1", "sync=false"]


def start(build, properties, width, height, video_format="GRAY8", folder=None, interlaced=False):
    """Starts gst-launch-1.0 with pipes for frames and errors. Paths in the properties are relative to the folder."""
    return subprocess.Popen([launcher(), "-q", *line(properties, width, height, video_format, interlaced)],
                            env=environment(build), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run(build, properties, frames, width, height, video_format="GRAY8", folder=None, interlaced=False):
    """Filters the bytes of some frames with cudaconv and returns the result."""
    process = start(build, properties, width, height, video_format, folder, interlaced)
    out, errors = process.communicate(frames)
    errors = errors.decode(errors="replace").strip()
    if process.returncode != 0 or len(out) != len(frames) or "WARNING" in errors:
        raise Failed(f"cudaconv {' '.join(properties)}: {errors or 'no frames came out'}")
    return out
