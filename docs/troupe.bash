# Completion of the troupe command for bash: commands, options, interfaces, messages, and the
# devices of the server that TROUPE_URL names.
_troupe_commands="run check drivers fronts sim list print send request property stat frames panic reset kick doctor interfaces encode decode demo new motion emulate robots sensors translate play drive log experiment view goto"
_troupe_worlds="office cave classroom swarm track warehouse"
_troupe_server_options="--url --key --key-file --timeout --load --help"

_troupe() {
    local words word count command options=
    _troupe_join
    word=${words[count]} command=${words[1]:-}
    if [ "$count" -eq 1 ]; then
        _troupe_reply "$_troupe_commands help --help --version"
        return
    fi
    case ${words[count - 1]} in
    --load | --check | --unix | --plugin | --key-file | --record | --render | --link | --wiring | --plot)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    --map | --url | -u | --timeout | --where | --why | --key | --rate | --count | -n | --repeat | --for | --lease | --rank | --listen | --port | -p | --speed | --threads | --seed | --steps | --size | --seconds | --at | --on | --name | --wire | --in | --delay | --hz | --broadcast) return ;;
    --mode)
        _troupe_reply "playback adaptive direct delay"
        return
        ;;
    --fault)
        _troupe_reply "unplugged silent wrong short battery lifted"
        return
        ;;
    --world)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.world' -- "$word"; compgen -W "$_troupe_worlds" -- "$word")
        return
        ;;
    --only)
        _troupe_reply "$(_troupe_messages "${words[2]}" data)"
        return
        ;;
    esac
    case $command in
    interfaces) options="--json --schema --padi --rights --load --url --help $(_troupe_interfaces)" ;;
    encode | decode)
        case $count in
        2) options="--struct --load --help $(_troupe_interfaces)" ;;
        3) options="data command request synch" ;;
        4) options=$(_troupe_messages "${words[2]}" "${words[3]}") ;;
        *) options="--answer --load --help" ;;
        esac
        [ "$command" = encode ] || [ "$count" -lt 5 ] || options="$options --pretty --line --human"
        ;;
    run | check)
        local files='!*.cfg' worlds=
        [ "$command" = run ] || files='!*.@(cfg|world)' worlds="--fields $_troupe_worlds"
        mapfile -t COMPREPLY < <(shopt -s extglob; compgen -f -X "$files" -- "$word"; compgen -W "--port --listen --any-port --unix --udp --quiet --help $worlds" -- "$word")
        return
        ;;
    sim)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.world' -- "$word"; compgen -W "--speed --lockstep --threads --seed --record --port --any-port --listen --quiet --steps --render --size --dark --help $_troupe_worlds" -- "$word")
        return
        ;;
    motion)
        local server="--url --key --key-file --timeout --help" files=
        case $count:${words[2]} in
        2:*) options="describe check goto set play record state rate hold resume panic reset --help" ;;
        *:describe) files='!*.urdf' options="--json --help" ;;
        *:check) files='!*.urdf' options="--help" ;;
        *:goto) options="--map $server" ;;
        *:set) options="--in --within $server" ;;
        *:play) files='!*.@(csv|json)' options="--mode --delay --paper --plot --within $server" ;;
        *:record) files='!*.csv' options="--hz --for --count $server" ;;
        *:state) options="--broadcast --for --count --json $server" ;;
        *) options=$server ;;
        esac
        if [ -n "$files" ]; then
            mapfile -t COMPREPLY < <(shopt -s extglob; compgen -f -X "$files" -- "$word"; compgen -d -- "$word"; compgen -W "$options" -- "$word")
            return
        fi
        ;;
    robots)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.xml' -- "$word"; compgen -W "--check --matrix --commands --wiring --help $(_troupe_robots)" -- "$word")
        return
        ;;
    sensors)
        mapfile -t COMPREPLY < <(compgen -f -X '!*.xml' -- "$word"; compgen -W "list show check code --help $(troupe sensors 2>/dev/null | awk 'NR > 1 {print $1}')" -- "$word")
        return
        ;;
    translate)
        case $count in
        2) options="--help $(_troupe_robots)" ;;
        3) options=$(troupe robots --commands 2>/dev/null | awk 'NR > 1 {print $2}') ;;
        *) options="--wiring --map --loose --help" ;;
        esac
        ;;
    log)
        case $count:${COMP_WORDS[2]} in
        *:info) files='!*.mcap' options="--help" ;;
        *:recover) files='!*.mcap' options="--out --force --help" ;;
        *:csv) files='!*.mcap' options="--out --locale --help" ;;
        *) options="--out --for --count --rate --form --compression --locale --force --quiet --url --key --key-file --timeout --load --help $(_troupe_devices)" ;;
        esac
        ;;
    goto) options="--tolerance --within --quiet --url --key --key-file --timeout --load --help $(_troupe_devices)" ;;
    experiment) options="light --svg --robot --headings --seconds --seed --short --help" ;;
    play) options="--on --port --wiring --map --loose --trace --log --for --seed --upload --watch --channels --move --settle --claim --from --to --table --check --json --format --write --blocks --text --disassemble --explain --url --key --key-file --timeout --load --help" ;;
    emulate) options="--world --at --on --name --wire --fault --link --listen --trace --lockstep --speed --seconds --seed --record --render --list --wave --baud --lose --garble --help sensor $(troupe emulate --list 2>/dev/null | awk '{print $1}')" ;;
    demo) options="--terminal --seconds --speed --seed --threads --headless --render --help $_troupe_worlds" ;;
    fronts) options="--plugin --help $(troupe fronts 2>/dev/null | awk '{print $1}')" ;;
    drivers) options="--plugin --help $(troupe drivers 2>/dev/null | awk '{print $1}')" ;;
    list) options="--json --where $_troupe_server_options" ;;
    frames) options="--json $_troupe_server_options" ;;
    stat) options="--json --watch $_troupe_server_options" ;;
    panic) options="--why $_troupe_server_options" ;;
    view) options="--print" ;;
    reset | kick) options=$_troupe_server_options ;;
    new) options="driver world client robot sensor" ;;
    print) options="--human --picture --line --json --hex --only --rate --count $_troupe_server_options" ;;
    send) options="--repeat --for --lease --rank --exclusive $_troupe_server_options" ;;
    request) options="--json $_troupe_server_options" ;;
    drive) options="--speed --turn --joystick --exclusive $_troupe_server_options" ;;
    property) options="--json --if --counted $_troupe_server_options" ;;
    help) options=$_troupe_commands ;;
    esac
    case $command:$count in
    print:2 | property:2 | drive:2) options="$options $(_troupe_devices)" ;;
    send:2 | request:2) options="$options $(_troupe_devices) $(_troupe_interfaces)" ;;
    send:3) options="$options $(_troupe_messages "${words[2]}" command)" ;;
    request:3) options="$options $(_troupe_messages "${words[2]}" request) $(_troupe_messages common request)" ;;
    property:3) options="$options $(_troupe_properties "${words[2]}")" ;;
    esac
    _troupe_reply "$options"
}

# Bash takes laser:0 for three words; put them together again: `words`, and `count`, the one at the
# cursor.
_troupe_join() {
    local i piece glue=no
    words=() count=0
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if [ "$i" -gt 0 ] && { [ "$piece" = : ] || [ $glue = yes ]; }; then
            words[${#words[@]} - 1]+=$piece
        else
            words+=("$piece")
        fi
        if [ "$piece" = : ]; then glue=yes; else glue=no; fi
    done
    count=$((${#words[@]} - 1))
}

# Those of the words in $1 that begin as the one at the cursor does; without what bash has already
# before the last colon.
_troupe_reply() {
    local done=${word%"${word##*:}"} i
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
    case $COMP_WORDBREAKS in
    *:*)
        for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
            COMPREPLY[i]=${COMPREPLY[i]#"$done"}
        done
        ;;
    esac
}

_troupe_interfaces() {
    troupe interfaces 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $2}'
}
# Of "laser", "laser:0" or "URL/laser:0".
_troupe_messages() {
    local name=${1##*/}
    troupe interfaces "${name%%:*}" 2>/dev/null | awk -v kind="$2" '$1 == kind {print $2}'
}
_troupe_devices() {
    troupe list --timeout 1 2>/dev/null | awk 'NR > 2 && $1 !~ /:$/ {print $1}'
}
_troupe_properties() {
    troupe property "$1" --timeout 1 2>/dev/null | awk 'NR > 1 {print $1}'
}
_troupe_robots() {
    troupe robots 2>/dev/null | awk 'NR > 1 {print $1}'
}
complete -F _troupe troupe
