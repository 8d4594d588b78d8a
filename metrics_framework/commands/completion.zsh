#compdef fw
_fw() {
    local -a found
    found=(${(f)"$(fw complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    compadd -a found
    _files
}
compdef _fw fw
