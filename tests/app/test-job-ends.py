#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What becomes of a job when something comes between: signals, a full disk, two machines with the same piece, a film
that is another one. Whatever happens, OUT is whole or as it was before, and the next run goes on.

    tests/app/test-job-ends.py BUILD
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import jobs
import media
from jobs import SLOW, flip, limit_files
from media import BEFORE, COMMAND, COMPLETE, wait_for


class Signals(jobs.EndsCase):

    def test_at_any_time(self):
        """A run that is ended again and again, and goes on each time."""
        whole = self.make_film(pattern="snow")
        chance = random.Random(1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            shutil.rmtree(self.job / "pieces")
            (self.job / "pieces").mkdir()
            for _ in range(8 if COMPLETE else 2):
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
        record = self.job / "parts/000000-abcdef.part"
        record.write_text("{")
        left.add(record)
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
        for n in range(15 if COMPLETE else 3):
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


class Places(jobs.EndsCase):

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


# ---- what a job depends on ----

class Sources(jobs.EndsCase):

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

    def test_cut_before(self):
        """The pieces end with the last frame that is there, and merge says that more was to come."""
        source = self.make("in.mkv", 250)
        os.truncate(source, source.stat().st_size // 3)
        self.plan("--piece=1", source, "--out", self.out)
        self.assertEqual(self.pieces(), 4)
        self.run_job()
        said = self.merge(says="frames of 4 pieces").stderr
        self.assertRegex(said, r"in\.mkv: it says that it lasts 10\.0 s, and ended after 3\.\d s\n$")

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
        other = self.make("other.mkv", 3)
        self.plan_film(SLOW, frames=200, piece=4)
        process = self.start("run", "--index=0")
        wait_for(self.parts)
        time.sleep(0.5)
        other.rename(self.folder / "in.mkv")
        said = self.finish(process)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("it changed while it was read", said)
        self.assertEqual(self.missing(), [0, 1])

    def test_kernel_file(self):
        kernel = self.folder / "größe.ini"
        kernel.write_text("[mine]\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n")
        source = self.make("in.mkv", 30)
        self.plan("--lossless", f"--kernel-file={kernel}", "--piece=1", source, "--out", self.out)
        expected = media.filtered(source, f"kernel-file={kernel}").hashes
        self.run_job(env=os.environ | {"LC_ALL": "C"})
        self.merge()
        self.assertEqual(media.frames_of(self.out).hashes, expected)
        shutil.rmtree(self.job)
        self.plan("--lossless", f"--set=kernel_file={kernel}", "--piece=1", source, "--out", self.out)
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
        self.merge(status=1, says="missing: --index 1", env=env)
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
        self.merge(status=1, says=("piece 1", "piece 2", "encoded in different ways"))


if __name__ == "__main__":
    media.main()
