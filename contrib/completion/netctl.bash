# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion of netctl(1) for bash: to be sourced, or put into
# /usr/share/bash-completion/completions under the name netctl. Names of links
# are those that the daemon knows, those of namespaces are the files of /run/netns.

# compgen -W expands its words as the shell does: only names in which there is nothing to expand.
_netctl_plain() {
	grep -xE '[[:alnum:]_.][[:alnum:]_.@:+-]*'
}

# The names of all links, of a kind if one is given.
_netctl_links() {
	local options=()

	[ -z "$_netctl_runtime" ] || options=(-r "$_netctl_runtime")
	[ -z "$_netctl_netns" ] || options+=(-n "$_netctl_netns")
	netctl "${options[@]}" -j link ${1:+type "$1"} 2>/dev/null |
		sed -n 's/^.*"ifname":"\([^"]*\)".*$/\1/p' | _netctl_plain
}

_netctl_namespaces() {
	# shellcheck disable=SC2012 # what is odd is left out
	ls /run/netns 2>/dev/null | _netctl_plain
}

# Behind "netns", which is one of _netctl_words, and perhaps a verb.
_netctl_netns_words() {
	local n=${#_netctl_words[@]} verb=${_netctl_words[1]:-}

	case $verb in
	'') _netctl_choice=(-W "list show add delete exec identify pids $(_netctl_namespaces)") ;;
	l | li | lis | list | ls | s | sh | sho | show)
		[ "$n" != 2 ] || _netctl_choice=(-W "all $(_netctl_namespaces)")
		;;
	d | de | del | dele | delet | delete) _netctl_choice=(-W "$(_netctl_namespaces)") ;;
	p*) [ "$n" != 2 ] || _netctl_choice=(-W "$(_netctl_namespaces)") ;;
	e*)
		if [ "$n" = 2 ] && [ -z "$_netctl_all" ]; then
			_netctl_choice=(-W "$(_netctl_namespaces)")
		elif [ "$n" -le 3 ]; then
			_netctl_choice=(-c)
		else
			_netctl_choice=(-f)
		fi
		;;
	esac
}

# Behind "link move".
_netctl_move_words() {
	case ${_netctl_words[-1]} in
	netns) _netctl_choice=(-W "$(_netctl_namespaces)") ;;
	name) ;;
	*) _netctl_choice=(-W "dev netns name $(_netctl_links)") ;;
	esac
}

# What may come behind the words of $_netctl_words; compgen's arguments in $_netctl_choice.
_netctl_next() {
	local n=${#_netctl_words[@]} previous='' verb=${_netctl_words[0]:-}
	local filters='dev index type master vrf up'

	[ "$n" = 0 ] || previous=${_netctl_words[n - 1]}
	case $verb in
	'')
		_netctl_choice=(-W 'link address route rule nexthop neighbour fdb vlan vrf maddress netns monitor
			verify stats check config plan apply batch cancel confirm rollback reload status help')
		;;
	l | li | lin | link | a | ad | add | addr | addre | addres | address | \
		m | ma | mad | madd | maddr | maddre | maddres | maddress)
		if [ "${verb:0:1}" = l ] && [ "${_netctl_words[1]:-}" = move ]; then
			_netctl_move_words
			return
		fi
		[ "${verb:0:1}" != a ] || filters+=' to scope'
		[ "${verb:0:1}" != m ] || filters+=' why'
		[ "$n" -gt 1 ] || filters+=' show'
		[ "${verb:0:1}$n" != l1 ] || filters+=' move'
		case $previous in
		dev | master) _netctl_choice=(-W "$(_netctl_links)") ;;
		vrf) _netctl_choice=(-W "$(_netctl_links vrf)") ;;
		type) _netctl_choice=(-W 'bond bridge dummy macvlan veth vlan vrf') ;;
		scope) _netctl_choice=(-W 'global site link host') ;;
		index | to) ;;
		*) _netctl_choice=(-W "$filters $(_netctl_links)") ;;
		esac
		;;
	r | ro | rou | rout | route)
		case $previous in
		dev | iif | oif) _netctl_choice=(-W "$(_netctl_links)") ;;
		vrf) _netctl_choice=(-W "$(_netctl_links vrf)") ;;
		table) _netctl_choice=(-W 'all main local default') ;;
		type) _netctl_choice=(-W 'unicast local broadcast multicast blackhole unreachable prohibit throw') ;;
		scope) _netctl_choice=(-W 'global site link host') ;;
		*)
			if [ "${_netctl_words[1]:-}" = get ]; then
				_netctl_choice=(-W 'from iif oif mark vrf uid ipproto sport dport tos')
			else
				_netctl_choice=(-W 'show get root match exact table vrf dev via src proto type scope metric nhid')
			fi
			;;
		esac
		;;
	ru | rul | rule)
		_netctl_choice=(-W 'show priority table from to iif oif fwmark protocol')
		;;
	nex | next | nexth | nextho | nexthop)
		_netctl_choice=(-W 'show id dev vrf master groups fdb protocol')
		;;
	n | nei | neig | neigh | neighb* | fdb | vlan | vrf)
		_netctl_choice=(-W "show dev $(_netctl_links)")
		;;
	mo | mon* )
		_netctl_choice=(-W 'link address route rule nexthop netns initial')
		;;
	net | netn | netns)
		_netctl_netns_words
		;;
	ch* | config | pl* | ap* | ba*)
		_netctl_choice=(-f)
		;;
	esac
}

_netctl() {
	local current=${COMP_WORDS[COMP_CWORD]} word skip='' i
	local _netctl_runtime='' _netctl_netns='' _netctl_all=''
	local _netctl_words=() _netctl_choice=()

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ "$skip" = r ]; then
			_netctl_runtime=$word skip=''
		elif [ "$skip" = n ]; then
			_netctl_netns=$word skip=''
		elif [ "$word" = -r ] || [ "$word" = --runtime ]; then
			skip=r
		elif [ "$word" = -n ] || [ "$word" = --netns ]; then
			skip=n
		elif [ "$word" = -a ] || [ "$word" = --all-netns ]; then
			_netctl_all=1
		elif [ "${word:0:1}" != - ] || [ "$word" = - ]; then
			_netctl_words+=("$word")
		fi
	done
	if [ "$skip" = r ]; then
		_netctl_choice=(-d)
	elif [ "$skip" = n ]; then
		_netctl_choice=(-W "$(_netctl_namespaces)")
	elif [ "${current:0:1}" = - ]; then
		_netctl_choice=(-W '-4 -6 -a -h -j -n -r --all-netns --allow-recreate --help --json --keep-going --netplan --origin
			--netns --runtime --version')
	else
		_netctl_next
	fi
	[ ${#_netctl_choice[@]} -eq 0 ] || mapfile -t COMPREPLY < <(compgen "${_netctl_choice[@]}" -- "$current")
}

complete -o filenames -F _netctl netctl
