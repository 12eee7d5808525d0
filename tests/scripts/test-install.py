#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that scripts/install.py installs the build where GStreamer finds it, and removes it again.

usage: test-install.py BUILD
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "install.py"
BUILD = sys.argv.pop(1)
PLUGIN = "libgstcudaconv.so"


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name, "home")
        self.home.mkdir()

    def run_script(self, *words, status=0, looks_everywhere=False, **env):
        """Runs the script in an empty home folder and returns its output. GStreamer looks for the plugins of the machine
        only with `looks_everywhere`, because that takes seconds."""
        own = {**os.environ, "HOME": str(self.home), "GST_PLUGIN_PATH": "", **env}
        if looks_everywhere:
            own.pop("GST_PLUGIN_SYSTEM_PATH", None)
        else:
            own["GST_PLUGIN_SYSTEM_PATH"] = ""
        for name in ("XDG_DATA_HOME", "DESTDIR"):
            if name not in env:
                own.pop(name, None)
        done = subprocess.run([SCRIPT, words[0], BUILD, *words[1:]], env=own, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def files(self):
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*")
                      if path.is_file() and ".cache" not in path.parts)

    def test_home(self):
        """An installation for one user: GStreamer finds the plugin, and uninstall leaves nothing."""
        said = self.run_script("install", "~/.local", looks_everywhere=True)
        self.assertIn(f".local/share/gstreamer-1.0/plugins/{PLUGIN}", self.files())
        self.assertIn("GStreamer finds the element", said)
        stale = self.home / ".local/share/stale"
        stale.touch()
        names = self.home / ".local/share/cudaconv/installed"
        names.write_text(names.read_text() + f"{stale}\n")  # of an older version
        self.run_script("install", "~/.local")
        self.assertFalse(stale.exists())
        self.assertIn(PLUGIN, self.run_script("uninstall", "~/.local"))
        self.assertEqual(self.files(), [])
        self.assertIn("Nothing is installed", self.run_script("uninstall", "~/.local", status=1))

    def folders(self):
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*")
                      if path.is_dir() and not {".cache", ".local"} & set(path.parts))  # of GStreamer

    def test_folders(self):
        """Uninstall removes the folders that install created, even the prefix, and no others."""
        (self.home / "opt/lib").mkdir(parents=True)
        (self.home / "opt/share/man").mkdir(parents=True)
        before = self.folders()
        for prefix in (self.home / "opt", self.home / "new/er"):
            self.run_script("install", prefix)
            self.run_script("install", prefix)  # the second run creates no folder
            self.assertNotEqual(self.folders(), before)
            self.run_script("uninstall", prefix)
            self.assertEqual(self.folders(), sorted(before + (["new"] if prefix.name == "er" else [])))
        self.run_script("install", self.home / "opt")
        (self.home / "opt/bin/other").touch()
        self.run_script("uninstall", self.home / "opt")
        self.assertEqual(self.files(), ["opt/bin/other"])

    def test_last_prefix(self):
        """Without PREFIX, uninstall removes the last installation from the build folder."""
        for prefix in ("first", "last"):
            self.run_script("install", self.home / prefix)
        self.assertIn(f"{self.home}/last/", self.run_script("uninstall"))
        self.assertTrue(self.files() and all(name.startswith("first/") for name in self.files()))
        self.run_script("uninstall", self.home / "first")

    def check(self, prefix, status, **env):
        """Runs `check` without rights, sudo and build folder, and returns its output."""
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        (self.home / "none").mkdir(exist_ok=True)
        # the system's Python, because other users may not be able to run one in a home folder
        python = shutil.which("python3", path="/usr/bin") or sys.executable
        done = subprocess.run([python, "-c", SCRIPT.read_text(encoding="utf-8"), "check", self.home / "b", prefix],
                              env={"PATH": str(self.home / "none"), "HOME": "/home/me", **env}, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/", **user)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_rights(self):
        """Missing rights are reported before anything is configured."""
        for prefix in ("/usr", "", "/usr/local"):
            self.assertIn("is not writable for you, and there is no sudo. Only for yourself: "
                          "make install PREFIX=/home/me/.local", self.check(prefix, 1))
        free = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, free)
        os.chmod(free, 0o777)
        self.assertEqual(self.check(f"{free}/own", 0), "")
        self.assertEqual(self.check("/usr", 0, DESTDIR=free), "")

    def test_rights_come_first(self):
        """`make install` checks the rights before packages, configuring and building."""
        done = subprocess.run(["make", "--no-print-directory", "-n", "install", "PREFIX=/usr", f"BUILD={self.home}/b"],
                              cwd=SCRIPT.parent.parent, text=True, check=True, stdout=subprocess.PIPE)
        self.assertIn(f"scripts/install.py check '{self.home}/b' '/usr'", done.stdout.splitlines()[0])

    def test_foreign_list(self):
        """Files outside the prefix are not removed, even if they are in the list."""
        prefix = self.home / "own prefix"
        self.run_script("install", prefix)
        precious = self.home / "precious"
        precious.touch()
        names = prefix / "share/cudaconv/installed"
        before = names.read_text()
        foreign = f"{precious}\n{prefix}/../precious\nprecious\n\n"
        names.write_text(before + foreign)
        said = self.run_script("install", prefix)
        self.assertIn(f"{precious} is in {names}, but it stays", said)
        self.assertTrue(precious.exists())
        names.write_text(before + foreign)
        said = self.run_script("uninstall", prefix)
        self.assertIn(f"{precious} is in {names}, but it stays", said)
        self.assertEqual(self.files(), ["precious"])

    def test_linked_prefix(self):
        """The prefix can be a link for install or for uninstall."""
        (self.home / "place").mkdir()
        (self.home / "link").symlink_to("place")
        for one, other in (("place", "link"), ("link", "place")):
            self.run_script("install", self.home / one)
            self.assertNotIn("stays", self.run_script("uninstall", self.home / other))
            self.assertEqual(self.files(), [])

    def test_line_break(self):
        self.assertIn("has a line break", self.run_script("install", f"{self.home}/a\nb", status=1))
        self.assertEqual(self.files(), [])

    def test_data_home(self):
        said = self.run_script("install", f"{self.home}/.local", XDG_DATA_HOME=f"{self.home}/data", looks_everywhere=True)
        self.assertIn(f"data/gstreamer-1.0/plugins/{PLUGIN}", self.files())
        self.assertIn("GStreamer finds the element", said)

    def test_other_prefix(self):
        """For a folder in which GStreamer does not look, the script prints GST_PLUGIN_PATH."""
        said = self.run_script("install", f"{self.home}/opt")
        place = next(name for name in self.files() if name.endswith(PLUGIN))
        self.assertTrue(place.startswith("opt/lib"), place)
        self.assertIn(f"export GST_PLUGIN_PATH={self.home}/{os.path.dirname(place)}", said)

    def test_destdir(self):
        """DESTDIR gets only the files of a package."""
        self.run_script("install", "/usr", DESTDIR=f"{self.home}/package")
        self.assertTrue(all(name.startswith("package/usr/") for name in self.files()))
        self.assertTrue(any(name.endswith(f"/gstreamer-1.0/{PLUGIN}") for name in self.files()))
        self.assertFalse(any("installed" in name for name in self.files()))

    def test_list_of_meson_stays(self):
        """Meson's log is kept, so `ninja uninstall` still works after `meson install`."""
        log = pathlib.Path(BUILD, "meson-logs", "install-log.txt")
        before = log.read_text() if log.exists() else None
        self.run_script("install", "~/.local")
        self.assertEqual(log.read_text() if log.exists() else None, before)

    def test_no_folder(self):
        (self.home / "file").touch()
        self.assertIn(f"{self.home}/file is not a folder",
                      self.run_script("install", f"{self.home}/file/below", status=1))

    def test_another_is_found_first(self):
        self.run_script("install", f"{self.home}/opt")
        first = next(path.parent for path in self.home.rglob(PLUGIN))
        said = self.run_script("install", "~/.local", GST_PLUGIN_PATH=str(first))
        self.assertIn(f"GStreamer finds another cudaconv first: {first}", said)


if __name__ == "__main__":
    missing = [name for name in ("meson", "ninja", "gst-inspect-1.0") if not shutil.which(name)]
    if missing:
        print(f"missing: {', '.join(missing)}")
        sys.exit(77)
    unittest.main(verbosity=2)
