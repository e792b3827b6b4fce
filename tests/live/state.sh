# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# What a way back must bring back, all of it, by iproute2: links, addresses, routes of all tables, rules, next hops and
# bridge VLANs of this network namespace and of those named in $state_netns. state.py says what does not count.
#
#   state >FILE             writes it
#   state_settled FILE      likewise, when it does not change any more
#   state_differs FILE      what is not so now, a line each; waits a moment for what comes by itself (DAD, carrier)

_state_of() { # [NETNS]
	echo "netns ${1-}"
	for _what in 'link show' 'addr show' 'route show table all' '-6 route show table all' 'rule show' '-6 rule show' \
		'nexthop show'; do
		echo "ip $_what"
		# shellcheck disable=SC2086
		ip ${1:+-n "$1"} -j -d $_what 2>/dev/null || :
		echo
	done
	echo 'bridge vlan show'
	bridge ${1:+-n "$1"} -j vlan show 2>/dev/null || :
	echo
}

state() {
	_state_of
	for _ns in ${state_netns-}; do
		if [ -e "/run/netns/$_ns" ]; then
			_state_of "$_ns"
		else
			echo "no netns $_ns"
		fi
	done
}

# FILE: writes it when what comes by itself has come.
state_settled() {
	state >"$1"
	wait_until -t 20 _state_stands "$1" || :
}

_state_stands() {
	sleep 0.2
	cp "$1" "$1.last"
	state >"$1"
	python3 "$NETCTLD_SOURCE/tests/live/state.py" "$1.last" "$1"
}

_state_is() {
	state >"$tmp/.state"
	python3 "$NETCTLD_SOURCE/tests/live/state.py" "$1" "$tmp/.state" >"$tmp/.differs"
}

state_differs() {
	wait_until -t "${state_limit-10}" _state_is "$1" 2>/dev/null || cat "$tmp/.differs"
}
