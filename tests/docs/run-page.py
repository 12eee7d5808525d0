#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the code blocks of a Markdown page, as somebody would who copies them.

    run-page.py --tools FOLDER --program CUDACONV [--only LINE] [--all-fail] PAGE

Each block runs in a fresh folder that holds what pages name: in.mp4, photo.jpg, pictures/*.jpg and so on, and the
folder examples/ of the sources. It also holds what the blocks above have made, unless expectations.py knows the page: there
no block may take the result of another one for its own.

    ```sh             bash -e runs it. It has to end with status 0, and each file of video, sound or
                      pictures that it names has to be there then, and be complete
    ```python         Python runs it
    ```c              compiled and run, as a whole program or as the inside of one that has a `filter`
    ```python NAME    (or any other language) a file that the blocks below find under that name

FOLDER holds the gst-launch-1.0 that stands in for GStreamer's: it replaces cameras, screens, servers
and GPUs (launch.c). Lines of NOT_RUN are named and not run.

A block is skipped if its section of the page, from the heading on, names in backquotes a Debian package that is not
installed. The last lines of the output list these blocks, and the exit status is 77. With CUDACONV_TEST_REQUIRED set
they fail. A block that lacks a package which its section does not name fails, so a page has to name each package that
`make test` does not install.

expectations.py holds what each block of some pages promises: the size, length and looks of the files that it makes, or what
it prints. On these pages a block without an expectation fails, and so does the test if an expectation has no block.
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

# Lines that begin like this change the machine, build, or need what no test has.
NOT_RUN = {
    "make": "it builds or installs",
    "meson": "it builds or installs",
    "ninja": "it builds or installs",
    "export GST_PLUGIN_PATH": "the test says where the plugin is",
    "apt-get": "it installs",
    "sudo": "it needs root",
    "git clone": "it needs the network",
    "docker": "it needs a container engine",
    "podman": "it needs a container engine",
    "mediamtx": "it is no package of Debian",
    "cudaconv play": "it needs a display",
    "pitivi": "it needs a display",
}

# Names of Debian packages as pages have them
PACKAGE = r"(?:gstreamer1\.0|gir1\.2|ges1\.0|python3|lib[a-z0-9.+]+)-[a-z0-9.+-]+"

# In front of cudaconv: a film for a camera and for another computer, and the CPU for the GPU.
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

# What pages name: the file, the line that makes it, and the other names that it has. The films are longer than a queue
# and than an encoder looks ahead, so that lines which stand still with long films do so with these.
X264 = "x264enc speed-preset=ultrafast key-int-max=15"
SCENE = "videotestsrc num-buffers={} pattern={} ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"
BARS = "smpte horizontal-speed=3"  # they move
SOUND = "audiotestsrc num-buffers=130 ! audio/x-raw,rate=44100,channels=2 ! audioconvert"
FILES = [
    ("in.mp4", f"mp4mux name=m ! filesink location=in.mp4 {SCENE.format(90, BARS)} ! {X264} ! h264parse ! m. "
               f"{SOUND} ! voaacenc ! aacparse ! m.", ["film.mp4", "holiday.mp4"]),
    ("film.mkv", f"matroskamux name=m ! filesink location=film.mkv {SCENE.format(90, BARS)} ! {X264} ! h264parse ! m. "
                 f"{SOUND} ! vorbisenc ! m.", ["in.mkv"]),
    ("photo.jpg", f"{SCENE.format(1, 'smpte')} ! jpegenc ! filesink location=photo.jpg",
     ["picture.jpg", "in.jpg", "pictures/a.jpg", "pictures/b c.jpg"]),
    ("picture.png", f"{SCENE.format(1, 'zone-plate kx2=20 ky2=20')} ! videoconvert ! pngenc ! "
                    "filesink location=picture.png", ["photo.png", "in.png"]),
    ("frames/0001.png", f"{SCENE.format(12, BARS)} ! videoconvert ! pngenc compression-level=1 ! "
                        "multifilesink index=1 location=frames/%04d.png", []),
]


class Skip(Exception):
    """The files that pages name cannot be made here."""


class LeftOut(Exception):
    """All lines of the block are in NOT_RUN."""


# --- The page ---

class Block:
    """A fenced block: its language, the name of its file if it has one, its text, the heading of its section, and the
    packages that the section names above the block. `key` is the heading with the number of the block below it."""

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
    """The fenced blocks of a page."""
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


def without_those_not_run(text):
    """The text of a block of sh less the lines of NOT_RUN, and those lines with the reason."""
    lines = re.split(r"(?<!\\)\n", text)
    left_out = [(" ".join(line.split()), reason_not_to_run(line)) for line in lines if reason_not_to_run(line)]
    return "\n".join(line for line in lines if not reason_not_to_run(line)), left_out


# --- Running ---

def run(command, folder, env):
    """Runs a command, and ends what it has left in the background; status and output."""
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
    """The packages of `names` that are not installed; all of them on a system without dpkg, which has other names."""
    if not names or not shutil.which("dpkg-query"):
        return names
    installed = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\\n", *names], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [name for name in dict.fromkeys(names) if f"{name} ii" not in installed]


def expect_success(command, folder, env):
    """Runs a command, and returns its output."""
    status, text = run(command, folder, env)
    if status != 0:
        raise RuntimeError(f"status {status}\n{text}")
    return text


def make_files(folder, env):
    """Makes the files that pages name, once for all blocks."""
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
            raise RuntimeError(f"{name} cannot be made\n{text}")
        for other in others:
            (folder / other).parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, folder / other)
    (folder / "examples").symlink_to(ROOT / "examples")


def is_whole(path):
    """Whether a file has something in it and, where that can be told, was written to its end."""
    end = {".mp4": b"moov", ".m4v": b"moov", ".png": b"IEND", ".jpg": b"\xff\xd9"}.get(path.suffix, b"")
    data = path.read_bytes()
    return len(data) > 0 and end in data


def times_of(folder):
    """When each file below was written last."""
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def check_named_files(text, folder, before):
    """Fails when a file of video, sound or a picture that the block names is not there or not whole, or when the
    block should write one and all are those of before."""
    for name in re.split(r"[\s\"'=;()<>|]+", text.replace("{}", "*")):
        if not re.fullmatch(rf"[\w./%*+-]+\.({MEDIA})", name):
            continue  # with :// an address, with $ a variable
        found = list(folder.glob(re.sub(r"%0?\d*d", "*", name)))
        if not found:
            raise RuntimeError(f"{name} is not there")
        for path in found:
            if not is_whole(path):
                raise RuntimeError(f"{path.name} is empty or not complete")
    if re.search(r"filesink location=|cudaconv (apply|merge)| -o ", text) and times_of(folder) == before:
        raise RuntimeError("nothing was written")


def keep_new_files(folder, original, before):
    """Copies what a block has made, but nothing in place of the files that all blocks begin with."""
    for path, time in times_of(folder).items():
        if before.get(path) != time and path not in times_of(original):
            (original / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, original / path)


# --- One function for each language ---

def run_sh(block, folder, env):
    text, left_out = without_those_not_run(block.text)
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


# --- What a block promises ---

class Promises:
    """What expectations.py says about the blocks of a page."""

    def __init__(self, page, folder, env):
        self.page = page.stem
        status, text = run(["python3", EXPECTATIONS, self.page], folder, env)
        if status == SKIP_STATUS:
            raise Skip(text.strip())
        if status != 0:
            raise RuntimeError(text)
        self.blocks = text.splitlines()  # none: the page promises nothing

    def check(self, block, folder, output, env):
        """Fails unless the block kept its promises."""
        if block.key not in self.blocks:
            raise RuntimeError(f"{EXPECTATIONS.name} does not have what \"{block.key}\" promises")
        file = folder.parent / "output"
        file.write_text(output, encoding="utf-8")
        status, text = run(["python3", EXPECTATIONS, self.page, block.key, folder, file], folder, env)
        if status != 0:
            raise RuntimeError(f"not as promised: {text}")
        print(text, end="")

    def without_block(self, blocks):
        """The expectations of which no block is on the page."""
        keys = [block.key for block in blocks]
        return [key for key in self.blocks if key not in keys]


# --- All of them ---

def make_tools(folder, arguments):
    """A folder for the front of PATH, with the commands that stand in for others."""
    folder.mkdir()
    (folder / "gst-launch-1.0").symlink_to((arguments.tools / "gst-launch-1.0").resolve(strict=True))
    program = shlex.quote(str(arguments.program.resolve(strict=True)))
    tool(folder / "cudaconv", WITHOUT_HARDWARE + f'exec {program} "${{words[@]}}"')
    # the packages that pages name are for the system's Python, and another one may come first in PATH
    if os.access("/usr/bin/python3", os.X_OK):
        tool(folder / "python3", 'exec /usr/bin/python3 "$@"')


def tool(path, script):
    path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def run_block(block, original, promises, env):
    """Runs one block in a copy of the folder of files, prints what it is, and returns the result and the missing
    packages."""
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
        if promises.blocks:
            promises.check(block, folder, output, env)
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


def run_page(blocks, original, promises, env):
    """Runs blocks in their order, prints a summary, and returns how often each result came."""
    results = {PASSED: 0, FAILED: 0, SKIPPED: 0, LEFT_OUT: 0}
    lacking = []
    for block in blocks:
        if block.name:
            (original / block.name).write_text(block.text, encoding="utf-8")
        elif block.language in RUNNERS:
            result, missing = run_block(block, original, promises, env)
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
    parser.add_argument("--only", type=int, metavar="LINE", help="only the block that begins in this line")
    parser.add_argument("--all-fail", action="store_true", help="succeed when each block fails")
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    all_blocks = blocks_of(arguments.page)
    blocks = [block for block in all_blocks if block.name or arguments.only in (None, block.line)]
    with tempfile.TemporaryDirectory(prefix="cudaconv-docs-") as temporary:
        temporary = pathlib.Path(temporary)
        tools, original = temporary / "tools", temporary / "files"
        make_tools(tools, arguments)
        original.mkdir()
        # screens and loudspeakers of players that choose by themselves
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(temporary), "LC_ALL": "C.UTF-8",
               "GST_PLUGIN_FEATURE_RANK": "fakevideosink:1000,fakeaudiosink:1000"}
        try:
            make_files(original, env)
            promises = Promises(arguments.page, original, env)
        except Skip as reason:
            print(f"no files for the page: {reason}")
            return 1 if os.environ.get("CUDACONV_TEST_REQUIRED") else SKIP_STATUS
        results = run_page(blocks, original, promises, env)
    for key in promises.without_block(all_blocks):
        print(f"FAILED: {EXPECTATIONS.name} has \"{key}\", and no block of the page is that")
        results[FAILED] += 1
    if arguments.all_fail:
        return 0 if results[FAILED] == sum(results.values()) > 0 else 1
    if results[FAILED] or not results[PASSED] + results[SKIPPED]:
        return 1
    return SKIP_STATUS if results[SKIPPED] else 0


if __name__ == "__main__":
    sys.exit(main())
