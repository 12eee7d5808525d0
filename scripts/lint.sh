#!/usr/bin/env bash
# Checks the style and the obvious faults of everything that git tracks or would track.
#
#   scripts/lint.sh BUILD [CHECK...]
#
# BUILD is a configured Meson build folder. Without CHECK, all run: format text shell docs includes
# cppcheck tidy. Exits 1 when one finds something.
# shellcheck disable=SC2317 # the checks are called by name
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

build=${1:?usage: scripts/lint.sh BUILD [CHECK...]}
shift
[ $# -gt 0 ] || set -- format text shell docs includes cppcheck tidy

# Without those that are deleted, which git lists until that is committed.
tracked() {
  git ls-files -z -co --exclude-standard -- "$@" |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
}

check_format() { tracked '*.c' '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -0r clang-format --dry-run -Werror; }

check_text() {
  ! git grep --untracked -nIE '[[:blank:]]+$' -- ':!*.png' ':!LICENSE' &&
    ! git grep --untracked -nIF $'\t' -- ':!Makefile' ':!*.png' ':!LICENSE'
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

# Only C that is compiled here is looked at, as it is compiled here. The compiler, the sanitizers and
# valgrind find uninitialised variables: cppcheck takes every loop for one that may run zero times.
# It does not know that a failed g_assert ends a test, and gives up at a compound literal in ?:.
check_cppcheck() {
  local places=('*:*cudaconv-resources.c' '*:tests/*' '*:*/tests/*' '*:*/test-*')
  cppcheck --quiet --project="$build/compile_commands.json" --file-filter='*.c' -D"__$(uname -m)__" --std=c11 \
    --library=gtk --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppress={uninitvar,internalAstError} "${places[@]/#/--suppress=}" -j "$(nproc)"
}

# Without flags that only GCC knows.
check_tidy() {
  local commands result
  commands=$(mktemp -d) || return 1
  sed 's/-fno-tree-loop-distribute-patterns//g' "$build/compile_commands.json" > "$commands/compile_commands.json"
  run-clang-tidy -p "$commands" -quiet -j "$(nproc)" \
    "^$PWD/(app|backends|bench|cpu|cuda|engine|examples|plugin|tests)/" 2>/dev/null | grep -v '^clang-tidy'
  result=${PIPESTATUS[0]}
  rm -r "$commands"
  return "$result"
}

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
