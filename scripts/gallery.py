#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/gallery.md and its pictures; with --check, says whether they are current.

    scripts/gallery.py [--check] BUILD

The plugin in the folder BUILD makes the pictures, through BUILD/app/cudaconv where that is built, of
docs/images/gallery/picture.png. That is the picture of examples/scene.c; where it is missing it is
rendered. A picture whose pixels are what they were is not written again. Exits with 77 where a
program or an element of GStreamer is missing.
"""

import pathlib
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap

from galleryplan import INPUT, INPUT_SIZE, apply_words, groups, launch_words, shell_line, shown_words
from gstfilter import SKIPPED, Failed, environment

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "images" / "gallery"
ELEMENTS = ["pngdec", "pngenc", "videoconvert", "videocrop", "videobox", "webpenc", "webpdec", "rawvideoparse"]
A_ROW = 3  # pictures side by side
LONGEST = 24  # characters of a value in a table

HEAD = f"""# Gallery

This page is written by `scripts/gallery.py` (`make gallery`) from the plugin: every picture is what the
command below it makes. `cudaconv` is the command of this project, which `make install` puts on the
`PATH`; before that it is `build/app/cudaconv`.

All of them are made of [picture.png](images/gallery/picture.png), which
[examples/scene.c](../examples/scene.c) renders
(`build/examples/cudaconv-scene picture.png --width {INPUT_SIZE[0]} --height {INPUT_SIZE[1]}`):

![The input: balls on a tiled floor](images/gallery/picture.png)

Any other picture or film does as well. The picture in the README is the same scene with 720x400 pixels and
`cudaconv apply --split 0.5 --kernel sobel`. [properties.md](properties.md) explains each property.
"""


# ---- the page ----

def anchor(title):
    return title.lower().replace(" ", "-")


def settings_text(settings):
    """Settings as the table shows them, without long ones, which the command has, if others are left."""
    short = [f"`{name}={value}`" for name, value in settings if len(value) <= LONGEST]
    return " ".join(short or [f"`{name}={value[:8]}...{value[-4:]}`" for name, value in settings])


def row_of(pictures):
    """A table of some pictures side by side, and the commands that make them."""
    shown = [f"![{picture.text}](images/gallery/{picture.stored()})" for picture in pictures]
    told = [f"{settings_text(picture.settings)}<br>{picture.text}" for picture in pictures]
    table = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n" for cells in
                    (shown, ["---"] * len(pictures), told))
    commands = "".join(shell_line(shown_words(picture)) + "\n" for picture in pictures)
    return f"\n{table}\n```sh\n{commands}```\n"


def page(found):
    text = HEAD + "\n" + "".join(f"- [{group.title}](#{anchor(group.title)})\n" for group in found)
    for group in found:
        text += f"\n## {group.title}\n\n{textwrap.fill(group.text, 100, break_on_hyphens=False)}\n"
        if group.preparations:
            text += "\n```sh\n" + "\n".join(group.preparations) + "\n```\n"
        for i in range(0, len(group.pictures), A_ROW):
            text += row_of(group.pictures[i:i + A_ROW])
    return text


# ---- the pictures ----

def run(words, env, folder):
    done = subprocess.run(words, env=env, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0 or "WARNING" in done.stdout:
        raise Failed(f"{shell_line(words)}: {done.stdout.strip()}")


def words_for(picture, build):
    """What makes a picture here: the command of the build folder, or the pipeline where the page has that."""
    if picture.caps:
        return launch_words(picture)
    return [str(pathlib.Path(build).resolve() / "app" / "cudaconv"), *apply_words(picture)[1:]]


def make_all(found, build, env, folder):
    """Makes all pictures in a folder, as PNG files."""
    shutil.copy(FOLDER / INPUT, folder)
    for group in found:
        for line in group.preparations:
            run(shlex.split(line), env, folder)
        for picture in group.pictures:
            run(words_for(picture, build), env, folder)


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def decode_all(paths, env, folder):
    """The pixels of some files, RGBA; one that has transparent pixels has their colours as 0."""
    words = ["gst-launch-1.0", "-q"]
    for i, path in enumerate(paths):
        words += ["filesrc", f"location={path}", "!", f"{path.suffix[1:]}dec", "!", "videoconvert", "!",
                  "video/x-raw,format=RGBA", "!", "filesink", f"location={folder}/{i}.raw"]
    if paths:
        run(words, env, folder)
    return [without_hidden((pathlib.Path(folder) / f"{i}.raw").read_bytes()) for i in range(len(paths))]


def without_hidden(pixels):
    """A WebP file need not keep the colours of transparent pixels."""
    if 0 not in pixels[3::4]:
        return pixels
    return b"".join(pixels[i:i + 4] if pixels[i + 3] else bytes(4) for i in range(0, len(pixels), 4))


def enlarge(pixels, width, times):
    rows = []
    for start in range(0, len(pixels), 4 * width):
        row = b"".join(pixels[i:i + 4] * times for i in range(start, start + 4 * width, 4))
        rows.append(row * times)
    return b"".join(rows)


def expected(found, build, env, folder):
    """The pixels and the size that every picture should have in its file beside the page."""
    make_all(found, build, env, folder)
    pictures = [picture for group in found for picture in group.pictures]
    paths = [pathlib.Path(folder) / picture.file() for picture in pictures]
    wanted = {}
    for picture, path, pixels in zip(pictures, paths, decode_all(paths, env, folder)):
        width, height = png_size(path)
        wanted[picture] = (enlarge(pixels, width, picture.enlarged), width * picture.enlarged,
                           height * picture.enlarged)
    return wanted


def differs(pixels, others, tolerance):
    if pixels == others:
        return False
    return len(pixels) != len(others) or max(abs(a - b) for a, b in zip(pixels, others)) > tolerance


def stale_pictures(wanted, env, folder):
    """The pictures whose files are missing or show something else."""
    present = [picture for picture in wanted if (FOLDER / picture.stored()).exists()]
    stored = decode_all([FOLDER / picture.stored() for picture in present], env, folder)
    current = [picture for picture, pixels in zip(present, stored)
               if not differs(wanted[picture][0], pixels, picture.tolerance)]
    return [picture for picture in wanted if picture not in current]


def unknown_files(wanted):
    known = {picture.stored() for picture in wanted} | {INPUT}
    return sorted(path for path in FOLDER.iterdir() if path.name not in known)


def write_picture(picture, wanted, env, folder):
    pixels, width, height = wanted
    has_alpha = any(alpha != 255 for alpha in pixels[3::4])
    (pathlib.Path(folder) / "stored.raw").write_bytes(pixels)
    run(["gst-launch-1.0", "-q", "filesrc", "location=stored.raw", "!", "rawvideoparse", "format=rgba",
         f"width={width}", f"height={height}", "!", "videoconvert", "!",
         f"video/x-raw,format={'RGBA' if has_alpha else 'RGB'}", "!", "webpenc", "lossless=true", "speed=6",
         "quality=100", "!", "filesink", f"location={FOLDER / picture.stored()}"], env, folder)


# ---- what is asked for ----

def check_elements(env):
    for program in ("gst-launch-1.0", "gst-inspect-1.0"):
        if not shutil.which(program):
            print(f"{program} is missing")
            sys.exit(SKIPPED)
    for element in ELEMENTS:
        if subprocess.run(["gst-inspect-1.0", "--exists", element], env=env).returncode != 0:
            print(f"GStreamer has no {element}")
            sys.exit(SKIPPED)


def check(found, build, env, folder):
    stale = [] if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page(found) else [PAGE]
    wanted = expected(found, build, env, folder)
    stale += [FOLDER / picture.stored() for picture in stale_pictures(wanted, env, folder)]
    stale += unknown_files(wanted)
    if stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        raise Failed(f"Not current: {names}; run make gallery and look at the pictures")


def write(found, build, env, folder):
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (FOLDER / INPUT).exists():
        run([str(pathlib.Path(build).resolve() / "examples" / "cudaconv-scene"), str(FOLDER / INPUT),
             f"--width={INPUT_SIZE[0]}", f"--height={INPUT_SIZE[1]}"], env, folder)
    wanted = expected(found, build, env, folder)
    for picture in stale_pictures(wanted, env, folder):
        write_picture(picture, wanted[picture], env, folder)
    for path in unknown_files(wanted):
        path.unlink()
    PAGE.write_text(page(found), encoding="utf-8")


def main():
    if len(sys.argv) < 2 or sys.argv[-1].startswith("-"):
        sys.exit(__doc__)
    build = sys.argv[-1]
    try:
        env = environment(build)
        check_elements(env)
        found = groups(build)
        with tempfile.TemporaryDirectory() as folder:
            (check if "--check" in sys.argv else write)(found, build, env, folder)
    except Failed as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
