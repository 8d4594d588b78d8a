_fw_complete() {
    local IFS=$'\n'
    local found="$(fw complete-words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
    COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -o bashdefault -F _fw_complete fw
