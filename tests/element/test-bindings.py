#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the properties matrix, matrix-text, row and column from Python, with the programs on the page PAGE.

    test-bindings.py PAGE

Runs itself twice. `plain` hides GStreamer's overrides for Python, as if python3-gst-1.0 were not installed.
`overrides` uses them, and is left out if they are not installed. The exit status is 77 without gi.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECTION = "### A matrix from Python\n"
SHARPEN = ((0, -1, 0), (-1, 5, -1), (0, -1, 0))


def hide_overrides(folder):
    """Lets gi find all overrides except GStreamer's."""
    import gi.overrides
    for path in gi.overrides.__path__:
        for name in os.listdir(path):
            link = os.path.join(folder, name)
            if not name.startswith("Gst") and not os.path.lexists(link):
                os.symlink(os.path.join(path, name), link)
    gi.overrides.__path__ = [folder]


def has_overrides():
    import gi.overrides
    return any(os.path.exists(os.path.join(path, "Gst.py")) for path in gi.overrides.__path__)


def blocks_of(page):
    """The Python programs of the section. The first needs no overrides, the others do."""
    section = page.read_text(encoding="utf-8").split(SECTION, 1)[1].split("\n### ", 1)[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 3, f"{len(blocks)} programs in the section"
    return blocks


def run_block(block):
    """Runs a program of the page and returns its element."""
    names = {}
    exec(compile(block, "recipes-programs.md", "exec"), names)
    return names["element"]


def result_of(Gst, change):
    """The bytes of a filtered frame. change(element) sets the element's properties."""
    frames = []
    pipeline = Gst.parse_launch("videotestsrc pattern=zone-plate kx2=20 ky2=20 num-buffers=1 ! "
                                "video/x-raw,format=GRAY8,width=64,height=48 ! cudaconv backend=cpu name=filter ! "
                                "fakesink signal-handoffs=true name=sink")
    change(pipeline.get_by_name("filter"))
    pipeline.get_by_name("sink").connect(
        "handoff", lambda _, buffer, __: frames.append(bytes(buffer.extract_dup(0, buffer.get_size()))))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
    return frames[0]


def text(name, value):
    """A function that sets a property as a launch line does."""
    def change(element):
        from gi.repository import Gst
        Gst.util_set_object_arg(element, name, value)
    return change


def both(first, second):
    return lambda element: (first(element), second(element))


def value(name, what):
    return lambda element: element.set_property(name, what)


def assert_refused(function, part):
    try:
        function()
    except TypeError as error:
        assert part in str(error), error
        return
    raise AssertionError(f"no TypeError with \"{part}\"")


def check_everywhere(Gst, block):
    """Checks, with and without overrides, that all notations of a kernel give the same frame."""
    same = [
        [value("matrix-text", "0 -1 0; -1 5 -1; 0 -1 0"), text("matrix", "< <0,-1,0>, <-1,5,-1>, <0,-1,0> >"),
         text("matrix", "<0,-1,0,-1,5,-1,0,-1,0>")],
        [value("matrix-text", "-1 0 1; -2 0 2; -1 0 1"), both(text("row", "<-1,0,1>"), text("column", "<1,2,1>"))],
        [value("matrix-text", "1 4 6 4 1;"), text("row", "<1,4,6,4,1>")],
        [value("matrix-text", "1;4;6;4;1"), text("column", "<1,4,6,4,1>")],
        [value("matrix-text", " ".join(["1"] * 31) + ";"), text("row", "<" + ",".join(["1"] * 31) + ">")],
    ]
    seen = {result_of(Gst, lambda element: None)}
    for notations in same:
        results = {result_of(Gst, notation) for notation in notations}
        assert len(results) == 1, notations
        assert not results & seen
        seen |= results
    element = run_block(block)
    assert element.get_property("kernel").value_nick == "custom"
    assert element.get_property("matrix-text") is None  # row and column were set after it
    element.set_property("matrix-text", "1 2 1;")
    assert element.get_property("matrix-text") == "1 2 1;"


def check_plain(Gst):
    """Checks that setting lists and reading arrays fails without the overrides, as the page says."""
    element = Gst.ElementFactory.make("cudaconv")
    for name, what in ("matrix", [0, -1, 0, -1, 5, -1, 0, -1, 0]), ("row", [1, 2, 1]), ("column", [1, 2, 1]):
        assert_refused(lambda: element.set_property(name, what), "could not convert")
        assert_refused(lambda: element.get_property(name), "unknown type GstValueArray")


def check_regions(block):
    """Checks that a list is one region, and that several regions and their targets are set together."""
    element = run_block(block)
    assert [list(region) for region in element.get_property("roi")] == [[10, 20, 60, 60], [150, 20, 60, 60]]
    assert [list(target) for target in element.get_property("target")] == [[0, 0], [100, 0]]
    element.set_property("target", [])
    element.set_property("roi", [1, 2, 3, 4])
    assert list(element.get_property("roi")) == [1, 2, 3, 4]


def check_overrides(Gst, block):
    """Checks what the overrides add: lists can be set, arrays can be read."""
    element = run_block(block)
    assert list(element.get_property("row")) == [-1, 0, 1]
    assert list(element.get_property("column")) == [1, 2, 1]
    assert_refused(lambda: element.set_property("matrix", [[1, 2, 1]]), "could not convert")
    sharp = result_of(Gst, value("matrix-text", "0 -1 0; -1 5 -1; 0 -1 0"))
    assert result_of(Gst, value("matrix", [0, -1, 0, -1, 5, -1, 0, -1, 0])) == sharp
    assert result_of(Gst, value("matrix", Gst.ValueArray([Gst.ValueArray(row) for row in SHARPEN]))) == sharp


def main():
    try:
        import gi
        gi.require_version("Gst", "1.0")
    except (ImportError, ValueError) as missing:
        print(f"skipped: {missing}")
        return 77
    if len(sys.argv) == 2:
        modes = ["plain"] + (["overrides"] if has_overrides() else [])
        return max(subprocess.run([sys.executable, __file__, sys.argv[1], mode], check=False).returncode
                   for mode in modes)
    page, mode = pathlib.Path(sys.argv[1]), sys.argv[2]
    blocks = blocks_of(page)
    with tempfile.TemporaryDirectory() as folder:
        if mode == "plain":
            hide_overrides(folder)
        from gi.repository import Gst
        Gst.init(None)
        check_everywhere(Gst, blocks[0])
        if mode == "plain":
            check_plain(Gst)
        else:
            check_overrides(Gst, blocks[1])
            check_regions(blocks[2])
    print(f"{mode}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
