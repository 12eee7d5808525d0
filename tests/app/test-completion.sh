#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The completions that bash offers for the command.
#
#   test-completion.sh PROGRAM COMPLETION
set -uo pipefail

program=$1
# shellcheck source=/dev/null
source "$2"
failed=0

# Replaces compopt, which works only while readline completes. Records its options.
# shellcheck disable=SC2317
compopt() { options+="$* "; }

# Completes the last word of a line, and sets COMPREPLY and options. Divides the words at each "=", as
# readline does.
complete_line() {
  local word
  COMP_WORDS=() COMPREPLY=() options=''
  for word; do
    while [[ $word == *?=* || $word == =?* ]]; do
      if [[ $word == =* ]]; then
        COMP_WORDS+=("=") word=${word#=}
      else
        COMP_WORDS+=("${word%%=*}") word="=${word#*=}"
      fi
    done
    COMP_WORDS+=("$word")
  done
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _cudaconv
}

fail() {
  echo "failed: $*" >&2
  failed=1
}

# offers LINE... -- CHOICE...: all these choices are offered
offers() {
  local -a line=()
  while [ "$1" != -- ]; do line+=("$1") && shift; done
  shift
  complete_line "$program" "${line[@]}"
  local choice
  for choice; do
    [[ " ${COMPREPLY[*]} " == *" $choice "* ]] ||
      fail "\"${line[*]}\" offers \"${COMPREPLY[*]}\", without \"$choice\""
  done
}

# offers_all LINE... -- CHOICE...: exactly these choices are offered, in this order
offers_all() {
  offers "$@"
  while [ "$1" != -- ]; do shift; done
  shift
  [ "${COMPREPLY[*]}" = "$*" ] || fail "offered are \"${COMPREPLY[*]}\", not \"$*\""
}

# takes_files yes|no|folders LINE...: whether bash offers files if there is no other choice
takes_files() {
  local wanted=$1 found=yes
  complete_line "$program" "${@:2}"
  [ ${#COMPREPLY[@]} = 0 ] || fail "\"${*:2}\" offers \"${COMPREPLY[*]}\""
  [[ $options != *"+o default"* || $options == *"-o default"* ]] || found=no
  [[ $options != *"-o dirnames"* ]] || found+=" folders"
  [ "${found#no }" = "$wanted" ] || fail "\"${*:2}\" takes files: $found"
}

offers_all "" -- apply play measure plan run status merge explain kernels presets doctor --help --version
offers_all d -- doctor
offers_all p -- play plan presets
offers_all x --
offers_all doctor -- doctor

# options
offers apply - -- --help --preset= --set= --kernel= --sigma= --lossless --quiet
offers apply in.mp4 out.mp4 --ker -- --kernel= --kernel-file=
offers_all apply --sig -- --sigma=
[[ $options == *nospace* ]] || fail "a space follows --sigma="
offers play - -- --help --kernel= --sink=
offers plan - -- --help --out= --job= --piece= --files= --list= --lossless --kernel= --preset=
offers_all run - -- --help --index= --of= --again --quiet --backend= --cuda-device-id= --n-threads= --in-flight=
offers_all status - -- --help --missing --check --json
offers_all merge job - -- --help --out= --skip-failed --quiet
offers_all plan --pi -- --piece=
[[ $options == *nospace* ]] || fail "a space follows --piece="
offers measure - -- --help --json --histogram --output= --start= --kernel= --preset= --quiet
offers explain - -- --help --format= --frame-size= --kernel= --preset= --set= --backend=
offers_all doctor - -- --help --backend= --json --timeout=
offers_all doctor --h -- --help
[[ $options != *nospace* ]] || fail "no space follows --help"

offers_all apply --inv -- --invert
[[ $options != *nospace* ]] || fail "no space follows --invert"

offers_all apply --roi -- --roi= --roi-sigma=

# values, in all forms
offers apply --kernel "" -- sobel gaussian custom
offers_all apply --kernel so -- sobel sobel-x sobel-y
offers_all apply -k so -- sobel sobel-x sobel-y
offers_all apply --kernel=so -- sobel sobel-x sobel-y
offers apply --kernel= -- sobel gaussian
offers_all play --border c -- constant
offers_all apply --chroma-kernel sa -- same
offers_all apply --fields "" -- auto frame
offers_all apply --alpha w -- weighted
offers apply --backend= -- auto cuda cpu
offers_all doctor --backend= -- auto cuda cpu
offers_all doctor --backend c -- cuda cpu
offers explain --format "" -- I420 P010_10LE RGBx
offers_all explain --format=P01 -- P010_10LE P012_LE P016_LE
offers_all explain -k so -- sobel sobel-x sobel-y
offers_all apply --preset=sk -- sketch sketch-thin
offers_all play -p sk -- sketch sketch-thin
offers_all plan -k so -- sobel sobel-x sobel-y
offers_all run --backend= -- auto cuda cpu
offers_all plan --piece "" --
offers_all apply --set si -- size= sigma=
[[ $options == *nospace* ]] || fail "a space follows size="
offers_all apply --set inv -- invert=
offers_all apply --set roi -- roi= roi-sigma=
offers_all apply --outside "" -- copy black
offers_all apply --roi "" --
offers_all apply --sigma "" --

# files, if a command takes them
takes_files yes apply ""
takes_files yes apply in.mp4 o
takes_files yes apply --kernel sobel ""
takes_files yes apply --invert ""
takes_files no apply --overlay ""
takes_files no apply --roi ""
takes_files yes play ""
takes_files yes apply --kernel-file ""
takes_files no apply --sigma ""
takes_files yes measure ""
takes_files yes measure --output ""
takes_files no measure --seconds ""
takes_files yes plan ""
takes_files yes plan in.mp4 more
takes_files yes plan --list ""
takes_files yes plan --out=
takes_files yes plan -o ""
takes_files folders plan --job ""
takes_files folders plan -j jo
takes_files no plan --piece ""
takes_files no plan --files=
takes_files folders run ""
takes_files folders run --index 3 jo
takes_files no run --index ""
takes_files folders status jo
takes_files folders merge ""
takes_files no explain ""
takes_files no explain --frame-size ""
takes_files no kernels ""
takes_files no doctor ""
takes_files yes unknown ""

exit $failed
