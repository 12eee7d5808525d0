# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Completion of the command cudaconv in bash. Names come from the command itself: from its help, and
# from its lists of kernels and presets.

_cudaconv_offer() { # _cudaconv_offer WORD CHOICE...: offers the choices that begin with WORD
  local choice
  for choice in "${@:2}"; do
    [[ $choice != "$1"* ]] || COMPREPLY+=("$choice")
  done
}

_cudaconv_options() { # the long options in the help; = follows those with a value
  sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z0-9-]+=?).*/\2/p' <<<"$1"
}

# The values of an option whose help ends with "(default): a, b, c".
_cudaconv_values() { # _cudaconv_values HELP OPTION
  sed -nE "s/^ +(-[a-zA-Z], )?$2=.*\([^()]*\): ([A-Za-z0-9_-]+(, [A-Za-z0-9_-]+)+)\$/\2/p" <<<"$1" | tr -d ','
}

# The placeholder of an option's value in the help: FILE, FOLDER, N.
_cudaconv_placeholder() { # _cudaconv_placeholder HELP OPTION
  sed -nE "s/^ +(-[a-zA-Z], )?$2=([A-Z]+) .*/\2/p" <<<"$1"
}

_cudaconv_long() { # _cudaconv_long HELP OPTION: the long form of a short one
  local long=''
  [[ $2 != -[a-zA-Z] ]] || long=$(sed -nE "s/^ +$2, (--[a-z0-9-]+).*/\1/p" <<<"$1")
  echo "${long:-$2}"
}

# The properties for --set: the help lists their options after --set. A switch has a value as well.
_cudaconv_properties() {
  _cudaconv_options "$(sed '1,/^ *--set=/d' <<<"$1")" | sed -E 's/^--//; s/=?$/=/'
}

_cudaconv() {
  local program=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]}
  local word=${COMP_WORDS[COMP_CWORD]} option='' help takes_value
  local -a found=()
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t found < <("$program" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .* {2,}.*/\1/p')
    _cudaconv_offer "$word" "${found[@]}" --help --version
    compopt +o default 2>/dev/null
    return
  fi
  help=$(LC_ALL=C.UTF-8 "$program" "$command" --help 2>/dev/null) || return

  # bash divides --option=value into three words
  if [ "$word" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=''
  elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  else
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  option=$(_cudaconv_long "$help" "$option")
  mapfile -t found < <(_cudaconv_options "$help")
  takes_value=false
  [[ " ${found[*]} " != *" $option= "* ]] || takes_value=true

  if $takes_value; then
    compopt +o default 2>/dev/null
    case $option in
      --kernel | --preset)
        mapfile -t found < <("$program" "${option#--}s" 2>/dev/null | sed 's/ .*//')
        ;;
      --set)
        mapfile -t found < <(_cudaconv_properties "$help")
        compopt -o nospace 2>/dev/null
        ;;
      --kernel-file)
        found=()
        compopt -o default 2>/dev/null
        ;;
      *)
        read -ra found <<<"$(_cudaconv_values "$help" "$option")"
        case $(_cudaconv_placeholder "$help" "$option") in
          FILE | OUT) compopt -o default 2>/dev/null ;;
          FOLDER) compopt -o dirnames 2>/dev/null ;;
        esac
        ;;
    esac
    _cudaconv_offer "$word" "${found[@]}"
  elif [[ $word == -* ]]; then
    _cudaconv_offer "$word" "${found[@]}"
    [ ${#COMPREPLY[@]} != 1 ] || [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
  elif grep -qE "^  cudaconv $command .*\bJOB\b" <<<"$help"; then
    compopt +o default -o dirnames 2>/dev/null
  elif ! grep -qE "^  cudaconv $command .*\[?IN\b" <<<"$help"; then
    compopt +o default 2>/dev/null # the command takes no file
  fi
}

complete -o default -F _cudaconv cudaconv
