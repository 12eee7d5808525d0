#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs of many files, the choice of the chunk of a run, and the output of `cudaconv status`.

    tests/app/test-job-files.py BUILD
"""

import hashlib
import json
import os
import signal
import time

import jobs
import media
from jobs import DAMAGES, flip


# ---- files ----

class Files(jobs.EndsCase):

    def setUp(self):
        super().setUp()
        self.images = self.folder / "in"
        self.images.mkdir()
        for n in range(1, 6):
            media.launch(f"videotestsrc num-buffers=1 pattern={n} ! video/x-raw,width=40,height=30 ! pngenc ! "
                         f"filesink location=\"{self.images}/{n:04}.png\"")

    def same(self, folder, numbers):
        for n in numbers:
            self.apply("--kernel=sobel", f"in/{n:04}.png", "expected.png")
            self.assertEqual((self.folder / folder / f"{n:04}.png").read_bytes(),
                             (self.folder / "expected.png").read_bytes())

    def test_forms_of_names(self):
        names = [f"in/{n:04}.png" for n in range(1, 6)]
        listed = "\n".join(names)
        (self.folder / "list").write_text(listed)
        forms = {"folder": ["in"], "pattern": ["in/*.png"], "numbers": ["in/%04d.png"], "names": names,
                 "list": ["--list=list"], "stdin": ["--list=-"]}
        for name, words in forms.items():
            with self.subTest(form=name):
                self.job = self.folder / f"job-{name}"
                with open(self.folder / "list", encoding="utf-8") as stdin:
                    self.plan("--kernel=sobel", "--files=2", *words, "--out", f"by-{name}/", stdin=stdin,
                              says="5 files in chunks of 2: 3 chunks, --index 0 to 2")
                self.run_job()
                self.merge(says="5 of 5 files are complete")
                self.same(f"by-{name}", range(1, 6))

    def test_one_is_broken(self):
        (self.images / "0003.png").write_bytes(b"not an image")
        self.plan("--kernel=sobel", "--files=2", "in", "--out=out/{}.png")
        done = self.run_job(status=1, says=("0003.png", "chunk 2 of 3 (--index 1): 1 of its 2 files could not be made"))
        self.assertIn("chunk 3 of 3", done.stdout)
        self.assertEqual(self.missing(), [1])
        self.assertTrue((self.job / "pieces" / "000001.failed.json").exists())
        self.assertFalse(self.record_path(1).exists())
        self.status(says=("2 of 3", "chunk 2", "0003.png"))
        self.merge(status=1, says=("1 file could not be made", "0003.png", "--skip-failed"))
        self.merge("--skip-failed", says="4 of 5 files are complete")
        self.same("out", (1, 2, 4, 5))
        self.assertFalse((self.folder / "out" / "0003.png").exists())
        # failed files are tried again
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
        """A record may name the outputs of its chunk only."""
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
                self.merge(status=1, says="is not a file of this chunk")
        self.write_record(1, original | {"files": original["files"][:1]})
        self.merge(status=1, says=("chunk 2", "its files do not add up"))
        self.write_record(1, original)
        self.merge(says="5 of 5")

    def test_videos(self):
        """Several videos, in chunks and whole."""
        videos = self.folder / "videos"
        videos.mkdir()
        for name, frames in (("a.mkv", 60), ("b.mp4", 20), ("c.mkv", 110)):
            self.make(name, frames).rename(videos / name)
        self.plan("--lossless", "--piece=1", "videos", "--out=edges/{}.mkv", says="3 videos in chunks of 1 s: 9 chunks")
        self.run_job("--index=1", "--of=3")
        self.run_job("--index=0", "--of=3")
        self.assertEqual(self.missing(), [2, 5, 8])
        self.merge(status=1, says="3 of 9 chunks are missing: --index 2,5,8;")
        self.run_job()
        self.merge()
        self.job = self.folder / "whole"
        self.plan("--lossless", "--files=1", "videos", "--out=whole/{}.mkv", says="3 files in chunks of 1: 3 chunks")
        self.run_job()
        self.merge(says="3 of 3 files")
        for name, frames in (("a", 60), ("b", 20), ("c", 110)):
            one, other = (media.frames_of(self.folder / folder / f"{name}.mkv") for folder in ("edges", "whole"))
            self.assertEqual(len(one.hashes), frames)
            self.assertEqual(one.hashes, other.hashes)
            self.assertEqual(one.times, other.times)
        self.job = self.folder / "avi"
        self.plan("videos", "--out=avi/{}.avi", status=2, says=".avi cannot be joined from chunks")
        self.plan("--files=2", "videos", "--out=avi/{}.avi")
        self.run_job()
        self.merge(says="3 of 3 files")

    def test_signal_between_files(self):
        self.plan("--files=5", "in", "--out=out/{}.png")
        for n in range(8):
            process = self.start("run")
            time.sleep(0.05 * n)
            process.send_signal(signal.SIGTERM)
            output = self.finish(process)
            self.assertIn(process.returncode, (0, -signal.SIGTERM), output)
            self.status("--check")
        self.run_job()
        self.merge(says="5 of 5")

    def test_wrong_names(self):
        for words, says in ((["none", "--out=out/"], "there is no such file"),
                            (["in/%03d.png", "--out=out/"], "in/%03d.png"),
                            (["none*.png", "--out=out/"], "no file matches this pattern"),
                            (["/dev/null", "--out=out/"], "not a regular file"),
                            (["--list=none", "--out=out/"], "--list"),
                            (["http://a/b.png", "--out=out/"], "a URI cannot be")):
            self.plan(*words, status=1, says=says)
        for words, says in ((["in"], "--out OUT is missing"), (["--out=out/"], "expected IN"),
                            (["in", "--out=in/"], "is one of the input files"),
                            (["in", "--out=out.png"], "for several files"),
                            (["in", "in", "--out=out/"], "twice in IN"),
                            (["in", "--out=none/none/"], "cannot be created"),
                            (["in", "--out=out/{}.xyz"], ".xyz"),
                            (["in", "--out=out/", "--piece=3"], "--piece"),
                            (["in", "--out=out/", "--files=0"], "--files"),
                            (["in", "--out=out/", "--kernel=none"], "none")):
            self.plan(*words, status=2, says=says)
        self.assertFalse(self.job.exists())


# ---- choice of chunks, and output ----

class Chunks(jobs.EndsCase):

    def test_indices(self):
        self.plan_video(frames=125)
        self.run_job("--index=3")
        self.assertEqual(self.missing(), [0, 1, 2, 4])
        for n, name in ((0, "SLURM_ARRAY_TASK_ID"), (2, "JOB_COMPLETION_INDEX"), (4, "AWS_BATCH_JOB_ARRAY_INDEX")):
            self.run_job(env=os.environ | {name: str(n)}, says=f"chunk {n + 1} of 5: 25 frames")
            for wrong in ("5", "-1", "x", "", "1.0", "99999999999999999999"):
                self.run_job(env=os.environ | {name: wrong}, status=2, says=(name, f"\"{wrong}\"", "from 0 to 4"))
        self.assertEqual(self.missing(), [1])
        self.run_job("--index=3", env=os.environ | {"SLURM_ARRAY_TASK_ID": "1"}, says="chunk 4 of 5 is made already")
        self.run_job("--of=2", env=os.environ | {"SLURM_ARRAY_TASK_ID": "1"}, says="chunk 2 of 5")
        self.assertEqual(self.missing(), [])
        for wrong, says in ((["--index=5"], "from 0 to 4"), (["--index=-1"], "from 0 to 4"), (["--of=2"], "--of \"2\""),
                            (["--of=0", "--index=0"], "--of"), (["--of=3", "--index=3"], "from 0 to 2")):
            self.run_job(*wrong, status=2, says=says)
        # more machines than chunks
        self.run_job("--of=100", "--index=99")

    def test_status(self):
        self.plan_video(frames=125)
        self.status(says=("0 of 5 chunks are made", "not made: --index 0-4"))
        for chunk in (1, 2, 4):
            self.run_job("--index", chunk)
        self.status(says=("3 of 5 chunks are made: 75 frames", "3 on ", "not made: --index 0,3"))
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
        self.status("--check", says=("2 of 5", "not made: --index 0,2-3", "chunk 3 of 5 (--index 2): ", "it is damaged"))
        # files that are not records of chunks
        for name in ("000009.json", "x.json", "1.json.tmp", "-1.json", "99999999999999999999.json", ".json"):
            (self.job / "pieces" / name).write_text("{}")
        self.assertEqual(self.missing(), [0, 3])
        self.run_job()
        self.run_job("--again", "--index=2")
        self.assertEqual(self.missing("--check"), [])
        self.merge()

    def test_a_record_under_another_name(self):
        """A record under another name does not count."""
        self.plan_video()
        self.run_job()
        self.record_path(1).rename(self.job / "pieces" / "1.json")
        self.assertEqual(self.missing(), [1])
        self.assertEqual(self.missing("--check"), [1])
        self.merge(status=1, says="1 of 3 chunks is missing: --index 1;")

    def test_progress_on_a_terminal(self):
        """The progress lines of a chunk of a video, of a whole video, and of images, in the form of `apply`."""
        self.plan_video(jobs.SLOW, frames=100, length=4)
        self.shares(self.on_terminal("run", self.job), "chunk 1 of 1", "frames")
        self.job = self.folder / "whole"
        self.plan(jobs.SLOW, "--files=1", "in.mkv", "--out=whole.mkv")
        self.shares(self.on_terminal("run", self.job), "chunk 1 of 1, file 1 of 1", "frames")
        images = self.folder / "images"
        images.mkdir()
        media.launch(f"{media.video(60, caps='format=RGB')} ! pngenc ! multifilesink location={images}/%03d.png")
        self.job = self.folder / "many"
        self.plan("images", "--out=edges/")
        self.shares(self.on_terminal("run", self.job), "chunk 1 of 1", "of 60 files")

    def test_quiet(self):
        source = self.make("in.mkv", 30)
        for done in (self.plan("-q", "--piece=1", source, "--out", self.out), self.run_job("-q"), self.merge("-q")):
            self.assertEqual(done.stdout + done.stderr, "")


if __name__ == "__main__":
    media.main()
