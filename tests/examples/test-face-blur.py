#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests examples/face-blur.py with a video that is made from examples/astronaut.jpg.

    tests/examples/test-face-blur.py BUILD

Exits with 77 if OpenCV or its cascades are not installed.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "app"))
import media  # noqa: E402

EXAMPLE = ROOT / "examples" / "face-blur.py"
IMAGE = ROOT / "examples" / "astronaut.jpg"
FACE = (174, 64, 99, 99)  # x, y, width and height of the face in the image
try:
    import cv2
    import numpy
except ImportError as missing:
    print(f"python3-opencv is not installed: {missing}")
    sys.exit(77)
FOLDER = pathlib.Path("/usr/share/opencv4/haarcascades")
if not FOLDER.is_dir():
    print("opencv-data is not installed")
    sys.exit(77)
CASCADES = [cv2.CascadeClassifier(str(FOLDER / f"haarcascade_{name}.xml"))
            for name in ("frontalface_default", "frontalface_alt", "frontalface_alt2", "frontalface_alt_tree", "profileface")]

SIZE = WIDTH, HEIGHT = 320, 240
FRAMES = 24
# In these frames the face is upside down, so that the detector misses it.
MISSED = range(12, 16)
SUBTITLES = "1\n00:00:00,100 --> 00:00:00,500\nA & B < C\n\n2\n00:00:01,000 --> 00:00:01,400\n\"D\"\n"

# arguments and parts of the message
WRONG = (
    ("none.mkv out.mkv", ("none.mkv", "no such file")),
    ("in.mkv out.xyz", ("out.xyz", ".mkv", ".png")),
    ("in.mkv in.mkv", ("the same file",)),
    ("in.mkv", ("OUT",)),
    ("in.mkv out.mkv --cascade none.xml", ("none.xml", "no such file")),
    ("in.mkv out.mkv --cascade in.srt", ("in.srt", "no cascade")),
    ("in.mkv out.mkv --sigma x", ("--sigma", "x")),
    ("in.mkv out.mkv --sigma 2", ("\nroi-sigma=2", "0 to 1")),
    ("in.mkv out.mkv --encoder nonsense", ("\nno element \"nonsense\"",)),
    ("in.mkv none/out.mkv", ("\nCould not open file \"none/out.mkv\"",)),
    ("in.srt out.mkv", ("\nin.srt: ", "type of stream")),
    ("audio.mka out.mkv", ("\naudio.mka: ", "no video or image")),
)


def edges_of(number):
    """The left and the top edge of a frame in the image."""
    return 3 * number, number % 8


def face_of(number):
    """The face in a frame."""
    left, top = edges_of(number)
    return FACE[0] - left, FACE[1] - top, FACE[2], FACE[3]


def frame_of(number):
    """A frame as I420: a window that moves over the image."""
    image = cv2.imread(str(IMAGE))
    if number in MISSED:
        x, y, width, height = FACE
        image[y:y + height, x:x + width] = image[y:y + height, x:x + width][::-1].copy()
    left, top = edges_of(number)
    return cv2.cvtColor(image[top:top + HEIGHT, left:left + WIDTH], cv2.COLOR_BGR2YUV_I420)


def is_found(luma, face):
    """Whether a cascade finds the face in a frame. Faces elsewhere do not count."""
    x, y, width, height = face
    for cascade in CASCADES:
        for factor, neighbors in (1.1, 3), (1.05, 3):
            for left, top, size, _ in cascade.detectMultiScale(luma, factor, neighbors, minSize=(width // 2, height // 2)):
                if abs(left + size / 2 - x - width / 2) < width / 2 and abs(top + size / 2 - y - height / 2) < height / 2:
                    return True
    return False


class FaceBlur(media.Case):

    def setUp(self):
        super().setUp()
        (self.folder / "in.srt").write_text(SUBTITLES, encoding="utf-8")
        audio = f"{media.audio(FRAMES)} ! opusenc ! queue"
        subtitles = f"filesrc location={self.folder}/in.srt ! subparse ! text/x-raw,format=utf8 ! queue"
        self.frames = [frame_of(number) for number in range(FRAMES)]
        media.push_frames(
            f"avenc_ffv1 ! queue ! m. {audio} ! m. {subtitles} ! m. matroskamux name=m ! filesink location={self.folder}/in.mkv",
            f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={media.RATE}/1",
            [(number * media.SECOND // media.RATE, frame.tobytes()) for number, frame in enumerate(self.frames)])

    def run_example(self, *arguments, status=0):
        done = subprocess.run([sys.executable, EXAMPLE, *arguments], cwd=self.folder, text=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True)
        text = f"face-blur.py {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
        self.assertEqual(bool(done.returncode), bool(status), text)
        for word in "Traceback", "CRITICAL", "WARNING":
            self.assertNotIn(word, text)
        return text

    def blurred(self, *arguments):
        """Runs the example on the video. Returns the frames of its output as I420."""
        self.run_example("in.mkv", "out.mkv", "--encoder", "avenc_ffv1", *arguments)
        media.launch(f"filesrc location={self.folder}/out.mkv ! matroskademux ! avdec_ffv1 ! video/x-raw,format=I420 ! "
                     f"filesink location={self.folder}/out.raw")
        frames = numpy.fromfile(self.folder / "out.raw", numpy.uint8).reshape(-1, HEIGHT * 3 // 2, WIDTH)
        self.assertEqual(len(frames), FRAMES)
        return frames

    def test_faces(self):
        """Checks that no face is found in the output, and that the blur stays within the enlarged faces."""
        for number, (before, after) in enumerate(zip(self.frames, self.blurred())):
            x, y, width, height = face = face_of(number)
            with self.subTest(frame=number):
                if number not in MISSED:
                    self.assertTrue(is_found(before[:HEIGHT], face))
                self.assertFalse(is_found(after[:HEIGHT], face))
                rows, columns = numpy.nonzero(before[:HEIGHT] != after[:HEIGHT])
                self.assertGreater(len(rows), 0.9 * width * height)
                margin = 0.35 * width
                self.assertTrue(y - margin < rows.min() < y < y + height < rows.max() + 1 < y + height + margin)
                self.assertTrue(x - margin < columns.min() < x < x + width < columns.max() + 1 < x + width + margin)
                chroma = (before[HEIGHT:] != after[HEIGHT:]).reshape(2, HEIGHT // 2, WIDTH // 2).any(0)
                rows, columns = numpy.nonzero(chroma)
                self.assertGreater(len(rows), 0.2 * width * height)
                self.assertTrue(y - margin < 2 * rows.min() and 2 * rows.max() < y + height + margin)
                self.assertTrue(x - margin < 2 * columns.min() and 2 * columns.max() < x + width + margin)

    def test_missed_faces(self):
        """Checks that a missed face is blurred for as many frames as the option says."""
        for hold in 0, 2:
            changed = [number for number, (before, after) in enumerate(zip(self.frames, self.blurred("--hold", str(hold))))
                       if (before != after).any()]
            self.assertEqual(changed, [number for number in range(FRAMES) if number not in MISSED[hold:]])

    def test_black(self):
        for number, frame in enumerate(self.blurred("--black")):
            x, y, width, height = face_of(number)
            self.assertEqual(set(frame[y:y + height, x:x + width].flat), {16})
            chroma = frame[HEIGHT:].reshape(2, HEIGHT // 2, WIDTH // 2)
            self.assertEqual(set(chroma[:, y // 2:(y + height) // 2, x // 2:(x + width) // 2].flat), {128})

    def test_streams(self):
        """Checks that packets of audio and subtitles are copied."""
        self.run_example("in.mkv", "out.mkv")
        before, after = (media.read(self.folder / name, decode=False) for name in ("in.mkv", "out.mkv"))
        self.assertEqual(media.only(after, "video/").kind, "video/x-h264")
        self.assertEqual(len(media.only(after, "video/").times), FRAMES)
        for kind in "audio/x-opus", "text/x-raw":
            self.assertGreater(len(media.only(before, kind).times), 1)
            self.assertEqual(media.only(before, kind).times, media.only(after, kind).times)
            self.assertEqual(media.only(before, kind).hashes, media.only(after, kind).hashes)

    def test_image(self):
        self.assertIn("1 frame, 1 of them with faces", self.run_example(str(IMAGE), "out.png"))
        image = cv2.imread(str(self.folder / "out.png"))
        self.assertEqual(image.shape, cv2.imread(str(IMAGE)).shape)
        self.assertFalse(is_found(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), FACE))
        self.assertIn("left out: audio/x-opus", self.run_example("in.mkv", "out.jpg"))

    def test_large_face(self):
        """Checks the warning about a face whose region needs a larger sigma than the element has."""
        large = cv2.resize(cv2.imread(str(IMAGE)), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(self.folder / "large.jpg"), large)
        self.assertIn("1 region blurred less", self.run_example("large.jpg", "out.jpg"))
        self.assertNotIn("blurred less", self.run_example("large.jpg", "out.jpg", "--black"))

    def test_no_face(self):
        media.launch(f"videotestsrc num-buffers=2 pattern=white ! avenc_ffv1 ! matroskamux ! filesink location={self.folder}/no.mkv")
        self.assertIn("2 frames, no face was found", self.run_example("no.mkv", "out.mkv"))

    def test_missing_module(self):
        done = subprocess.run([sys.executable, "-S", EXAMPLE], text=True, check=False, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("packages for /usr/bin/python3 are python3-opencv", done.stderr)

    def test_wrong_uses(self):
        media.launch(f"{media.audio()} ! opusenc ! matroskamux ! filesink location={self.folder}/audio.mka")
        for arguments, parts in WRONG:
            with self.subTest(arguments):
                text = self.run_example(*arguments.split(), status=1)
                for part in parts:
                    self.assertIn(part, text)


if __name__ == "__main__":
    media.main()
