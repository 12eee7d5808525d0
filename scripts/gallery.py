#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/gallery.md and its images. With --check, fails if they are not current.

    scripts/gallery.py [--check] BUILD

BUILD/app/cudaconv makes the images from docs/images/gallery/picture.png. examples/scene.c renders that file if it is
missing. An image with unchanged pixels is not written again. Exits with 77 if a program or an element of GStreamer is
missing.
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
ELEMENTS = ["pngdec", "jpegdec", "pngenc", "videoconvert", "videocrop", "videobox", "capssetter", "interlace", "deinterlace", "multifilesrc", "webpenc", "webpdec", "rawvideoparse"]
A_ROW = 3  # images side by side
MAX_VALUE = 24  # characters of a value in a table

HEAD = """# Gallery

What each kernel, preset and property does to the same image, with the command for it. [properties.md](properties.md)
explains each property.

Nearly all images are made from [picture.png](images/gallery/picture.png):

![The input: balls on a tiled floor](images/gallery/picture.png)

Put your own image or video in place of `picture.png`.
"""

FOOT = f"""
`scripts/gallery.py` (`make gallery`) runs these commands and writes this page. [examples/scene.c](../examples/scene.c)
renders the input: `build/examples/cudaconv-scene picture.png --width {INPUT_SIZE[0]} --height {INPUT_SIZE[1]}`. The image of the
README is the same scene with 720x400 pixels, filtered with `cudaconv apply --split 0.5 --kernel sobel`.
"""


# ---- the page ----

def anchor(title):
    return title.lower().replace(" ", "-")


def settings_text(settings):
    """The settings for the table. Long values are left out, or cut if all values are long: the command has them."""
    short = [f"`{name}={value}`" for name, value in settings if len(value) <= MAX_VALUE]
    return " ".join(short or [f"`{name}={value[:8]}...{value[-4:]}`" for name, value in settings])


def row_of(images):
    """A table of images side by side, and their commands."""
    shown = [f"![{image.text}](images/gallery/{image.stored()})" for image in images]
    captions = [f"{settings_text(image.settings)}<br>{image.text}" for image in images]
    table = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n" for cells in
                    (shown, ["---"] * len(images), captions))
    commands = "".join(shell_line(shown_words(image)) + "\n" for image in images)
    return f"\n{table}\n```sh\n{commands}```\n"


def page(found):
    text = HEAD + "\n" + "".join(f"- [{group.title}](#{anchor(group.title)})\n" for group in found)
    for group in found:
        text += f"\n## {group.title}\n\n{textwrap.fill(group.text, 100, break_on_hyphens=False)}\n"
        if group.preparations:
            text += "\n```sh\n" + "\n".join(group.preparations) + "\n```\n"
        for i in range(0, len(group.images), A_ROW):
            text += row_of(group.images[i:i + A_ROW])
    return text + FOOT


# ---- the images ----

def run(words, env, folder):
    done = subprocess.run(words, env=env, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0 or "WARNING" in done.stdout:
        raise Failed(f"{shell_line(words)}: {done.stdout.strip()}")


def words_for(image, build):
    """The words that make an image: the command of the build folder, or the pipeline if the page shows one."""
    if image.caps:
        return launch_words(image)
    return [str(pathlib.Path(build).resolve() / "app" / "cudaconv"), *apply_words(image)[1:]]


def make_all(found, build, env, folder):
    """Makes all images in a folder, as PNG files."""
    shutil.copy(FOLDER / INPUT, folder)
    (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
    for group in found:
        for line in group.preparations:
            run(shlex.split(line), env, folder)
        for image in group.images:
            run(words_for(image, build), env, folder)


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def decode_all(paths, env, folder):
    """The pixels of the files, RGBA. Transparent pixels have the color 0."""
    words = ["gst-launch-1.0", "-q"]
    for i, path in enumerate(paths):
        words += ["filesrc", f"location={path}", "!", f"{path.suffix[1:]}dec", "!", "videoconvert", "!",
                  "video/x-raw,format=RGBA", "!", "filesink", f"location={folder}/{i}.raw"]
    if paths:
        run(words, env, folder)
    return [without_hidden((pathlib.Path(folder) / f"{i}.raw").read_bytes()) for i in range(len(paths))]


def without_hidden(pixels):
    """Sets the colors of transparent pixels to 0. A WebP file may lose them."""
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
    """The pixels and the size that each image should have in its file beside the page."""
    make_all(found, build, env, folder)
    images = [image for group in found for image in group.images]
    paths = [pathlib.Path(folder) / image.file() for image in images]
    wanted = {}
    for image, path, pixels in zip(images, paths, decode_all(paths, env, folder)):
        width, height = png_size(path)
        wanted[image] = (enlarge(pixels, width, image.enlarged), width * image.enlarged,
                           height * image.enlarged)
    return wanted


def differs(pixels, others, tolerance):
    if pixels == others:
        return False
    return len(pixels) != len(others) or max(abs(a - b) for a, b in zip(pixels, others)) > tolerance


def stale_images(wanted, env, folder):
    """The images whose files are missing or differ."""
    present = [image for image in wanted if (FOLDER / image.stored()).exists()]
    stored = decode_all([FOLDER / image.stored() for image in present], env, folder)
    current = [image for image, pixels in zip(present, stored)
               if not differs(wanted[image][0], pixels, image.tolerance)]
    return [image for image in wanted if image not in current]


def unknown_files(wanted):
    known = {image.stored() for image in wanted} | {INPUT}
    return sorted(path for path in FOLDER.iterdir() if path.name not in known)


def write_image(image, wanted, env, folder):
    pixels, width, height = wanted
    has_alpha = any(alpha != 255 for alpha in pixels[3::4])
    (pathlib.Path(folder) / "stored.raw").write_bytes(pixels)
    run(["gst-launch-1.0", "-q", "filesrc", "location=stored.raw", "!", "rawvideoparse", "format=rgba",
         f"width={width}", f"height={height}", "!", "videoconvert", "!",
         f"video/x-raw,format={'RGBA' if has_alpha else 'RGB'}", "!", "webpenc", "lossless=true", "speed=6",
         "quality=100", "!", "filesink", f"location={FOLDER / image.stored()}"], env, folder)


# ---- check and write ----

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
    stale += [FOLDER / image.stored() for image in stale_images(wanted, env, folder)]
    stale += unknown_files(wanted)
    if stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        raise Failed(f"Not current: {names}; run make gallery and look at the images")


def write(found, build, env, folder):
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not (FOLDER / INPUT).exists():
        run([str(pathlib.Path(build).resolve() / "examples" / "cudaconv-scene"), str(FOLDER / INPUT),
             f"--width={INPUT_SIZE[0]}", f"--height={INPUT_SIZE[1]}"], env, folder)
    wanted = expected(found, build, env, folder)
    for image in stale_images(wanted, env, folder):
        write_image(image, wanted[image], env, folder)
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
