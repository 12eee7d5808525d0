#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the code blocks of a Markdown page like a user who copies them.

    run-page.py --tools FOLDER --program CUDACONV [--only LINE] [--all-fail] PAGE

Each block runs in a new folder. The folder has the files that pages name (in.mp4, photo.jpg, pictures/*.jpg and so on) and
the folder examples/ of the sources. It also has the results of the blocks above, unless expectations.py has the page: there no
block may pass with the result of another one.

    ```sh             runs with bash -e. It has to exit with status 0, and each video, audio or image file that it names
                      has to exist afterwards and be complete
    ```python         runs with Python
    ```c              is compiled and run, as a program, or as the body of a program that has a `filter`
    ```python NAME    (or any other language) is a file with that name for the blocks below

FOLDER has a replacement of gst-launch-1.0 without cameras, screens, servers and GPUs (launch.c). Lines of NOT_RUN are printed
but not run.

A block is skipped if its section names a Debian package in backquotes above the block that is not installed. The last lines of
the output list these blocks, and the exit status is 77. With CUDACONV_TEST_REQUIRED they fail. A block fails if it needs a
package that its section does not name. So a page has to name each package that `make test` does not install.

expectations.py has the expectations of some pages: the size, length and looks of files, or the output. On these pages a block
without an expectation fails. The test also fails if an expectation has no block.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PASSED, FAILED, SKIPPED, LEFT_OUT = "passed", "FAILED", "skipped", "not run"
SKIP_STATUS = 77
EXPECTATIONS = pathlib.Path(__file__).with_name("expectations.py")
TIMEOUT = 60

# Lines that start like this change the machine, build, or need something that no test has.
NOT_RUN = {
    "make": "it builds or installs",
    "meson": "it builds or installs",
    "ninja": "it builds or installs",
    "export GST_PLUGIN_PATH": "the test sets it",
    "apt-get": "it installs",
    "sudo": "it needs root",
    "git clone": "it needs the network",
    "docker": "it needs a container engine",
    "podman": "it needs a container engine",
    "mediamtx": "Debian has no package of it",
    "cudaconv play": "it needs a display",
    "build/examples/cudaconv-viewer": "it needs a display",
    "pitivi": "it needs a display",
}

# names of Debian packages on pages
PACKAGE = r"(?:gstreamer1\.0|gir1\.2|ges1\.0|python3|lib[a-z0-9.+]+)-[a-z0-9.+-]+"

# In front of cudaconv: a video instead of a camera and of another computer, and the CPU instead of the GPU.
WITHOUT_HARDWARE = """
words=()
for word; do
  case $word in
    /dev/video* | rtsp://*) word=in.mp4 ;;
    cuda) word=auto ;;
    --backend=cuda) word=--backend=auto ;;
  esac
  words+=("$word")
done
"""

MEDIA = "mp4|m4v|mov|mkv|webm|avi|ogv|ts|m3u8|png|jpg|jpeg|tiff|webp|wav|ogg"

# Files that pages name: the file, the line that makes it, and its other names. The videos are longer than a queue and than
# an encoder looks ahead, so a line that hangs with a long video hangs with these too.
X264 = "x264enc speed-preset=ultrafast key-int-max=15"
SCENE = "videotestsrc num-buffers={} pattern={} ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"
BARS = "smpte horizontal-speed=3"  # they move
AUDIO = "audiotestsrc num-buffers=130 ! audio/x-raw,rate=44100,channels=2 ! audioconvert"
FILES = [
    ("in.mp4", f"mp4mux name=m ! filesink location=in.mp4 {SCENE.format(90, BARS)} ! {X264} ! h264parse ! m. "
               f"{AUDIO} ! voaacenc ! aacparse ! m.", ["video.mp4", "holiday.mp4"]),
    ("video.mkv", f"matroskamux name=m ! filesink location=video.mkv {SCENE.format(90, BARS)} ! {X264} ! h264parse ! m. "
                  f"{AUDIO} ! vorbisenc ! m.", ["in.mkv"]),
    # heights of interlaced MPEG-2 are multiples of 32
    ("recording.ts", f"mpegtsmux name=m ! filesink location=recording.ts videotestsrc num-buffers=180 pattern={BARS} ! "
                     "video/x-raw,format=I420,width=320,height=256,framerate=60/1 ! interlace field-pattern=1:1 ! "
                     "video/x-raw,width=320,interlace-mode=interleaved ! mpeg2enc format=3 bitrate=3000 ! mpegvideoparse ! m. "
                     f"{AUDIO} ! voaacenc ! aacparse ! m.", []),
    ("photo.jpg", f"{SCENE.format(1, 'smpte')} ! jpegenc ! filesink location=photo.jpg",
     ["picture.jpg", "in.jpg", "pictures/a.jpg", "pictures/b c.jpg"]),
    ("picture.png", f"{SCENE.format(1, 'zone-plate kx2=20 ky2=20')} ! videoconvert ! pngenc ! "
                    "filesink location=picture.png", ["photo.png", "in.png"]),
    # a white square on transparent red
    ("logo.png", "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGBA,width=48,height=40 ! videobox border-alpha=0 "
                 "fill=red left=-24 right=-24 top=-20 bottom=-20 ! pngenc ! filesink location=logo.png", []),
    ("frames/0001.png", f"{SCENE.format(12, BARS)} ! videoconvert ! pngenc compression-level=1 ! "
                        "multifilesink index=1 location=frames/%04d.png", []),
]


class Skip(Exception):
    """The files that pages name cannot be created on this machine."""


class LeftOut(Exception):
    """All lines of the block are in NOT_RUN."""


# --- The page ---

class Block:
    """A fenced block: its language, the name of its file or None, its text, the heading of its section, and the packages that
    the section names above the block. `key` is the heading with the number of the block below it."""

    def __init__(self, line, info, text, heading, packages):
        self.heading = heading
        self.key = None
        self.packages = packages
        words = info.split()
        self.line = line
        self.language = words[0].lower() if words else ""
        self.name = words[1] if len(words) > 1 else None
        self.text = text


def blocks_of(page):
    """Returns the fenced blocks of a page."""
    found, start, lines, heading, packages = [], None, [], "", []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"\s*```(.*)$", line)
        if fence and start is None:
            start, info, lines = number, fence.group(1), []
        elif fence:
            found.append(Block(start, info, "\n".join(lines) + "\n", heading, list(packages)))
            start = None
        elif start is not None:
            lines.append(line)
        elif line.startswith("#"):
            heading, packages = line.strip("# "), []
        else:
            packages += re.findall(rf"`({PACKAGE})`", line)
    numbers = collections.Counter()
    for block in found:
        if block.language in RUNNERS and not block.name:
            numbers[block.heading] += 1
            block.key = f"{block.heading} {numbers[block.heading]}"
    return found


def reason_not_to_run(line):
    return next((reason for start, reason in NOT_RUN.items()
                 if re.match(re.escape(start) + r"([\s=]|$)", line.strip())), None)


def split_not_run(text):
    """Returns the text of a sh block without the lines of NOT_RUN, and those lines with their reasons."""
    lines = re.split(r"(?<!\\)\n", text)
    left_out = [(" ".join(line.split()), reason_not_to_run(line)) for line in lines if reason_not_to_run(line)]
    return "\n".join(line for line in lines if not reason_not_to_run(line)), left_out


# --- Running ---

def run(command, folder, env):
    """Runs a command and kills its background processes. Returns status and output."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
    return status, text if status is not None else f"{text}it does not end within {TIMEOUT} s\n"


def missing_packages(names):
    """Returns the packages that are not installed. On a system without dpkg these are all."""
    if not names or not shutil.which("dpkg-query"):
        return names
    installed = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\\n", *names], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [name for name in dict.fromkeys(names) if f"{name} ii" not in installed]


def expect_success(command, folder, env):
    """Runs a command that has to succeed. Returns its output."""
    status, text = run(command, folder, env)
    if status != 0:
        raise RuntimeError(f"status {status}\n{text}")
    return text


def make_files(folder, env):
    """Creates the files that pages name, once for all blocks."""
    launch = shutil.which("gst-launch-1.0", path=os.defpath + ":/usr/bin:/usr/local/bin")
    if not launch:
        raise Skip("gst-launch-1.0 is not installed")
    for name, line, others in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        status, text = run([launch, "-q", *shlex.split(line)], folder, env)
        missing = re.search(r"no element \"[^\"]*\"", text)
        if missing:
            raise Skip(missing.group(0))
        if status != 0 or not (folder / name).stat().st_size:
            raise RuntimeError(f"{name} cannot be created\n{text}")
        for other in others:
            (folder / other).parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, folder / other)
    (folder / "examples").symlink_to(ROOT / "examples")


def is_whole(path):
    """Whether a file is not empty and, for some formats, is complete."""
    end = {".mp4": b"moov", ".m4v": b"moov", ".png": b"IEND", ".jpg": b"\xff\xd9"}.get(path.suffix, b"")
    data = path.read_bytes()
    return len(data) > 0 and end in data


def times_of(folder):
    """Maps the files below a folder to their modification times."""
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def check_named_files(text, folder, before):
    """Fails if a video, audio or image file that the block names does not exist or is not complete, or if a block that
    should write files wrote none."""
    for name in re.split(r"[\s\"'=;()<>|]+", text.replace("{}", "*")):
        if not re.fullmatch(rf"[\w./%*+-]+\.({MEDIA})", name):
            continue  # not a file: an address or a variable
        found = list(folder.glob(re.sub(r"%0?\d*d", "*", name)))
        if not found:
            raise RuntimeError(f"{name} does not exist")
        for path in found:
            if not is_whole(path):
                raise RuntimeError(f"{path.name} is empty or not complete")
    if re.search(r"filesink location=|cudaconv (apply|merge)| -o ", text) and times_of(folder) == before:
        raise RuntimeError("nothing was written")


def keep_new_files(folder, original, before):
    """Copies new files of a block, but does not replace the files of the page."""
    for path, time in times_of(folder).items():
        if before.get(path) != time and path not in times_of(original):
            (original / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, original / path)


# --- One function for each language ---

def run_sh(block, folder, env):
    text, left_out = split_not_run(block.text)
    for line, reason in left_out:
        print(f"    not run, {reason}: {line}")
    if not re.sub(r"#.*", "", text).strip():
        raise LeftOut
    print("".join(f"    {line}\n" for line in text.strip().splitlines()), end="")
    before = times_of(folder)
    output = expect_success(["bash", "-e", "-c", text], folder, env)
    check_named_files(re.sub(r"#.*", "", text), folder, before)
    return output


def run_python(block, folder, env):
    (folder / "block.py").write_text(block.text, encoding="utf-8")
    return expect_success(["python3", "block.py"], folder, env)


FRAME_OF_C = """#include <gst/gst.h>
int main(int argc, char **argv) {{
  gst_init(&argc, &argv);
  GstElement *filter = gst_element_factory_make("cudaconv", NULL);
  g_assert(filter);
  {{
{}  }}
  return 0;
}}
"""


def run_c(block, folder, env):
    text = block.text
    if not re.search(r"\bmain *\(", text):
        text = FRAME_OF_C.format(text)
    (folder / "block.c").write_text(text, encoding="utf-8")
    return expect_success(["bash", "-e", "-c", "gcc -Wall -Werror block.c -o block "
                           "$(pkg-config --cflags --libs gstreamer-1.0) && ./block"], folder, env)


RUNNERS = {"sh": run_sh, "bash": run_sh, "python": run_python, "c": run_c}


# --- Expectations ---

class Expectations:
    """The expectations for the blocks of a page, from expectations.py."""

    def __init__(self, page, folder, env):
        self.page = page.stem
        status, text = run(["python3", EXPECTATIONS, self.page], folder, env)
        if status == SKIP_STATUS:
            raise Skip(text.strip())
        if status != 0:
            raise RuntimeError(text)
        self.blocks = text.splitlines()  # empty: no expectations for this page

    def check(self, block, folder, output, env):
        """Fails if the block does not meet its expectations."""
        if block.key not in self.blocks:
            raise RuntimeError(f"{EXPECTATIONS.name} has no expectations for \"{block.key}\"")
        file = folder.parent / "output"
        file.write_text(output, encoding="utf-8")
        status, text = run(["python3", EXPECTATIONS, self.page, block.key, folder, file], folder, env)
        if status != 0:
            raise RuntimeError(f"not as expected: {text}")
        print(text, end="")

    def without_block(self, blocks):
        """Returns the expectations that have no block on the page."""
        keys = [block.key for block in blocks]
        return [key for key in self.blocks if key not in keys]


# --- All of them ---

def make_tools(folder, arguments):
    """Creates a folder for the front of PATH, with commands that replace others."""
    folder.mkdir()
    (folder / "gst-launch-1.0").symlink_to((arguments.tools / "gst-launch-1.0").resolve(strict=True))
    program = shlex.quote(str(arguments.program.resolve(strict=True)))
    tool(folder / "cudaconv", WITHOUT_HARDWARE + f'exec {program} "${{words[@]}}"')
    # packages that pages name are for the system's Python, but another Python may come first in PATH
    if os.access("/usr/bin/python3", os.X_OK):
        tool(folder / "python3", 'exec /usr/bin/python3 "$@"')


def tool(path, script):
    path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def run_block(block, original, expectations, env):
    """Runs a block in a copy of the folder of files. Returns the result and the missing packages."""
    print(f"line {block.line}: {block.language}")
    missing = missing_packages(block.packages)
    if missing:
        result = FAILED if os.environ.get("CUDACONV_TEST_REQUIRED") else SKIPPED
        print(f"    {result}: needs {' '.join(missing)}")
        return result, missing
    folder = original.parent / "block"
    shutil.copytree(original, folder, symlinks=True)
    before = times_of(folder)
    try:
        output = RUNNERS[block.language](block, folder, env)
        if expectations.blocks:
            expectations.check(block, folder, output, env)
        else:
            keep_new_files(folder, original, before)
        return PASSED, []
    except LeftOut:
        return LEFT_OUT, []
    except RuntimeError as error:
        print(f"    FAILED: {error}")
        return FAILED, []
    finally:
        shutil.rmtree(folder)
        sys.stdout.flush()


def run_page(blocks, original, expectations, env):
    """Runs blocks in their order and prints a summary. Returns the number of blocks for each result."""
    results = {PASSED: 0, FAILED: 0, SKIPPED: 0, LEFT_OUT: 0}
    lacking = []
    for block in blocks:
        if block.name:
            (original / block.name).write_text(block.text, encoding="utf-8")
        elif block.language in RUNNERS:
            result, missing = run_block(block, original, expectations, env)
            results[result] += 1
            if missing:
                lacking.append(f"line {block.line} {result}: needs {' '.join(missing)}")
        else:
            print(f"line {block.line}: '{block.language}' is not run")
            results[LEFT_OUT] += 1
    print(*lacking, "blocks: " + ", ".join(f"{count} {result}" for result, count in results.items()), sep="\n")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--program", type=pathlib.Path, required=True, metavar="CUDACONV")
    parser.add_argument("--only", type=int, metavar="LINE", help="only the block that starts in this line")
    parser.add_argument("--all-fail", action="store_true", help="succeed if each block fails")
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    all_blocks = blocks_of(arguments.page)
    blocks = [block for block in all_blocks if block.name or arguments.only in (None, block.line)]
    with tempfile.TemporaryDirectory(prefix="cudaconv-docs-") as temporary:
        temporary = pathlib.Path(temporary)
        tools, original = temporary / "tools", temporary / "files"
        make_tools(tools, arguments)
        original.mkdir()
        # the sinks that players choose automatically
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(temporary), "LC_ALL": "C.UTF-8",
               "GST_PLUGIN_FEATURE_RANK": "fakevideosink:1000,fakeaudiosink:1000"}
        try:
            make_files(original, env)
            expectations = Expectations(arguments.page, original, env)
        except Skip as reason:
            print(f"no files for the page: {reason}")
            return 1 if os.environ.get("CUDACONV_TEST_REQUIRED") else SKIP_STATUS
        results = run_page(blocks, original, expectations, env)
    for key in expectations.without_block(all_blocks):
        print(f"FAILED: {EXPECTATIONS.name} has \"{key}\", but the page has no such block")
        results[FAILED] += 1
    if arguments.all_fail:
        return 0 if results[FAILED] == sum(results.values()) > 0 else 1
    if results[FAILED] or not results[PASSED] + results[SKIPPED]:
        return 1
    return SKIP_STATUS if results[SKIPPED] else 0


if __name__ == "__main__":
    sys.exit(main())
