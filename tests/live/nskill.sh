#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The daemon, and then its helper, killed with SIGKILL at ten random moments each, while namespaces with a veth, an
# address and a sysctl each are made or taken away. The moments are points of progress, told by the kernel, so that they
# are met on slow and on fast machines. After a restart (of the helper: by its keeper) all converges, what is somebody
# else's was not touched, and nothing has leaked. KILL_SEED, NS_COUNT and KILL_MOMENTS, if set: as said.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
. "$NETCTLD_SOURCE/tests/live/nslib.sh"
need_cmd ip seq diff awk pgrep

count=${NS_COUNT:-$(pick 400 80)}
moments=${KILL_MOMENTS:-10}
seed=${KILL_SEED:-$(date +%s)}
echo "# seed $seed (KILL_SEED), $count namespaces"

# MOMENT WHO: "WHAT COUNT" for nskillat; every third time while all is taken away. Kinds by turns, counts at random.
moment() {
	awk -v seed="$seed" -v n="$1" -v who="$2" -v count="$count" 'BEGIN {
		srand(seed)
		for (i = 0; i < 2 * n + (who == "helper"); i++)
			share = rand()
		split("names links up addresses names nonames links nolinks addresses nonames", kinds)
		print kinds[(n - 1) % 10 + 1], 1 + int(share * count)
	}'
}

want_all() {
	configuration 1 "$count" >"$tmp/conf/a.yaml"
}

want_nothing() {
	rm -f "$tmp/conf/a.yaml"
}

strangers() {
	everything stranger
	home_links | grep foreign
}

# What holds in any settled state: each name is a namespace and the only mount of it, and strangers are as before.
nothing_wrong() {
	[ -z "$(broken_names)" ] || {
		echo "names without namespaces: $(broken_names | tr '\n' ' ')"
		return 1
	}
	_mounts=$(count_netns_mounts) _names=$(find /run/netns -mindepth 1 | wc -l)
	[ "$_mounts" = "$_names" ] || {
		echo "$_mounts mounts, $_names names"
		return 1
	}
	strangers | diff "$tmp/strangers" -
}

is_empty() {
	[ "$(ls -A /run/netns)" = stranger ] || {
		find /run/netns -mindepth 1 | head
		return 1
	}
	[ "$(home_links | awk '{print $2}' | sort | tr '\n' ' ')" = 'foreign foreign_ lo ' ] || {
		home_links | head
		return 1
	}
}

is_whole() {
	expect_inside 1 "$count" >"$tmp/want"
	expect_ports 1 "$count" >>"$tmp/want"
	inside | grep -v '^stranger ' >"$tmp/got"
	ports >>"$tmp/got"
	diff "$tmp/want" "$tmp/got" | head -n 20
	cmp -s "$tmp/want" "$tmp/got" &&
		[ "$(home_links | grep -c -v -E ' (foreign_?|lo|br0)$')" = "$count" ] # no stray end of a pair
}

# TEXT STATE: a reload brings it about, and one more sends nothing
converges() {
	ok "$1: reload" netctl reload
	ok "$1: $2" wait_until "$2"
	_changes=$(status_number changes)
	ok "$1: reload once more" netctl reload
	equal "$1: changes nothing" "$_changes" "$(status_number changes)"
	ok "$1: nothing leaked, nothing foreign touched" nothing_wrong
}

is_gone() {
	! kill -0 "$1"
}

is_another() { # there is a helper, and it is not that one
	_now=$(helper_pid) && [ "$_now" != "$1" ]
}

# WHO PID TEXT: sets going what the files want and kills PID on the way
reload_and_kill() {
	# shellcheck disable=SC2086 # two words
	"$NETCTLD_BUILD/tests/live/nskillat" "$2" $what >"$tmp/killat" 2>&1 &
	_killat=$!
	wait_until grep -q listening "$tmp/killat"
	netctl reload >"$tmp/reload" 2>&1
	_rc=$?
	# The job is over: either the moment has come, or it will not.
	kill "$_killat" 2>/dev/null
	wait "$_killat"
	equal "$3: the moment has come" 0 "$?"
	echo "# $3: the client got exit status $_rc; $(find /run/netns -mindepth 1 | wc -l) names" \
		"and $(ip -br link show type veth | wc -l) links were there"
}

kill_daemon() { # TEXT
	reload_and_kill daemon "$netctld_pid" "$1"
	wait "$netctld_pid" 2>/dev/null
	netctld_pid=
	ok "$1: its helper ends with it" wait_until is_gone "$helper"
	netctld_start "$tmp/conf"
	ok "$1: settles after the restart" wait_until settled
	settled || netctl status | sed 's/^/# /'
	ok "$1: with a helper" wait_until helper_pid
}

kill_helper() { # TEXT
	reload_and_kill helper "$helper" "$1"
	ok "$1: it comes back" wait_until is_another "$helper"
	ok "$1: the daemon lives" netctl status
}

one_moment() { # WHO N
	what=$(moment "$2" "$1") text="$1 $2 ($(moment "$2" "$1"))"
	helper=$(helper_pid)
	case $what in
	no*)
		want_all
		converges "$text, before" is_whole
		want_nothing
		"kill_$1" "$text"
		;;
	*)
		want_all
		"kill_$1" "$text"
		converges "$text" is_whole
		want_nothing
		;;
	esac
	converges "$text, taken away" is_empty
}

mkdir "$tmp/conf"
ip link add foreign type veth peer name foreign_
ip netns add stranger
ip -n stranger link add eth0 type veth peer name v1
strangers >"$tmp/strangers"
namespaces=$(kernel_namespaces) || namespaces=
netctld_start "$tmp/conf"
wait_until helper_pid
for n in $(seq 1 "$moments"); do
	one_moment daemon "$n"
done
daemon=$netctld_pid
fds=$(count_fds "$daemon")
for n in $(seq 1 "$moments"); do
	one_moment helper "$n"
done
equal 'one daemon has survived the death of all helpers' "$daemon" "$netctld_pid"
same_fds() {
	[ "$(count_fds "$daemon")" = "$fds" ]
}
ok 'and keeps no descriptor of them' wait_until same_fds
few_in_kernel() { # others may use namespaces at the same time
	_now=$(kernel_namespaces) && echo "# namespaces in the kernel's memory: $namespaces before, $_now after" &&
		[ "$_now" -lt "$((namespaces + count / 2 + 100))" ]
}
[ -z "$namespaces" ] || ok 'no namespace is left in the kernel' wait_until few_in_kernel
ok 'the daemon ends cleanly' netctld_stop
done_testing
