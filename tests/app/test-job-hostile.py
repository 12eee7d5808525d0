#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs with forged files, and unsuitable names. `cudaconv` reports an error in bounded time.

    tests/app/test-job-hostile.py BUILD
"""

import hashlib
import json
import os
import shutil
import subprocess

import jobs
import media

FRAMES, N_CHUNKS = 9, 3
NESTED = "<" * 200000


class Hostile(jobs.Case):

    def make_chunks(self, length="0.12s"):
        """Plans a video and makes its chunks, of 3 frames by default."""
        if not (self.folder / "in.mkv").exists():
            self.make(frames=FRAMES)
        self.plan("--kernel=sobel", "in.mkv", "--out", "out.mkv", "--piece", length, "--lossless")
        self.run_job()

    def make_image(self, name):
        encoder = "jpegenc" if name.endswith(".jpg") else "videoconvert ! pngenc"
        media.launch(f"{media.video(1)} ! {encoder} ! filesink location={self.folder}/{name}")

    def make_image_chunks(self, count=3):
        for n in range(count):
            self.make_image(f"{n}.png")
        self.plan(*(f"{n}.png" for n in range(count)), "--out", "edges/", "--files=2")
        self.run_job()

    def forge_manifest(self, **change):
        """Changes members of the manifest, with the right id in manifest and records."""
        path = self.job / "manifest.json"
        jobs.write_sealed(path, json.loads(path.read_text(encoding="utf-8")) | change, "id")
        job = json.loads(path.read_text(encoding="utf-8"))["id"]
        for number in range(N_CHUNKS):
            self.forge_record(number, job=job)

    def forge_record(self, number, **change):
        self.write_record(number, self.record(number) | change)

    def forge_file(self, number, place, data):
        """Replaces a file of a chunk, with its size and hash in the record."""
        files = self.record(number)["files"]
        (self.job / files[place]["name"]).write_bytes(data)
        files[place].update(size=len(data), hash=hashlib.md5(data).hexdigest())
        self.forge_record(number, files=files)

    def test_forged_hashes(self):
        """Forged files with right hashes are accepted. Otherwise the other tests would prove nothing."""
        self.make_chunks()
        self.forge_manifest()
        self.forge_file(1, 1, self.files_of(1)[1].read_bytes())
        self.merge(says="9 frames of 3 chunks")

    def test_counts(self):
        self.make_chunks()
        path = self.job / "manifest.json"
        kept = path.read_bytes()
        source = json.loads(kept)["sources"][0]
        full, rest = source | {"pieces": 1000000}, source | {"pieces": 2**32 + N_CHUNKS - 4294 * 1000000}
        for change in ({"sources": [full] * 4294 + [rest]}, {"sources": [full, full], "pieces": 2000000},
                       {"sources": [full], "pieces": 1000000, "nanoseconds": 10**14}):
            self.forge_manifest(**change)
            for command in (self.run_job, self.status, self.merge):
                command(status=1, says="damaged (its chunks do not add up)")
            path.write_bytes(kept)

    def test_outputs(self):
        self.make_chunks()
        source = json.loads((self.job / "manifest.json").read_text(encoding="utf-8"))["sources"][0]
        for name in ("../out", "../out.png", "../out.avi", "/dev/null", ""):
            with self.subTest(name=name):
                self.forge_manifest(sources=[source | {"out": name}])
                for command in (self.run_job, self.merge):
                    command(status=1, says="cannot be made in such chunks")

    def test_hidden_brackets(self):
        self.make_chunks()
        path = self.job / "manifest.json"
        text = path.read_text(encoding="utf-8")
        for before in ('/* " */', "['\"',", '// "\n', '# "\n', ""):
            path.write_text(before + "[" * 1000000, encoding="utf-8")
            self.status(status=1, says="manifest.json: it is damaged")
        path.write_text(text.replace('"../in.mkv"', '"../[[[[[[[[[[[[[[[[[[[[/in.mkv"'), encoding="utf-8")
        self.status(status=1, says="manifest.json: it was changed")

    def refuse_caps(self):
        chunks = range(self.n_chunks())
        for caps in ("ANY", "EMPTY", "(((", "", "video/x-h264, width=(int)[1,100]", "video/x-h264;video/x-h265",
                     f"video/x-h264, a={NESTED}", f"video/x-h264, a=(GstCaps){'[ ' * 100000}"):
            with self.subTest(caps=caps[:40]):
                for number in chunks:
                    self.forge_record(number, caps=caps)
                self.merge(status=1, says=("chunk 1", '"caps" is not a stream', "--again"))
        self.run_job()
        self.merge()

    def test_caps(self):
        """Some of these caps would overflow the stack of GStreamer's parser."""
        self.make_chunks()
        self.refuse_caps()
        self.job = self.folder / "whole"
        self.make_chunks(length="10s")
        self.refuse_caps()

    def test_files_of_a_chunk(self):
        """A chunk without frames has no files, and other chunks have packets and times."""
        self.make_chunks()
        for change in ({"frames": 0}, {"files": []}, {"frames": 0, "files": self.record(2)["files"][:1]}):
            self.forge_record(2, **change)
            self.merge(status=1, says=("chunk 3", "its files do not add up"))
            self.assertEqual(self.missing("--check"), [2])
            self.run_job()
        self.merge()

    def test_damaged_videos(self):
        """Reading a file that is not a video does not hang."""
        self.make_chunks()
        path = self.files_of(1)[0]
        video = path.read_bytes()
        for data, words in ((b"", "cannot be read"), (b"nothing" * 1000, "cannot be read"), (video[:100], ""),
                            (video[:len(video) // 2], ""), (video + video, "")):
            self.forge_file(1, 0, data)
            self.merge(status=1, says=(f"{path.name}: ", words))
            self.assertFalse((self.folder / "out.mkv").exists())

    def test_times(self):
        self.make_chunks()
        for line in (b"0 0 -5\n", b"0 0\n", b"0 0 0 0\n", b"x 0 0\n", b"9223372036854775807 0 0\n", b"0 1e9 0\n"):
            self.forge_file(1, 1, line * 3)
            self.merge(status=1, says=(".times: it is damaged",))

    def test_not_regular_files(self):
        self.make_chunks()
        record = self.record_path(1)
        record.unlink()
        os.mkfifo(record)
        self.status(says=("not made: --index 1", "000001.json: this is not a file of a job"))
        self.merge(status=1, says="000001.json: this is not a file of a job")
        os.mkfifo(self.job / "parts/000001-abcdef.mkv.part")
        self.run_job()
        (self.job / "parts/000001-abcdef.mkv.part").unlink()
        self.merge()
        video = self.files_of(1)[0]
        video.unlink()
        os.mkfifo(video)
        self.status("--check", says=("not made: --index 1", "this is not a regular file"))

    def test_output(self):
        self.make_chunks()
        self.forge_record(0, host="\x1b[31m\nh")
        output = self.status().stdout
        self.assertNotIn("\x1b", output)
        self.assertEqual(len(output.splitlines()), 3, output)
        for seconds in (10**400, "1e999"):
            record = self.record(1) | {"seconds": 0}
            self.write_record(1, record)
            path = self.record_path(1)
            path.write_text(path.read_text(encoding="utf-8").replace('"seconds": 0', f'"seconds": {seconds}'),
                            encoding="utf-8")
            json.loads(self.status("--json").stdout, parse_constant=self.fail)
        self.run_job()
        self.forge_record(1, host=5, before=None)
        self.assertNotIn("(null)", self.merge(status=1, says="made on ?").stderr)

    def test_list_that_is_cut_off(self):
        """If the list is cut off, the exit status is 1: the reader would take the rest for made."""
        self.make_chunks()
        shutil.rmtree(self.job / "pieces")
        (self.job / "pieces").mkdir()
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([media.COMMAND, "status", "job", "--missing"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot be written", done.stderr)

    def test_lists(self):
        self.make()
        (self.folder / "zeros").write_bytes(b"in.mkv\0\n")
        (self.folder / "long").write_bytes(b"in.mkv\n" + b"x" * 5000)
        for name, line in (("zeros", 1), ("long", 2), ("/dev/zero", 1)):
            self.plan("--list", name, "--out", "edges/", status=1,
                      says=(f"--list {name}: line {line} ", "one name per line"))

    def test_names(self):
        """Names have to be UTF-8, as the manifest is, and OUT has to be one file."""
        self.make()
        self.make_image("a%d.png")
        self.plan("in.mkv", "--out", b"out\xff.mkv".decode(errors="surrogateescape"), status=2,
                  says=("--out", "this is not UTF-8"))
        self.plan("a%d.png", "--out", "edges/", status=2, says=("edges/a%d.png", "numbered images"))
        self.assertFalse((self.folder / "job").exists())

    def test_endings(self):
        """All files of a job are checked, not only the first."""
        self.make()
        (self.folder / "in.mkv").rename(self.folder / "a.mkv")
        media.make_video(self.folder / "b.avi", "avimux", f"{media.video()} ! x264enc")
        self.plan("a.mkv", "b.avi", "--out", "edges/", status=2, says=".avi cannot be joined")
        self.make_image("a.png")
        self.make_image("b.jpg")
        self.plan("a.png", "b.jpg", "--out", "edges/", "--lossless", status=2,
                  says="--lossless: .jpg is always lossy")

    def test_parallel_plans(self):
        """One of four plans gets the folder, and the others fail."""
        self.make()
        plans = [subprocess.Popen([media.COMMAND, "plan", "-q", "in.mkv", "--kernel", kernel, "--out", "out.mkv", "--job",
                                   "job"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
                 for kernel in ("sobel", "box", "scharr", "prewitt")]
        output = [plan.communicate(timeout=60)[1] for plan in plans]
        self.assertEqual(sorted(plan.returncode for plan in plans), [0, 2, 2, 2], output)
        self.run_job()

    def test_parallel_runs(self):
        """Runs of the same chunk do not disturb each other."""
        self.make_chunks()
        runs = [subprocess.Popen([media.COMMAND, "run", "-q", "job", "--index", "1", "--again"], cwd=self.folder,
                                 stderr=subprocess.PIPE, text=True) for _ in range(8)]
        output = [run.communicate(timeout=60)[1] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * len(runs), output)
        self.assertEqual(len(list((self.job / "pieces").glob("000001*"))), 3)
        self.merge()


if __name__ == "__main__":
    media.main()
