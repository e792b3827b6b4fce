#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The VLAN job (S1) as a user does it: a bond with 1,500 VLANs, each with an IPv6 address, all in a VRF. Built by one
# apply, a second apply sends nothing, a shorter range takes ten away and touches nothing else, no file leaves nothing.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip strace seq diff

changes() { # messages that were sent to change the kernel, by the daemon's own count
	status_number changes
}

vlans() { # NAME ADDRESS, a line for each VLAN that is up and in the VRF
	ip -br link show type vlan master florp up | sed 's/@.*//' | sort >"$tmp/up"
	ip -o -6 addr show scope global | awk '{print $2, $4}' | sort >"$tmp/addr"
	join "$tmp/up" "$tmp/addr"
}

expect_vlans() { # FIRST LAST
	seq "$1" "$2" | sed 's/.*/foo.& 2000::&\/64/' | sort
}

same_vlans() {
	expect_vlans "$1" "$2" >"$tmp/want"
	# A dump of ip's own may be interrupted by address detection; the condition is asked until it holds.
	vlans >"$tmp/got" && cmp -s "$tmp/want" "$tmp/got"
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ip -o link | awk '{print $2}' | sort >"$tmp/before"

ok 'apply' netctl apply "$NETCTLD_SOURCE/conf/examples/s1.yaml"
ok '1,500 VLANs are up, in the VRF, each with its address' wait_until same_vlans 1 1500
equal 'the bond has its port' v0 "$(ip -br link show master b1 | sed 's/[@ ].*//')"

before=$(changes)
strace -f -yy -e trace=sendto,sendmsg,sendmmsg -o "$tmp/sends" -p "$netctld_pid" 2>"$tmp/strace" &
strace_pid=$!
wait_until grep -q attached "$tmp/strace"
ok 'a second apply' netctl apply "$NETCTLD_SOURCE/conf/examples/s1.yaml"
kill "$strace_pid"
wait "$strace_pid"
equal 'sends nothing to the kernel, by the counter of netctl status' "$before" "$(changes)"
ok 'strace has seen the answer to the client' grep -q UNIX "$tmp/sends"
refute 'sends nothing to the kernel, by strace' grep NETLINK "$tmp/sends"
equal 'plan says so too' 0 "$(netctl plan "$NETCTLD_SOURCE/conf/examples/s1.yaml" >/dev/null; echo $?)"

quiet() { # no address detection under way, no carrier still to be told of
	ip -6 addr show tentative >"$tmp/busy" && ip -br link show type vlan | awk '$2 != "UP"' >>"$tmp/busy" &&
		[ ! -s "$tmp/busy" ]
}

# The kernel tells of each link and address again when these are done.
wait_until quiet
sed 's/{1\.\.1500}/{1..1490}/' "$NETCTLD_SOURCE/conf/examples/s1.yaml" >"$tmp/conf/s1.yaml"
watch_kernel "$tmp/monitor"
ok 'reload with ten VLANs less' netctl reload
watch_end "$tmp/monitor"
ok '1,490 are left as they were' same_vlans 1 1490
seq 1491 1500 | sed 's/^/foo./' | sort >"$tmp/want"
sed -n 's/^Deleted [0-9]*: \([^ @:]*\).*/\1/p' "$tmp/monitor" | grep '^foo' | sort -u >"$tmp/got"
ok 'the ten were deleted' diff "$tmp/want" "$tmp/got"
# (The bond itself, unchanged, is told of by the kernel when a VLAN leaves it.)
sed -n 's/^\(Deleted \)\{0,1\}[0-9]*: \([^ @:]*\).*/\2/p' "$tmp/monitor" | grep -v -e '^watched' -e '^b1$' | sort -u >"$tmp/got"
ok 'and nothing else was touched' diff "$tmp/want" "$tmp/got"
ip link del watched0 2>/dev/null

rm "$tmp/conf/s1.yaml"
ok 'reload without the file' netctl reload
# The kernel's bonding and dummy modules may leave a device of their own.
ip -o link | awk '{print $2}' | grep -v -e '^bond0:' -e '^dummy0:' | sort >"$tmp/after"
grep -v -e '^bond0:' -e '^dummy0:' "$tmp/before" >"$tmp/want"
ok 'removes what it made' diff "$tmp/want" "$tmp/after"
ok 'the daemon ends cleanly' netctld_stop
done_testing
