#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`cudaconv apply` with pipes, closed streams, passwords, and hostile names and values.

    tests/app/test-apply-hostile.py BUILD
"""

import os
import signal
import subprocess
import time

import media
from media import COMMAND, frames_of


class Hostile(media.Case):

    def start(self, *arguments, **more):
        process = subprocess.Popen([COMMAND, "apply", *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process, status):
        said = process.stdout.read()
        self.assertEqual(process.wait(timeout=30), status, said)
        return said.decode()

    def test_pipe(self):
        """A pipe of a shell, and a named pipe whose writer opens it later."""
        source = self.make("in.mkv", 50)
        with subprocess.Popen(["cat", source], stdout=subprocess.PIPE) as cat:
            self.end(self.start("--kernel=box", "/dev/stdin", "one.mkv", stdin=cat.stdout), 0)
        os.mkfifo(self.folder / "pipe")
        process = self.start("--kernel=box", "pipe", "two.mkv", stdin=subprocess.DEVNULL)
        time.sleep(0.5)
        (self.folder / "pipe").write_bytes(source.read_bytes())
        self.end(process, 0)
        expected = media.filtered(source, "kernel=box").hashes
        self.assertEqual([len(frames_of(self.folder / name).hashes) for name in ("one.mkv", "two.mkv")],
                         [len(expected)] * 2)

    def test_signal_while_nobody_writes(self):
        os.mkfifo(self.folder / "pipe")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("pipe", "out.mkv", stdin=subprocess.DEVNULL)
            while not list(self.folder.glob("*.part")):
                time.sleep(0.01)
            time.sleep(0.5)
            process.send_signal(number)
            self.assertIn("interrupted; out.mkv is unchanged", self.end(process, -number))

    def test_second_signal(self):
        """It ends the process even if an element hangs."""
        source = self.make("in.mkv", 3)
        process = self.start("--encoder=identity sleep-time=60000000 ! x264enc", source, "out.mkv",
                             stdin=subprocess.DEVNULL)
        while not list(self.folder.glob("*.part")):
            time.sleep(0.01)
        time.sleep(1)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.7)  # a signal that follows at once counts as the same one
        self.assertEqual(process.wait(timeout=10), -signal.SIGTERM)
        next(self.folder.glob("*.part")).unlink()
        self.assertFalse((self.folder / "out.mkv").exists())

    def test_closed_streams(self):
        """No other file gets the descriptors 0 to 2, and so the data meant for them."""
        os.mkfifo(self.folder / "pipe")
        process = subprocess.Popen(["sh", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "sh", COMMAND, "apply", "pipe", "out.mkv"],
                                   cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while not list(self.folder.glob("*.part")):
            time.sleep(0.01)
        for number in range(3):
            self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{number}"), "/dev/null")
        process.terminate()
        self.assertEqual(process.wait(timeout=30), -signal.SIGTERM)

    def test_passwords(self):
        for uri, shown in (("http://me:hidden@localhost:9/a.mp4", "http://me:***@localhost:9/a.mp4"),
                           ("nonsense://me:hidden@localhost/a@b", "nonsense://me:***@localhost/a@b"),
                           ("nonsense://localhost?passphrase=hidden&a=1", "nonsense://localhost?passphrase=***&a=1")):
            said = self.apply(uri, "out.mkv", status=1, says=shown).stderr
            self.assertNotIn("hidden", said)

    def test_names(self):
        source = self.make("in.mkv", 3)
        name = "a\x1b[31m\nb.mkv"
        source.rename(self.folder / name)
        said = self.apply(name, f"out {name}").stdout
        self.assertTrue(said.startswith("out a?[31m b.mkv: 3 frames"), said)
        said = self.apply(f"none {name}", "out.mkv", status=1).stderr
        self.assertEqual(said, "cudaconv apply: none a?[31m b.mkv: there is no such file\n")

    def test_nested_arrays(self):
        self.make("in.mkv", 3)
        for text in ("<" * 100000, "<" * 50000 + "1" + ">" * 50000, "{" * 100000, "<" * 17 + "1" + ">" * 17):
            self.apply(f"--matrix={text}", "in.mkv", "out.mkv", status=2, says="an array of rows such as <<0,1,0>")
            self.apply(f"--set=row={text}", "in.mkv", "out.mkv", status=2, says="an array such as <1,2,1>")

    def test_presets_without_version(self):
        """GStreamer would crash when it reads the file."""
        self.make("in.mkv", 3)
        path = self.folder / "data/gstreamer-1.0/presets/GstCudaConv.prs"
        path.parent.mkdir(parents=True)
        env = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data")}
        path.write_text("[_presets_]\nelement-name=GstCudaConv\n\n[mine]\nsize=5\n")
        said = self.apply("--preset=sketch", "in.mkv", "out.mkv", env=env, warns=True).stderr
        self.assertIn(f"{path} is ignored: version= is missing below [_presets_]", said)
        self.apply("--preset=mine", "in.mkv", "out.mkv", status=2, says="there is no such preset", env=env, warns=True)
        path.write_text("[_presets_]\nversion=1.0\nelement-name=GstCudaConv\n\n[mine]\nsize=5\n")
        self.assertEqual(self.apply("--preset=mine", "in.mkv", "out.mkv", env=env).stderr, "")

    def test_wrong_preset(self):
        self.make("in.mkv", 3)
        path = self.folder / "data/gstreamer-1.0/presets/GstCudaConv.prs"
        path.parent.mkdir(parents=True)
        env = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data")}
        for value in ("size=9999", "size=-2147483648", "sigma=nan", "sigma=1e999", "border-value=7", "stride=-1"):
            path.write_text(f"[_presets_]\nversion=1.0\nelement-name=GstCudaConv\n\n[bad]\n{value}\n")
            self.apply("--preset=bad", "in.mkv", "out.mkv", status=2, env=env,
                       says=("--preset \"bad\": ", value.split("=")[0] + "="))

    def test_long_lists_of_regions(self):
        self.make("in.mkv", 3)
        self.apply("--roi=" + "0,0,8,8;" * 256, "in.mkv", "out.mkv")
        for text, says in (("0,0,8,8;" * 257, "at most 256 regions are possible"), ("1" * 100000, "each region needs"),
                           ("1 " * 60000, "60000 numbers"), ("<" * 100000 + "x", '"x": each region needs')):
            self.apply(f"--roi={text}", "in.mkv", "out.mkv", status=2, says=says)

    def test_preset_of_metas(self):
        self.make("in.mkv", 3)
        path = self.folder / "data/gstreamer-1.0/presets/GstCudaConv.prs"
        path.parent.mkdir(parents=True)
        env = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data")}
        path.write_text("[_presets_]\nversion=1.0\nelement-name=GstCudaConv\n\n[metas]\nroi-meta=true\n")
        self.apply("--preset=metas", "in.mkv", "out.mkv", status=2, env=env, says="the command has no detector")
        self.apply("--preset=metas", "--set=roi-meta=false", "in.mkv", "out.mkv", env=env)

    def test_many_numbered_images(self):
        """Comparing IN with OUT does not take quadratic time."""
        count = 3000
        media.launch(f"{media.video(1, caps='format=RGB')} ! pngenc ! filesink location={self.folder}/first.png")
        (self.folder / "in").mkdir()
        (self.folder / "out").mkdir()
        for n in range(1, count + 1):
            (self.folder / f"in/{n:04d}.png").hardlink_to(self.folder / "first.png")
            (self.folder / f"out/{n:04d}.png").touch()
        began = os.times()
        self.apply("--seconds=0.1", "in/%04d.png", "out/%04d.png")
        ended = os.times()
        self.assertLess(sum(ended[2:4]) - sum(began[2:4]), 2)
        (self.folder / f"out/{count}.png").unlink()
        (self.folder / f"out/{count}.png").hardlink_to(self.folder / "first.png")
        self.apply("in/%04d.png", "out/%04d.png", status=2, says=f"out/{count}.png: IN and OUT are the same file")


if __name__ == "__main__":
    media.main()
