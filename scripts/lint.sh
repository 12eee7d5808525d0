#!/usr/bin/env bash
# Checks the style and the obvious faults of everything that git tracks or would track.
#
#   scripts/lint.sh BUILD [CHECK...]
#
# BUILD is a configured Meson build folder. Without CHECK, these run: format text words commits shell docs
# includes cppcheck tidy. There is also tidy-tests, which takes as long as all others together. Exits 1 when
# one finds something.
# shellcheck disable=SC2317 # the checks are called by name
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

build=${1:-}
if [ ! -f "$build/compile_commands.json" ]; then
  echo "\"$build\" is no build folder; make makes one. Usage: scripts/lint.sh BUILD [CHECK...]" >&2
  exit 2
fi
shift
checks=(format text words commits shell docs includes cppcheck tidy)
for check in "$@"; do
  if [[ " ${checks[*]} tidy-tests " != *" $check "* ]]; then
    echo "There is no check $check; there are: ${checks[*]} tidy-tests" >&2
    exit 2
  fi
done
[ $# -gt 0 ] || set -- "${checks[@]}"

# Without those that are deleted, which git lists until that is committed.
tracked() {
  git ls-files -z -co --exclude-standard -- "$@" |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
}

check_format() { tracked '*.c' '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -0r clang-format --dry-run -Werror; }

absent() { # absent GIT-GREP'S-ARGUMENT...
  git grep --untracked -nI "$@"
  [ $? = 1 ] # 0: found; 128: git failed
}
check_text() {
  absent -E '[[:blank:]]+$' -- ':!*.png' ':!LICENSE' && absent -F $'\t' -- ':!Makefile' ':!*.png' ':!LICENSE'
}

# Words for which the field has others (the right column). The second line is for names in code.
#   film: video    mend: fix    seam: boundary    bundle: dot group    ladder, rung: dispatch
#   MOST_, LEAST_: MAX_, MIN_    wholefile: atomic file    host half: launch configuration    last step: output stage
check_words() {
  local files=(':!scripts/lint.sh' ':!LICENSE' ':!*.png' ':!*.webp' ':!*.webm') status=0
  absent -iP '\b(films?|filmed|mend(s|ed|ing)?|seams?|ladders?|rungs?|wholefile|host half|last step)\b' -- "${files[@]}" || status=1
  absent -P '(?<![A-Z])(MOST|LEAST)_[A-Z]|[Ww]hole_?[Ff]ile|[Hh]ost_?[Hh]alf|[Ll]ast_?[Ss]tep' -- "${files[@]}" || status=1
  absent -iP '(?<!max-)\bbundle[sd]?\b(?!-policy)' -- "${files[@]}" || status=1 # max-bundle is WebRTC's
  return "$status"
}

# Subjects of the commits since this check exists: at most 72 characters.
check_commits() {
  local long
  long=$(git log --since='2026-11-28T08:50:00Z' --format='%h %s' | grep -E '^[^ ]+ .{73,}')
  [ -z "$long" ] || { echo "subjects of more than 72 characters:"; echo "$long"; return 1; }
}

check_shell() { tracked '*.sh' '*.bash' .ci/run | xargs -0r shellcheck; }

check_docs() {
  scripts/kernels-doc.py --check && scripts/tiles-drawing.py --check && scripts/check-lists.py &&
    scripts/manual.py --check && mandoc -Tlint -W warning app/cudaconv.1
}

# No two files need each other, and no folder can include what it may not. A build without CUDA does
# not compile one of the folders.
check_includes() {
  scripts/includes.py || return 1
  scripts/check-grants.py "$build" || [ $? -eq 77 ]
}

# Writes what Meson says of how to compile each C file of the product and the benches, or of the tests, into
# FOLDER/compile_commands.json, with an edit for a tool that is a sed command. cpu/kernels/row_kernels.c is compiled for each
# instruction set; the last one stands for all of them.
compile_commands() { # compile_commands product|tests FOLDER EDIT
  python3 - "$build" "$@" <<'PY'
import json, os, re, subprocess, sys
build, wanted, folder, edit = sys.argv[1:]
chosen = {}
for command in json.load(open(f"{build}/compile_commands.json")):
    source = os.path.relpath(os.path.join(command["directory"], command["file"]))
    kind = "tests" if source.startswith("tests/") or command["output"].startswith("tests/") else "product"
    if kind == wanted and source.endswith(".c") and not source.startswith(os.path.relpath(build) + '/'):
        chosen[source] = command
text = subprocess.run(["sed", "-E", edit], input=json.dumps(list(chosen.values())), text=True, check=True,
                      capture_output=True).stdout
open(f"{folder}/compile_commands.json", "w").write(text)
PY
}

# Only C that is compiled here is looked at, as it is compiled here. cppcheck knows GLib and GStreamer by its own
# descriptions: with their headers it takes fifty times as long. The compiler, the sanitizers and valgrind find
# uninitialised variables: cppcheck takes every loop for one that may run zero times. It gives up at a compound
# literal in ?:.
check_cppcheck() {
  local commands result
  commands=$(mktemp -d) || return 1
  compile_commands product "$commands" 's/ -(I|isystem ?)\/usr\/[^ "]*//g' &&
    cppcheck --quiet --project="$commands/compile_commands.json" -D"__$(uname -m)__" \
      '-DGST_ELEMENT_REGISTER_DEFINE(name, text, rank, type)=' --std=c11 --library=gtk \
      --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
      --suppress={uninitvar,internalAstError} -j "$(nproc)"
  result=$?
  rm -r "$commands"
  return "$result"
}

# Without flags that only GCC knows.
run_tidy() { # run_tidy product|tests
  local commands result
  commands=$(mktemp -d) || return 1
  compile_commands "$1" "$commands" 's/-fno-tree-loop-distribute-patterns//g' &&
    run-clang-tidy -p "$commands" -quiet -j "$(nproc)" 2>/dev/null | grep -v '^clang-tidy'
  result=${PIPESTATUS[0]}
  rm -r "$commands"
  return "$result"
}
check_tidy() { run_tidy product; }
check_tidy-tests() { run_tidy tests; }

status=0
for check in "$@"; do
  if "check_$check"; then
    echo "lint $check: ok"
  else
    echo "lint $check: failed"
    status=1
  fi
done
exit $status
