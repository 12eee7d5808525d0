#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Damaged files through `cudaconv apply`: it never crashes or hangs, and leaves no OUT or a complete one. Damaged numbered
images through `cudaconv apply` and `cudaconv measure`.

    tests/app/test-apply-damaged.py BUILD [RUNS [SEED]]
"""

import os
import random
import subprocess
import sys

import media
from media import COMMAND, H264, audio, make_video, video

RUNS = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 1000 if os.environ.get("CUDACONV_TEST_COMPLETE") else 40
SEED = int(sys.argv.pop(2)) if len(sys.argv) > 2 else 1


def damage(data, dice):
    """Damages data as transfers and disks do: cuts the end, flips bits, zeroes a range or repeats it."""
    data = bytearray(data)
    at = dice.randrange(len(data))
    kind = dice.randrange(5)
    if kind == 0:
        return data[:at]
    if kind == 1:
        for _ in range(dice.choice((1, 10, 100))):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    elif kind == 2:  # only the header
        for _ in range(dice.choice((1, 5, 20))):
            data[dice.randrange(min(len(data), 1000))] = dice.randrange(256)
    elif kind == 3:
        length = min(dice.choice((10, 500, 5000)), len(data) - at)
        data[at:at + length] = bytes(length)
    else:
        data[at:at] = data[at:at + dice.choice((10, 500, 5000))]
    return data


class Damaged(media.Case):

    def test_damaged(self):
        files = {
            "mp4": lambda path: make_video(path, "mp4mux", f"{video(20)} ! {H264}", f"{audio(20)} ! avenc_aac"),
            "mkv": lambda path: make_video(path, "matroskamux", f"{video(20)} ! {H264}", f"{audio(20)} ! opusenc"),
            "webm": lambda path: make_video(path, "webmmux", f"{video(20)} ! vp9enc deadline=1 cpu-used=8",
                                            f"{audio(20)} ! opusenc"),
            "avi": lambda path: make_video(path, "avimux", f"{video(20)} ! jpegenc"),
            "png": lambda path: media.launch(f"{video(1, caps='format=RGB')} ! pngenc ! filesink location={path}"),
            "jpg": lambda path: media.launch(f"{video(1)} ! jpegenc ! filesink location={path}"),
            "webp": lambda path: media.launch(f"{video(1)} ! webpenc ! filesink location={path}"),
            "tiff": lambda path: media.launch(f"{video(1, caps='format=RGB')} ! avenc_tiff ! filesink location={path}"),
        }
        whole = {}
        for ending, make in files.items():
            path = self.folder / f"in.{ending}"
            make(path)
            whole[ending] = path.read_bytes()
        dice = random.Random(SEED)
        results = {0: 0, 1: 0}
        for run in range(RUNS):
            ending = dice.choice(list(whole))
            source = self.folder / f"damaged.{ending}"
            source.write_bytes(damage(whole[ending], dice))
            out = self.folder / dice.choice(["out.mkv", "out.mp4", "out.png"])
            with self.subTest(run=run, ending=ending, out=out.name):
                done = subprocess.run([COMMAND, "apply", source, out], capture_output=True, text=True, errors="replace",
                                      check=False, timeout=60)
                self.assertIn(done.returncode, results, done.stderr)
                results[done.returncode] += 1
                self.assertEqual(out.exists(), done.returncode == 0, done.stderr)
                if done.returncode == 1:
                    ours = [line for line in done.stderr.splitlines() if line.startswith("cudaconv apply: ")]
                    self.assertEqual(len(ours), 1, done.stderr)
                    # An encoder may not accept the decoded frames. The message is about OUT then.
                    self.assertIn((out if ": encoder: " in ours[0] else source).name, ours[0])
                kept = out.with_suffix(f".incomplete{out.suffix}")
                self.assertEqual(kept.exists(), kept.name in done.stderr)
            out.unlink(missing_ok=True)
            kept.unlink(missing_ok=True)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.name.startswith("out")), [])
            source.unlink()
        print(results)
        self.assertGreater(results[0], 0)
        self.assertGreater(results[1], 0)

    def test_numbered_images(self):
        """The error names the image. No other image gets its number."""
        (self.folder / "whole").mkdir()
        media.launch(f"{video(6, caps='format=RGB', pattern='snow')} ! pngenc ! "
                     f"multifilesink location={self.folder}/%02d.png")
        self.apply("%02d.png", "whole/%02d.png")
        rows = self.cudaconv("measure", "%02d.png").stdout.splitlines()
        self.assertEqual(len(rows), 7)
        undecoded = "this image could not be decoded"
        for name, why, kind in (("00.png", "not a video or image", "text"), ("02.png", undecoded, "cut"),
                                ("02.png", undecoded, "text"), ("05.png", undecoded, "cut"), ("02.png", undecoded, "zeros"),
                                ("02.png", "the file is empty", "empty")):
            with self.subTest(name=name, kind=kind):
                path = self.folder / name
                data = path.read_bytes()
                half = len(data) // 2
                path.write_bytes({"cut": data[:half], "text": b"an image" * 99, "empty": b"",
                                  "zeros": data[:half] + bytes(99) + data[half + 99:]}[kind])
                done = self.cudaconv("measure", "%02d.png", status=1, says=f"cudaconv measure: {name}: {why}")
                printed = done.stdout.splitlines()
                self.assertEqual(printed, rows[:len(printed)])
                self.assertLessEqual(len(printed), 1 + int(name[:2]))
                (self.folder / "out").mkdir()
                self.apply("%02d.png", "out.mkv", status=1, says=f"cudaconv apply: {name}: {why}")
                self.assertFalse((self.folder / "out.mkv").exists())
                self.apply("%02d.png", "out/%02d.png", status=1, says=f"cudaconv apply: {name}: {why}")
                for written in (self.folder / "out").iterdir():
                    self.assertLess(written.name, name)
                    self.assertEqual(written.read_bytes(), (self.folder / "whole" / written.name).read_bytes())
                    written.unlink()
                (self.folder / "out").rmdir()
                if kind in ("cut", "text") and name != "00.png":  # an image that is not needed and is skipped
                    self.assertEqual(self.cudaconv("measure", "--end=0.08", "%02d.png").stdout.splitlines(), rows[:3])
                path.write_bytes(data)

    def test_unreadable(self):
        """The decoder of TIFF waits for the second image, so the first one is not decoded when this one cannot be read."""
        media.launch(f"{video(3, caps='format=RGB')} ! avenc_tiff ! multifilesink location={self.folder}/%d.tiff")
        (self.folder / "1.tiff").unlink()
        (self.folder / "1.tiff").mkdir()
        done = self.cudaconv("measure", "%d.tiff", status=1, says="/1.tiff")
        self.assertNotIn("0.tiff", done.stderr)

    def test_images_of_two_sizes(self):
        """No image is damaged, so the error of an encoder that declines the second size names OUT. Many images follow, because
        an error at the end of the stream comes from another element."""
        media.launch(f"{video(60, (320, 99), 'format=RGB')} ! pngenc ! multifilesink location={self.folder}/%d.png")
        media.launch(f"{video(1, (1, 1), 'format=RGB')} ! pngenc ! filesink location={self.folder}/2.png")
        self.apply("%d.png", "out.avi", status=1, says="cudaconv apply: out.avi: the encoder does not accept frames of this size")


if __name__ == "__main__":
    media.main()
