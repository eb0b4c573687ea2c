# Completion of the troupe command for bash.
_troupe() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} options=
    if [ "$COMP_CWORD" -eq 1 ]; then
        options="run check drivers interfaces encode decode demo help --help --version"
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = --load ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = --check ] ||
        [ "${COMP_WORDS[COMP_CWORD - 1]}" = --plugin ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    else
        case $command in
        interfaces) options="--json --schema --load --check --help $(_troupe_interfaces)" ;;
        encode | decode)
            case $COMP_CWORD in
            2) options="--struct --load --help $(_troupe_interfaces)" ;;
            3) options="data command request synch" ;;
            4) options=$(_troupe_messages "${COMP_WORDS[2]}" "${COMP_WORDS[3]}") ;;
            *) options="--answer --load --help" ;;
            esac
            [ "$command" = encode ] || [ "$COMP_CWORD" -lt 5 ] || options="$options --pretty --line --human"
            ;;
        run | check)
            mapfile -t COMPREPLY < <(compgen -f -X '!*.cfg' -- "$word"; compgen -W "--port --listen --any-port --unix --quiet --help" -- "$word")
            return
            ;;
        drivers) options="--plugin --help $(troupe drivers 2>/dev/null | awk '{print $1}')" ;;
        help) options="run check drivers interfaces encode decode demo" ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}
_troupe_interfaces() {
    troupe interfaces 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $2}'
}
_troupe_messages() {
    troupe interfaces "$1" 2>/dev/null | awk -v kind="$2" '$1 == kind {print $2}'
}
complete -F _troupe troupe
