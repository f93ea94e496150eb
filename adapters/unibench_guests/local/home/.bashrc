# ~/.bashrc: executed by bash(1) for non-login shells.
case $- in *i*) ;; *) return ;; esac
HISTCONTROL=ignoreboth
PROMPT_COMMAND='history -a'
PS1='\u@\h:\w\$ '
