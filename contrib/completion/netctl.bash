# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion of netctl(1) for bash: to be sourced, or put into
# /usr/share/bash-completion/completions under the name netctl. Names of links
# are those that the daemon knows.

# The names of all links, of a kind if one is given.
_netctl_links() {
	local options=()

	[ -z "$_netctl_runtime" ] || options=(-r "$_netctl_runtime")
	netctl "${options[@]}" -j link ${1:+type "$1"} 2>/dev/null |
		sed -n 's/^.*"ifname":"\([^"]*\)".*$/\1/p'
}

# What may come behind the words of $_netctl_words; compgen's arguments in $_netctl_choice.
_netctl_next() {
	local n=${#_netctl_words[@]} previous='' verb=${_netctl_words[0]:-}
	local filters='dev index type master vrf up'

	[ "$n" = 0 ] || previous=${_netctl_words[n - 1]}
	case $verb in
	'')
		_netctl_choice=(-W 'link address check plan apply reload status help')
		;;
	l | li | lin | link | a | ad | add | addr | addre | addres | address)
		[ "${verb:0:1}" = l ] || filters+=' to scope'
		[ "$n" -gt 1 ] || filters+=' show'
		case $previous in
		dev | master) _netctl_choice=(-W "$(_netctl_links)") ;;
		vrf) _netctl_choice=(-W "$(_netctl_links vrf)") ;;
		type) _netctl_choice=(-W 'bond bridge dummy macvlan veth vlan vrf') ;;
		scope) _netctl_choice=(-W 'global site link host') ;;
		index | to) ;;
		*) _netctl_choice=(-W "$filters $(_netctl_links)") ;;
		esac
		;;
	ch* | pl* | ap*)
		_netctl_choice=(-f)
		;;
	esac
}

_netctl() {
	local current=${COMP_WORDS[COMP_CWORD]} word skip='' i _netctl_runtime=''
	local _netctl_words=() _netctl_choice=()

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ -n "$skip" ]; then
			_netctl_runtime=$word skip=''
		elif [ "$word" = -r ] || [ "$word" = --runtime ]; then
			skip=1
		elif [ "${word:0:1}" != - ] || [ "$word" = - ]; then
			_netctl_words+=("$word")
		fi
	done
	if [ -n "$skip" ]; then
		_netctl_choice=(-d)
	elif [ "${current:0:1}" = - ]; then
		_netctl_choice=(-W '-4 -6 -h -j -r --allow-recreate --help --json --keep-going --runtime --version')
	else
		_netctl_next
	fi
	[ ${#_netctl_choice[@]} -eq 0 ] || mapfile -t COMPREPLY < <(compgen "${_netctl_choice[@]}" -- "$current")
}

complete -o filenames -F _netctl netctl
