#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What becomes of a job when something comes between: signals, a full disk, two machines with the same piece, damaged
files, a film that is another one. Whatever happens, OUT is whole or as it was before, and the next run goes on.

    tests/app/test-job-ends.py BUILD
"""

import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import jobs
import media
from media import COMMAND

BEFORE = b"what was there before"
# a second for 50 frames, whatever the machine
SLOW = "--encoder=identity sleep-time=20000 ! x264enc speed-preset=ultrafast"


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not come")
        time.sleep(0.01)


def limit_files(size=4000):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Case(jobs.Case):

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.mkv"

    def start(self, name, *arguments, **more):
        process = subprocess.Popen([COMMAND, name, self.job, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """What it says on stderr."""
        said = process.communicate(timeout=60)[1]
        self.assertNotIn("CRITICAL **", said)
        return said

    def parts(self):
        return set(self.job.glob("parts/*"))

    def plan_film(self, *options, frames=75, piece=1, pattern="ball"):
        source = self.make("in.mkv", frames, pattern=pattern)
        self.plan(*options, "--piece", piece, source, "--out", self.out)
        return source

    def make_film(self, **more):
        """A job that is made. Gives the bytes that its film has to have."""
        self.plan_film(**more)
        self.run_job()
        self.merge()
        whole = self.out.read_bytes()
        self.out.write_bytes(BEFORE)
        return whole

    def assert_merges(self, whole):
        self.merge()
        self.assertEqual(self.out.read_bytes(), whole)
        self.out.write_bytes(BEFORE)

    def assert_refused(self, says=(), sealed=False, **more):
        """`sealed`: not because the record's own hash does not fit."""
        done = self.merge(status=1, says=says, timeout=30, **more)
        if sealed:
            self.assertNotIn("its hash is another one", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.out.read_bytes(), BEFORE)


class Signals(Case):

    def test_at_any_time(self):
        """A run that is ended again and again, and goes on each time."""
        whole = self.make_film(pattern="snow")
        chance = random.Random(1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            shutil.rmtree(self.job / "pieces")
            (self.job / "pieces").mkdir()
            for _ in range(8):
                process = self.start("run", "-q")
                time.sleep(chance.uniform(0, 0.5))
                process.send_signal(number)
                said = self.finish(process)
                self.assertIn(process.returncode, (0, -number), said)
                if number != signal.SIGKILL:
                    self.assertEqual(self.parts(), set(), said)
                self.status("--check")
            self.run_job()
            self.assertEqual(self.missing("--check"), [])
            self.assert_merges(whole)
            self.assertEqual(self.parts(), set())

    def test_it_says_so(self):
        self.plan_film(SLOW, frames=200, piece=4)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("run")
            wait_for(self.parts)
            process.send_signal(number)
            said = self.finish(process)
            self.assertEqual(process.returncode, -number, said)
            self.assertIn("interrupted; pieces that are made stay", said)
            self.assertEqual(self.parts(), set())

    def test_what_a_killed_run_left(self):
        """It is removed by the next run of that piece, and what a living run writes is not."""
        self.plan_film(SLOW, frames=200, piece=4)
        killed = self.start("run", "--index=0")
        wait_for(self.parts)
        killed.kill()
        killed.wait()
        left = self.parts()
        self.assertEqual(len(left), 1)
        other = self.start("run", "--index=1")
        wait_for(lambda: self.parts() - left)
        self.assertTrue(left < self.parts())
        living = self.start("run", "--index=0")
        wait_for(lambda: not left & self.parts())
        wait_for(lambda: len(self.parts()) == 2)
        both = self.parts()
        third = self.start("run", "--index=0")
        wait_for(lambda: len(self.parts()) == 3)
        self.assertTrue(both < self.parts())
        for process in (other, living, third):
            process.terminate()
            self.finish(process)
        self.assertEqual(self.parts(), set())

    def test_merge(self):
        whole = self.make_film(pattern="snow")
        chance = random.Random(2)
        for n in range(15):
            number = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[n % 3]
            process = self.start("merge")
            time.sleep(chance.uniform(0, 0.25))
            process.send_signal(number)
            said = self.finish(process)
            self.assertIn(process.returncode, (0, -number), said)
            self.assertIn(self.out.read_bytes(), (whole, BEFORE) if process.returncode else (whole,))
            self.out.write_bytes(BEFORE)
            for part in self.folder.glob("out.mkv.*.part"):
                self.assertEqual(number, signal.SIGKILL)
                part.unlink()
        self.assert_merges(whole)

    def test_two_at_once(self):
        whole = self.make_film()
        for again in ((), ("--again",)):
            both = [self.start("run", *again) for _ in range(3)]
            for process in both:
                said = self.finish(process)
                self.assertEqual(process.returncode, 0, said)
            self.assertEqual(self.parts(), set())
            self.assert_merges(whole)


class Places(Case):

    def test_no_more_than_a_limit(self):
        whole = self.make_film(pattern="snow")
        self.assert_refused(says="out.mkv", preexec_fn=limit_files)
        self.run_job("--again", "--index=1", status=1, says=str(self.job / "parts"), preexec_fn=limit_files)
        self.assertEqual(self.parts(), set())
        self.assert_merges(whole)  # of the piece that was there
        self.job = self.folder / "other"
        again = ("--piece=1", "in.mkv", "--out", self.out)
        self.plan(*again, status=1, says="manifest.json", preexec_fn=lambda: limit_files(100))
        self.assertEqual([path.name for path in self.job.iterdir() if path.is_file()], [])
        self.plan(*again)

    def test_full_disk(self):
        with tempfile.TemporaryDirectory() as place:
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", place],
                                                   check=False, capture_output=True).returncode != 0:
                self.skipTest("a small disk cannot be mounted here")
            try:
                self.job = pathlib.Path(place, "job")
                self.plan_film("--lossless", pattern="snow")
                self.run_job("--index=1", status=1, says=("no space left", "job/parts"))
                self.assertEqual(self.parts(), set())
                self.assertEqual(list(self.job.glob("pieces/*")), [])
                self.assertEqual(self.missing(), [0, 1, 2])
            finally:
                subprocess.run(["umount", place], check=True)

    def test_no_permission(self):
        whole = self.make_film()
        more = {}
        if os.geteuid() == 0:
            if subprocess.run(["test", "-x", COMMAND], user=65534, check=False).returncode != 0:
                self.skipTest("the build cannot be read by another user")
            more = {"user": 65534, "group": 65534, "extra_groups": []}
        self.folder.chmod(0o777)
        self.out.unlink()
        for name in ("", "pieces", "parts"):
            (self.job / name).chmod(0o555)
        (self.job / "pieces" / "000001.json").rename(self.folder / "record")
        self.run_job(status=1, says=("job/parts", "cannot be written"), **more)
        self.status(says="2 of 3 pieces are made", **more)
        (self.folder / "record").rename(self.job / "pieces" / "000001.json")
        self.run_job(**more)  # all are made
        self.merge(**more)
        self.assertEqual(self.out.read_bytes(), whole)
        self.plan("--kernel=box", "in.mkv", "--out=out.mkv", "--job=job/other", status=1, says="job/other", **more)

    def test_moved(self):
        """The job's folder and the film, to another place."""
        for made in (False, True):
            with self.subTest(made=made):
                here, there = self.folder / "here", self.folder / "there"
                here.mkdir()
                self.job = here / "job"
                source = self.make("in.mkv", 75)
                source.rename(here / "in.mkv")
                self.plan("--piece=1", here / "in.mkv", "--out", here / "out.mkv")
                if made:
                    self.run_job()
                here.rename(there)
                self.job = there / "job"
                self.run_job()
                self.merge()
                self.assertEqual(len(media.frames_of(there / "out.mkv").hashes), 75)
                self.assertFalse(here.exists())
                shutil.rmtree(there)

    def test_through_a_link(self):
        self.plan_film()
        (self.folder / "link").symlink_to("job")
        real, self.job = self.job, self.folder / "link"
        self.run_job()
        self.plan("--piece=1", "in.mkv", "--out", self.out)  # is the same job
        self.job = real
        self.assertEqual(self.missing(), [])
        self.merge()


# ---- damage ----

def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def replace_by_fifo(path):
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


def replace_by_loop(path):
    path.unlink()
    path.symlink_to(path.name)


NESTED = "[" * 40 + "]" * 40
DAMAGES = {
    "gone": pathlib.Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n1 2 3\n"),
    "first byte": lambda path: flip(path, 0),
    "a byte": lambda path: flip(path, path.stat().st_size // 2),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "fifo": replace_by_fifo,
    "folder": replace_by_folder,
    "loop": replace_by_loop,
}
OF_JSON = {
    "nested": lambda path: path.write_text(NESTED),
    "nested member": lambda path: path.write_text('{"job": ' + NESTED + "}"),
    "array": lambda path: path.write_text("[1]"),
    "text": lambda path: path.write_text('"x"'),
    "object": lambda path: path.write_text("{}"),
    "not UTF-8": lambda path: path.write_bytes(b'{"job": "\xff\xfe"}'),
}
VALUES = (None, True, -1, 0, 2**63 - 1, 10**30, 1e300, "x", "../../x", "/etc/passwd", [], {}, [[]], [{}], [None])


class Damaged(Case):

    def setUp(self):
        super().setUp()
        self.whole = self.make_film()

    def mend(self, path):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        self.run_job("--again", "--index=1")
        self.assert_merges(self.whole)

    def test_files_of_a_piece(self):
        for which in (0, 1):
            path = self.files_of(1)[which]
            for name, damage in DAMAGES.items():
                with self.subTest(file=path.name, damage=name):
                    damage(path)
                    self.assert_refused(says=("piece 1", "--index 1 --again"))
                    self.assertEqual(self.missing("--check"), [1])
                    self.status(says=("2 of 3" if name not in ("first byte", "a byte", "zeros") else "3 of 3"))
                    self.mend(path)
                    path = self.files_of(1)[which]

    def test_record(self):
        path = self.record_path(1)
        for name, damage in (DAMAGES | OF_JSON).items():
            with self.subTest(damage=name):
                damage(path)
                self.assert_refused(says="piece")
                self.assertEqual(self.missing("--check"), [1])
                self.mend(path)

    def test_run_mends(self):
        """What is seen without reading all is made anew by a run that goes on."""
        for path in (self.files_of(0)[0], self.files_of(1)[1], self.record_path(2)):
            os.truncate(path, 100)
        self.assertEqual(self.run_job().stdout.count("frames"), 3)
        self.assert_merges(self.whole)

    def test_several(self):
        for piece in (0, 2):
            flip(self.files_of(piece)[0], 3000)
        self.assert_refused(says=("pieces 0, 2", "--index N --again"))
        self.record_path(1).unlink()
        self.assert_refused(says="1 of 3 pieces is missing: 1")

    def test_members_of_a_record(self):
        """Valid JSON with values that it cannot have. What is for people only does not matter."""
        original = self.record(1)
        path = self.record_path(1)
        for n, member in enumerate(original):
            for value in VALUES[n % 3::3]:
                with self.subTest(member=member, value=value):
                    self.write_record(1, original | {member: value})
                    done = self.merge(status=None, timeout=30)
                    if done.returncode == 0:
                        self.assertEqual(self.out.read_bytes(), self.whole)
                        self.out.write_bytes(BEFORE)
                    else:
                        self.assertEqual(done.returncode, 1)
                        self.assertEqual(self.out.read_bytes(), BEFORE)
                    self.status("--json", "--check")
        self.mend(path)

    def test_members_that_matter(self):
        original = self.record(1)
        other = original["files"][0] | {"hash": "0" * 32}
        for change in ({"job": "0" * 32}, {"piece": 0}, {"frames": 24}, {"frames": 0}, {"frames": 10**15},
                       {"caps": "video/x-raw"}, {"caps": "x"}, {"caps": None}, {"caps": original["caps"] + ";x"},
                       {"before": None}, {"before": {"time": 0, "hash": "x"}}, {"last": None},
                       {"last": {"time": 10**17}}, {"files": []}, {"files": [None, None]},
                       {"files": original["files"][:1]},
                       {"files": original["files"][::-1]},
                       {"files": [other, original["files"][1]]},
                       {"files": original["files"] * 1000}):
            with self.subTest(**change):
                self.write_record(1, original | change)
                self.assert_refused(says="piece", sealed=True)
        self.mend(self.record_path(1))

    def test_files_outside(self):
        """A record names no files but its own."""
        original = self.record(1)
        for file in original["files"]:
            name = pathlib.Path(file["name"]).name
            for place in (self.folder, self.job, self.folder / "more", self.job / "pieces" / "more"):
                place.mkdir(exist_ok=True)
                copy = place / name
                shutil.copy(self.job / file["name"], copy)
                self.addCleanup(copy.unlink, missing_ok=True)
                from_pieces = os.path.relpath(copy, self.job / "pieces")
                for said in (str(copy), os.path.relpath(copy, self.job), f"pieces/{from_pieces}"):
                    with self.subTest(name=said):
                        files = [one if one is not file else one | {"name": said} for one in original["files"]]
                        self.write_record(1, original | {"files": files})
                        self.assert_refused(says="piece 1", sealed=True)
            files = [one if one is not file else one | {"name": self.record(0)["files"][0]["name"]}
                     for one in original["files"]]
            self.write_record(1, original | {"files": files})
            self.assert_refused(says="piece 1", sealed=True)
        shutil.rmtree(self.job / "pieces" / "more")
        self.mend(self.record_path(1))

    def test_of_another_piece_or_job(self):
        shutil.copy(self.record_path(0), self.record_path(1))
        self.assert_refused(says=("piece 1", "another job or piece"))
        self.mend(self.record_path(1))
        mine, self.job = self.job, self.folder / "other"
        self.plan("--kernel=emboss", "--piece=1", "in.mkv", "--out", self.out)
        self.run_job()
        theirs, self.job = self.job, mine
        for path in theirs.glob("pieces/000001*"):
            shutil.copy(path, self.job / "pieces")
        self.assert_refused(says=("piece 1", "another job or piece"))
        self.mend(self.record_path(1))

    def test_times_that_do_not_fit(self):
        """With a hash that fits."""
        for text in ("", "x\n", "1 2\n", "1 2 3 4\n", "99999999999999999999 0 0\n", "- - -\n" * 25, "0 0 0\n" * 24,
                     "0 0 0\n" * 26, "-1 -1 -1\n" * 25, "9000000000000000000 0 0\n" * 25, "\0" * 30):
            with self.subTest(times=text[:20]):
                record = self.record(1)
                times = self.files_of(1)[1]
                kept = times.read_bytes()
                times.write_text(text)
                record["files"][1] |= {"size": len(text), "hash": hashlib.md5(text.encode()).hexdigest()}
                self.write_record(1, record)
                done = self.merge(status=None, timeout=30)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assertEqual(self.out.read_bytes(), BEFORE)
                self.assertNotIn("CRITICAL **", done.stderr)
                times.write_bytes(kept)
                self.out.write_bytes(BEFORE)
                self.mend(times)


class Manifest(Case):

    def setUp(self):
        super().setUp()
        self.plan_film()
        self.path = self.job / "manifest.json"
        self.original = self.path.read_text()

    def all_refuse(self, says):
        for name in ("run", "merge", "status"):
            done = self.cudaconv(name, self.job, status=1, says=says, timeout=20)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def restore(self):
        if self.path.is_dir():
            self.path.rmdir()
        self.path.unlink(missing_ok=True)
        self.path.write_text(self.original)

    def write(self, manifest):
        """With an id that fits."""
        jobs.write_sealed(self.path, manifest, "id")

    def test_damaged(self):
        for name, damage in (DAMAGES | OF_JSON).items():
            if name == "longer":
                continue
            self.restore()
            with self.subTest(damage=name):
                damage(self.path)
                self.all_refuse(says="job")
                if name not in ("gone", "loop"):
                    self.plan("--piece=1", "in.mkv", "--out", self.out, status=1, says="manifest.json")
        self.restore()
        self.status(says="0 of 3")

    def test_edited(self):
        for old, new in (('"files" : 0', '"files" : 1'), ("out.mkv", "other.mkv"), ("in.mkv", "other.mkv")):
            self.path.write_text(self.original.replace(old, new))
            self.assertNotEqual(self.path.read_text(), self.original)
            self.all_refuse(says="it was changed since")

    def test_another_version(self):
        manifest = json.loads(self.original)
        for change in ({"cudaconv": "99.0"}, {"format": 99}):
            self.write(manifest | change)
            self.all_refuse(says=("99", "cudaconv", "use that version"))

    def test_values(self):
        """Somebody made the id fit."""
        manifest = json.loads(self.original)
        self.write(dict(manifest))
        self.status(says="0 of 3")
        source = manifest["sources"][0]
        many = 2**31 - 2
        for change in ({"pieces": 0}, {"pieces": 4}, {"pieces": -1}, {"nanoseconds": 0}, {"nanoseconds": -5},
                       {"files": 5}, {"files": 2**62}, {"sources": []}, {"sources": [None]}, {"sources": [{}]},
                       {"sources": {}},
                       {"sources": [source | {"pieces": many}], "pieces": many},
                       {"sources": [source | {"pieces": many}] * 2, "pieces": 2 * many},
                       {"sources": [source | {"pieces": many}] * 3, "pieces": (3 * many) % 2**32},
                       {"sources": [source | {"pieces": 0}], "pieces": 3},
                       {"sources": [source | {"in": 5}]}, {"settings": None}, {"settings-hash": 7},
                       {"sources": [source | {"out": "out.xyz"}]}, {"nanoseconds": 2**62}):
            with self.subTest(**change):
                self.write(manifest | change)
                self.all_refuse(says="manifest.json")
        for change in ({"settings": "'"}, {"settings": "--kernel=none"}, {"settings": "x"}, {"encoder": "fakesink"},
                       {"settings-hash": "x"}, {"kernel-file-hash": "x"},
                       {"sources": [source | {"in": "/nowhere.mkv"}]}, {"sources": [source | {"in": "\n"}]}):
            with self.subTest(**change):
                self.write(manifest | change)
                self.status(says="0 of 3")
                self.run_job("--index=2", status=1, timeout=30)
                self.merge(status=1, timeout=30)

    def test_plan_again(self):
        again = ("--piece=1", "in.mkv", "--out", self.out)
        self.plan(*again)
        self.run_job()
        self.plan(*again)
        self.assertEqual(self.missing(), [])
        for other in (("--kernel=box",), ("--piece=2",), ("--lossless",), ("--encoder=x264enc",), ("--out=other.mkv",)):
            self.plan(*again, *other, status=2, says="it holds another job")
        self.make("in.mkv", 80)
        self.plan(*again, status=2, says="it holds another job")
        self.assertEqual(self.path.read_text(), self.original)

    def test_no_job(self):
        self.job = self.folder / "none"
        self.all_refuse(says=("there is no job in it", "cudaconv plan --job"))


# ---- what a job depends on ----

class Sources(Case):

    def all_refuse(self, says):
        self.run_job("--index=0", "--again", status=1, says=says)
        self.merge(status=1, says=says)

    def test_changed(self):
        whole = self.make_film(pattern="snow")
        source = self.folder / "in.mkv"
        data = source.read_bytes()
        says = "it is another file than when the job was planned"
        for name, change in (("cut", data[:-1]), ("longer", data + b"\0"), ("first", b"\0" + data[1:]),
                             ("last", data[:-1] + bytes([data[-1] ^ 1]))):
            with self.subTest(change=name):
                source.write_bytes(change)
                self.all_refuse(says)
        self.make("in.mkv", 75)
        self.all_refuse(says)
        source.unlink()
        self.all_refuse("there is no such file")
        source.mkdir()
        self.all_refuse("no regular file")
        source.rmdir()
        os.mkfifo(source)
        self.all_refuse("no regular file")
        source.unlink()
        source.write_bytes(data)
        self.assert_merges(whole)

    def test_one_byte_in_the_middle(self):
        """merge reads all of the film; run, a sample."""
        self.make_film(pattern="snow", frames=250, piece=5)
        source = self.folder / "in.mkv"
        size = source.stat().st_size
        self.assertGreater(size, 1 << 20)
        # between two blocks of the sample, of which there are 64
        flip(source, (64 << 10) + (size - (128 << 10)) // 64 * 30 + (6 << 10))
        self.run_job("--index=0", "--again")
        self.assert_refused(says="it is another file than when the job was planned")

    def test_replaced_while_it_is_read(self):
        self.plan_film(SLOW, frames=200, piece=4)
        process = self.start("run", "--index=0")
        wait_for(self.parts)
        time.sleep(0.5)
        self.make("other.mkv", 3).rename(self.folder / "in.mkv")
        said = self.finish(process)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("it changed while it was read", said)
        self.assertEqual(self.missing(), [0, 1])

    def test_kernel_file(self):
        kernel = self.folder / "my.ini"
        kernel.write_text("[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n")
        source = self.make("in.mkv", 30)
        self.plan("--lossless", f"--kernel-file={kernel}", "--piece=1", source, "--out", self.out)
        expected = media.filtered(source, f"kernel-file={kernel}").hashes
        kernel.unlink()
        self.run_job()
        self.merge()
        self.assertEqual(media.frames_of(self.out).hashes, expected)
        (self.job / "kernel.ini").write_text("[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 2\n")
        self.run_job("--again", status=1, says=("kernel.ini", "it was changed"))
        (self.job / "kernel.ini").unlink()
        self.run_job("--again", status=1, says=("kernel.ini", "there is no such file"))

    def test_preset(self):
        home = self.folder / "home"
        presets = home / "gstreamer-1.0" / "presets" / "GstCudaConv.prs"
        presets.parent.mkdir(parents=True)
        env = os.environ | {"XDG_DATA_HOME": str(home)}

        def write(kernel):
            presets.write_text(f"[_presets_]\nversion=1.22.0\nelement-name=GstCudaConv\n\n[mine]\nkernel={kernel}\n")
        write("emboss")
        source = self.make("in.mkv", 30)
        self.plan("--lossless", "--preset=mine", "--piece=1", source, "--out", self.out, env=env)
        self.run_job("--index=0", env=env)
        self.merge(status=1, says="missing: 1", env=env)
        write("box")
        self.run_job("--index=1", env=env, status=1, says=("--preset=mine", "other values here"))
        presets.unlink()
        self.run_job("--index=1", env=env, status=1, says="mine")
        write("emboss")
        self.run_job(env=env)
        self.merge(env=env)
        self.assertEqual(media.frames_of(self.out).hashes, media.filtered(source, "kernel=emboss").hashes)

    def test_encoder_differs(self):
        """Pieces of two encoders are no stream."""
        self.plan_film("--encoder=x264enc speed-preset=ultrafast")
        self.run_job()
        record = self.record(1)
        record["caps"] = record["caps"].replace("width=(int)160", "width=(int)162")
        self.write_record(1, record)
        self.merge(status=1, says=("piece 0", "piece 1", "encoded in different ways"))


# ---- files ----

class Files(Case):

    def setUp(self):
        super().setUp()
        self.pictures = self.folder / "in"
        self.pictures.mkdir()
        for n in range(1, 6):
            media.launch(f"videotestsrc num-buffers=1 pattern={n} ! video/x-raw,width=40,height=30 ! pngenc ! "
                         f"filesink location=\"{self.pictures}/{n:04}.png\"")

    def same(self, folder, numbers):
        for n in numbers:
            self.apply("--kernel=sobel", f"in/{n:04}.png", "expected.png")
            self.assertEqual((self.folder / folder / f"{n:04}.png").read_bytes(),
                             (self.folder / "expected.png").read_bytes())

    def test_ways_to_name_them(self):
        names = [f"in/{n:04}.png" for n in range(1, 6)]
        listed = "\n".join(names)
        (self.folder / "list").write_text(listed)
        ways = {"folder": ["in"], "pattern": ["in/*.png"], "numbers": ["in/%04d.png"], "names": names,
                "list": ["--list=list"], "stdin": ["--list=-"]}
        for name, words in ways.items():
            with self.subTest(way=name):
                self.job = self.folder / f"job-{name}"
                with open(self.folder / "list", encoding="utf-8") as stdin:
                    self.plan("--kernel=sobel", "--files=2", *words, "--out", f"by-{name}/", stdin=stdin,
                              says="5 files in pieces of 2: 3 pieces, 0 to 2")
                self.run_job()
                self.merge(says="5 of 5 files are complete")
                self.same(f"by-{name}", range(1, 6))

    def test_one_is_broken(self):
        (self.pictures / "0003.png").write_bytes(b"no picture")
        self.plan("--kernel=sobel", "--files=2", "in", "--out=out/{}.png")
        done = self.run_job(status=1, says=("0003.png", "piece 1: 1 of its 2 files could not be made"))
        self.assertIn("piece 2 of 3", done.stdout)
        self.assertEqual(self.missing(), [1])
        self.assertTrue((self.job / "pieces" / "000001.failed.json").exists())
        self.assertFalse(self.record_path(1).exists())
        self.status(says=("2 of 3", "piece 1", "0003.png"))
        self.merge(status=1, says=("1 file could not be made", "0003.png", "--skip-failed"))
        self.merge("--skip-failed", says="4 of 5 files are complete")
        self.same("out", (1, 2, 4, 5))
        self.assertFalse((self.folder / "out" / "0003.png").exists())
        # what failed is tried again
        self.run_job(status=1, says="0003.png")
        self.run_job("--index=1", status=1, says="0003.png")
        flip(self.folder / "out" / "0004.png", 50)
        self.merge("--skip-failed", status=1, says=("0004.png", "damaged"))

    def test_results_are_checked(self):
        self.plan("--kernel=sobel", "--files=2", "in", "--out=out/{}.png")
        self.run_job()
        out = self.folder / "out" / "0004.png"
        kept = out.read_bytes()
        for name, damage in DAMAGES.items():
            with self.subTest(damage=name):
                damage(out)
                self.merge(status=1, says=("0004.png", "--index 1 --again"), timeout=20)
                self.assertEqual(self.missing("--check"), [1])
                if out.is_dir():
                    out.rmdir()
                else:
                    out.unlink(missing_ok=True)
                self.run_job()
                self.assertEqual(out.read_bytes(), kept)
        self.merge(says="5 of 5")

    def test_record_of_files(self):
        """It names what becomes of the files of its piece, and nothing else."""
        self.plan("--files=2", "in", "--out=out/{}.png")
        self.run_job()
        original = self.record(1)
        for name in ("/etc/passwd", "../in/0001.png", "../out/0001.png", "pieces/000000.json", ""):
            file = original["files"][0] | {"name": name}
            path = (self.job / name).resolve()
            if path.is_file():
                data = path.read_bytes()
                file |= {"size": len(data), "hash": hashlib.md5(data).hexdigest()}
            self.write_record(1, original | {"files": [file, original["files"][1]]})
            with self.subTest(name=name):
                self.merge(status=1, says="is no file of this piece")
        self.write_record(1, original | {"files": original["files"][:1]})
        self.merge(status=1, says=("piece 1", "its files do not add up"))
        self.write_record(1, original)
        self.merge(says="5 of 5")

    def test_films(self):
        """Several films, in pieces and whole."""
        films = self.folder / "films"
        films.mkdir()
        for name, frames in (("a.mkv", 60), ("b.mp4", 20), ("c.mkv", 110)):
            self.make(name, frames).rename(films / name)
        self.plan("--lossless", "--piece=1", "films", "--out=edges/{}.mkv", says="3 films in pieces of 1 s: 9 pieces")
        self.run_job("--index=1", "--of=3")
        self.run_job("--index=0", "--of=3")
        self.assertEqual(self.missing(), [2, 5, 8])
        self.merge(status=1, says="3 of 9 pieces are missing: 2, 5, 8")
        self.run_job()
        self.merge()
        self.job = self.folder / "whole"
        self.plan("--lossless", "--files=1", "films", "--out=whole/{}.mkv", says="3 files in pieces of 1: 3 pieces")
        self.run_job()
        self.merge(says="3 of 3 files")
        for name, frames in (("a", 60), ("b", 20), ("c", 110)):
            one, other = (media.frames_of(self.folder / folder / f"{name}.mkv") for folder in ("edges", "whole"))
            self.assertEqual(len(one.hashes), frames)
            self.assertEqual(one.hashes, other.hashes)
            self.assertEqual(one.times, other.times)
        self.job = self.folder / "avi"
        self.plan("films", "--out=avi/{}.avi", status=2, says=".avi cannot be put together from pieces")
        self.plan("--files=2", "films", "--out=avi/{}.avi")
        self.run_job()
        self.merge(says="3 of 3 files")

    def test_signal_between_files(self):
        self.plan("--files=5", "in", "--out=out/{}.png")
        for n in range(8):
            process = self.start("run")
            time.sleep(0.05 * n)
            process.send_signal(signal.SIGTERM)
            said = self.finish(process)
            self.assertIn(process.returncode, (0, -signal.SIGTERM), said)
            self.status("--check")
        self.run_job()
        self.merge(says="5 of 5")

    def test_wrong_names(self):
        for words, says in ((["none", "--out=out/"], "there is no such file"),
                            (["in/%03d.png", "--out=out/"], "in/%03d.png"),
                            (["none*.png", "--out=out/"], "no file has a name like that"),
                            (["/dev/null", "--out=out/"], "no regular file"),
                            (["--list=none", "--out=out/"], "--list"),
                            (["http://a/b.png", "--out=out/"], "not URIs")):
            self.plan(*words, status=1, says=says)
        for words, says in ((["in"], "--out is missing"), (["--out=out/"], "it takes IN"),
                            (["in", "--out=in/"], "is one of the files that are read"),
                            (["in", "--out=out.png"], "of several files"),
                            (["in", "in", "--out=out/"], "would be made of two files"),
                            (["in", "--out=none/none/"], "there is no folder"),
                            (["in", "--out=out/{}.xyz"], ".xyz"),
                            (["in", "--out=out/", "--piece=3"], "--piece"),
                            (["in", "--out=out/", "--files=0"], "--files"),
                            (["in", "--out=out/", "--kernel=none"], "none")):
            self.plan(*words, status=2, says=says)
        self.assertFalse(self.job.exists())


# ---- which pieces, and what is said ----

class Pieces(Case):

    def test_indices(self):
        self.plan_film(frames=125)
        self.run_job("--index=3")
        self.assertEqual(self.missing(), [0, 1, 2, 4])
        for n, name in ((0, "SLURM_ARRAY_TASK_ID"), (2, "JOB_COMPLETION_INDEX"), (4, "AWS_BATCH_JOB_ARRAY_INDEX")):
            self.run_job(env=os.environ | {name: str(n)}, says=f"piece {n} of 5: 25 frames")
            for wrong in ("5", "-1", "x", "", "1.0", "99999999999999999999"):
                self.run_job(env=os.environ | {name: wrong}, status=2, says=(name, f"\"{wrong}\"", "from 0 to 4"))
        self.assertEqual(self.missing(), [1])
        self.run_job("--index=3", env=os.environ | {"SLURM_ARRAY_TASK_ID": "1"}, says="piece 3 of 5 is made already")
        self.run_job("--of=2", env=os.environ | {"SLURM_ARRAY_TASK_ID": "1"}, says="piece 1 of 5")
        self.assertEqual(self.missing(), [])
        for wrong, says in ((["--index=5"], "from 0 to 4"), (["--index=-1"], "from 0 to 4"), (["--of=2"], "--of 2"),
                            (["--of=0", "--index=0"], "--of"), (["--of=3", "--index=3"], "from 0 to 2")):
            self.run_job(*wrong, status=2, says=says)
        # more machines than pieces
        self.run_job("--of=100", "--index=99")

    def test_status(self):
        self.plan_film(frames=125)
        self.status(says=("0 of 5 pieces are made", "not made: 0-4"))
        for piece in (1, 2, 4):
            self.run_job("--index", piece)
        self.status(says=("3 of 5 pieces are made: 75 frames", "3 on ", "not made: 0, 3"))
        made = json.loads(self.status("--json").stdout)
        seconds = made.pop("seconds")
        self.assertGreater(seconds, 0)
        self.assertEqual(made, {"pieces": 5, "made": 3, "frames": 75, "missing": [0, 3], "notes": []})
        flip(self.files_of(2)[0], 2000)
        self.assertEqual(self.missing(), [0, 3])
        self.assertEqual(self.missing("--check"), [0, 2, 3])
        made = json.loads(self.status("--json", "--check").stdout)
        self.assertEqual((made["made"], made["missing"]), (2, [0, 2, 3]))
        self.assertIn("damaged", made["notes"][0])
        self.status("--check", says=("2 of 5", "not made: 0, 2-3", "piece 2: ", "it is damaged"))
        # names that are none of a piece
        for name in ("000009.json", "x.json", "1.json.tmp", "-1.json", "99999999999999999999.json", ".json"):
            (self.job / "pieces" / name).write_text("{}")
        self.assertEqual(self.missing(), [0, 3])
        self.run_job()
        self.run_job("--again", "--index=2")
        self.assertEqual(self.missing("--check"), [])
        self.merge()

    def test_a_record_under_another_name(self):
        """Only one name is that of a piece."""
        self.plan_film()
        self.run_job()
        self.record_path(1).rename(self.job / "pieces" / "1.json")
        self.assertEqual(self.missing(), [1])
        self.assertEqual(self.missing("--check"), [1])
        self.merge(status=1, says="1 of 3 pieces is missing: 1")

    def test_quiet(self):
        source = self.make("in.mkv", 30)
        for done in (self.plan("-q", "--piece=1", source, "--out", self.out), self.run_job("-q"), self.merge("-q")):
            self.assertEqual(done.stdout + done.stderr, "")


if __name__ == "__main__":
    media.main()
