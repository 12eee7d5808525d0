#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds and installs the products of a build folder, or removes them. `make install` calls this script.

    scripts/install.py check BUILD [PREFIX]        checks that this user may install there; BUILD may not exist yet
    scripts/install.py install BUILD [PREFIX]
    scripts/install.py uninstall BUILD [PREFIX]

Without PREFIX, files go to the prefix of BUILD's configuration. With PREFIX they go below PREFIX, and the plugin goes to the
folder in which the GStreamer of that prefix looks for plugins. The configuration of BUILD does not change.

PREFIX/share/cudaconv/installed lists the files for uninstall, and the new folders with a / at the end.
BUILD/installed-prefix has the last PREFIX, which uninstall takes by default. sudo runs only if a folder is not writable.
With DESTDIR in the environment, everything goes below DESTDIR, nothing is checked, and no list is written. That is for
packages.
"""

import contextlib
import functools
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

LIST = pathlib.PurePath("share/cudaconv/installed")
PREFIX_FILE = "installed-prefix"
DEFAULT_PREFIX = "/usr/local"
HOME = pathlib.Path.home()

# arguments: MODE FILE TARGET ... -- FILE-TO-REMOVE ...
COPY = """umask 022
while [ "$1" != -- ]; do
  install -D -m "$1" "$2" "$3"
  shift 3
done
shift
rm -f "$@"
"""
# arguments: FILE ... -- FOLDER ...
REMOVE = """while [ "$1" != -- ]; do
  rm -f "$1"
  shift
done
shift
for folder; do
  [ ! -d "$folder" ] || rmdir --ignore-fail-on-non-empty "$folder"
done
"""


@functools.cache
def introspect(build, what):
    text = subprocess.run(["meson", "introspect", build, what], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return json.loads(text)


def option(build, name):
    options = introspect(build, "--buildoptions")
    return next(option["value"] for option in options if option["name"] == name)


def data_home():
    return pathlib.Path(os.environ.get("XDG_DATA_HOME") or HOME / ".local/share")


class Targets:
    """The paths of installed files, which differ from those of `meson install`."""

    def __init__(self, build, prefix):
        self.own = pathlib.Path(option(build, "prefix"))
        self.prefix = pathlib.Path(prefix or self.own)
        self.libdir = option(build, "libdir")
        found = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"],
                               check=True, text=True, stdout=subprocess.PIPE)
        self.system_plugins = pathlib.Path(found.stdout.strip())

    def plugins(self):
        """Returns the folder for plugins. Prefers a folder in which GStreamer looks by itself."""
        if self.prefix == HOME / ".local":
            return data_home() / "gstreamer-1.0/plugins"
        if self.prefix in (pathlib.Path("/usr/local"), pathlib.Path("/usr")):
            return self.system_plugins
        return self.prefix / self.libdir / "gstreamer-1.0"

    def of(self, path):
        if self.prefix == self.own:
            return path
        if path.suffix == ".so":
            return self.plugins() / path.name
        below = path.relative_to(self.own)
        if self.prefix == HOME / ".local" and below.parts[:2] == ("share", "bash-completion"):
            return data_home().joinpath(*below.parts[1:])
        return self.prefix / below


def writable(path):
    """Whether the file, and missing folders above it, can be created or replaced."""
    while not os.path.lexists(path := path.parent):
        pass
    if not path.is_dir():
        sys.exit(f"{path} is not a folder: choose another PREFIX")
    return os.access(path, os.W_OK)


def sudo_for(paths):
    """Returns the words to put before a command that writes to the paths: none, or sudo."""
    refused = next((path for path in paths if not writable(path)), None)
    if not refused:
        return []
    if os.geteuid() == 0:
        sys.exit(f"{refused.parent} is not writable, not even for root")
    if not shutil.which("sudo"):
        sys.exit(f"{refused.parent} is not writable for you, and there is no sudo. Only for yourself: "
                 f"make install PREFIX={HOME}/.local")
    return ["sudo"]


def run(command):
    done = subprocess.run(command, check=False)
    if done.returncode and command[0] == "sudo":
        print(f"This needs sudo. Only for yourself: make install PREFIX={HOME}/.local",
              file=sys.stderr)
    if done.returncode:
        sys.exit(done.returncode)


def is_ours(path, prefix):
    """Whether an installation to the prefix can have installed the file."""
    below = [prefix, data_home()] if prefix == HOME / ".local" else [prefix]
    is_plugin = path.name == "libgstcudaconv.so" and path.parent.name == "gstreamer-1.0"
    real = path.parent.resolve() / path.name  # the prefix may be, or have been, a link
    return is_plugin or any(path.is_relative_to(folder) or real.is_relative_to(folder.resolve())
                            for folder in below)


def listed(prefix):
    """Returns the files of an earlier installation and the folders that it created. Others may have changed the list."""
    try:
        lines = (prefix / LIST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return [], []
    files, folders = [], []
    for line in lines:
        path = pathlib.Path(os.path.normpath(line))
        if is_ours(path, prefix):
            (folders if line.endswith("/") else files).append(path)
        else:
            print(f"{path} is in {prefix / LIST}, but it stays, because it is not below {prefix}")
    return files, folders


def missing_folders(paths):
    """Returns the folders that have to be created for the files."""
    return {folder for path in paths for folder in path.parents if not os.path.lexists(folder)}


def build_products(build):
    targets = [os.path.relpath(name, os.path.realpath(build))
               for target in introspect(build, "--targets") if target["installed"]
               for name in target["filename"]]
    run([pathlib.Path(__file__).with_name("phase.sh"), build, "compiling", "ninja", "-C", build, *targets])


def stage(build, folder):
    """Runs `meson install` into a temporary folder. Maps target paths to the files there."""
    # Keep Meson's log of an earlier `meson install`. It may belong to root.
    log = pathlib.Path(build, "meson-logs", "install-log.txt")
    kept = log.with_suffix(".kept")
    if log.exists():
        log.rename(kept)
    run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder])
    log.unlink(missing_ok=True)
    if kept.exists():
        kept.rename(log)
    files = sorted(file for file in pathlib.Path(folder).rglob("*") if file.is_file())
    return {pathlib.Path("/") / file.relative_to(folder): file for file in files}


def inspected(plugins=None):
    """Returns the file in which GStreamer finds the element, or None. Does not change a registry."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GST_REGISTRY": f"{folder}/registry", "LC_ALL": "C"}
        if plugins:
            env["GST_PLUGIN_PATH"] = str(plugins)
        done = subprocess.run(["gst-inspect-1.0", "cudaconv"], env=env, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    names = (line.split(None, 1) for line in done.stdout.splitlines())
    return next((pathlib.Path(name[1]) for name in names if name[0:1] == ["Filename"]), None)


def check(files):
    """Reports whether GStreamer and the shell find the plugin and the commands. Returns False if the plugin does not
    load."""
    plugin = next(file for file in files if file.name == "libgstcudaconv.so")
    if not shutil.which("gst-inspect-1.0"):
        print("gst-inspect-1.0 is missing (package gstreamer1.0-tools), so it was not checked that GStreamer finds the "
              "plugin")
        return True
    found = inspected()
    if not found:
        if not inspected(plugin.parent):
            print(f"GStreamer cannot load {plugin}: GST_DEBUG=4 gst-inspect-1.0 {plugin} shows why",
                  file=sys.stderr)
            return False
        print(f"GStreamer does not look in that folder by default: export GST_PLUGIN_PATH={plugin.parent}")
    elif not plugin.samefile(found):
        print(f"GStreamer finds another cudaconv first: {found}")
    else:
        print("GStreamer finds the element: gst-inspect-1.0 cudaconv")
    for command in (file for file in files if file.parent.name == "bin"):
        first = shutil.which(command.name)
        if not first:
            print(f"{command.parent} is not on your PATH: export PATH={command.parent}:$PATH")
        elif not command.samefile(first):
            print(f"The shell finds another {command.name} first: {first}")
    return True


def refuse_home_of(user, prefix):
    """Exits if root would install into the home of the user who called sudo."""
    home = pathlib.Path(pwd.getpwnam(user).pw_dir)
    if os.geteuid() == 0 and home != HOME and pathlib.Path(prefix).is_relative_to(home):
        sys.exit(f"{prefix} is in the home of {user}: run make install without sudo")


def destdir():
    folder = os.environ.get("DESTDIR", "")
    return os.path.abspath(folder) if folder else ""


def check_rights(build, prefix):
    """Exits if this user may not install, before packages and the build take minutes."""
    if prefix and "SUDO_USER" in os.environ:
        refuse_home_of(os.environ["SUDO_USER"], prefix)
    if not prefix:
        prefix = option(build, "prefix") if os.path.exists(f"{build}/build.ninja") else DEFAULT_PREFIX
    sudo_for([pathlib.Path(f"{destdir()}{prefix}") / LIST])
    return True


def remember(build, prefix):
    """Saves the prefix for an uninstall without PREFIX. Replaces the file, because root may own the old one."""
    with contextlib.suppress(OSError):
        file = pathlib.Path(build, PREFIX_FILE)
        file.unlink(missing_ok=True)
        file.write_text(f"{prefix}\n", encoding="utf-8")


def remembered(build):
    with contextlib.suppress(OSError):
        return pathlib.Path(build, PREFIX_FILE).read_text(encoding="utf-8").rstrip("\n")
    return ""


def install(build, prefix):
    check_rights(build, prefix)
    targets = Targets(build, prefix)
    package = destdir()
    below = lambda path: pathlib.Path(f"{package}{path}")  # noqa: E731
    old = targets.prefix / LIST
    # check before the build takes minutes
    sudo_for([below(targets.plugins()) / "plugin", below(old)])
    build_products(build)
    with tempfile.TemporaryDirectory() as folder:
        staged = {below(targets.of(path)): file for path, file in stage(build, folder).items()}
        files = list(staged)
        gone = []
        if not package:
            before, folders = listed(targets.prefix)
            gone = [path for path in before if path not in staged]
            made = {*folders, *missing_folders([*files, old])}
            names = pathlib.Path(folder, "installed")
            names.write_text("".join([f"{path}\n" for path in files] +
                                     [f"{path}/\n" for path in sorted(made) if is_ours(path, targets.prefix)]),
                             encoding="utf-8")
            names.chmod(0o644)
            staged[old] = names
        words = [word for path, file in staged.items()
                 for word in (f"{file.stat().st_mode & 0o777:o}", file, path)]
        run([*sudo_for([*staged, *gone]), "sh", "-ec", COPY, "sh", *words, "--", *gone])
    print("Installed:", *files, sep="\n  ")
    if package:
        return True
    remember(build, targets.prefix)
    return check(files)


def uninstall(build, prefix):
    if not prefix:
        prefix = remembered(build) or (
            option(build, "prefix") if os.path.exists(f"{build}/build.ninja") else DEFAULT_PREFIX)
    file = pathlib.Path(prefix) / LIST
    files, folders = listed(pathlib.Path(prefix))
    if not files:
        others = [other for other in (DEFAULT_PREFIX, f"{HOME}/.local") if listed(pathlib.Path(other))[0]]
        sys.exit(f"Nothing is installed below {prefix}: there is no {file}."
                 + "".join(f" For {other}: make uninstall PREFIX={other}" for other in others))
    files = [path for path in files if os.path.lexists(path)]
    folders = sorted({file.parent, *folders}, key=lambda path: len(path.parts), reverse=True)
    run([*sudo_for([*files, file]), "sh", "-ec", REMOVE, "sh", *files, file, "--", *folders])
    if remembered(build) == prefix:
        with contextlib.suppress(OSError):
            pathlib.Path(build, PREFIX_FILE).unlink()
    print("Removed:", *files, sep="\n  ")
    return True


def main():
    actions = {"check": check_rights, "install": install, "uninstall": uninstall}
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in actions:
        sys.exit(__doc__)
    prefix = sys.argv[3] if len(sys.argv) == 4 else ""
    # not every shell expands the ~ of PREFIX=~/.local
    prefix = os.path.abspath(os.path.expanduser(prefix)) if prefix else ""
    if not prefix.isprintable():
        sys.exit(f"PREFIX={prefix!r} has a line break or another character that the list of files cannot contain")
    return actions[sys.argv[1]](sys.argv[2], prefix)


sys.exit(0 if main() else 1)
