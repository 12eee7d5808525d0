#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged files of a job, by accident and by intent. The damage is detected, OUT is complete or unchanged, and nothing
hangs.

    tests/app/test-job-damaged.py BUILD
"""

import hashlib
import json
import os
import pathlib
import shutil

import jobs
import media
from jobs import DAMAGES, OF_JSON, flip
from media import BEFORE, every_nth

VALUES = (None, True, -1, 0, 2**63 - 1, 10**30, 1e300, "x", "../../x", "/etc/passwd", [], {}, [[]], [{}], [None])


class Damaged(jobs.EndsCase):

    def setUp(self):
        super().setUp()
        self.whole = self.make_merged()
        self.save_copy()

    def remake(self, path):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        self.run_job("--again", "--index=1")
        self.assert_merges(self.whole)

    def test_files_of_a_chunk(self):
        for which in (0, 1):
            path = self.files_of(1)[which]
            for name, damage in every_nth(DAMAGES.items(), 4, which):
                with self.subTest(file=path.name, damage=name):
                    damage(path)
                    self.assert_refused(says=("chunk 2", "--index 1 --again"))
                    self.assertEqual(self.missing("--check"), [1])
                    self.status(says=("2 of 3" if name not in ("first byte", "a byte", "zeros") else "3 of 3"))
                    self.remake(path)
                    path = self.files_of(1)[which]

    def test_record(self):
        path = self.record_path(1)
        for n, (name, damage) in enumerate((DAMAGES | OF_JSON).items()):
            with self.subTest(damage=name):
                damage(path)
                self.assert_refused(says="chunk")
                self.assertEqual(self.missing("--check"), [1])
                if every_nth([name], 6, n):
                    self.remake(path)
                else:
                    self.restore_copy()

    def test_run_repairs(self):
        """A later run makes chunks again whose damage shows without reading all bytes."""
        for path in (self.files_of(0)[0], self.files_of(1)[1], self.record_path(2)):
            os.truncate(path, 100)
        self.assertEqual(self.run_job().stdout.count("frames"), 3)
        self.assert_merges(self.whole)

    def test_several(self):
        for chunk in (0, 2):
            flip(self.files_of(chunk)[0], 3000)
        self.assert_refused(says=("2 of 3 chunks are damaged: --index 0,2 (", "--index N --again"))
        self.record_path(1).unlink()
        self.assert_refused(says="1 of 3 chunks is missing: --index 1;")

    def test_members_of_a_record(self):
        """Valid JSON with impossible values. merge may accept them in members that are information only."""
        original = self.record(1)
        path = self.record_path(1)
        for n, member in enumerate(original):
            for value in every_nth(VALUES, len(VALUES), n):
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
        self.remake(path)

    def test_members_that_matter(self):
        original = self.record(1)
        other = original["files"][0] | {"hash": "0" * 32}
        for change in ({"job": "0" * 32}, {"piece": 0}, {"frames": 24}, {"frames": 0}, {"frames": 10**15},
                       {"caps": "video/x-raw"}, {"caps": "x"}, {"caps": None}, {"caps": original["caps"] + ";x"},
                       {"caps": "/etc/passwd"}, {"caps": original["caps"] + "; /x"},
                       {"before": None}, {"before": {"time": 0, "hash": "x"}}, {"last": None},
                       {"last": {"time": 10**17}}, {"files": []}, {"files": [None, None]},
                       {"files": original["files"][:1]},
                       {"files": original["files"][::-1]},
                       {"files": [other, original["files"][1]]},
                       {"files": original["files"] * 1000}):
            with self.subTest(**change):
                self.write_record(1, original | change)
                done = self.assert_refused(sealed=True)
                self.assertRegex(done.stderr, "chunk [12] |chunk 2:|pieces/000001")
        self.remake(self.record_path(1))

    def test_files_outside(self):
        """A record may name files of its own chunk only."""
        original = self.record(1)
        for file in original["files"]:
            name = pathlib.Path(file["name"]).name
            for place in (self.folder, self.job, self.folder / "more", self.job / "pieces" / "more"):
                place.mkdir(exist_ok=True)
                copy = place / name
                shutil.copy(self.job / file["name"], copy)
                self.addCleanup(copy.unlink, missing_ok=True)
                from_pieces = os.path.relpath(copy, self.job / "pieces")
                for path in (str(copy), os.path.relpath(copy, self.job), f"pieces/{from_pieces}"):
                    with self.subTest(name=path):
                        files = [one if one is not file else one | {"name": path} for one in original["files"]]
                        self.write_record(1, original | {"files": files})
                        self.assert_refused(says="chunk 2", sealed=True)
            files = [one if one is not file else one | {"name": self.record(0)["files"][0]["name"]}
                     for one in original["files"]]
            self.write_record(1, original | {"files": files})
            self.assert_refused(says="chunk 2", sealed=True)
        shutil.rmtree(self.job / "pieces" / "more")
        self.remake(self.record_path(1))

    def test_of_another_chunk_or_job(self):
        shutil.copy(self.record_path(0), self.record_path(1))
        self.assert_refused(says=("chunk 2", "another job or chunk"))
        self.remake(self.record_path(1))
        mine, self.job = self.job, self.folder / "other"
        self.plan("--kernel=emboss", "--piece=1", "in.mkv", "--out", self.out)
        self.run_job()
        theirs, self.job = self.job, mine
        for path in theirs.glob("pieces/000001*"):
            shutil.copy(path, self.job / "pieces")
        self.assert_refused(says=("chunk 2", "another job or chunk"))
        self.remake(self.record_path(1))

    def test_times_that_do_not_fit(self):
        """Files of times with the right hash and wrong contents."""
        for text in ("", "x\n", "1 2\n", "1 2 3 4\n", "99999999999999999999 0 0\n", "- - -\n" * 25, "0 0 0\n" * 24,
                     "0 0 0\n" * 26, "-1 -1 -1\n" * 25, "9000000000000000000 0 0\n" * 25, "\0" * 30):
            with self.subTest(times=text[:20]):
                record = self.record(1)
                times = self.files_of(1)[1]
                times.write_text(text)
                record["files"][1] |= {"size": len(text), "hash": hashlib.md5(text.encode()).hexdigest()}
                self.write_record(1, record)
                done = self.merge(status=None, timeout=30)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                if done.returncode == 1:
                    self.assertEqual(self.out.read_bytes(), BEFORE)
                self.assertNotIn("CRITICAL **", done.stderr)
                self.out.write_bytes(BEFORE)
                self.restore_copy()


class Manifest(jobs.EndsCase):

    def setUp(self):
        super().setUp()
        self.plan_video()
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
        """Writes the manifest with the right id."""
        jobs.write_sealed(self.path, manifest, "id")

    def test_damaged(self):
        for name, damage in every_nth((DAMAGES | OF_JSON).items(), 2):
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
            self.all_refuse(says="it was changed after")

    def test_another_format(self):
        manifest = json.loads(self.original)
        for change in ({"format": 99}, {"format": 99, "cudaconv": None}, {"format": 0}):
            with self.subTest(**change):
                self.write(manifest | change)
                self.all_refuse(says=(f"this job has format {change['format']}", "reads format 1", "plan the job again"))
                self.plan("--piece=1", "in.mkv", "--out", self.out, status=1, says="this job has format")
        # the version of the program does not matter and may be missing
        self.write(manifest | {"cudaconv": None})
        self.status(says="0 of 3")
        self.write(manifest | {"cudaconv": "99.0"})
        self.plan("--piece=1", "in.mkv", "--out", self.out)
        self.run_job()
        self.merge(says="75 frames of 3 chunks")

    def test_values(self):
        """Manifests with the right id and wrong values."""
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
            self.plan(*again, *other, status=2, says="this folder has another job")
        self.make("in.mkv", 80)
        self.plan(*again, status=2, says="this folder has another job")
        self.assertEqual(self.path.read_text(), self.original)

    def test_no_job(self):
        self.job = self.folder / "none"
        self.all_refuse(says=("there is no such folder", "cudaconv plan --job"))
        self.job.mkdir()
        self.all_refuse(says=("manifest.json", "cudaconv plan --job"))


if __name__ == "__main__":
    media.main()
