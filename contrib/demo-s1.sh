#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The demonstration of 1,500 VLANs in a VRF. contrib/demo runs it in a network
# namespace or a guest; it configures the network it finds itself in.
set -u
: "${NETCTLD_BUILD:?run contrib/demo}" "${NETCTLD_SOURCE:?run contrib/demo}"
PATH=$NETCTLD_BUILD/daemon:$NETCTLD_BUILD/daemon/netctl:$PATH
umask 022

work=$(mktemp -d) || exit 1
daemon='' failed=0
finish() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null
		wait "$daemon"
	fi
	rm -rf "$work"
}
trap finish EXIT

bold='' dim='' green='' red='' plain=''
if [ "${DEMO_COLOR:-}" = 1 ]; then
	bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
fi

say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() { # shows and runs a command
	printf '%s$ %s%s\n' "$green" "$*" "$plain"
	"$@" 2>&1
}
first() { # LINES COMMAND...: no more than the first lines of what it prints
	local lines=$1 total
	shift
	run "$@" >"$work/shown"
	total=$(($(wc -l <"$work/shown")))
	head -n "$lines" "$work/shown"
	[ "$total" -le "$lines" ] || printf '%s  ... %s more lines%s\n' "$dim" $((total - lines)) "$plain"
}
must() { # a command that must succeed
	run "$@" && return
	printf '%sfailed (exit status %s)%s\n' "$red" $? "$plain"
	[ ! -s "$work/log" ] || tail -n 5 "$work/log"
	exit 1
}
count() { # WHAT WANT COMMAND...: the lines that ip itself prints
	local what=$1 want=$2 got mark=ok colour=$green
	shift 2
	for _ in 1 2 3 4 5; do # a dump that addresses came into is taken again
		got=$("$@" 2>"$work/errors" | wc -l)
		[ -s "$work/errors" ] || break
	done
	[ ! -s "$work/errors" ] || cat "$work/errors"
	if [ "$got" != "$want" ]; then
		mark="WRONG, should be $want" colour=$red failed=1
	fi
	printf '  %-34s %6s   %s%s%s\n' "$what" "$got" "$colour" "$mark" "$plain"
}
kernel_changes() { # messages that the daemon has sent to change something
	netctl -j status | sed -n 's/.*"kernel":{[^}]*"changes":\([0-9]*\).*/\1/p'
}
answers() { netctl status >/dev/null 2>&1; }
by_ip() { # VLANs ADDRESSES
	echo 'By the count of ip:'
	count 'VLANs' "$1" ip -o link show type vlan
	count 'up' "$1" ip -o link show type vlan up
	count 'in the VRF' "$1" ip -o link show master florp
	count 'with their IPv6 address' "$2" ip -o -6 address show to 2000::/64
}

mkdir "$work/conf" "$work/run"
install -m 0644 "$NETCTLD_SOURCE/conf/examples/s1.yaml" "$work/s1.yaml" || exit 1
export NETCTL_RUNTIME=$work/run
cd "$work" || exit 1

say "1. The job: a bond with 1,500 VLANs, each with an IPv6 address, all in one VRF"
run cat s1.yaml

say "2. Is that a valid configuration? Nothing needs to run for that"
must netctld --check s1.yaml

say "3. The daemon, with an empty configuration folder: it looks, and changes nothing"
printf '%s$ netctld -c conf -r run &%s\n' "$green" "$plain"
netctld -c "$work/conf" -r "$work/run" >"$work/log" 2>&1 &
daemon=$!
until answers; do
	if ! kill -0 "$daemon" 2>/dev/null; then
		printf '%snetctld has ended:%s\n' "$red" "$plain"
		cat "$work/log"
		exit 1
	fi
	sleep 0.05
done
must netctl status

say "4. What would it do? (exit status 1 says that there is something to do)"
first 20 netctl plan s1.yaml

say "5. Do it"
start=$(date +%s%N)
must netctl apply s1.yaml
printf '%sIt took %s ms, start of netctl and confirmation of every object included.%s\n' "$dim" \
	$((($(date +%s%N) - start) / 1000000)) "$plain"
by_ip 1500 1500

say "6. Ask the daemon: answers come from its memory, not from the kernel"
must netctl status
first 8 netctl link
first 5 netctl link type vlan
first 6 netctl address show dev foo.1234

say "7. Apply it once more: there is nothing to do, and nothing is sent"
before=$(kernel_changes)
must netctl apply s1.yaml
after=$(kernel_changes)
if [ -n "$before" ] && [ "$before" = "$after" ]; then
	printf '  changes sent to the kernel: %s before, %s after   %sok%s\n' "$before" "$after" "$green" "$plain"
else
	printf '  %schanges sent to the kernel: %s before, %s after%s\n' "$red" "$before" "$after" "$plain"
	failed=1
fi

say "8. Ten subscribers less: edit the range, reload"
printf '%s$ sed s/1..1500/11..1500/ s1.yaml >conf/s1.yaml%s\n' "$green" "$plain"
sed 's/1\.\.1500/11..1500/; s/1,500/1,490/' s1.yaml >conf/s1.yaml
must netctl reload
printf '  changes sent to the kernel: %s\n' $(($(kernel_changes) - after))
by_ip 1490 1490

say "9. No file, no links: what netctld made, it removes"
run rm conf/s1.yaml
must netctl reload
count 'VLANs left' 0 ip -o link show type vlan
count 'of the other links' 0 sh -c 'ip -o link show | grep -E " (v0|v1|b1|florp)[@:]"'

if [ "$failed" = 0 ]; then
	say "That was all. Try next:"
else
	printf '\n%sSomething above is not as it should be.%s Try next:\n' "$red" "$plain"
fi
cat <<'END'
  less man/netctld.yaml.5.scd    what can be written in such a file
  netctld --check FILE           your own netplan files: every error with its place
  netctl -j link                 the same keys and values as ip -j -d link
  contrib/check                  all tests
END
exit "$failed"
