complete -c fw -a '(fw complete-words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
