#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs that are interrupted or disturbed: signals, a full disk, two machines with the same chunk, a changed source. In
each case OUT is complete or unchanged, and the next run continues the job.

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
        """A run that is ended repeatedly, and continues each time."""
        whole = self.make_merged(pattern="snow")
        chance = random.Random(1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            shutil.rmtree(self.job / "pieces")
            (self.job / "pieces").mkdir()
            for _ in range(8 if COMPLETE else 2):
                process = self.start("run", "-q")
                time.sleep(chance.uniform(0, 0.5))
                process.send_signal(number)
                output = self.finish(process)
                self.assertIn(process.returncode, (0, -number), output)
                if number != signal.SIGKILL:
                    self.assertEqual(self.parts(), set(), output)
                self.status("--check")
            self.run_job()
            self.assertEqual(self.missing("--check"), [])
            self.assert_merges(whole)
            self.assertEqual(self.parts(), set())

    def test_message(self):
        self.plan_video(SLOW, frames=200, length=4)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("run")
            wait_for(self.parts)
            process.send_signal(number)
            output = self.finish(process)
            self.assertEqual(process.returncode, -number, output)
            self.assertIn("interrupted; complete chunks stay", output)
            self.assertEqual(self.parts(), set())

    def test_leftovers_of_a_killed_run(self):
        """The next run of the chunk removes them, but not the files of a run in progress."""
        self.plan_video(SLOW, frames=200, length=4)
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
        whole = self.make_merged(pattern="snow")
        chance = random.Random(2)
        for n in range(15 if COMPLETE else 3):
            number = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[n % 3]
            process = self.start("merge")
            time.sleep(chance.uniform(0, 0.25))
            process.send_signal(number)
            output = self.finish(process)
            self.assertIn(process.returncode, (0, -number), output)
            self.assertIn(self.out.read_bytes(), (whole, BEFORE) if process.returncode else (whole,))
            self.out.write_bytes(BEFORE)
            for part in self.folder.glob("out.mkv.*.part"):
                self.assertEqual(number, signal.SIGKILL)
                part.unlink()
        self.assert_merges(whole)

    def test_parallel_runs(self):
        whole = self.make_merged()
        for again in ((), ("--again",)):
            both = [self.start("run", *again) for _ in range(3)]
            for process in both:
                output = self.finish(process)
                self.assertEqual(process.returncode, 0, output)
            self.assertEqual(self.parts(), set())
            self.assert_merges(whole)


class Places(jobs.EndsCase):

    def test_file_size_limit(self):
        whole = self.make_merged(pattern="snow")
        self.assert_refused(says="out.mkv", preexec_fn=limit_files)
        self.run_job("--again", "--index=1", status=1, says=str(self.job / "parts"), preexec_fn=limit_files)
        self.assertEqual(self.parts(), set())
        self.assert_merges(whole)  # with the old chunk
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
                self.plan_video("--lossless", pattern="snow")
                self.run_job("--index=1", status=1, says=("no space left", "job/parts"))
                self.assertEqual(self.parts(), set())
                self.assertEqual(list(self.job.glob("pieces/*")), [])
                self.assertEqual(self.missing(), [0, 1, 2])
            finally:
                subprocess.run(["umount", place], check=True)

    def test_no_permission(self):
        whole = self.make_merged()
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
        self.status(says="2 of 3 chunks are made", **more)
        (self.folder / "record").rename(self.job / "pieces" / "000001.json")
        self.run_job(**more)  # all chunks are made
        self.merge(**more)
        self.assertEqual(self.out.read_bytes(), whole)
        self.plan("--kernel=box", "in.mkv", "--out=out.mkv", "--job=job/other", status=1, says="job/other", **more)

    def test_moved(self):
        """The job's folder and the video are moved together."""
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
        self.plan_video()
        (self.folder / "link").symlink_to("job")
        real, self.job = self.job, self.folder / "link"
        self.run_job()
        self.plan("--piece=1", "in.mkv", "--out", self.out)  # the same job
        self.job = real
        self.assertEqual(self.missing(), [])
        self.merge()


# ---- sources and settings ----

class Sources(jobs.EndsCase):

    def all_refuse(self, says):
        self.run_job("--index=0", "--again", status=1, says=says)
        self.merge(status=1, says=says)

    def test_changed(self):
        whole = self.make_merged(pattern="snow")
        source = self.folder / "in.mkv"
        data = source.read_bytes()
        says = "it is not the file for which the job was planned"
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
        self.all_refuse("not a regular file")
        source.rmdir()
        os.mkfifo(source)
        self.all_refuse("not a regular file")
        source.unlink()
        source.write_bytes(data)
        self.assert_merges(whole)

    def test_cut_before(self):
        """The chunks end with the last frame in the file, and merge reports that the video is truncated."""
        source = self.make("in.mkv", 250)
        os.truncate(source, source.stat().st_size // 3)
        self.plan("--piece=1", source, "--out", self.out)
        self.assertEqual(self.n_chunks(), 4)
        self.run_job()
        output = self.merge(says="frames of 4 chunks").stderr
        self.assertRegex(output, r"in\.mkv: it should last 10\.0 s, but ended after 3\.\d s\n$")

    def test_one_byte_in_the_middle(self):
        """merge compares the whole video; run compares a sample."""
        self.make_merged(pattern="snow", frames=250, length=5)
        source = self.folder / "in.mkv"
        size = source.stat().st_size
        self.assertGreater(size, 1 << 20)
        # between two of the 64 blocks of the sample
        flip(source, (64 << 10) + (size - (128 << 10)) // 64 * 30 + (6 << 10))
        self.run_job("--index=0", "--again")
        self.assert_refused(says="it is not the file for which the job was planned")

    def test_replaced_while_it_is_read(self):
        other = self.make("other.mkv", 3)
        self.plan_video(SLOW, frames=200, length=4)
        process = self.start("run", "--index=0")
        wait_for(self.parts)
        time.sleep(0.5)
        other.rename(self.folder / "in.mkv")
        output = self.finish(process)
        self.assertEqual(process.returncode, 1, output)
        self.assertIn("the file changed while it was being read", output)
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
        """Chunks of different encoders cannot be joined."""
        self.plan_video("--encoder=x264enc speed-preset=ultrafast")
        self.run_job()
        record = self.record(1)
        record["caps"] = record["caps"].replace("width=(int)160", "width=(int)162")
        self.write_record(1, record)
        self.merge(status=1, says=("chunk 1", "chunk 2", "encoded differently"))


if __name__ == "__main__":
    media.main()
