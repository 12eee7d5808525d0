#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs CI and `make test-all`.

usage: tiers.py ci
       tiers.py all BUILD [PART...]
       tiers.py parts [PART...]         checks the names of parts
       tiers.py summary BUILD STATUS    prints the results of the last `meson test` in BUILD, which exited with STATUS;
                                        `make test` calls it at its end

There are three tiers. Each test belongs to the lowest tier that makes sense:

  make test       For everybody who changes the code: all suites except those that tests/meson.build leaves to the
                  parts below. At most 6 minutes on two cores, after the build.
  .ci/run         `ci`: make test with warnings as errors, lint, and the suites of SANITIZED with AddressSanitizer and
                  UBSan. At most 30 minutes from a clean clone on two cores.
  make test-all   `all`: all parts in PARTS, or the named ones. At most 100 minutes together. BUILD is the folder of
                  `make test`. A part that needs another build uses the folder BUILD-PART.

The last line is "N passed, N failed, N skipped". The exit status is 1 if something failed.
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback

CI_BUILD = 'build-ci'
CI_SECONDS = 60 * 60  # CI itself stops at 90 minutes, without a summary
ARCH = '-Dcuda-arch=sm_80'
# Leak checks run only in programs without GStreamer, because its tables and GLib's would count as leaks.
SANITIZED = {'without-gstreamer': ['unit', 'compare'], 'gstreamer': ['element', 'fake', 'app', 'fuzz']}
SLOWEST = 20
ENDING = signal.SIGTERM, signal.SIGHUP


class Summary:
    """Counts results and prints the summary at the end."""

    def __init__(self):
        self.start = time.monotonic()
        self.deadline = None
        self.counts = collections.Counter()
        self.failures = []  # texts
        self.sections = []  # (name, seconds, counts)
        self.tests = []  # (seconds, name)
        self.skips = collections.Counter()  # by reason

    def section(self, name, function, *arguments):
        print(f'\n== {name} (after {time.monotonic() - self.start:.0f} s)', flush=True)
        begin, before = time.monotonic(), self.counts.copy()
        try:
            return function(*arguments)
        except TimeoutError:
            self.fail(f'stopped after the limit of {self.deadline - self.start:.0f} s in the section "{name}"')
            raise
        except Exception:  # pylint: disable=broad-except # the other sections still run
            self.fail(f'{name}: {traceback.format_exc()}')
            return None
        finally:
            self.sections.append((name, time.monotonic() - begin, self.counts - before))

    def fail(self, text):
        self.counts['failed'] += 1
        self.failures.append(text)
        print(f'\nfailed: {text}', flush=True)

    def run(self, *command, log=None, **env):
        """Runs a command until the deadline and returns its exit status. Writes its output to `log`, if given."""
        def unblock_signals():
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

        with log.open('w') if log else contextlib.nullcontext() as output:
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until `process` is set
            process = subprocess.Popen([str(word) for word in command], env=os.environ | env, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output and subprocess.STDOUT, start_new_session=True,
                                       preexec_fn=unblock_signals)
        try:
            unblock_signals()
            return process.wait(self.deadline and max(self.deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired as expired:
            raise TimeoutError from expired
        finally:
            for sent in signal.SIGTERM, signal.SIGKILL:
                if process.poll() is None:
                    os.killpg(process.pid, sent)
                    try:
                        process.wait(20)
                    except subprocess.TimeoutExpired:
                        pass

    def must(self, *command, log=None, **env):
        """Runs a command and counts a failure. Returns whether it succeeded."""
        status = self.run(*command, log=log, **env)
        if status:
            self.fail(f'{" ".join(str(word) for word in command)}: status {status}' + (f', see {log}' if log else ''))
        return not status

    def count_tests(self, name, log, status=0):
        """Adds the results in Meson's log, which has a JSON object per line. A missing log is a failure. `status` is the
        exit status of `meson test`."""
        if not log.exists():
            self.fail(f'{name}: no test ran')
            return
        before = self.counts.copy()
        for test in map(json.loads, log.read_text().splitlines()):
            self.tests.append((test['duration'], f'{name}: {test["name"]}'))
            if test['result'] in ('OK', 'EXPECTEDFAIL'):
                self.counts['passed'] += 1
            elif test['result'] == 'SKIP':
                self.counts['skipped'] += 1
                self.skips[reason_of(test)] += 1
            else:
                output = f'{test.get("stdout", "")}\n{test.get("stderr", "")}'.splitlines()[-30:]
                self.fail('\n'.join([f'{name}: {test["name"]}: {test["result"]} after {test["duration"]:.0f} s', *output]))
        if self.counts == before:
            self.fail(f'{name}: no test ran')
        elif status and self.counts['failed'] == before['failed']:
            self.fail(f'{name}: meson test exited with status {status}')

    def meson_test(self, name, build, *arguments, log=None, wrapper=None, **env):
        """Builds and runs tests."""
        logs = pathlib.Path(build) / 'meson-logs'
        base = f'testlog-{name}'
        for old in logs.glob(f'{base}*.json'):
            old.unlink()
        status = self.run('meson', 'test', '-C', build, '--print-errorlogs', '--logbase', base, *arguments,
                          *(['--wrapper', wrapper] if wrapper else []), log=log, **env)
        # Meson adds the name of a setup or a wrapper to the name of the log
        found = sorted(logs.glob(f'{base}*.json'))
        self.count_tests(name, found[0] if found else logs / base, status)

    def count_lines(self, kind, log, *command, **env):
        """Runs a command and counts its lines "KIND NAME: ok" and "KIND NAME: failed". Lines before them are details."""
        status = self.run(*command, log=log, **env)
        details, good, bad = [], 0, 0
        for line in log.read_text(errors='replace').splitlines():
            result = re.fullmatch(rf'{kind} .*: (ok|failed.*)', line)
            if not result:
                details.append(line)
                continue
            print(line)
            if result[1] == 'ok':
                good += 1
                self.counts['passed'] += 1
            else:
                bad += 1
                self.fail('\n'.join([*details[-30:], line]))
            details = []
        if (status or not good) and not bad:
            self.fail('\n'.join([*details[-30:], f'{kind}: status {status}']))

    def close(self):
        """Prints the summary of a run. Returns the exit status."""
        if self.tests:
            print(f'\n== the {SLOWEST} slowest tests')
            for seconds, name in sorted(self.tests, reverse=True)[:SLOWEST]:
                print(f'{seconds:7.1f} s  {name}')
        print('\n== sections')
        for name, seconds, counts in self.sections:
            print(f'{seconds:7.0f} s  {name}: {numbers(counts)}')
        print(f'{time.monotonic() - self.start:7.0f} s  total')
        if self.failures:
            print('\n== failures', *self.failures, sep='\n')
        return self.print_counts()

    def print_counts(self):
        """Prints the reasons of skipped tests and the last line. Returns the exit status."""
        for reason, n in self.skips.most_common():
            print(f'skipped {n}: {reason}')
        print(numbers(self.counts), flush=True)
        return 1 if self.counts['failed'] else 0


def numbers(counts):
    return ', '.join(f'{counts[result]} {result}' for result in ('passed', 'failed', 'skipped'))


def reason_of(test):
    """Returns the last message of a skipped test, without its name."""
    lines = f'{test.get("stdout", "")}\n{test.get("stderr", "")}'.strip().splitlines() or ['no reason given']
    lines = [line for line in lines if 'skipped' in line or '# SKIP' in line] or lines
    return re.sub(r'^(\S*:? ?skipped[:,]|.*# SKIP) ', '', lines[-1])[:160]


# ---- CI ----

def device_code_of(build):
    """Returns the options to use the device code of another build. No tool checks device code, and it takes long to
    compile."""
    options = json.loads(pathlib.Path(build, 'meson-info/intro-buildoptions.json').read_text())
    given = next(option['value'] for option in options if option['name'] == 'device-code')
    folder = pathlib.Path(given or build).resolve()
    return [f'-Ddevice-code={folder}'] if any(folder.glob('cuda/*.fatbin')) else ['-Dcuda=disabled']


def setup(summary, build, *options, log=None):
    """Creates a build folder, or uses the existing one if it has the same options."""
    made_with = pathlib.Path(build, 'made-with.txt')
    if made_with.exists() and made_with.read_text() == shlex.join(options):
        return True
    shutil.rmtree(build, ignore_errors=True)  # `meson setup --wipe` keeps old options
    if not summary.must('meson', 'setup', build, *options, log=log):
        return False
    made_with.write_text(shlex.join(options))
    return True


def sanitized_build(summary, build, device_code, *options, log=None):
    return setup(summary, build, '-Dwerror=true', '-Dbuildtype=debugoptimized', '-Db_sanitize=address,undefined',
                 '-Db_lundef=false', '-Dbench=disabled', *device_code_of(device_code), *options, log=log
                 ) and summary.must('ninja', '-C', build, 'plugin/libgstcudaconv.so', log=log)


def sanitized_tests(summary, name, build, suites, leaks, log=None):
    """Runs suites with the sanitizer preloaded, because programs without it load the plugin."""
    preload = subprocess.run(['gcc', '-print-file-name=libasan.so'], check=True, capture_output=True, text=True).stdout
    registry = os.path.abspath(f'{build}/registry.bin')
    env = {'LD_PRELOAD': preload.strip(), 'ASAN_OPTIONS': f'detect_leaks={leaks:d}',
           'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1', 'G_SLICE': 'always-malloc',
           'CK_TIMEOUT_MULTIPLIER': '5', 'GST_REGISTRY': registry, 'GST_REGISTRY_FORK': 'no'}
    # fill the registry before the tests, so that they do not load the libraries of other plugins
    if os.path.exists(registry) or summary.must(
            'gst-inspect-1.0', 'cudaconv', log=pathlib.Path(build, 'registry.txt'),
            **env | {'ASAN_OPTIONS': 'detect_leaks=0', 'GST_PLUGIN_PATH': os.path.abspath(f'{build}/plugin')}):
        summary.meson_test(name, build, '--timeout-multiplier', '5', *(f'--suite={suite}' for suite in suites),
                           log=log, wrapper=shlex.join(['env', *(f'{key}={value}' for key, value in env.items())]))


def ci(summary):
    summary.deadline = summary.start + CI_SECONDS
    release, sanitized = f'{CI_BUILD}/release', f'{CI_BUILD}/sanitized'
    subprocess.run(['rm', '-rf', CI_BUILD], check=True)
    os.mkdir(CI_BUILD)

    def packages():
        return summary.must('scripts/install-deps.sh', 'build', 'test', 'lint')

    def make_test():
        status = summary.run('make', 'test', f'BUILD={release}', f'MESON_OPTIONS=-Dwerror=true {ARCH}')
        summary.count_tests('release', pathlib.Path(release, 'meson-logs/testlog.json'), status)

    def lint():
        summary.count_lines('lint', pathlib.Path(CI_BUILD, 'lint.txt'), 'scripts/lint.sh', release)

    def sanitized_suites():
        if sanitized_build(summary, sanitized, release):
            for name, suites in SANITIZED.items():
                sanitized_tests(summary, name, sanitized, suites, name == 'without-gstreamer')

    try:
        if summary.section('packages', packages):
            summary.section('make test', make_test)
            summary.section('lint', lint)
            summary.section('AddressSanitizer and UBSan', sanitized_suites)
    except TimeoutError:
        pass


# ---- the parts ----

class Part:
    """The environment of a part: the summary, the build of `make test`, a log."""

    def __init__(self, summary, name, build):
        self.summary, self.name, self.build = summary, name, build
        self.folder = pathlib.Path(f'{build}-{name}')  # for another build
        self.log = pathlib.Path(build, 'meson-logs', f'part-{name}.txt')

    def install(self, *groups):
        return self.summary.must('scripts/install-deps.sh', *groups, log=self.log)

    def test(self, *arguments, **more):
        self.summary.meson_test(self.name, more.pop('build', self.build), *arguments, log=self.log, **more)

    def setup(self, *options):
        return setup(self.summary, self.folder, *options, log=self.log)


def compare(part):
    """Complete comparisons of every CPU variant, and of the device code on the fake driver."""
    part.test('--suite=complete-compare')


def element(part):
    """The element: chains with every failure of the driver, property changes for a minute, the forwarding driver."""
    part.test('--suite=complete-element')


def app(part):
    """The command: all kinds of damage to jobs and inputs."""
    part.test('--suite=complete-app')


def valgrind(part):
    """The element under valgrind, which distinguishes leaks from GLib's tables."""
    if part.install('sanitize'):
        part.test('--suite=element', '--setup=valgrind')


def emulator(part):
    """The device code under AddressSanitizer, which finds accesses outside shared memory."""
    if sanitized_build(part.summary, part.folder, part.build, '-Dsanitize-device-code=true', log=part.log):
        sanitized_tests(part.summary, part.name, part.folder, ['emulator'], False, part.log)


def fuzz(part):
    """Each fuzz target for a minute."""
    if part.install('fuzz'):
        part.summary.count_lines('fuzz', part.log, 'scripts/fuzz.sh', '60', BUILD=str(part.folder))


def tsan(part):
    """ThreadSanitizer, with GLib's locks replaced by locks of pthreads."""
    if part.setup('-Dbuildtype=debugoptimized', '-Db_sanitize=thread', '-Db_lundef=false', '-Dbench=disabled',
                  *device_code_of(part.build)):
        part.test('--setup=tsan', *(f'--suite={suite}' for suite in ('tsan', 'threads', 'element', 'fake')),
                  '--no-suite=app', build=part.folder)


def farm(part):
    """The examples for schedulers: a Slurm with two nodes, GNU parallel, Snakemake, YAML of Kubernetes."""
    if part.install('farm'):
        part.test('--suite=farm')


def docs(part):
    """All code blocks of the documents and the examples, with all packages that they name."""
    if part.install('docs'):
        part.test('--suite=docs', '--suite=readme', '--suite=examples', CUDACONV_TEST_REQUIRED='1')


def migration(part):
    """The tables of docs/migration.md, with FFmpeg and OpenCV."""
    python = part.folder
    if part.install('migration') and part.summary.must(
            'python3', '-m', 'pip', 'install', '--quiet', '--upgrade', '--target', python,
            'opencv-python-headless==4.14.0.94', 'numpy', log=part.log):
        part.test('--suite=migration', PYTHONPATH=os.path.abspath(python))


def debian12(part):
    """make demo and make test as for a new user, on a Debian 12 with only make and git."""
    fresh_debian(part, 'bookworm')


def debian13(part):
    """The build and the tests on Debian 13, with device code for sm_75 and sm_90."""
    fresh_debian(part, 'trixie', '-Dcuda-arch=sm_75 sm_90')


def fresh_debian(part, release, *options):
    status = part.summary.run('scripts/fresh-debian.sh', release, part.folder, *options, log=part.log)
    output = part.log.read_text(errors='replace').splitlines()[-30:]
    if status == 77:
        print(*output[-1:], sep='\n')
        part.summary.counts['skipped'] += 1
    elif status:
        part.summary.fail('\n'.join([*output, f'{part.name}: status {status}']))
    else:
        part.summary.counts['passed'] += 1


def coverage(part):
    """Line coverage of the tests, without device code."""
    if part.install('coverage') and part.setup(
            '-Db_coverage=true', '-Dc_args=-fprofile-update=atomic', '-Ddebug=true', '-Doptimization=1', '-Dbench=disabled',
            *device_code_of(part.build)):
        for old in part.folder.glob('**/*.gcda'):
            old.unlink()
        part.test('--timeout-multiplier=3', *(f'--suite={suite}' for suite in ('unit', 'compare', 'element', 'fake', 'app')),
                  build=part.folder)
        log = part.log.with_suffix('.lines.txt')
        part.summary.must('gcovr', '--root', '.', '--object-directory', part.folder, '--print-summary', '--sort-percentage',
                          *(f'--filter={folder}/' for folder in ('app', 'backends', 'cpu', 'cuda', 'engine', 'plugin')),
                          f'--fail-under-line={MIN_COVERAGE}', log=log)
        print(*[line for line in log.read_text().splitlines() if line.startswith('lines:')], sep='\n')


PARTS = {part.__name__: part for part in (compare, element, app, valgrind, emulator, fuzz, tsan, farm, docs, migration,
                                          debian12, debian13, coverage)}
MIN_COVERAGE = 96  # percent of the lines


def check_parts(names):
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f'There is no part {" ".join(unknown)}; the parts are {" ".join(PARTS)}')


def run_parts(summary, build, *names):
    check_parts(names)
    for name in names or PARTS:
        summary.section(f'{name}: {PARTS[name].__doc__}', PARTS[name], Part(summary, name, build))


def main():
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    for number in ENDING:  # run() then ends its command
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    summary = Summary()
    words = sys.argv[1:]
    if words == ['ci']:
        ci(summary)
    elif words[:1] == ['all'] and len(words) > 1:
        run_parts(summary, *words[1:])
    elif words[:1] == ['parts']:
        check_parts(words[1:])
        return
    elif words[:1] == ['summary'] and len(words) == 3:
        summary.count_tests('test', pathlib.Path(words[1], 'meson-logs/testlog.json'), int(words[2]))
        sys.exit(summary.print_counts())
    else:
        sys.exit(__doc__)
    sys.exit(summary.close())


if __name__ == '__main__':
    main()
