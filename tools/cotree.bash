# Completion of cotree for bash. `make install` installs it; or: source tools/cotree.bash
#
# Verbs, options, elements and examples are asked from the program itself, so that this file need not
# change when they do: `cotree --help`, `cotree VERB --help`, `cotree doc`, `cotree demo`. All of these
# print what is listed on lines that begin with two blanks.

# _cotree_listed PATTERN ARGUMENTS...: first words of listed lines that fit the pattern
_cotree_listed()
{
    local pattern=$1
    shift
    "$_cotree_program" "$@" 2>/dev/null | sed -n 's/^  \([^ ]*\).*/\1/p' | grep -E -- "$pattern"
}

_cotree_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# _cotree_files ENDINGS WORD: files with one of these endings (empty: all) and folders
_cotree_files()
{
    local ending endings
    read -r -a endings <<< "${1:-_}"
    mapfile -t COMPREPLY < <({ for ending in "${endings[@]}"; do compgen -f -X "!*${ending#_}" -- "$2"; done
        compgen -d -- "$2"; } | sort -u)
    compopt -o filenames 2>/dev/null
}

# Is this word the value of the option before it? Options that take one show it in their help.
_cotree_takes_value()
{
    [[ $2 == -* ]] && "$_cotree_program" "$1" --help 2>/dev/null | grep -q -- "^  $2 [A-Z]"
}

_cotree_value()
{
    case $1 in
    --dump) _cotree_words "syntax model graph system equations tape" "$2" ;;
    -I) mapfile -t COMPREPLY < <(compgen -d -- "$2"); compopt -o filenames 2>/dev/null ;;
    -o) _cotree_files "" "$2" ;;
    *) COMPREPLY=() ;;
    esac
}

# _cotree_has_argument VERB: a word that is neither option nor value stands behind the verb already
_cotree_has_argument()
{
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        =) ((i++)) ;; # bash cuts words at `=`: --set x=1, --tree=E1
        -?*) [ "${COMP_WORDS[i + 1]-}" != = ] && _cotree_takes_value "$1" "${COMP_WORDS[i]}" && ((i++)) ;;
        *) return 0 ;;
        esac
    done
    return 1
}

_cotree_argument()
{
    case $1 in
    doc) _cotree_words "$(_cotree_listed '^[a-z]' doc)" "$2" ;;
    demo) _cotree_words "$(_cotree_listed '^[a-z]' demo)" "$2" ;;
    new | lg2ss) COMPREPLY=() ;;
    *) _cotree_files ".lg .cir .sp" "$2" ;;
    esac
}

_cotree()
{
    local _cotree_program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]-}
    COMPREPLY=()
    _cotree_program=${_cotree_program/#\~/$HOME}
    if [ "$COMP_CWORD" -le 1 ]; then
        _cotree_words "$(_cotree_listed '^[a-z]' --help) --help --version" "$word"
    elif [ "$word" = = ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
        return 0
    elif [ "$COMP_CWORD" -gt 2 ] && _cotree_takes_value "$verb" "${COMP_WORDS[COMP_CWORD - 1]}"; then
        _cotree_value "${COMP_WORDS[COMP_CWORD - 1]}" "$word"
    elif [[ $word == -* ]]; then
        _cotree_words "$(_cotree_listed '^-' "$verb" --help)" "$word"
    elif ! _cotree_has_argument "$verb"; then
        _cotree_argument "$verb" "$word"
    fi
    return 0
}

complete -F _cotree cotree
